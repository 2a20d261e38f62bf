"""Families: an activity and its tasks, which stay together in every order, and can be folded to the activity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from core.domain.canvas import Card
from core.domain.model import Id, ItemKind
from tui.board.grouping import Place
from tui.board.heights import is_subtask
from tui.board.sections import Key

if TYPE_CHECKING:
    from tui.board.model import BoardModel


class Families:
    """The tasks of each activity of a model, their order below it, and the activities that hide them."""

    def __init__(self, model: BoardModel) -> None:
        self._model = model
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
        found = (self._model.by_id[each] for each in self._tasks.get(activity_id, ()))
        return [card for card in found if self._model.is_on_board(card)]

    # -- order -----------------------------------------------------------------------------------------------

    def sort_by(self, key: Callable[[Card], Key]) -> None:
        """Sort families by this key of their activity, and tasks of a family by their own."""
        self._base = key

    def key(self, card: Card) -> Key:
        """The sort key of a card: it follows its activity if that is in the same section."""
        activity = self._above(card)
        return self._base(card) if activity is None else (*self._base(activity), *self._base(card))

    def key_seen(self, card: Card) -> Key:
        """The sort key of a card among the visible ones, where a task whose activity is filtered out stands alone."""
        activity = self.leader(card)
        return self._base(card) if activity is None else (*self._base(activity), *self._base(card))

    def is_parted(self, card: Card) -> bool:
        """True if a card follows an activity that the filter leaves out."""
        return card.activity_id is not None and self._above(card) is not self.leader(card)

    def _above(self, card: Card) -> Card | None:
        if not is_subtask(card) or ItemKind.ACTIVITY not in self._model.kinds:
            return None
        activity, place = self._model.by_id.get(card.activity_id or ""), self._model.axes.place
        return activity if activity is not None and place(activity) == place(card) else None

    def leader(self, card: Card) -> Card | None:
        """The visible activity below which a task stands; None for other cards, and for a task elsewhere."""
        activity = self._above(card)
        return activity if activity is not None and self._model.passes(activity) else None

    def peers(self, card: Card, place: Place) -> list[Card]:
        """The visible cards of a section among which a card can be put: the tasks of its activity if that is there,
        else the cards that stand below no activity.
        """
        leader = self._leader_in(card, place)
        return [each for each in self._model.cards_of(*place).cards if self._leader_in(each, place) is leader]

    def gaps(self, card: Card, place: Place) -> list[int]:
        """The indexes in a section at which a card can be put: before each of its peers, and after the last one."""
        cards, peers = self._model.cards_of(*place).cards, self.peers(card, place)
        leader = self._leader_in(card, place)
        if leader is None:
            return [*(at for at, each in enumerate(cards) if each in peers), len(cards)]
        first = cards.index(leader) + 1
        return list(range(first, first + len(peers) + 1))

    def _leader_in(self, card: Card, place: Place) -> Card | None:
        """The visible activity below which a card would stand in a section."""
        activity = self._model.by_id.get(card.activity_id or "") if is_subtask(card) else None
        if activity is None or self._model.axes.place(activity) != place or activity.kind not in self._model.kinds:
            return None
        return activity if self._model.passes(activity) else None

    def holder(self, card: Card) -> str:
        """The title of the activity that a task or an application is in, unless the card stands below it."""
        activity = self._model.by_id.get(card.activity_id or "")
        return activity.title if activity is not None and self.leader(card) is None else ""

    # -- folds -----------------------------------------------------------------------------------------------

    def hide(self) -> None:
        """Find the activities that hide their tasks, after a change of folds, filter or cards."""
        model = self._model
        found = (model.by_id[each] for each in self.folded if each in model.by_id)
        self.hiding = frozenset(card.id for card in found if model.is_on_board(card))
        tasks = (card for each in self.hiding for card in self.tasks(each))
        self.hidden = Counter(model.axes.place(card) for card in tasks)

    def hides(self, card: Card) -> bool:
        return bool(self.hiding) and card.activity_id in self.hiding and is_subtask(card)
