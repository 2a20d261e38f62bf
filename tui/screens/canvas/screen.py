"""The Canvas of a project: its phases as columns, its work as cards."""

from __future__ import annotations

from collections.abc import Sequence, Set
from datetime import date

from textual import on
from textual.app import ComposeResult

from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.domain.canvas import Canvas, CanvasChanges, CanvasHeader, Card, place_in
from core.domain.model import Id, PhaseState
from core.domain.permissions import Permission
from core.domain.project_health import HEALTH_WORDS
from core.domain.view_settings import Layout, ViewPreset
from core.errors import Blocker
from core.record import replace
from tui.board.board import Board
from tui.board.messages import CardDropped, PhaseDropped
from tui.board.model import NOTHING
from tui.screens.canvas.applications import CanvasApplications
from tui.screens.canvas.board_actions import BoardActions, BoardMarks
from tui.screens.canvas.editing import CanvasEditing
from tui.screens.canvas.since_last_visit import SinceLastVisitActions
from tui.screens.canvas.templates import CanvasTemplates
from tui.screens.framework.list_actions import BoardCursorActions
from tui.screens.framework.marking import MarkActions
from tui.screens.framework.previewer import BESIDE, Previewer
from tui.screens.phases.gates import PhaseGates
from tui.screens.views.presenter import BoardPresenter
from tui.screens.views.project_view import ProjectView
from tui.screens.views.view_actions import apply_density
from tui.services.destinations import view_of

NO_PHASES = "This project has no phases yet"


class CanvasPresenter(BoardPresenter):
    """Shows the phases as columns of a board, which keeps the cards, their filter and the marks itself."""

    def draw(self) -> None:
        screen, board = self.screen, self.board
        if screen.filter.current is not board.model.filter:
            board.filter_by(screen.filter.current, is_search=screen.filter.narrows)
        if screen.show_archived is not board.show_archived:
            board.show_archived = screen.show_archived
            if board.cursor.card is None:
                board.cursor.top()

    def say_empty(self) -> None:
        """In empty places, name the keys that add something, for users with the permission."""
        held = self.screen.access.held
        self.board.say_empty(
            "Empty · n to add a card" if Permission.TASK_MANAGE in held else "Empty",
            NO_PHASES + (" · N to add the first" if Permission.WORKFLOW_MANAGE in held else ""),
        )

    def show_marks(self) -> None:
        """The board draws its marks itself."""

    def every_card(self) -> Sequence[Card]:
        return sorted(self.board.model.by_id.values(), key=place_in(self.screen.head))

    def find(self, card_id: Id) -> Card | None:
        return self.board.model.find(card_id)

    def list_marked(self, _ids: Set[Id]) -> Sequence[Card]:
        return self.board.marks.cards

    @property
    def marked_in_folds(self) -> int:
        return self.board.marks.in_folds

    def make_marks(self) -> MarkActions:
        return BoardMarks(self.screen, lambda: self.board)

    def counts(self) -> tuple[int, int]:
        return self.board.model.total_counts()

    def go_to_phase(self, number: int) -> None:
        self.board.cursor.go_to_column(number)


