"""What changes the Canvas itself: new cards and phases, and where they are put, by keys and by the mouse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual import on

from core.domain.canvas import CanvasHeader, CanvasMember, Card
from core.domain.model import Id, ItemKind, Status
from core.engine.messages import Command
from core.text.phrases import in_words
from tui.board.board import Board
from tui.board.messages import CardDropped, PhaseDropped
from tui.screens.cards.status import CardStatus
from tui.screens.framework.cursor_keys import BoardCursorKeys
from tui.screens.framework.dialogs import asking
from tui.screens.phases.gates import PhaseKeys
from tui.screens.views.cycling import ViewSteps
from tui.services.card_commands import REORDER, one_step, to_status


class CanvasEditing(BoardCursorKeys, CardStatus, PhaseKeys, ViewSteps):
    """A screen with a board on it, and the changes that one makes there."""

    _head: CanvasHeader | None = None

    @property
    def board(self) -> Board:
        return self.query_one(Board)

    @property
    def head(self) -> CanvasHeader:
        """The head as last read; there is one as soon as the screen is mounted."""
        assert self._head is not None
        return self._head

    @property
    def card(self) -> Card | None:
        """The card of the cursor."""
        return self.board.card

    def go_to(self, card_id: Id) -> None:
        """Put the cursor on a card, if it can be seen."""
        self.board.focus_card(card_id)

    @property
    def phase_id(self) -> Id | None:
        """The phase of the cursor."""
        return self.board.column.id if self.board.column else None

    def targets(self) -> Sequence[Card]:
        return self.board.targets

    def team(self) -> Sequence[CanvasMember]:
        return self.head.members

    def phase(self) -> tuple[Id, str] | None:
        column = self.board.column
        return (column.id, column.name) if column else None

    def kind_in_focus(self) -> ItemKind | None:
        """Without looking at the marked cards: it is asked for every key in the line of keys."""
        card = self.board.card
        return card.kind if card is not None and not self.board.marked else None

    def menu_title(self) -> str:
        return self._named(self.targets()) if self.targets() else self.place()

    def after_bulk(self) -> None:
        self.board.clear_marks()

    # -- adding ----------------------------------------------------------------------------------------------

    @asking
    async def do_new_phase(self) -> None:
        columns = self.head.columns
        column = self.board.column
        following = columns[column.number].id if column and column.number < len(columns) else None
        if await self.ask_new_phase(following):
            self.board.go_to_column(column.number + 1 if column else 1)

    @asking
    async def do_new_card(self) -> None:
        from tui.screens.cards.new_card import NO_PHASES, activity_around, ask_new_card

        column = self.board.column
        if column is None:
            self.podium.tell(NO_PHASES)
            return
        activity = activity_around(self.board.card, self.board.model.find)
        item = await ask_new_card(self, column, activity, self.team())
        if item is not None:
            self.board.focus_card(item.id)

    @asking
    async def do_export(self) -> None:
        from tui.screens.projects.import_export import ask_export

        await ask_export(self.podium, self.project_id, self.head.name)

    # -- placing ---------------------------------------------------------------------------------------------

    async def do_lower(self) -> None:
        await self._shift(+1)

    async def do_raise(self) -> None:
        await self._shift(-1)

    async def _shift(self, step: int) -> None:
        """Put the focused card above the previous or below the next card of its section."""
        card = self.board.card
        if card is None:
            return
        if not self.board.own_order:
            self.podium.tell(self._sorted)
            return
        section = self.board.model.pile_of(card).cards
        place = section.index(card) + step
        if not 0 <= place < len(section):
            self.podium.tell(f"It is the {'last' if step > 0 else 'first'} of its section already.")
            return
        before = section[place : place + 1] if step < 0 else section[place + 1 : place + 2]
        await self.podium.perform(REORDER.on(card, phase_id=card.phase_id, before_id=before[0].id if before else None))

    @property
    def _sorted(self) -> str:
        """Why no card can be put before another."""
        return (
            f"The cards are sorted by {in_words(self.board.model.viewing.sort)}. P chooses a preset in your own order."
        )

    @asking
    async def do_move_to(self) -> None:
        from tui.dialogs.picker import Option, PickDialog

        cards = self._some()
        if not cards:
            return
        options = [
            Option(column.id, f"{column.number} {column.name}", column.state.lower()) for column in self.head.columns
        ]
        picked = await self.podium.ask(PickDialog(f"Move {self._named(cards)} to phase", options))
        if picked:
            await self._each(
                lambda card, seen: (
                    REORDER.on(card, seen=seen, phase_id=picked[0]) if card.phase_id != picked[0] else None
                ),
                cards,
            )

    @on(CardDropped)
    async def _drop_card(self, event: CardDropped) -> None:
        """A drop places the card, moves it to another status, or both: one step, one undo."""
        card = event.card
        status = Status(event.section) if event.section else None
        if self.may_not("canvas.raise") or (status is not card.status and self.may_not("canvas.next_status")):
            return
        if not event.is_placed and (event.phase_id, status) == (card.phase_id, card.status):
            self.podium.tell(self._sorted)
            return
        commands: list[Command[Any]] = []
        if event.phase_id != card.phase_id or (event.is_placed and event.before_id != self._follower(card)):
            commands.append(REORDER.on(card, phase_id=event.phase_id, before_id=event.before_id))
        if change := to_status(card, status, seen=not commands):
            commands.append(change)
        await self._carry_out(one_step(self.project_id, commands))

    def _follower(self, card: Card) -> Id | None:
        """The card after this one in its section."""
        section = self.board.model.pile_of(card).cards
        after = section[section.index(card) + 1 :]
        return after[0].id if after else None

    @on(PhaseDropped)
    async def _drop_phase(self, event: PhaseDropped) -> None:
        from core.actions.workflow.phases import ReorderPhase

        if not self.may_not("canvas.new_phase"):
            await self.podium.perform(ReorderPhase(phase_id=event.phase_id, before_id=event.before_id))
