"""Lines that are made when they are looked at, for lists of thousands of which only some are in view."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar, overload

L = TypeVar("L")


class MadeInView(Sequence[L]):
    """The lines of a list, each made when it is asked for. A subclass knows their ids without making them."""

    @abstractmethod
    def make(self, number: int) -> L:
        """Make a line; ``number`` is from 0 to the number of lines less one."""

    @abstractmethod
    def id_of(self, number: int) -> str:
        """The id of a line."""

    @abstractmethod
    def number_of(self, line_id: str) -> int | None:
        """The number of the line with this id, or None."""

    @overload
    def __getitem__(self, number: int) -> L: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[L]: ...

    def __getitem__(self, number: int | slice) -> L | Sequence[L]:
        if isinstance(number, slice):
            return [self.make(each) for each in range(len(self))[number]]
        return self.make(range(len(self))[number])
