"""A table as lines of cells, from text. Rows have the numbers that a spreadsheet shows.

The separator is the one that parts most lines alike. Lines before the heads, such as the name of a plan, are found by
the first line in which most cells name something that cards have.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence

from core.errors import InvalidImport
from core.import_export.tables.heads import Use, count_known, find_uses, names_title
from core.record import Record

SEPARATORS = ",;\t|"
MAX_COLUMNS, MAX_LINES, MAX_CELL = 1_000, 200_000, 1_000_000
"""The most columns, lines and characters of a cell. A table with more is refused before anything is made of it."""

LOOKED_AT = 40
"""The lines at the beginning in which the separator and the heads are looked for."""

_SAID = re.compile(r'"?sep=([,;\t|])"?(?:\r\n|\r|\n)', re.IGNORECASE)
"""A first line that tells Excel the separator of the cells."""

_LINE = re.compile(r"[^\r\n]++(?:\r\n?|\n)?|\r\n?|\n")
"""A line of a text; a view of all of them at once would take four bytes for each sign."""


class GridRow(Record, kw_only=False, gc=False):
    """A line of a table, with its number in a spreadsheet."""

    number: int
    cells: tuple[str, ...]


class CellGrid(Record, kw_only=False):
    """The heads of a table, and its lines. ``before`` are the lines before the heads."""

    heads: tuple[str, ...]
    rows: tuple[GridRow, ...]
    before: tuple[GridRow, ...] = ()
    is_typed: bool = False
    """True for the cells of a spreadsheet, whose numbers have a decimal point."""


def read_grid(text: str, skip_lines: int | None = None) -> CellGrid:
    """Return the table in a text. ``skip_lines`` is the number of lines before the heads; None to find them.

    Raises InvalidImport for what is no table.
    """
    said = _SAID.match(text)
    rows = _rows(text[said.end() :], said[1]) if said else _rows(text, _find_separator(text))
    return make_grid(rows, skip_lines)


def make_grid(rows: Sequence[GridRow], skip_lines: int | None = None, *, is_typed: bool = False) -> CellGrid:
    """Return a table of lines, the first of which can stand before the heads."""
    if not rows:
        raise InvalidImport("", "There is nothing in it.")
    at = (
        _find_heads(rows)
        if skip_lines is None
        else next((i for i, row in enumerate(rows) if row.number > skip_lines), 0)
    )
    if too_long := next((row for row in rows if max(map(len, row.cells)) > MAX_CELL), None):
        raise _refuse_cell(too_long.number)
    if any("://" in cell for cell in rows[at].cells):  # no heads, but the first line
        rows = [*rows[:at], GridRow(rows[at].number, ()), *rows[at:]]
    width = max(len(row.cells) for row in rows[at:])
    filled = [row for row in rows[at + 1 :] if any(map(str.strip, row.cells))]
    used = max((_last_filled(row.cells) for row in (rows[at], *filled)), default=0)
    heads = [each.strip() for each in _pad(rows[at].cells, width)[:used]]
    before = tuple(row for row in rows[:at] if any(map(str.strip, row.cells)))
    return CellGrid(tuple(heads), tuple(GridRow(row.number, _pad(row.cells, used)) for row in filled), before, is_typed)


def _refuse_cell(line: int) -> InvalidImport:
    return InvalidImport("", f"A cell has more than {MAX_CELL:,} characters. Put it into several.", line=line)


def _pad(cells: tuple[str, ...], width: int) -> tuple[str, ...]:
    return cells[:width] + ("",) * (width - len(cells))


def _last_filled(cells: tuple[str, ...]) -> int:
    return next((at for at in range(len(cells), 0, -1) if cells[at - 1].strip()), 0)


def _find_heads(rows: Sequence[GridRow]) -> int:
    """The place of the heads: the first line with a title, or with two heads that are known; else the first line."""
    for at, row in enumerate(rows[:LOOKED_AT]):
        heads = [each.strip() for each in row.cells]
        has_title = Use.TITLE in find_uses(heads)
        if has_title and (
            at == 0 or sum(map(bool, heads)) > 1 or all(sum(map(bool, map(str.strip, each.cells))) < 2 for each in rows)
        ):
            return at
        if at and count_known(heads) > 1:
            return at
    return 0


def _rows(text: str, separator: str) -> list[GridRow]:
    """The lines of a table. A quote in the middle of a cell is a sign like others, as spreadsheets take it."""
    rows: list[GridRow] = []
    try:
        rows.extend(_read(text, separator))
        return rows
    except csv.Error as error:
        if "larger" in str(error):
            raise _refuse_cell(0) from None
        if "unexpected end" in str(error):
            raise InvalidImport("", 'A quote (") is opened in a cell and never closed. Save the table again.') from None
    try:
        return list(_read(_double_quotes(text, separator), separator))
    except csv.Error:
        line = rows[-1].number + 1 if rows else 1
        sentence = 'A quote (") in a quoted cell is not doubled. Save the table again.'
        raise InvalidImport("", sentence, line=line) from None


def _double_quotes(text: str, separator: str) -> str:
    """The text with a quote doubled that neither begins nor ends a cell, as in “"Fix 24" screen"”."""
    ends = rf"{re.escape(separator)}\r\n"
    return re.sub(rf'(?<=[^{ends}"])"(?=[^{ends}"])', '""', text)


def _read(text: str, separator: str) -> Iterator[GridRow]:
    csv.field_size_limit(MAX_CELL)
    reader = csv.reader((line[0] for line in _LINE.finditer(text)), delimiter=separator, strict=True)
    once: dict[str, str] = {}  # equal cells take their memory once
    lines = 0
    for number, cells in enumerate(reader, 1):
        if len(cells) > MAX_COLUMNS:
            raise InvalidImport(
                "", f"It has {len(cells):,} columns. Podium reads {MAX_COLUMNS:,} at most.", line=number
            )
        if any(cells):
            lines += 1
            yield GridRow(number, tuple(map(once.setdefault, cells, cells)))
        if lines > MAX_LINES:
            raise InvalidImport("", f"It has more than {MAX_LINES:,} lines. Split it.")


def _find_separator(text: str) -> str:
    """The separator by which a line names a title, and most lines have as many cells; a comma if none is there."""
    beginning = text[:100_000]

    def rate(separator: str) -> tuple[bool, int, int]:
        has_title = False
        reader = csv.reader(io.StringIO(beginning, newline=""), delimiter=separator)
        widths: list[int] = []
        try:
            for cells in reader:
                widths.append(len(cells))
                has_title = has_title or (len(cells) > 1 and any(map(names_title, cells)))
                if len(widths) == LOOKED_AT:
                    break
        except csv.Error:
            pass
        filled = [width for width in widths if width > 1]
        usual = max(set(filled), key=filled.count, default=0)
        return has_title, filled.count(usual) if usual else 0, usual

    return max(SEPARATORS, key=rate)
