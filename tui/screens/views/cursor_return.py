"""Back to the card that the cursor was on, once the user's undo has brought it back."""

from __future__ import annotations

from core.domain.canvas import CanvasChanges, Card
from core.domain.model import Id
from tui.screens.views.presenter import ViewPresenter


class CursorReturn:
    """Remembers the cards that went from under the cursor, as when they are archived one after the other.

    They are forgotten once the user moves the cursor. A card that another user or a filter brings back does not move
    it, since a key that is pressed at that moment is about the card that it is on.
    """

    def __init__(self, presenter: ViewPresenter) -> None:
        self._presenter = presenter
        self._gone: list[Id] = []
        """The last one last."""
        self._at: tuple[Id | None, str] = (None, "")
        """The place of the cursor after the last one had gone."""
        self._changed = frozenset[Id]()
        """The cards that the user has changed since the undo began."""

    def changed(self, before: Card | None, changes: CanvasChanges) -> None:
        """Note that changes were drawn, before which the cursor was on this card."""
        self._changed |= {card.id for card in changes.changed} - changes.by_others
        now = self._place
        if before is None or before.id == now[0]:
            return
        if before.id != self._at[0]:
            self._gone.clear()
        self._gone.append(before.id)
        self._at = now

    def undoing(self) -> None:
        """Note that an undo begins."""
        self._changed = frozenset()
        if self._place != self._at:
            self._gone.clear()

    def undone(self) -> None:
        """Go back to the cards that the undo has brought back."""
        while self._gone and self._gone[-1] in self._changed:
            self._presenter.go_to(self._gone[-1])
            if self._place[0] != self._gone[-1]:
                return
            self._gone.pop()
            self._at = self._place

    @property
    def _place(self) -> tuple[Id | None, str]:
        """The card of the cursor, and its words: on a day, a phase or a column without cards, these say which it is."""
        card = self._presenter.card
        return card.id if card else None, self._presenter.description