class CanvasScreen(ProjectView):
    """One project, whose cards only the board keeps."""

    name_in_table = "canvas"
    is_level = True
    AUTO_FOCUS = "Board"
    presenter_class = CanvasPresenter
    presenter: CanvasPresenter

    def __init__(self, project_id: Id, focus_id: Id | None = None, *, in_layout: bool = False) -> None:
        """``in_layout``: on opening the project, the view of its preset opens on top."""
        super().__init__(project_id, focus_id)
        self._in_layout = in_layout
        self.shows_parts = focus_id is None  # any card can be the one that gets the cursor
        self.add(BoardCursorActions(self, lambda: self.board.cursor))
        self.add(PhaseGates(self))
        self.add(CanvasApplications(self))
        self.add(CanvasTemplates(self))
        self._editing = self.add(CanvasEditing(self, lambda: self.board))
        self._board_actions = self.add(BoardActions(self, lambda: self.board))
        self.previewer = self.add(Previewer(self, self.find_record, BESIDE))
        self._since_last_visit = self.add(SinceLastVisitActions(self))

    def body(self) -> ComposeResult:
        yield Board(me=self.podium.me.user.id)
        yield self.cursor_line.line

    @property
    def board(self) -> Board:
        """The phases and cards."""
        return self.presenter.board

    def on_mount(self) -> None:
        self.watch(self.board, "description", self.cursor_line.cursor_moved)
        self.watch(self.board, "mark_count", self.cursor_line.cursor_moved)  # marks that go can leave no card
        self._since_last_visit.ask_later()

    async def on_unmount(self) -> None:
        await self._board_actions.save()
        await self._since_last_visit.remember()

    def place(self) -> str:
        head = self.head
        if not head.name:
            return "…"
        state = [HEALTH_WORDS[head.health], "archived" if head.archived else ""]
        progress = f"{head.tally.done}/{head.tally.total}"
        return " · ".join(filter(None, [head.name, *state, progress, " / ".join(head.links)]))

    # -- reading ---------------------------------------------------------------------------------------------

    async def reload(self) -> None:
        apply_density(self.board, self.preset, self.podium)
        await super().reload()

    def take_changes(self, changes: CanvasChanges) -> None:
        self.take_head(self.head.after(changes.head))
        self.board.apply(changes)
        if changes.preset is not None:
            self.project_reading.take_preset(changes.preset)
        self.filter.apply()

    def take_whole(self, canvas: Canvas) -> None:
        is_first = self.board.model.head.project_id != canvas.head.project_id
        self.take_head(canvas.head)
        self.project_reading.take_preset(canvas.preset)
        self.board.show(canvas, canvas.head.today)
        self.filter.read()
        self.presenter.draw()
        if not is_first:  # the cursor stays on its card
            return
        if self._focus_id:
            self.board.focus_card(self._focus_id)
            self._focus_id = None
        else:
            now = (column.number for column in canvas.head.columns if column.state is PhaseState.OPEN)
            self.board.cursor.begin_at_column(next(now, 1))
        if self._in_layout:
            self._in_layout = False
            layout = self.preset.viewing.layout
            if layout is not Layout.PHASE_COLUMNS:
                self.podium.call_later(self.podium.open, view_of(layout).to(self.project_id, None))

    def data_hidden(self) -> None:
        """Forget the cards too: nothing of them is drawn, read out or offered, until they are read whole again."""
        self._focus_id = self.location.card_id
        self.shows_parts = False  # the card that had the cursor may be any
        self.project_reading.forget()
        self.canvas = NOTHING
        self.board.show(NOTHING, date.min)

    def take_head(self, head: CanvasHeader) -> None:
        self.canvas = replace(self.canvas, head=head)
        self.changes_query = GetCanvasChanges.of(head)
        self.access.take_head(head)
        self.presenter.say_empty()

    def permissions_changed(self) -> None:
        self.presenter.say_empty()

    # -- drawing ---------------------------------------------------------------------------------------------

    def apply_preset(self, preset: ViewPreset) -> None:
        is_read = self.canvas is not NOTHING
        self.canvas = replace(self.canvas, preset=preset)
        if preset.viewing != self.board.model.viewing:
            self.board.apply_settings(preset.viewing)
            self.show_archived = self.board.show_archived
        apply_density(self.board, preset, self.podium)
        if is_read:  # else there is nothing to filter, and it is read with all the rest
            self.filter.apply()
        self.presenter.say_empty()
        self.show_titles()

    async def jump_to(self, blocker: Blocker) -> None:
        if blocker.kind == "PHASE":
            numbers = {column.id: column.number for column in self.head.columns}
            self.board.cursor.go_to_column(numbers.get(blocker.id, 0))
        elif blocker.kind == "DELIVERABLE":
            await super().jump_to(blocker)
        elif not self.board.focus_card(blocker.id):
            self.filter.clear()
            self.board.focus_card(blocker.id)

    # -- the mouse -------------------------------------------------------------------------------------------

    @on(CardDropped)
    async def _drop_card(self, event: CardDropped) -> None:
        await self._editing.drop_card(event)

    @on(PhaseDropped)
    async def _drop_phase(self, event: PhaseDropped) -> None:
        await self._editing.drop_phase(event)
