"""Lists as data: columns that know how much they matter, lines of cells, and how wide each column becomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from tui.drawing.cells import fit
from tui.drawing.rows import Word, one_line
from tui.drawing.styles import TextRole

GAP = 2
"""Blank cells between columns."""

LOW = 5
"""Columns of this rank and above are there only where each of the others has ``enough``."""

Cell = tuple[Word, ...]
"""What one line says in one column; empty for nothing."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a list. Where room is short the columns of the highest rank leave first."""

    title: str
    least: int
    """Cells below which it is left out rather than cut further."""
    most: int = 60
    rank: int = 0
    enough: int = 0
    """Cells that it has, if it wants them, before a column of a low rank comes in."""
    right: bool = False
    """Whether its cells stand at its right edge, as numbers do."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a list. Lines with the same ``section`` that follow each other stand under one heading."""

    id: str
    cells: tuple[Cell, ...]
    section: str = ""
    detail: str = ""
    """What else there is to say of it, once the cursor is on it."""

    @property
    def searched(self) -> str:
        """All that the filter looks through."""
        return " ".join([*map(text_of, self.cells), self.section, self.detail]).casefold()


def cell(text: object, ink: TextRole = TextRole.QUIET) -> Cell:
    """A cell of one text, which may come from people; empty for an empty one."""
    shown = one_line(str(text))
    return ((shown, ink),) if shown else ()


def text_of(words: Cell) -> str:
    """What a cell says, without its inks."""
    return "".join(text for text, _ in words)


def wanted(columns: Sequence[Column], lines: Sequence[Line]) -> tuple[int, ...]:
    """The cells each column would like to have; 0 for one in which no line says anything."""
    widest = [0] * len(columns)
    for line in lines:
        for number, words in enumerate(line.cells):
            widest[number] = max(widest[number], cell_len(text_of(words)))
    return tuple(
        min(column.most, max(width, cell_len(column.title))) if width else 0
        for column, width in zip(columns, widest, strict=True)
    )


def widths(columns: Sequence[Column], wishes: Sequence[int], room: int) -> tuple[int, ...]:
    """The cells each column gets of ``room``; 0 for one that is left out. That of the lowest rank stays."""
    order = sorted(range(len(columns)), key=lambda number: columns[number].rank)
    given = [0] * len(columns)
    spare = room + GAP
    for number in order:
        need = min(columns[number].least, wishes[number])
        kept = _kept(columns, wishes, given) if columns[number].rank >= LOW else 0
        if need and (need + GAP <= spare - kept or number == order[0]):
            given[number] = min(need, room)
            spare -= given[number] + GAP
    for number in order:
        if given[number]:
            more = max(0, min(spare, wishes[number] - given[number]))
            given[number] += more
            spare -= more
    return tuple(given)


def _kept(columns: Sequence[Column], wishes: Sequence[int], given: Sequence[int]) -> int:
    """The cells that are missing until each column that is there has enough."""
    there = (number for number, cells in enumerate(given) if cells)
    return sum(max(0, min(columns[number].enough, wishes[number]) - given[number]) for number in there)


def fitted(words: Cell, width: int, right: bool, mark: str) -> list[Word]:
    """The words of a cell in exactly ``width`` cells."""
    shown: list[Word] = []
    room = width
    for text, ink in words:
        part = fit(text, room, mark=mark)
        room -= cell_len(part)
        shown.append((part, ink))
    blank: Word = (" " * room, TextRole.QUIET)
    return [blank, *shown] if right else [*shown, blank]
