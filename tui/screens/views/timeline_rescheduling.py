"""Moving a date on the Timeline: previewed first with all dates that it moves too, then done as one step or dropped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta

from core.actions.workflow.reschedule import DateChange, PreviewReschedule, ReschedulePhase, shift_in_words
from core.domain.canvas import Card, PhaseColumn
from core.domain.model import Id, ItemKind
from core.domain.permissions import CHANGING_CARDS, Permission
from core.errors import Blocker, PodiumError, RuleViolation, VersionConflict
from core.record import Record
from core.text.dates import in_short
from tui.dialogs.conflict_choice import ConflictResolved
from tui.keys.table import Key
from tui.screens.framework.controller import Action, Controller, why_if_locked
from tui.screens.framework.dialogs import asking, show_form
from tui.screens.views.project_view import ProjectView
from tui.widgets.bars import SentenceLine


class PreviewedMove(Record, kw_only=False):
    """A previewed move of a phase or a card by some days. ``moved`` lists the dates that change, its own first."""

    line_id: Id
    days: int
    alone: bool
    moved: tuple[DateChange, ...]
    seq: int


class MoveLine(SentenceLine):
    """The keys of a previewed move; shown only while there is one."""

    DEFAULT_CSS = """
    MoveLine { display: none; margin-bottom: 2; background: $panel; color: $text-warning; }
    MoveLine.-moving { display: block; }
    """


class Rescheduling(Controller):
    """Move the date of the phase or the card under the cursor."""

    screen: ProjectView

    def __init__(self, screen: ProjectView, redraw: Callable[[], None]) -> None:
        """``redraw`` draws the dates, of which the previewed ones have changed."""
        super().__init__(screen)
        self._redraw = redraw
        self.line = MoveLine(lambda: self.key_words)
        self._move: PreviewedMove | None = None

    def actions(self) -> Sequence[Action]:
        return (
            Action("later", lambda: self._shift(+1), permissions=self._to_move),
            Action("earlier", lambda: self._shift(-1), permissions=self._to_move),
            Action("week_later", lambda: self._shift(+7), permissions=self._to_move),
            Action("week_earlier", lambda: self._shift(-7), permissions=self._to_move),
            Action("alone", self.do_alone),
            Action("due", self.do_due, permissions=self._to_date),
            Action("open", self.do_open),
            Action("why", self.do_why, offer=lambda: why_if_locked(self.selection)),
        )

    def _to_move(self, _key: Key) -> Sequence[Permission]:
        """The permission to move a card takes its kind; that to move a phase, the workflow."""
        card = self.screen.presenter.card
        return (CHANGING_CARDS[card.kind] if card else Permission.WORKFLOW_MANAGE,)

    def _to_date(self, _key: Key) -> Sequence[Permission]:
        selection = self.selection
        if selection.card is None and not selection.marked:
            return (Permission.WORKFLOW_MANAGE,)
        return (CHANGING_CARDS[selection.kind],) if selection.kind else list(CHANGING_CARDS.values())

    # -- the preview -----------------------------------------------------------------------------------------

    @property
    def dates(self) -> dict[Id, date]:
        """The previewed dates by phase or card."""
        return {each.id: each.after for each in self._move.moved} if self._move else {}

    @property
    def words(self) -> str:
        """The previewed move in a sentence; "" when there is none."""
        return f"Move {shift_in_words(self._move.moved)}" if self._move else ""

    @property
    def key_words(self) -> str:
        """The keys of the previewed move."""
        if self._move is None:
            return ""
        with_others = self._move.moved[0].kind == "PHASE" or self._move.alone or len(self._move.moved) > 1
        alone = "X move what follows too" if self._move.alone else "X move only this date"
        keys = ["enter apply", "esc discard", *([alone, "w list changes"] if with_others else [])]
        return f"Preview: {' · '.join(keys)}"

    async def _shift(self, days: int) -> None:
        before = self._move
        await self._plan((before.days if before else 0) + days, bool(before and before.alone))

    async def do_alone(self) -> None:
        if self._move is None:
            self.podium.toast("Move a date first, with ( and ).")
        else:
            await self._plan(self._move.days, not self._move.alone)

    async def _plan(self, days: int, alone: bool) -> None:
        """Work out the dates that would move; at no days there is no move. Raises PodiumError, the move staying."""
        card, phase = self.screen.presenter.card, self.selection.phase
        if not days:
            self.drop()
        elif card is not None:
            self._take(await self._moved_card(card, days, alone))
        elif phase is not None:
            shift = await self.podium.query(PreviewReschedule(phase_id=phase.id, days=days, alone=alone))
            self._take(PreviewedMove(phase.id, days, alone, shift.moved, shift.seq))

    async def _moved_card(self, card: Card, days: int, alone: bool) -> PreviewedMove:
        """Plan the move of a card and, unless ``alone``, of the cards that wait for it and would be due too early.

        Raises RuleViolation without a date, InvalidInput for one that cannot be meant.
        """
        from core.rules.items import due_date

        if card.due is None:
            raise RuleViolation(f"“{card.title}” has no due date to move. Press D to set one.")
        after = card.due + timedelta(days=days)
        due_date(after)
        moved = DateChange(kind=card.kind.value, id=card.id, title=card.title, before=card.due, after=after)
        others = () if alone or card.kind is ItemKind.APPLICATION else await self._following(card, after)
        return PreviewedMove(card.id, days, alone, (moved, *others), self.screen.head.seq)

    async def _following(self, card: Card, after: date) -> tuple[DateChange, ...]:
        """The dates of other cards that the move of a card moves too, from a dry run, so that they are the same."""
        from tui.services.card_commands import set_due_date

        tried = await self.podium.dry_run(set_due_date(card, after, follow=True, seen=False))
        return tuple(
            DateChange(
                kind=each.before["kind"],
                id=each.before["id"],
                title=each.before["title"],
                before=date.fromisoformat(each.before["due"]),
                after=date.fromisoformat(each.after["due"]),
            )
            for each in tried.changes
            if each.entity == "item" and each.before and each.after and each.before["id"] != card.id
        )

    def _take(self, move: PreviewedMove | None) -> None:
        self._move = move
        self.line.set_class(move is not None, "-moving")
        self.line.show()
        self._redraw()

    def drop(self) -> None:
        """Drop the previewed move."""
        if self._move is not None:
            self._take(None)

    def leave(self, *, is_closing: bool = False) -> None:
        """Drop the move of another line than the one under the cursor, or any on a screen that closes, and say so."""
        if self._move is None:
            return
        selection = None if is_closing else self.selection
        record = (selection.card or selection.phase) if selection else None
        if record is None or self._move.line_id != record.id:
            title = self._move.moved[0].title
            if is_closing:
                self._move = None
            else:
                self.drop()
            self.podium.toast(f"“{title}” stays where it is: the move was not done.")

    async def plan_again(self) -> None:
        """After news work the move out again, so that the picture is what would be done."""
        self.leave()
        if self._move is not None:
            try:
                await self._plan(self._move.days, self._move.alone)
            except PodiumError as error:
                self.drop()
                self.podium.show_error(error)

    def step_back(self) -> bool:
        had = self._move is not None
        self.drop()
        return had

    def data_hidden(self) -> None:
        self.drop()

    # -- doing it --------------------------------------------------------------------------------------------

    async def do_open(self) -> None:
        """Do the previewed move, which a key with its own permission began; without one open the card or the phase."""
        if self._move is None:
            await self.screen.view_actions.do_open()
        else:
            await self._carry_out(self._move)

    async def _carry_out(self, move: PreviewedMove) -> None:
        card = self.screen.presenter.card
        try:
            if card is not None:
                from tui.services.card_commands import set_due_date

                await self.podium.send(set_due_date(card, move.moved[0].after, follow=not move.alone))
            else:
                await self.podium.send(
                    ReschedulePhase(phase_id=move.line_id, days=move.days, alone=move.alone, seen_seq=move.seq)
                )
        except ConflictResolved:  # the user was asked about this very card, so there is nothing left to move
            self.drop()
            raise
        except VersionConflict as error:
            await self.screen.refresh_from_core()
            self.podium.show_error(error)
            return
        self.drop()
        await self.screen.refresh_from_core()
        self.podium.toast(f"Moved {shift_in_words(move.moved)}. u to undo.")

    def do_due(self) -> object:
        """Date the card, or the phase where the cursor is on one and no card is marked."""
        selection, column = self.selection, self.screen.presenter.column
        if column is not None and selection.card is None and not selection.marked:
            return self._date_phase(column)
        return self.screen.editing.do_due()

    @asking
    async def _date_phase(self, column: PhaseColumn) -> None:
        from core.actions.workflow.phases import SetPhaseDueDate
        from tui.dialogs.fields.form_fields import DateField

        async def save(values: dict[str, object]) -> object:
            return await self.podium.send(SetPhaseDueDate(phase_id=column.id, seen_version=column.version, **values))  # type: ignore[arg-type]

        title, fields = f"Due date of “{column.name}”", [DateField("due", "Due", column.due)]
        await show_form(self.screen, title, fields, save, record=column)

    @asking
    async def do_why(self) -> None:
        """List the dates that a previewed move changes; without one, explain what blocks the card or the phase."""
        from tui.dialogs.blockers import BlockersDialog
        from tui.screens.cards.blockers import explain_block

        selection = self.selection
        if self._move is None:
            await explain_block(self.screen, selection.card, selection.phase.id if selection.phase else None)
            return
        today = self.screen.head.today
        statuses = {card.id: card.status for card in self.screen.canvas.cards if card.status}
        listed = tuple(
            Blocker(
                each.id,
                each.kind,
                each.title,
                f"{in_short(each.before, today)} → {in_short(each.after, today)}",
                status=statuses.get(each.id, ""),
            )
            for each in self._move.moved
        )
        picked = await self.podium.ask(BlockersDialog("Affected items", f"{self.words}.", listed))
        if isinstance(picked, Blocker):
            self.drop()
            await self.screen.jump_to(picked)
