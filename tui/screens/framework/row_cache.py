"""Rows that are kept from one drawing of a view to the next, so that only those of changed cards are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

F = TypeVar("F")
R = TypeVar("R")


class KeptRows(Generic[F, R]):
    """The rows of a view by id, each with the facts that it was made of."""

    def __init__(self, make: Callable[[F], R]) -> None:
        """``make`` returns the row of some facts, and depends on nothing else."""
        self._make = make
        self._kept: dict[str, tuple[F, R]] = {}

    def of(self, facts: Iterable[tuple[str, F]]) -> list[R]:
        """Return the rows of these ids and facts, in order. Rows are made where the facts differ from the last call."""
        before, self._kept = self._kept, {}
        for row_id, made_of in facts:
            known = before.get(row_id)
            self._kept[row_id] = known if known and known[0] == made_of else (made_of, self._make(made_of))
        return [row for _, row in self._kept.values()]

    def row(self, row_id: str, made_of: F) -> R:
        """Return one row. It is made where its facts differ from those of the last call."""
        known = self._kept.get(row_id)
        if known is None or known[0] != made_of:
            known = self._kept[row_id] = made_of, self._make(made_of)
        return known[1]
