"""Sizes and positions of columns and cards, in cells and lines. Drawing and mouse use the same arithmetic.

The lines of a card follow from its title and the width, so they are measured once. All else follows from them and the
size of the widget; its cost does not depend on the number of cards.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from enum import Enum, auto

from core.domain.canvas import Card
from core.domain.model import Id, ItemKind
from core.record import Record
from tui.drawing.rows import one_line, wrap_text

MIN_COLUMN = 26
"""Fewest cells of a readable column: three columns fit in 80 cells, two in 52."""

MAX_COLUMN = 66
"""Most cells of a column, as long lines are hard to read. Three columns fill 200 cells; the rest stays blank."""

FOLDED = 5
"""Cells of a folded column, with its rail."""

MAX_HEAD = 4
"""Lines of a phase's header, without its summary."""

STATUS_HEAD = 2
"""Lines of a status's header: name and number of cards, and the line under them."""

SHORT = 16
"""A widget with fewer lines has short headers, to leave lines for cards."""

HELD_FROM = 4
"""Lines of a body from which on the title of a section stays at the top while its cards scroll."""

TALL = 45
"""Lines of a widget from which on a title can take three lines, instead of two."""

TITLE_AT = 3
"""Cells before a title: the cursor's bar, and the sign of the status with a blank."""

SUBTASK = 2
"""Cells that the title of a task in an activity stands further to the right."""


class LineKind(Enum):
    """The kinds of lines in a column."""

    HEAD = auto()
    SECTION = auto()
    CARD = auto()
    SPACE = auto()


