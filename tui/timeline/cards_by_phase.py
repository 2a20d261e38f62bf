"""The cards of a Timeline by phase: how many there are, when they are due, and those of a phase by due date."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import cached_property
from itertools import groupby
from operator import attrgetter

from core.domain.canvas import CanvasChanges, Card
from core.domain.model import Id
from core.domain.statuses import CLOSED

DueDays = tuple[tuple[date, int], ...]
"""Days with the number of cards that are due on each, in order."""


class CardsByPhase:
    """The cards of a project, of which only those that a filter leaves count. A change costs as much as its cards."""

    def __init__(self, cards: Sequence[Card] = (), leave: Callable[[Iterable[Card]], Sequence[Card]] = tuple) -> None:
        """``leave`` gives the cards of some that the filter leaves, always the same of the same cards."""
        self._cards, self._leave = cards, leave
        self.linked = list(filter(_is_linked, cards))
        """The cards that wait for others or that others wait for; the same objects until one of them changes."""
        self._counts: Counter[Id] = Counter()
        self._due: defaultdict[Id, Counter[date]] = defaultdict(Counter)
        for phase_id, of_phase in groupby(leave(cards), attrgetter("phase_id")):
            inside = list(of_phase)
            self._counts[phase_id] += len(inside)
            self._due[phase_id].update(card.due for card in inside if card.due and card.status not in CLOSED)
        self._days: dict[Id, DueDays] = {}
        self._inside: dict[Id, list[Card]] = {}
        """The cards of phases that were unfolded."""

    def apply(self, changes: CanvasChanges) -> None:
        """Take in changes, under the same filter."""
        ids = {*changes.gone, *(card.id for card in changes.changed)}
        before = [self._by_id.pop(each) for each in ids if each in self._by_id]
        for card in self._leave(before):
            self._count(card, -1)
        self._by_id |= {card.id: card for card in changes.changed}
        for card in self._leave(changes.changed):
            self._count(card, +1)
        if any(map(_is_linked, (*before, *changes.changed))):
            stay = (card for card in self.linked if card.id not in ids)
            self.linked = [*stay, *filter(_is_linked, changes.changed)]

    @cached_property
    def _by_id(self) -> dict[Id, Card]:
        """The cards, when one is first looked for: the first picture needs only their numbers."""
        return {card.id: card for card in self._cards}

    def _count(self, card: Card, by: int) -> None:
        """Add a card to its phase, or take it out with -1."""
        phase_id = card.phase_id
        self._counts[phase_id] += by
        if card.due is not None and card.status not in CLOSED:
            self._due[phase_id][card.due] += by
            self._days.pop(phase_id, None)
        if (inside := self._inside.get(phase_id)) is None:
            return
        if by > 0:
            insort(inside, card, key=_place)
        else:
            del inside[bisect_left(inside, _place(card), key=_place)]

    def find(self, card_id: Id | None) -> Card | None:
        """A card by its id, whether the filter leaves it or not."""
        return self._by_id.get(card_id) if card_id else None

    def count(self, phase_id: Id) -> int:
        """The number of cards of a phase."""
        return self._counts[phase_id]

    def days(self, phase_id: Id) -> DueDays:
        """The days on which open cards of a phase are due."""
        if phase_id not in self._days:
            self._days[phase_id] = tuple(sorted((+self._due[phase_id]).items()))
        return self._days[phase_id]

    def inside(self, phase_id: Id) -> Sequence[Card]:
        """The cards of a phase by due date, those without a date last, as they are now."""
        if phase_id not in self._inside:
            cards = [card for card in self._by_id.values() if card.phase_id == phase_id]
            self._inside[phase_id] = sorted(self._leave(cards), key=_place)
        return tuple(self._inside[phase_id])


def _is_linked(card: Card) -> bool:
    return bool(card.waits_for or card.blocks)


def _place(card: Card) -> tuple[bool, date, str, Id]:
    """The key that sorts the cards of a phase."""
    return card.due is None, card.due or date.max, card.rank, card.id
