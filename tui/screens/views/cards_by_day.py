"""The cards of the Calendar by the day on which they are due."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Sequence
from datetime import date
from functools import cached_property

from core.domain.canvas import CanvasChanges, CanvasHeader, Card, place_in
from core.domain.model import Id
from tui.board.model import NOTHING


class CardsByDay:
    """The cards that a filter leaves, by day and in the order of the Canvas. A change costs as much as its cards."""

    def __init__(self, cards: Iterable[Card] = (), head: CanvasHeader = NOTHING.head) -> None:
        self._phases = [column.id for column in head.columns]
        self._days: dict[date | None, list[Card]] = {}
        for card in cards:
            self._days.setdefault(card.due, []).append(card)

    def apply(self, changes: CanvasChanges, left: Iterable[Card], head: CanvasHeader) -> None:
        """Take in changes; ``left`` are the changed cards that the filter leaves, ``head`` is the header after them."""
        place, phases = place_in(head), [column.id for column in head.columns]
        for card_id in {*changes.gone, *(card.id for card in changes.changed)} & self._due.keys():
            due = self._due.pop(card_id)
            stay = [card for card in self._days.pop(due) if card.id != card_id]
            if stay:
                self._days[due] = stay
        if phases != self._phases:
            self._phases = phases
            for cards in self._days.values():
                cards.sort(key=place)
        for card in left:
            self._due[card.id] = card.due
            insort(self._days.setdefault(card.due, []), card, key=place)

    @cached_property
    def _due(self) -> dict[Id, date | None]:
        """The due dates of the cards, when one is first looked for."""
        return {card.id: due for due, cards in self._days.items() for card in cards}

    def on(self, day: date | None) -> Sequence[Card]:
        """The cards that are due on a day, or those without a date."""
        return self._days.get(day, ())

    def first_after(self, day: date) -> Card | None:
        """The first card of the first day after this one on which any is due."""
        later = min((each for each in self._days if each and each > day), default=None)
        return self._days[later][0] if later else None
