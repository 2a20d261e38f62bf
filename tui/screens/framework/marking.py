"""The keys that mark cards, where the screen keeps the marks; on the Canvas the board does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.domain.model import Id


class SelectionMixin:
    """For a screen with a cursor on a list of cards, whatever it draws them as."""

    marks: set[Id]
    _last_mark: Id | None = None

    def ids_shown(self) -> Sequence[Id]:
        """The cards that can be seen, in the order in which the cursor meets them."""
        raise NotImplementedError

    def id_here(self) -> Id | None:
        """The card of the cursor."""
        raise NotImplementedError

    def take_marks(self) -> None:
        """Draw ``marks``, which have changed, and whatever says how many there are."""
        raise NotImplementedError

    def go_on(self) -> None:
        """To the next card, after one was marked."""
        raise NotImplementedError

    def mark(self, ids: Iterable[Id]) -> None:
        """Have these marks and no others."""
        self.marks = set(ids)
        self.take_marks()

    def do_mark(self) -> None:
        here = self.id_here()
        if here:
            self._last_mark = here
            self.mark(self.marks ^ {here})
            self.go_on()

    def do_mark_range(self) -> None:
        ids, here = self.ids_shown(), self.id_here()
        if here in ids:
            end = ids.index(here)
            start = ids.index(self._last_mark) if self._last_mark in ids else end
            self.mark(self.marks | set(ids[min(start, end) : max(start, end) + 1]))

    def do_mark_all(self) -> None:
        shown = set(self.ids_shown())
        self.mark(() if shown <= self.marks else shown)

    def after_bulk(self) -> None:
        """What was done is marked no more."""
        self.mark(())
