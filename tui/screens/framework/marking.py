"""The keys that mark cards: the marks of a list; on the Canvas the board has its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence, Set
from typing import TYPE_CHECKING

from core.domain.model import Id
from tui.keys.table import Key
from tui.screens.framework.controller import Action, Controller, OwnerScreen

if TYPE_CHECKING:
    from tui.services.cards import Target
    from tui.widgets.columns import Line


class MarkActions(Controller):
    """Mark one card, a range or all of them."""

    def actions(self) -> Sequence[Action]:
        return (
            Action("mark", self.do_mark, self._no_card),
            Action("mark_range", self.do_mark_range, self._no_card),
            Action("mark_all", self.do_mark_all),
        )

    def _no_card(self, _key: Key) -> str:
        selection = self.selection
        return "" if selection.cards else selection.nothing

    @property
    @abstractmethod
    def ids(self) -> Set[Id]:
        """The marked cards."""

    @abstractmethod
    def clear(self) -> None:
        """Unmark all cards."""

    @abstractmethod
    def do_mark(self) -> None:
        """Mark or unmark the card under the cursor, and go to the next one."""

    @abstractmethod
    def do_mark_range(self) -> None:
        """Mark the cards from the last mark to the cursor."""

    @abstractmethod
    def do_mark_all(self) -> None:
        """Mark all cards that can be seen; where all are marked, none."""

    def step_back(self) -> bool:
        had = bool(self.ids)
        if had:
            self.clear()
        return had

    def bulk_done(self, refused: Set[Id]) -> None:
        """Unmark the cards that were changed; the refused ones stay marked, for what can be done about them."""
        self.leave(refused)

    @abstractmethod
    def leave(self, ids: Set[Id]) -> None:
        """Unmark all cards but these."""


class CardMarks(MarkActions):
    """The marks of a list of cards."""

    def __init__(
        self,
        screen: OwnerScreen,
        *,
        shown: Callable[[], Sequence[Target | Line]],
        changed: Callable[[], None],
        go_on: Callable[[], None],
    ) -> None:
        """``shown`` gives the visible cards in order, ``changed`` draws the marks, ``go_on`` steps to the next card."""
        super().__init__(screen)
        self._shown, self._changed, self._go_on = shown, changed, go_on
        self._ids: Set[Id] = frozenset()
        self._last: Id | None = None

    @property
    def ids(self) -> Set[Id]:
        return self._ids

    def clear(self) -> None:
        self._mark(frozenset())

    def leave(self, ids: Set[Id]) -> None:
        self._mark(self._ids & ids)

    def keep(self, here: Set[Id]) -> None:
        """Forget the marks of cards that are gone, without drawing."""
        self._ids &= here

    def _mark(self, ids: Set[Id]) -> None:
        self._ids = ids
        self._changed()

    def _ids_shown(self) -> list[Id]:
        return [each.id for each in self._shown()]

    def do_mark(self) -> None:
        card = self.selection.card
        if card is not None:
            self._last = card.id
            self._mark(self._ids ^ {card.id})
            self._go_on()

    def do_mark_range(self) -> None:
        shown, card = self._ids_shown(), self.selection.card
        if card is not None and card.id in shown:
            end = shown.index(card.id)
            start = shown.index(self._last) if self._last in shown else end
            self._mark(self._ids | set(shown[min(start, end) : max(start, end) + 1]))

    def do_mark_all(self) -> None:
        shown = frozenset(self._ids_shown())
        self._mark(frozenset() if shown <= self._ids else shown)
