"""Families: an activity and its tasks, which stay together in every order, and can be folded to the activity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice, takewhile
from typing import Protocol

from core.domain.canvas import Card
from core.domain.model import Id, ItemKind
from tui.board.grouping import Grouping, Place, Section
from tui.board.heights import is_subtask
from tui.board.sections import Key, SortedCards


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
