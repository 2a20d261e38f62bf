"""The marked cards of a board, among them those in folds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set

from core.domain.canvas import Card
from core.domain.model import Id
from tui.board.cursor import Cursor
from tui.board.model import BoardModel


class Marks:
    """The marks of a board. ``changed`` draws them."""

    def __init__(self, model: BoardModel, cursor: Cursor, changed: Callable[[], None]) -> None:
        self._model = model
        self._cursor = cursor
        self._changed = changed
        self.ids: Set[Id] = frozenset()
        self.cards: Sequence[Card] = ()
        """The marked cards that the filter leaves, those in folds too, in the order of the board."""
        self.inside: Counter[Id] = Counter()
        """The number of marked cards in each folded phase and activity."""
        self._anchor: Id | None = None
        """The card that a range begins at: the last one that was marked."""

    @property
    def in_folds(self) -> int:
        """The number of marked cards in folded phases and activities."""
        return self.inside.total()

    def toggle(self) -> None:
        """Mark the focused card, or remove its mark."""
        if card := self._cursor.card:
            self._anchor = card.id
            self.mark(self.ids ^ {card.id})

    def mark_range(self) -> None:
        """Mark the cards from the last marked one to the focused one; only the focused one across columns."""
        card, start = self._cursor.card, self._model.find(self._anchor)
        if card is None:
            return
        ids = {card.id}
        column_id = self._model.axes.place(card)[0]
        if start is not None and self._model.axes.place(start)[0] == column_id:
            cards = self._model.column_cards(column_id)
            ends = sorted((cards.index(start), cards.index(card)))
            ids.update(each.id for each in cards[ends[0] : ends[1] + 1])
        self._anchor = card.id
        self.mark(self.ids | ids)

    def mark_all(self) -> None:
        """Mark every visible card; if all are marked already, remove all marks."""
        shown = {card.id for card in self._model.cards()}
        inside = {card.id for card in self.cards if self._model.fold_of(card)}
        self.mark(() if shown <= self.ids else shown | inside)

    def clear(self, but: Set[Id] = frozenset()) -> None:
        self._anchor = None
        self.mark(self.ids & but)

    def mark(self, ids: Iterable[Id]) -> None:
        """Mark exactly these cards."""
        self.ids = frozenset(ids)
        self.count()
        self._changed()

    def leave_present(self) -> None:
        """Forget the marks of cards that are gone, after a change of cards, filter or folds."""
        self.ids &= self._model.by_id.keys()
        self.count()

    def count(self) -> None:
        """Find the marked cards that the filter leaves."""
        self.cards = self._model.find_all(self.ids)
        self.inside = Counter(fold for fold in map(self._model.fold_of, self.cards) if fold is not None)
