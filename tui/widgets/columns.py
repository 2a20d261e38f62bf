"""Lists as data: columns with a rank, lines of cells, and the widths of the columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from rich.cells import cell_len

from core.record import Record
from core.text.folding import fold
from tui.drawing.cells import fit
from tui.drawing.rows import Word, one_line
from tui.drawing.styles import TextRole
from tui.widgets.made_in_view import MadeInView

GAP = 2
"""Blank cells between columns."""

LOW = 5
"""Columns of this rank and above appear only if each of the others has ``enough`` cells."""

Cell = tuple[Word, ...]
"""The words of a line in a column; empty without a value."""


class Column(Record, kw_only=False):
    """A column of a list. In a narrow terminal, columns with the highest rank are left out first."""

    title: str
    least: int
    """Fewest cells; below that it is left out."""
    most: int = 60
    rank: int = 0
    enough: int = 0
    """Cells that it gets, if it needs them, before a column of rank LOW appears."""
    right: bool = False
    """True to align its cells to the right, like numbers."""


class Line(Record, kw_only=False):
    """One line of a list. Consecutive lines with the same ``section`` share a heading."""

    id: str
    cells: tuple[Cell, ...]
    section: str = ""
    detail: str = ""
    """More about it, shown while the cursor is on it."""
    is_wide: bool = False
    """True for a sentence, which takes the room of all columns; its other cells are empty."""

    @property
    def searched(self) -> str:
        """The text that the filter searches, folded."""
        return fold(" ".join([*map(text_of, self.cells), self.section, self.detail]))


class LinesInView(MadeInView[Line]):
    """Lines with a heading above each section."""

    def __init__(self, ids: Sequence[str], sections: Sequence[str], make: Callable[[int], Line]) -> None:
        """The ids and the sections of all lines, and the function that makes one from its number."""
        self.ids, self.sections, self._make = ids, sections, make

    def __len__(self) -> int:
        return len(self.ids)

    def make(self, number: int) -> Line:
        return self._make(number)

    def id_of(self, number: int) -> str:
        return self.ids[number]

    def number_of(self, line_id: str) -> int | None:
        return self.ids.index(line_id) if line_id in self.ids else None


def cell(text: object, text_role: TextRole = TextRole.QUIET) -> Cell:
    """A cell with one text, which can be user text; empty for an empty text."""
    shown = one_line(str(text))
    return ((shown, text_role),) if shown else ()


def text_of(words: Cell) -> str:
    """The text of a cell, without styles."""
    return "".join(text for text, _ in words)


def measure_cells(cells: Sequence[Cell]) -> tuple[int, ...]:
    """The cells on the screen that the text of each cell of a line takes."""
    return tuple(cell_len(text_of(words)) for words in cells)


def find_wishes(columns: Sequence[Column], lines: Collection[tuple[int, ...]]) -> tuple[int, ...]:
    """The cells that each column needs for its longest text, from ``measured`` lines; 0 for a column without values."""
    widest = map(max, zip(*lines, strict=True)) if lines else [0] * len(columns)
    return tuple(
        min(column.most, max(width, cell_len(column.title))) if width else 0
        for column, width in zip(columns, widest, strict=True)
    )


def widths(columns: Sequence[Column], wishes: Sequence[int], room: int) -> tuple[int, ...]:
    """The cells that each column gets of ``room``; 0 if it is left out. The column of the lowest rank always stays."""
    order = sorted(range(len(columns)), key=lambda number: columns[number].rank)
    given = [0] * len(columns)
    spare = room + GAP
    for number in order:
        need = min(columns[number].least, wishes[number])
        kept = _kept_width(columns, wishes, given) if columns[number].rank >= LOW else 0
        if need and (need + GAP <= spare - kept or number == order[0]):
            given[number] = min(need, room)
            spare -= given[number] + GAP
    for number in order:
        if given[number]:
            more = max(0, min(spare, wishes[number] - given[number]))
            given[number] += more
            spare -= more
    return tuple(given)


def _kept_width(columns: Sequence[Column], wishes: Sequence[int], given: Sequence[int]) -> int:
    """The cells that the columns so far still need to have ``enough``."""
    there = (number for number, cells in enumerate(given) if cells)
    return sum(max(0, min(columns[number].enough, wishes[number]) - given[number]) for number in there)


def fit_words(words: Cell, width: int, right: bool, mark: str) -> list[Word]:
    """The words of a cell, cut or padded to exactly ``width`` cells."""
    shown: list[Word] = []
    room = width
    for text, text_role in words:
        part = fit(text, room, mark=mark)
        room -= cell_len(part)
        shown.append((part, text_role))
    blank: Word = (" " * room, TextRole.QUIET)
    return [blank, *shown] if right else [*shown, blank]
