"""The rows of a list: its lines under the headings of their sections."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence


class ListRows:
    """The rows of lines that are given by their sections, with a heading above each run of the same section.

    There is a blank row above all headings except the first, and no heading of an empty section in the first line.

        >>> rows = ListRows(["Open", "Open", "Done"])
        >>> [rows.at(row) for row in range(len(rows))]
        ['Open', 0, 1, '', 'Done', 2]
    """

    def __init__(self, sections: Iterable[str] = ()) -> None:
        self._lines: list[int] = []
        """The number of the first line of each section."""
        self._rows: list[int] = []
        """The row of that line."""
        self._headings: list[Sequence[str]] = []
        """The rows of text above that line."""
        section, number = "", -1
        for number, each in enumerate(sections):
            if each != section or not number:
                above = () if each == section else ("", each) if number else (each,)
                before = self._rows[-1] + number - self._lines[-1] if number else 0
                self._lines.append(number)
                self._rows.append(before + len(above))
                self._headings.append(above)
                section = each
        self._count = self._rows[-1] + number + 1 - self._lines[-1] if self._rows else 0

    def __len__(self) -> int:
        return self._count

    def row_of(self, number: int) -> int:
        """The row of a line."""
        section = bisect_right(self._lines, number) - 1
        return self._rows[section] + number - self._lines[section]

    def at(self, row: int) -> int | str | None:
        """The number of the line in a row, a heading, "" for a blank row, or None below the last row."""
        if row >= self._count:
            return None
        section = bisect_right(self._rows, row) - 1
        number = self._lines[section] + row - self._rows[section] if section >= 0 else -1
        end = self._lines[section + 1] if section + 1 < len(self._lines) else self._count
        if 0 <= number < end:
            return number
        return self._headings[section + 1][row - self._rows[section + 1]]
