"""The keys and drops that say where cards and phases of the Canvas are put, and its export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

from core.domain.canvas import Card
from core.domain.model import Id, Status
from core.domain.statuses import CLOSED, STATUS_WORDS
from core.text.phrases import in_words
from tui.board.board import Board
from tui.board.messages import CardDropped, PhaseDropped
from tui.screens.framework.controller import Action, Controller
from tui.screens.framework.dialogs import asking
from tui.screens.views.project_view import ProjectView
from tui.services.destinations import ToImport


class CanvasEditing(Controller):
    """Put cards and phases elsewhere, and export the project."""

    screen: ProjectView

    def __init__(self, screen: ProjectView, board: Callable[[], Board]) -> None:
        super().__init__(screen)
        self._find_board = board

    def actions(self) -> Sequence[Action]:
        change = self.screen.editing.change
        return (
            Action("export", self.do_export),
            Action("import_here", lambda: self.podium.open(ToImport(self.screen.project_id))),
            change("lower", lambda: self._shift(+1)),
            change("raise", lambda: self._shift(-1)),
            change("move_to", self.do_move_to),
        )

    @property
    def board(self) -> Board:
        """The board of the Canvas."""
        return self._find_board()

    @asking
    async def do_export(self) -> None:
        from tui.screens.projects.export import ask_export

        await ask_export(self.podium, self.screen.project_id, self.screen.head.name)

    # -- placing ---------------------------------------------------------------------------------------------

    async def _shift(self, step: int) -> None:
        """Put the focused card above the previous or below the next card of its section; an activity with its tasks.

        A task below its activity stays among the tasks of the activity.
        """
        from tui.services.card_commands import reorder

        card = self.board.cursor.card
        if card is None:
            return
        if not self.board.model.own_order:
            self.podium.toast(self._sorted)
            return
        families = self.board.model.families
        beside = list(islice(families.peers(card, step), 2))
        if not beside:
            around = "task of its activity here" if families.leader(card) else "card of its section"
            self.podium.toast(f"Already the {'last' if step > 0 else 'first'} {around}.")
            return
        before = beside[:1] if step < 0 else beside[1:]
        await self.podium.perform(reorder(card, card.phase_id, before[0].id if before else None))

    @property
    def _sorted(self) -> str:
        """The reason why no card can be put before another."""
        return f"The cards are sorted by {in_words(self.board.model.viewing.sort)}. Press P for your own order."

    @asking
    async def do_move_to(self) -> None:
        from tui.dialogs.menus.picker import Option, PickDialog
        from tui.services.card_commands import reorder

        cards = self.screen.changes.some()
        if not cards:
            return
        columns, here = self.screen.head.columns, {card.phase_id for card in cards}
        options = [
            Option(column.id, f"{column.number} {column.name}", f"{column.state.lower()}{suffix}")
            for column in columns
            for suffix in (" · here" if column.id in here else "",)
        ]
        last = max(number for number, column in enumerate(columns) if column.id in here)
        following = columns[min(last + 1, len(columns) - 1)].id
        dialog = PickDialog(f"Move {self.selection.title} to phase", options, chosen=(following,))
        picked = await self.podium.ask(dialog)
        if picked:
            phase_id = picked[0]
            await self.screen.changes.move(
                lambda card, seen: reorder(card, phase_id, seen=seen) if card.phase_id != phase_id else None, cards
            )

    async def drop_card(self, event: CardDropped) -> None:
        """Place the card, move it to another status, or both: one step, one undo, and all of it or nothing."""
        from core.actions.cards.bulk import BulkUpdate
        from tui.services.card_commands import one_step, reorder, to_status

        card = event.card
        status = Status(event.section) if event.section else None
        keys = self.screen.keys
        if not keys.may("canvas.raise") or (status is not card.status and not keys.may("canvas.next_status")):
            return
        if not event.is_placed and (event.phase_id, status) == (card.phase_id, card.status):
            self.podium.toast(self._sorted)
            return
        is_placed = event.phase_id != card.phase_id or (event.is_placed and event.before_id != self._follower(card))
        back = status is Status.TO_DO  # comes first, since a locked phase takes only cards that have not begun
        change = to_status(card, status, seen=back or not is_placed)
        place = reorder(card, event.phase_id, event.before_id, seen=not (back and change)) if is_placed else None
        steps = (change, place) if back else (place, change)
        command = one_step(self.screen.project_id, [each for each in steps if each is not None], atomic=True)
        if command is None:
            return
        done = await self.podium.perform(command)
        if done is not None and isinstance(command, BulkUpdate) and status is not None:
            there = "" if event.phase_id == card.phase_id else f" “{self._name_of(event.phase_id)}”,"
            self.podium.toast(f"Moved “{card.title}” to{there} {STATUS_WORDS[status]}. u to undo.")
        if done is not None and card.status not in CLOSED:
            await self.screen.changes.announce_completed([card.phase_id])

    def _name_of(self, phase_id: Id) -> str:
        return next((column.name for column in self.screen.head.columns if column.id == phase_id), "")

    def _follower(self, card: Card) -> Id | None:
        """The card after this one in its section, a task's among the tasks of its activity."""
        after = next(self.board.model.families.peers(card, +1), None)
        return after.id if after else None

    async def drop_phase(self, event: PhaseDropped) -> None:
        """Put the phase before another one or last."""
        from core.actions.workflow.phases import ReorderPhase

        if self.screen.keys.may("canvas.new_phase"):
            await self.podium.perform(ReorderPhase(phase_id=event.phase_id, before_id=event.before_id))