class Grid:
    """The columns in view, from ``first`` of ``total`` on, and the lines of their headers."""

    def __init__(
        self,
        width: int,
        height: int,
        total: int,
        first: int,
        compact: bool,
        most_head: int = MAX_HEAD,
        about: int = 0,
        folded: frozenset[int] = frozenset(),
    ) -> None:
        """``about`` is the number of lines that summaries of phases need, ``folded`` are the narrow columns."""
        self.width, self.height, self.total, self.first, self.compact = width, height, total, first, compact
        self.folded = folded
        self.last = self._end(first)
        """The column after the last one in view."""
        plain = min(3 if compact or height < SHORT else MAX_HEAD, most_head, height)
        self.text = max(0, min(about, height // 2 - plain))
        """Lines of a header that are left for the summary. It leaves half of the height to cards."""
        self.head = plain + self.text
        """Lines of a header, with the line under it."""
        self.body = height - self.head
        """Lines left for cards."""
        self.held = self.body >= HELD_FROM
        """True if titles of sections stay at the top while their cards scroll."""
        self.title_lines = 1 if compact else 3 if height >= TALL else 2
        """The most lines of a card's title."""
        self._spans = list(self._widths())
        wide = [cells for column, (_, cells) in enumerate(self._spans, first) if column not in folded]
        self.least = min(wide, default=min(width, MIN_COLUMN)) - 1
        """Cells of the narrowest column that is not folded, without its rail."""

    @property
    def shown(self) -> int:
        """The number of columns in view."""
        return self.last - self.first

    def _end(self, first: int) -> int:
        """The column after the last one that fits if ``first`` is the first one; at least one column does."""
        room = self.width
        for column in range(first, self.total):
            room -= FOLDED if column in self.folded else MIN_COLUMN
            if room < 0:
                return max(column, first + 1)
        return self.total

    def _widths(self) -> Iterator[tuple[int, int]]:
        """The left edge and the width of each column in view: folded ones are narrow, the others share the rest."""
        narrow = sum(column in self.folded for column in range(self.first, self.last))
        wide = self.shown - narrow
        even, odd = divmod(min(self.width - FOLDED * narrow, MAX_COLUMN * wide), max(1, wide))
        left = 0
        for column in range(self.first, self.last):
            cells = min(FOLDED, self.width) if column in self.folded else even + (odd > 0)
            odd -= column not in self.folded
            yield left, cells
            left += cells

    def span(self, column: int) -> tuple[int, int]:
        """Left edge and width of a column in view; the last cell of the width is its rail."""
        return self._spans[column - self.first]

    def column_at(self, x: int) -> int | None:
        """The column at a cell, or None beside the columns."""
        spans = enumerate(self._spans, self.first)
        return next((column for column, (left, cells) in spans if left <= x < left + cells), None)

    def scrolled_to(self, column: int) -> int:
        """The ``first`` that brings a column into view with the least movement.

        Where only one column has the width to be readable, folded ones at the left edge give way to it.
        """
        first = min(self.first, column)
        while first < column and self._end(first) <= column:
            first += 1
        while column not in self.folded and first < column and first in self.folded and self._is_alone(first):
            first += 1
        return self.fill(first)

    def _is_alone(self, first: int) -> bool:
        """True if columns are out of view and only one in view is not folded."""
        end = self._end(first)
        return end < self.total and sum(column not in self.folded for column in range(first, end)) < 2

    def fill(self, first: int) -> int:
        """The nearest ``first`` that leaves no place blank behind the last column."""
        first = max(0, min(first, self.total - 1))
        while first > 0 and self._end(first - 1) == self.total:
            first -= 1
        return first


class ColumnLayout(Record, kw_only=False):
    """The lines of one column's body: for each section its title, then its cards or a blank line."""

    sections: tuple[Sequence[int], ...]
    """For each section the first line of each card below the title, and after the last card the number of lines."""
    compact: bool

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of cards in each section."""
        return tuple(len(lines) - 1 for lines in self.sections)

    @property
    def empty(self) -> bool:
        return all(len(lines) == 1 for lines in self.sections)

    def body(self, section: int) -> int:
        """Lines under a section's title. An empty column has a line for its text under the first title."""
        if lines := self.sections[section][-1]:
            return lines
        air = 0 if self.compact else 1
        return air + (1 if section == 0 and self.empty else 0)

    def top(self, section: int) -> int:
        """The line of a section's title."""
        return sum(1 + self.body(before) for before in range(section))

    @property
    def height(self) -> int:
        return self.top(len(self.sections))

    def line(self, section: int, index: int) -> int:
        """The first line of a card; ``index`` can be one past the last card."""
        return self.top(section) + 1 + self.sections[section][index]

    def lines(self, section: int, index: int) -> int:
        """The lines of a card, without the blank one that follows it."""
        below, above = self.sections[section][index + 1], self.sections[section][index]
        return max(1, below - above - (not self.compact))

    def at(self, line: int) -> tuple[LineKind, int, int]:
        """The part on a line, its section, and the index of the card (0 without a card)."""
        top = 0
        for section, lines in enumerate(self.sections):
            if line == top:
                return LineKind.SECTION, section, 0
            if line <= top + self.body(section):
                if len(lines) == 1:
                    return LineKind.SPACE, section, 0
                return LineKind.CARD, section, bisect_right(lines, line - top - 1) - 1
            top += 1 + self.body(section)
        return LineKind.SPACE, len(self.sections) - 1, len(self.sections[-1]) - 1 if self.sections else 0

    def rest(self, line: int, *, held: bool, down: bool = False) -> int:
        """The nearest line above ``line`` to which a column can be scrolled, or with ``down`` below it.

        It is the title of a section, or the first line of a card; while the title is ``held`` at the top, the line
        before a card, where the title is drawn. So the first card in view is always whole.
        """
        top = 0
        for section, lines in enumerate(self.sections):
            below, count = top + 1 + self.body(section), max(1, len(lines) - 1)
            is_last = section == len(self.sections) - 1
            if line < below or is_last:
                if line <= top:
                    return top
                first = top if held or len(lines) == 1 else top + 1
                if down:
                    index = bisect_left(lines, line - first, 0, count)
                    if index == count and not is_last:
                        return below
                else:
                    index = bisect_right(lines, line - first, 0, count) - 1
                return first + lines[max(0, min(index, count - 1))]
            top = below
        return 0

    def nearest_card(self, line: int) -> tuple[int, int] | None:
        """Section and index of the card nearest to a line, or None in an empty column."""
        if self.empty:
            return None
        part, section, index = self.at(max(0, line))
        counts = self.counts
        if part is LineKind.CARD:
            return section, index
        below = next((s for s in range(section, len(counts)) if counts[s]), None)
        if below is not None and part is not LineKind.SPACE:
            return below, 0
        above = next((s for s in range(section, -1, -1) if counts[s]), None)
        if above is not None:
            return above, counts[above] - 1
        return (below, 0) if below is not None else None

    def gap_at(self, line: int) -> tuple[int, int]:
        """Section and index of the gap for a card that is dropped on a line: before a card, or after the last one."""
        part, section, index = self.at(max(0, line))
        if part is not LineKind.CARD:
            return section, index
        middle = self.line(section, index) + self.lines(section, index) // 2
        return section, index + (line >= middle and not self.compact)


# -- the lines of a card ---------------------------------------------------------------------------------------------


def is_subtask(card: Card) -> bool:
    return card.activity_id is not None and card.kind is ItemKind.TASK


def title_room(card: Card, width: int) -> int:
    """Cells for each line of a title in a column of ``width`` cells, of which the last one is blank."""
    return max(1, width - TITLE_AT - 1 - (SUBTASK if is_subtask(card) else 0))


class Heights:
    """Returns the lines of a card, with the blank one that follows it, at one width. Long titles are kept."""

    def __init__(self, width: int, title_lines: int) -> None:
        self.width = width
        self.title_lines = title_lines
        self._kept: dict[Id, tuple[str, int]] = {}
        self._short = (width - TITLE_AT - 1 - SUBTASK) // 2
        """Letters that fit on a line of any card: each has at most two cells."""

    def __call__(self, card: Card) -> int:
        title = card.title
        if len(title) <= self._short:
            return 3
        room = title_room(card, self.width)
        if 2 * len(title) <= room or (len(title) <= room and title.isascii()):
            return 3
        kept = self._kept.get(card.id)
        if kept is None or kept[0] != title:
            kept = title, lines_of(title, room, self.title_lines)
            self._kept[card.id] = kept
        return kept[1] + 2


def lines_of(title: str, room: int, most: int) -> int:
    """The number of lines of a title, as ``wrap_text`` breaks it: words of letters of one cell are only counted."""
    if title.isascii() and title.isprintable() and "  " not in title and title == title.strip():
        lines, start = 1, 0
        while len(title) - start > room and lines < most:
            start = title.rfind(" ", start, start + room + 1) + 1
            if not start:
                break
            lines += 1
        else:
            return lines
    return len(wrap_text(one_line(title), room, most, ""))


def compact_height(_card: Card) -> int:
    """The one line of a compact card."""
    return 1
