"""Moving a date on the Timeline: thought of first, with all that it knocks on, then done as one step, or dropped."""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

from textual.content import Content

from core.actions.workflow.reschedule import DateChange, PreviewReschedule, ReschedulePhase, shift_in_words
from core.domain.canvas import Card
from core.domain.model import Id
from core.domain.permissions import Permission
from core.errors import Blocker, PodiumError, RuleViolation, VersionConflict
from core.text.dates import in_short
from tui.dialogs.conflict_choice import ConflictResolved
from tui.drawing.cells import fit
from tui.keys.bindings import Key
from tui.screens.framework.dialogs import asking
from tui.screens.views.project_view import ProjectView
from tui.services.card_commands import SET_DUE_DATE
from tui.widgets.bars import DetailLine

DATING = ("later", "earlier", "week_later", "week_earlier")
"""The verbs that are about a phase on the line of one, and about a card on that of one."""


class Move(NamedTuple):
    """A move that is thought of, of a phase or a card, by some days. ``moved`` is what it moves, itself first."""

    line_id: Id
    days: int
    alone: bool
    moved: tuple[DateChange, ...]
    seq: int


class MoveLine(DetailLine):
    """What can be done with a move that is thought of; only there while there is one."""

    DEFAULT_CSS = """
    MoveLine { display: none; margin-bottom: 2; background: $panel; color: $text-warning; }
    MoveLine.-moving { display: block; }
    """

    def line(self, width: int) -> Content:
        owner = self.screen
        assert isinstance(owner, RescheduleMixin)
        return Content(fit(f" {owner.move_keys}", width))


class RescheduleMixin(ProjectView):
    """A view on which dates are moved. A subclass draws ``moves``."""

    _move: Move | None = None

    @property
    def moves(self) -> dict[Id, date]:
        """Where dates would be."""
        return {each.id: each.after for each in self._move.moved} if self._move else {}

    @property
    def pending_words(self) -> str:
        """The move that is thought of, in a sentence; "" when there is none."""
        return shift_in_words(self._move.moved) if self._move else ""

    @property
    def move_keys(self) -> str:
        """What can be done with it."""
        if self._move is None:
            return ""
        of_phase = self._move.moved[0].kind == "PHASE"
        alone = "X what follows too" if self._move.alone else "X this date alone"
        return " · ".join(
            ["Not done yet: enter does it", "esc drops it", *([alone, "w lists all"] if of_phase else [])]
        )

    def why_not(self, key: Key) -> str:
        """To move a phase takes the right to manage the workflow, to move a card that of its kind."""
        if key.verb in DATING and self.card is not None:
            key = key._replace(needs=Permission.TASK_MANAGE)
        elif key.verb == "due" and self.card is None and not self.marks:
            key = key._replace(needs=Permission.WORKFLOW_MANAGE)
        return super().why_not(key)

    # -- thinking of it --------------------------------------------------------------------------------------

    async def do_later(self) -> None:
        await self._think_of(+1)

    async def do_earlier(self) -> None:
        await self._think_of(-1)

    async def do_week_later(self) -> None:
        await self._think_of(+7)

    async def do_week_earlier(self) -> None:
        await self._think_of(-7)

    async def do_alone(self) -> None:
        if self._move is None or self._move.moved[0].kind != "PHASE":
            self.podium.tell("Move the date of a phase first, with H and L.")
        else:
            await self._plan(self._move.days, not self._move.alone)

    async def _think_of(self, days: int) -> None:
        before = self._move
        await self._plan((before.days if before else 0) + days, bool(before and before.alone))

    async def _plan(self, days: int, alone: bool) -> None:
        """Work out what would move; back at no days there is no move. Raises PodiumError, the move staying as it is."""
        if not days:
            self.drop_move()
        elif self.card is not None:
            self._take(self._moved_card(self.card, days))
        elif self.phase_id is not None:
            shift = await self.podium.query(PreviewReschedule(phase_id=self.phase_id, days=days, alone=alone))
            self._take(Move(self.phase_id, days, alone, shift.moved, shift.seq))

    def _moved_card(self, card: Card, days: int) -> Move:
        """Raises RuleViolation without a date, InvalidInput for one that cannot be meant."""
        from core.rules.items import due_date

        if card.due is None:
            raise RuleViolation(f"“{card.title}” has no due date to move. D sets one.")
        after = card.due + timedelta(days=days)
        due_date(after)
        moved = DateChange(kind=card.kind.value, id=card.id, title=card.title, before=card.due, after=after)
        return Move(card.id, days, True, (moved,), self.canvas.head.seq)

    def _take(self, move: Move | None) -> None:
        self._move = move
        for line in self.query(MoveLine):
            line.set_class(move is not None, "-moving")
            line.show()
        self._draw()

    @property
    def _line_id(self) -> Id | None:
        return self.card.id if self.card else self.phase_id

    def drop_move(self) -> None:
        """Think of none any more."""
        if self._move is not None:
            self._take(None)

    def leave_move(self) -> None:
        """The cursor went elsewhere: what is thought of belongs to the line it was on."""
        if self._move is not None and self._move.line_id != self._line_id:
            title = self._move.moved[0].title
            self.drop_move()
            self.podium.tell(f"“{title}” stays where it is: the move was not done.")

    async def reload(self) -> None:
        """After news the move is worked out again, so that what is shown is what would be done."""
        await super().reload()
        self.leave_move()
        if self._move is not None:
            try:
                await self._plan(self._move.days, self._move.alone)
            except PodiumError as error:
                self.drop_move()
                self.podium.show_error(error)

    def do_back(self) -> None:
        """First the move that is thought of goes."""
        if self._move is not None:
            self.drop_move()
        else:
            super().do_back()

    # -- doing it --------------------------------------------------------------------------------------------

    async def carry_out_move(self) -> None:
        """Do what is shown, or show what became of it meanwhile."""
        move, card = self._move, self.card
        if move is None:
            return
        try:
            if card is not None:
                await self.podium.send(SET_DUE_DATE.on(card, due=move.moved[0].after))
            else:
                await self.podium.send(
                    ReschedulePhase(phase_id=move.line_id, days=move.days, alone=move.alone, seen_seq=move.seq)
                )
        except ConflictResolved:  # the person was asked about this very card, so nothing is left to think of
            self.drop_move()
            raise
        except VersionConflict as error:
            await self.refresh_from_core()
            self.podium.show_error(error)
            return
        self.drop_move()
        await self.refresh_from_core()
        self.podium.tell(f"Moved {shift_in_words(move.moved)}. u takes it back.")

    @asking
    async def do_why(self) -> None:
        """While a move is thought of, all that it moves; else what blocks the card or the phase."""
        from tui.dialogs.blockers import BlockersDialog
        from tui.screens.cards.blockers import explain_block

        if self._move is None:
            await explain_block(self, self.card, self.phase_id)
            return
        today = self.canvas.head.today
        listed = tuple(
            Blocker(each.id, each.kind, each.title, f"{in_short(each.before, today)} → {in_short(each.after, today)}")
            for each in self._move.moved
        )
        picked = await self.podium.ask(BlockersDialog("What moves", f"{self.pending_words}.", listed, ()))
        if picked is not None:
            self.drop_move()
            await self.jump_to(picked)
