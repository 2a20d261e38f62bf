"""What stands on which line of the Timeline: phases with their bars, and under an unfolded one its cards."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from core.domain.canvas import CanvasHeader, Card, PhaseColumn
from core.domain.model import Id, PhaseState
from core.domain.workflow import CLOSED

SHORTEST = timedelta(days=7)
"""How long a bar is that nothing tells the start of."""

Moves = Mapping[Id, date]
"""Where due dates would be after a move that is thought of."""


class PhaseLine(NamedTuple):
    """A phase; its bar goes from the due date of the dated phase before it, or from the first day of the project if
    that is later, to its own (decided here: phases have one date, and follow each other)."""

    column: PhaseColumn
    start: date | None
    due: date | None
    ghost: tuple[date, date] | None
    """Where the bar would go from and to."""
    ticks: tuple[date, ...]
    """Due dates of its open cards."""
    cards: int
    unfolded: bool

    @property
    def id(self) -> Id:
        return self.column.id

    @property
    def phase_id(self) -> Id:
        return self.column.id

    @property
    def card(self) -> Card | None:
        return None

    @property
    def days(self) -> tuple[date, ...]:
        """The due date, and the first day of the bar; none where there is no bar."""
        return tuple(day for day in (self.due, self.start) if day)

    def is_late(self, today: date) -> bool:
        return self.due is not None and self.due < today and self.column.state is not PhaseState.COMPLETE


class CardLine(NamedTuple):
    """A card of an unfolded phase."""

    card: Card
    ghost: date | None
    """When it would be due."""

    @property
    def id(self) -> Id:
        return self.card.id

    @property
    def phase_id(self) -> Id:
        return self.card.phase_id

    @property
    def days(self) -> tuple[date, ...]:
        """The due date, if there is one."""
        return (self.card.due,) if self.card.due else ()

    def is_late(self, today: date) -> bool:
        return self.card.due is not None and self.card.due < today and self.card.status not in CLOSED


TimeLine = PhaseLine | CardLine


def lines_of(head: CanvasHeader, cards: Sequence[Card], unfolded: Collection[Id], moves: Moves) -> list[TimeLine]:
    """The lines in their order: phases, and the cards of those that are unfolded, by due date, the undated last."""
    inside: dict[Id, list[Card]] = {}
    for card in cards:
        inside.setdefault(card.phase_id, []).append(card)
    lines: list[TimeLine] = []
    before = moved_before = head.start
    for column in head.columns:
        mine = inside.get(column.id, [])
        due, moved = column.due, moves.get(column.id, column.due)
        ghost = (_start(moved_before, moved), moved) if moved and (due, before) != (moved, moved_before) else None
        ticks = tuple(sorted(card.due for card in mine if card.due and card.status not in CLOSED))
        start = _start(before, due) if due else None
        lines.append(PhaseLine(column, start, due, ghost, ticks, len(mine), column.id in unfolded))
        if column.id in unfolded:
            ordered = sorted(mine, key=lambda card: (card.due is None, card.due or date.max))
            lines += [CardLine(card, moves.get(card.id)) for card in ordered]
        before, moved_before = _later(head.start, due, before), _later(head.start, moved, moved_before)
    return lines


def _start(before: date | None, due: date) -> date:
    return before if before else due - SHORTEST


def _later(start: date | None, due: date | None, before: date | None) -> date | None:
    """Where the bar of the next phase begins."""
    return max(due, start) if due and start else due or before


def span(head: CanvasHeader, lines: Sequence[TimeLine]) -> tuple[date, date]:
    """The first and the last day that matter, whether or not today lies between them; today where there is none."""
    days: list[date] = []
    for line in lines:
        if isinstance(line, PhaseLine):
            days += [day for day in (line.start, line.due, *line.ticks[:1], *line.ticks[-1:]) if day]
    return min(days, default=head.today), max(days, default=head.today)
