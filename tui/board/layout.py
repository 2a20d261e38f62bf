"""Positions of columns and cards, in cells and lines. Drawing and mouse use the same arithmetic, so they agree.

All of it follows from the width and height of the widget. The cost of a column does not depend on its number of cards.
"""

from __future__ import annotations

from enum import Enum, auto

from core.record import Record, replace

MIN_COLUMN = 26
"""Fewest cells of a readable column: three columns fit in 80 cells, two in 52."""

MAX_COLUMN = 66
"""Most cells of a column, as long lines are hard to read. Three columns fill 200 cells; the rest stays blank."""

MAX_HEAD = 4
"""Lines of a phase's header, without its summary."""

STATUS_HEAD = 2
"""Lines of a status's header: name and number of cards, and the line under them."""

SHORT = 16
"""A widget with fewer lines has short headers, to leave lines for cards."""


class LineKind(Enum):
    """The kinds of lines in a column."""

    HEAD = auto()
    SECTION = auto()
    CARD = auto()
    SPACE = auto()


class Grid(Record, kw_only=False):
    """The columns in view: ``shown`` of ``total`` from ``first`` on, and the lines of their headers."""

    width: int
    height: int
    total: int
    first: int
    compact: bool
    most_head: int = MAX_HEAD
    about: int = 0
    """Lines that summaries of phases need in headers."""

    @property
    def shown(self) -> int:
        return fitting(self.width, self.total)

    @property
    def last(self) -> int:
        """The column after the last one in view."""
        return min(self.total, self.first + self.shown)

    @property
    def head(self) -> int:
        """Lines of a header, with the line under it. Summaries leave half of the height to cards."""
        most = 3 if self.compact or self.height < SHORT else MAX_HEAD
        plain = min(most, self.most_head, self.height)
        return plain + max(0, min(self.about, self.height // 2 - plain)) if self.about else plain

    @property
    def text(self) -> int:
        """Lines of a header that are left for the summary."""
        return self.head - replace(self, about=0).head if self.about else 0

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
        """Cells of the narrowest column, without its rail."""
        return min(self.width, MAX_COLUMN * self.shown) // self.shown - 1 if self.shown else 0

    def span(self, column: int) -> tuple[int, int]:
        """Left edge and width of a column in view; the last cell of the width is its rail."""
        even, odd = divmod(min(self.width, MAX_COLUMN * self.shown), self.shown)
        slot = column - self.first
        return slot * even + min(slot, odd), even + (slot < odd)

    def column_at(self, x: int) -> int | None:
        """The column at a cell, or None beside the columns."""
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
    """The number of columns that fit in ``width`` cells, at least one."""
    return max(1, min(total, width // MIN_COLUMN)) if total else 0


class ColumnLayout(Record, kw_only=False):
    """The lines of one column's body: for each section its title, then its cards or a blank line."""

    counts: tuple[int, ...]
    card: int

    @property
    def empty(self) -> bool:
        return not any(self.counts)

    def body(self, section: int) -> int:
        """Lines under a section's title. An empty column has a line for its text under the first title."""
        if count := self.counts[section]:
            return count * self.card
        air = 0 if self.card == 1 else 1
        return air + (1 if section == 0 and self.empty else 0)

    def top(self, section: int) -> int:
        """The line of a section's title."""
        return sum(1 + self.body(before) for before in range(section))

    @property
    def height(self) -> int:
        return self.top(len(self.counts))

    def line(self, section: int, index: int) -> int:
        """The first line of a card; ``index`` can be one past the last card."""
        return self.top(section) + 1 + index * self.card

    def at(self, line: int) -> tuple[LineKind, int, int]:
        """The part on a line, its section, and the index of the card (0 without a card)."""
        top = 0
        for section, count in enumerate(self.counts):
            if line == top:
                return LineKind.SECTION, section, 0
            if line <= top + self.body(section):
                return (
                    (LineKind.CARD, section, (line - top - 1) // self.card) if count else (LineKind.SPACE, section, 0)
                )
            top += 1 + self.body(section)
        return LineKind.SPACE, len(self.counts) - 1, self.counts[-1]

    def nearest_card(self, line: int) -> tuple[int, int] | None:
        """Section and index of the card nearest to a line, or None in an empty column."""
        part, section, index = self.at(max(0, line))
        if part is LineKind.CARD:
            return section, index
        below = next((s for s in range(section, len(self.counts)) if self.counts[s]), None)
        if below is not None and part is not LineKind.SPACE:
            return below, 0
        above = next((s for s in range(section, -1, -1) if self.counts[s]), None)
        if above is not None:
            return above, self.counts[above] - 1
        return (below, 0) if below is not None else None

    def gap_at(self, line: int) -> tuple[int, int]:
        """Section and index of the gap for a card that is dropped on a line: before a card, or after the last one."""
        part, section, index = self.at(max(0, line))
        if part is not LineKind.CARD:
            return section, index
        return section, index + (line > self.line(section, index) and self.card > 1)
