"""Where things lie, in cells and lines; arithmetic only, so that painting and pointing agree by construction.

Measures come from the width and height of the widget. A column's cost never depends on how many cards it has.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple

MIN_COLUMN = 26
"""Cells under which a column no longer says anything; 80 cells then hold three columns, 52 hold two."""

MAX_COLUMN = 66
"""Cells over which the eye loses the line; what is left over stays blank on the right. Three columns fill 200 cells."""

MAX_HEAD = 4
"""Lines of a phase's head, without its texts."""

STATUS_HEAD = 2
"""Lines of a status's head: there is nothing to say but its name and how many cards it has."""

SHORT = 16
"""A widget of fewer lines gets the short head, so that cards keep most of the room."""


class Part(Enum):
    """What a line of a column belongs to."""

    HEAD = auto()
    SECTION = auto()
    CARD = auto()
    SPACE = auto()


class Grid(NamedTuple):
    """The columns in view: ``shown`` of ``total`` from ``first`` on, and the lines of their heads."""

    width: int
    height: int
    total: int
    first: int
    compact: bool
    most_head: int = MAX_HEAD
    about: int = 0
    """Lines that the texts of phases want in their heads."""

    @property
    def shown(self) -> int:
        return fitting(self.width, self.total)

    @property
    def last(self) -> int:
        """The column after the last one in view."""
        return min(self.total, self.first + self.shown)

    @property
    def head(self) -> int:
        """Lines of a column's head, the rule under it included; half of the height is left to cards."""
        most = 3 if self.compact or self.height < SHORT else MAX_HEAD
        plain = min(most, self.most_head, self.height)
        return plain + max(0, min(self.about, self.height // 2 - plain)) if self.about else plain

    @property
    def text(self) -> int:
        """Lines of it for what phases are about."""
        return self.head - self._replace(about=0).head if self.about else 0

    @property
    def body(self) -> int:
        """Lines left for cards."""
        return self.height - self.head

    @property
    def card(self) -> int:
        """Lines of a card, with the blank one that follows it."""
        return 1 if self.compact else 3

    @property
    def least(self) -> int:
        """Cells of the narrowest column, its rail left out."""
        return min(self.width, MAX_COLUMN * self.shown) // self.shown - 1 if self.shown else 0

    def span(self, column: int) -> tuple[int, int]:
        """Left edge and width of a column in view; the last cell of the width is its rail."""
        even, odd = divmod(min(self.width, MAX_COLUMN * self.shown), self.shown)
        slot = column - self.first
        return slot * even + min(slot, odd), even + (slot < odd)

    def column_at(self, x: int) -> int | None:
        """The column at a cell, or None beside them."""
        if not self.shown:
            return None
        even, odd = divmod(min(self.width, MAX_COLUMN * self.shown), self.shown)
        wide = odd * (even + 1)
        slot = x // (even + 1) if x < wide else odd + (x - wide) // max(1, even)
        return self.first + slot if x >= 0 and slot < self.last - self.first else None

    def scrolled_to(self, column: int) -> int:
        """The ``first`` that brings a column into view with the least movement."""
        first = min(self.first, column)
        first = max(first, column - self.shown + 1)
        return max(0, min(first, self.total - self.shown))


def fitting(width: int, total: int) -> int:
    """How many whole columns fit; at least one, whatever the width."""
    return max(1, min(total, width // MIN_COLUMN)) if total else 0


class ColumnLayout(NamedTuple):
    """The sections of one column in lines from the top of its body: a head line, then the cards or some air."""

    counts: tuple[int, ...]
    card: int

    @property
    def empty(self) -> bool:
        return not any(self.counts)

    def body(self, section: int) -> int:
        """Lines under a section's head. An empty column keeps room for its note under the first head."""
        if count := self.counts[section]:
            return count * self.card
        air = 0 if self.card == 1 else 1
        return air + (1 if section == 0 and self.empty else 0)

    def top(self, section: int) -> int:
        """The line of a section's head."""
        return sum(1 + self.body(before) for before in range(section))

    @property
    def height(self) -> int:
        return self.top(len(self.counts))

    def line(self, section: int, index: int) -> int:
        """The first line of a card; ``index`` may be one past the last card."""
        return self.top(section) + 1 + index * self.card

    def at(self, line: int) -> tuple[Part, int, int]:
        """What lies on a line: the part, its section and the card's index (0 where there is none)."""
        top = 0
        for section, count in enumerate(self.counts):
            if line == top:
                return Part.SECTION, section, 0
            if line <= top + self.body(section):
                return (Part.CARD, section, (line - top - 1) // self.card) if count else (Part.SPACE, section, 0)
            top += 1 + self.body(section)
        return Part.SPACE, len(self.counts) - 1, self.counts[-1]

    def nearest_card(self, line: int) -> tuple[int, int] | None:
        """Section and index of the card nearest to a line, or None in an empty column."""
        part, section, index = self.at(max(0, line))
        if part is Part.CARD:
            return section, index
        below = next((s for s in range(section, len(self.counts)) if self.counts[s]), None)
        if below is not None and part is not Part.SPACE:
            return below, 0
        above = next((s for s in range(section, -1, -1) if self.counts[s]), None)
        if above is not None:
            return above, self.counts[above] - 1
        return (below, 0) if below is not None else None

    def gap_at(self, line: int) -> tuple[int, int]:
        """Section and index at which something dropped on a line goes in: before a card, or after the last one."""
        part, section, index = self.at(max(0, line))
        if part is not Part.CARD:
            return section, index
        return section, index + (line > self.line(section, index) and self.card > 1)
