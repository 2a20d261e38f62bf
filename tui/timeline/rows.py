"""The lines of the Timeline: phases with their bars, and the cards of unfolded phases."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from itertools import accumulate, chain

from core.domain.canvas import CanvasHeader, Card, PhaseColumn
from core.domain.model import Id, PhaseState
from core.domain.statuses import CLOSED
from core.record import Record
from tui.timeline.cards_by_phase import CardsByPhase, DueDays
from tui.timeline.project_lines import TimelineProject, bar_start, next_start
from tui.widgets.made_in_view import MadeInView

Moves = Mapping[Id, date]
"""Due dates after a move that is previewed, by phase or card."""


class TimelinePhase(Record, kw_only=False):
    """A phase. Phases have one date and follow each other, so the bar begins at the due date of the dated phase before
    it, or at the first day of the project if that is later, and ends at its own due date."""

    column: PhaseColumn
    start: date | None
    due: date | None
    ghost: tuple[date, date] | None
    """Start and end of the bar after the previewed move."""
    ticks: DueDays
    """The days on which its open cards are due."""
    cards: int
    unfolded: bool

    @property
    def id(self) -> Id:
        return self.column.id

    @property
    def phase_id(self) -> Id:
        return self.column.id

    @property
    def name(self) -> str:
        return self.column.name

    @property
    def card(self) -> Card | None:
        return None

    @property
    def days(self) -> tuple[date, ...]:
        """The due date and the first day of the bar; empty without a bar."""
        return tuple(day for day in (self.due, self.start) if day)

    @property
    def bounds(self) -> tuple[date, ...]:
        """The days that the first window is to show."""
        return tuple(day for day in (self.start, self.due, *self._first_and_last) if day)

    @property
    def _first_and_last(self) -> tuple[date, ...]:
        return tuple(day for day, _ in (*self.ticks[:1], *self.ticks[-1:]))

    def is_late(self, today: date) -> bool:
        return self.due is not None and self.due < today and self.column.state is not PhaseState.COMPLETE


class TimelineCard(Record, kw_only=False):
    """A card of an unfolded phase."""

    card: Card
    ghost: date | None
    """The due date after the previewed move."""
    earliest: date | None = None
    """The day from which it can be due: when the cards that it waits for are, with the lag; None if it waits for none
    with a date."""

    @property
    def id(self) -> Id:
        return self.card.id

    @property
    def name(self) -> str:
        return self.card.title

    @property
    def phase_id(self) -> Id:
        return self.card.phase_id

    @property
    def days(self) -> tuple[date, ...]:
        """The due date; empty without one."""
        return (self.card.due,) if self.card.due else ()

    @property
    def bounds(self) -> tuple[date, ...]:
        """None: its phase has them."""
        return ()

    def is_late(self, today: date) -> bool:
        return self.card.due is not None and self.card.due < today and self.card.status not in CLOSED


TimeLine = TimelinePhase | TimelineCard
"""A line of the Timeline of one project."""

AnyLine = TimeLine | TimelineProject
"""A line of any Timeline."""


class TimelineLines(MadeInView[TimeLine]):
    """The lines of one project in order. Those of cards are made when they are asked for, so only for those in view."""

    def __init__(
        self,
        phases: Sequence[TimelinePhase],
        inside: Sequence[Sequence[Card]],
        moves: Moves,
        earliest: Mapping[Id, date],
    ) -> None:
        """``inside`` are the cards below each phase: none where it is folded."""
        self.phases, self._inside = phases, inside
        self._moves, self._earliest = moves, earliest
        self._starts = list(accumulate((1 + len(cards) for cards in inside), initial=0))

    def __len__(self) -> int:
        return self._starts[-1]

    def make(self, number: int) -> TimeLine:
        at, below = self._place(number)
        if not below:
            return self.phases[at]
        card = self._inside[at][below - 1]
        return TimelineCard(card, self._moves.get(card.id), self._earliest.get(card.id))

    def id_of(self, number: int) -> Id:
        at, below = self._place(number)
        return self._inside[at][below - 1].id if below else self.phases[at].id

    def name_of(self, number: int) -> str:
        """The name of a line."""
        at, below = self._place(number)
        return self._inside[at][below - 1].title if below else self.phases[at].name

    def _place(self, number: int) -> tuple[int, int]:
        """The number of the phase of a line, and the number of lines from that of the phase to it."""
        at = bisect_right(self._starts, number) - 1
        return at, number - self._starts[at]

    @property
    def cards(self) -> list[Card]:
        """The cards that have a line."""
        return list(chain.from_iterable(self._inside))

    def number_of(self, line_id: Id) -> int | None:
        for start, phase, cards in zip(self._starts, self.phases, self._inside, strict=False):
            if phase.id == line_id:
                return start
            at = next((at for at, card in enumerate(cards) if card.id == line_id), None)
            if at is not None:
                return start + 1 + at
        return None


def lines_of(
    head: CanvasHeader, cards: CardsByPhase, unfolded: Collection[Id], moves: Moves, earliest: Mapping[Id, date]
) -> TimelineLines:
    """The lines in order: phases, and the cards of unfolded phases by due date, those without a date last.

    ``earliest`` are the days from which cards that wait can be due.
    """
    phases: list[TimelinePhase] = []
    before = moved_before = head.start
    for column in head.columns:
        due, moved = column.due, moves.get(column.id, column.due)
        ghost = (bar_start(moved_before, moved), moved) if moved and (due, before) != (moved, moved_before) else None
        start = bar_start(before, due) if due else None
        ticks, number = cards.days(column.id), cards.count(column.id)
        phases.append(TimelinePhase(column, start, due, ghost, ticks, number, column.id in unfolded))
        before, moved_before = next_start(head.start, due, before), next_start(head.start, moved, moved_before)
    inside = [cards.inside(phase.id) if phase.unfolded else () for phase in phases]
    return TimelineLines(phases, inside, moves, earliest)


def first_names(lines: Sequence[AnyLine], most: int) -> list[str]:
    """The names of the first lines, for which no line is made."""
    numbers = range(min(len(lines), most))
    return [lines.name_of(each) if isinstance(lines, TimelineLines) else lines[each].name for each in numbers]


def span(today: date, lines: Sequence[AnyLine]) -> tuple[date, date]:
    """The first and the last day of all bars and due dates; today if there are none."""
    days = [day for line in lines for day in line.bounds]
    return min(days, default=today), max(days, default=today)
