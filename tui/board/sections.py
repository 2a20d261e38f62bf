"""The cards of one section in order, and the possible orders."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, compress

from core.domain.canvas import CanvasMember, Card
from core.domain.labels import Label
from core.domain.model import Id, Priority
from core.domain.view_settings import Sort
from core.text.label_names import fold_name

Key = tuple[str, ...]
"""The sort key of a card in its section. It ends in rank and id, so it is unique.

That of a task begins with the key of its activity if that is in the same section: so it stands below it, in any order.
"""

LAST = "\U0010ffff"
"""Sorts after every text: the key of cards without a due date or an assignee."""


def key_of(card: Card) -> Key:
    """The key of the manual order."""
    return card.rank, card.id


def by_due(card: Card) -> Key:
    return card.due.isoformat() if card.due else LAST, card.rank, card.id


def by_title(card: Card) -> Key:
    return card.title.casefold(), card.rank, card.id


def by_priority(card: Card) -> Key:
    return str(len(Priority) - card.priority.step), card.rank, card.id


def key_by(sort: Sort, members: Mapping[Id, CanvasMember], labels: Sequence[Label] = ()) -> Callable[[Card], Key]:
    """The function that makes the sort key of a card; ``members`` and ``labels`` give the names of both."""
    names_of_labels = {label.id: fold_name(label.name) for label in labels}

    def by_label(card: Card) -> Key:
        names = [names_of_labels[each] for each in card.labels if each in names_of_labels]
        return min(names, default=LAST), card.rank, card.id

    def by_assignee(card: Card) -> Key:
        names = [members[user_id].name.casefold() for user_id in card.assignee_ids if user_id in members]
        return min(names, default=LAST), card.rank, card.id

    keys = {Sort.DUE: by_due, Sort.TITLE: by_title, Sort.ASSIGNEE: by_assignee}
    return (keys | {Sort.PRIORITY: by_priority, Sort.LABEL: by_label}).get(sort, key_of)


Measure = Callable[[Card], int]
"""Returns the lines that a card takes. It is another function for another width, so that heights are measured again."""


class SortedCards:
    """The cards of one section, in order. The keys are not kept: a card is looked for among a few of the others."""

    __slots__ = ("_heights", "_lines", "_measure", "cards", "key", "unread")

    def __init__(self, key: Callable[[Card], Key] = key_of, cards: Iterable[Card] = ()) -> None:
        """``cards`` can be in any order."""
        self.key = key
        self.cards: list[Card] = sorted(cards, key=key)
        self.unread = 0
        """The number of cards after these that are not read yet."""
        self._measure: Measure | None = None
        self._heights: list[int] = []
        self._lines: list[int] | None = None

    def __len__(self) -> int:
        return len(self.cards)

    def only(self, is_kept: Callable[[Card], bool], key: Callable[[Card], Key]) -> SortedCards:
        """The cards that a filter leaves, in the same order, which has to be that of ``key``. Heights are kept."""
        left, kept = SortedCards(key), list(map(is_kept, self.cards))
        left.cards = list(compress(self.cards, kept))
        if self._measure:
            left._measure, left._heights = self._measure, list(compress(self._heights, kept))
        return left

    def sort(self) -> None:
        """Sort the cards, after a change of what their keys are made of."""
        self.cards.sort(key=self.key)
        self._measure = None

    def add(self, card: Card) -> None:
        index = self.near(card)
        self.cards.insert(index, card)
        if self._measure:
            self._heights.insert(index, self._measure(card))
        self._lines = None

    def discard(self, card: Card) -> None:
        index = self.place(card)
        if index is not None:
            del self.cards[index]
            if self._measure:
                del self._heights[index]
            self._lines = None

    def place(self, card: Card) -> int | None:
        """The index of a card, or None if it is not in the section."""
        index = self.near(card)
        return index if index < len(self) and self.key(self.cards[index]) == self.key(card) else None

    def near(self, card: Card) -> int:
        """The index of a card, or the index at which it would be inserted."""
        return bisect_left(self.cards, self.key(card), key=self.key)

    def lines(self, measure: Measure) -> list[int]:
        """The first line of each card, from 0, and after the last one the number of lines.

        The heights are kept: a change measures only its own card, and adding them up takes a fraction of a millisecond
        for thousands. Unread cards count as high as the others on average.
        """
        if self._measure is not measure:
            self._measure, self._lines = measure, None
            self._heights = list(map(measure, self.cards))
        if self._lines is None:
            self._lines = list(accumulate(self._heights, initial=0))
            if self.unread and self.cards:
                self._lines[-1] += self._lines[-1] * self.unread // len(self.cards)
        return self._lines

    def is_unread(self, line: int) -> bool:
        """Return whether a line, counted as in ``lines``, is below the cards that are read."""
        return line >= sum(self._heights)
