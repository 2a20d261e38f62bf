"""The cards of one section in order, and the possible orders.

An activity and its tasks, a family, stay together in every order, and can be folded to the activity.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, compress, islice, takewhile
from typing import Protocol

from core.domain.canvas import CanvasMember, Card
from core.domain.labels import Label
from core.domain.model import Id, ItemKind, Priority
from core.domain.view_settings import Sort
from core.text.label_names import fold_name
from tui.board.grouping import Grouping, Place, Section
from tui.board.layout import is_subtask

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


class BoardCards(Protocol):
    """The cards of a board, as families look at them."""

    by_id: dict[Id, Card]
    axes: Grouping
    kinds: frozenset[ItemKind]

    def is_on_board(self, card: Card) -> bool: ...
    def passes(self, card: Card) -> bool: ...
    def cards_of(self, column_id: Id, section: Section) -> SortedCards: ...


class Families:
    """The tasks of each activity of a board, their order below it, and the activities that hide them."""

    def __init__(self, board: BoardCards) -> None:
        self._board = board
        self._tasks: dict[Id, set[Id]] = {}
        self._base: Callable[[Card], Key]
        self.folded: frozenset[Id] = frozenset()
        """The activities that were folded."""
        self.hiding: frozenset[Id] = frozenset()
        """Those of them that are on the board, and so hide their tasks."""
        self.hidden: Counter[Place] = Counter()
        """The number of hidden tasks by section."""

    def add(self, card: Card) -> None:
        if is_subtask(card) and card.activity_id:
            self._tasks.setdefault(card.activity_id, set()).add(card.id)

    def discard(self, card: Card) -> None:
        if is_subtask(card) and card.activity_id:
            self._tasks.get(card.activity_id, set()).discard(card.id)

    def of(self, ids: Iterable[Id]) -> set[Id]:
        """These cards, and the tasks of those that are activities."""
        return {each for card_id in ids for each in (card_id, *self._tasks.get(card_id, ()))}

    def tasks(self, activity_id: Id) -> list[Card]:
        """The tasks of an activity that are on the board, in any section, hidden or not."""
        found = (self._board.by_id[each] for each in self._tasks.get(activity_id, ()))
        return [card for card in found if self._board.is_on_board(card)]

    # -- order -----------------------------------------------------------------------------------------------

    def sort_by(self, key: Callable[[Card], Key]) -> None:
        """Sort families by this key of their activity, and tasks of a family by their own."""
        self._base = key

    def key(self, card: Card) -> Key:
        """The sort key of a card: it follows its activity if that is in the same section."""
        if card.activity_id is None:  # most cards, of which there can be very many
            return self._base(card)
        activity = self._above(card, self._board.axes.place(card))
        return self._base(card) if activity is None else (*self._base(activity), *self._base(card))

    def key_seen(self, card: Card) -> Key:
        """The sort key of a card among the visible ones, where a task whose activity is filtered out stands alone."""
        activity = self.leader(card)
        return self._base(card) if activity is None else (*self._base(activity), *self._base(card))

    def is_parted(self, card: Card) -> bool:
        """True if a card follows an activity that the filter leaves out."""
        return card.activity_id is not None and self._above(card, self._board.axes.place(card)) is not self.leader(card)

    def leader(self, card: Card) -> Card | None:
        """The visible activity below which a task stands; None for other cards, and for a task elsewhere."""
        return self._leader_in(card, self._board.axes.place(card))

    def _above(self, card: Card, place: Place) -> Card | None:
        """The activity below which a card would stand in a section, visible or not."""
        if not is_subtask(card) or ItemKind.ACTIVITY not in self._board.kinds:
            return None
        activity = self._board.by_id.get(card.activity_id or "")
        return activity if activity is not None and self._board.axes.place(activity) == place else None

    def _leader_in(self, card: Card, place: Place) -> Card | None:
        """The visible activity below which a card would stand in a section."""
        activity = self._above(card, place)
        return activity if activity is not None and self._board.passes(activity) else None

    def peers(self, card: Card, step: int) -> Iterator[Card]:
        """The cards below a card in its section (above it with ``step`` -1), nearest first, among which it can be put.

        They are visible: the tasks of its activity if that is there, else the cards that stand below no activity.
        """
        place = self._board.axes.place(card)
        section = self._board.cards_of(*place)
        leader, at = self._leader_in(card, place), section.near(card) + step
        while 0 <= at < len(section):
            other, at = section.cards[at], at + step
            if self._leader_in(other, place) is leader:
                yield other
            elif leader is not None:
                return

    def are_peers(self, card: Card, other: Card, place: Place) -> bool:
        """True if a card could be put before another one of a section."""
        return self._leader_in(card, place) is self._leader_in(other, place)

    def gap(self, card: Card, place: Place, at: int) -> int:
        """The index in a section at which a card can be put, nearest below ``at``: a task among those of its activity,
        other cards beside families.
        """
        section, leader = self._board.cards_of(*place), self._leader_in(card, place)
        if leader is None:
            while at < len(section) and self._leader_in(section.cards[at], place) is not None:
                at += 1
            return at
        first = section.near(leader) + 1
        return max(first, min(at, first + sum(1 for _ in self._below(leader, place))))

    def _below(self, leader: Card, place: Place) -> Iterator[Card]:
        """The visible tasks that stand below an activity."""
        section = self._board.cards_of(*place)
        after = islice(section.cards, section.near(leader) + 1, None)
        return takewhile(lambda each: self._leader_in(each, place) is leader, after)

    def holder(self, card: Card) -> str:
        """The title of the activity that a task or an application is in, unless the card stands below it."""
        activity = self._board.by_id.get(card.activity_id or "")
        return activity.title if activity is not None and self.leader(card) is None else ""

    # -- folds -----------------------------------------------------------------------------------------------

    def hide(self) -> None:
        """Find the activities that hide their tasks, after a change of folds, filter or cards."""
        board = self._board
        found = (board.by_id[each] for each in self.folded if each in board.by_id)
        self.hiding = frozenset(card.id for card in found if board.is_on_board(card))
        tasks = (card for each in self.hiding for card in self.tasks(each))
        self.hidden = Counter(board.axes.place(card) for card in tasks)

    def hides(self, card: Card) -> bool:
        return bool(self.hiding) and card.activity_id in self.hiding and is_subtask(card)
