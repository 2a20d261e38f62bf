"""The status board of a project: statuses as columns, and in each the phases that have cards of it.

A preset whose order is by label or by priority groups the cards of a column by that in place of the phase.
"""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult

from core.domain.canvas import CanvasChanges
from core.domain.model import Id, Status
from core.record import replace
from tui.board.board import Board
from tui.board.grouping import BY_STATUS, grouping_for
from tui.board.messages import CardDropped
from tui.screens.framework.list_actions import BoardCursorActions
from tui.screens.framework.previewer import BESIDE, Previewer
from tui.screens.views.presenter import BoardPresenter
from tui.screens.views.project_view import ProjectView
from tui.screens.views.view_actions import apply_density

NO_CARDS = "No cards"
NO_PHASES = "This project has no phases yet"
NO_STATUSES = "The preset shows only applications, which have no status. Press P for another preset."


class StatusBoardPresenter(BoardPresenter):
    """Shows the cards that have a status by status."""

    def draw(self) -> None:
        """The cards are filtered already; of the preset the board takes the order, the fields and the density."""
        screen, board = self.screen, self.board
        viewing = screen.preset.viewing
        apply_density(board, screen.preset, screen.podium)
        if board.model.viewing != viewing:
            board.apply_settings(viewing)
        is_first = not board.model.head.project_id
        board.say_empty(NO_CARDS, NO_STATUSES if screen.head.columns else NO_PHASES)
        board.model.axes = grouping_for(viewing.sort)
        board.show(replace(screen.canvas, cards=tuple(screen.filter.cards())), screen.head.today)
        board.show_archived = screen.show_archived
        self.show_marks()
        if is_first:
            board.cursor.begin_at_column(1)

    def redraw_changed(self, changes: CanvasChanges) -> None:
        """Have the board take in the changed cards; those that are filtered now are gone for it."""
        leaves = self.screen.filter.leaves
        shown = tuple(card for card in changes.changed if leaves(card))
        hidden = tuple(card.id for card in changes.changed if not leaves(card))
        self.board.apply(replace(changes, changed=shown, gone=(*changes.gone, *hidden)))
        self.show_marks()
        self.cursor_moved()


class StatusBoardScreen(ProjectView):
    """The cards of all phases by status. Applications have no status and are not on it."""

    name_in_table = "status_board"
    view_words = "Status board"
    AUTO_FOCUS = "Board"
    presenter_class = StatusBoardPresenter
    presenter: StatusBoardPresenter

    def __init__(self, project_id: Id, focus_id: Id | None = None) -> None:
        super().__init__(project_id, focus_id)
        self.add(BoardCursorActions(self, lambda: self.presenter.board.cursor))
        self.previewer = self.add(Previewer(self, self.find_record, BESIDE))

    def body(self) -> ComposeResult:
        me = self.podium.me.user.id
        yield Board(no_cards=NO_CARDS, no_phases=NO_PHASES, axes=BY_STATUS, me=me)
        yield self.cursor_line.line

    def on_mount(self) -> None:
        self.watch(self.presenter.board, "description", self.cursor_line.cursor_moved)

    @on(CardDropped)
    async def _drop_card(self, event: CardDropped) -> None:
        """A drop is a move to the status of the column; the phase stays, whatever section it was dropped on."""
        from tui.services.card_commands import to_status

        command = to_status(event.card, Status(event.section or ""))
        if command is not None and self.keys.may("view.next_status"):
            await self.podium.perform(command)
