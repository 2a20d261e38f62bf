"""Spreadsheets (.xlsx) as tables. python-calamine reads the cells, and this module alone knows it.

The library takes memory for each place up to the furthest cell, and copies a shared text into each cell that has it: a
small file can claim more memory than a machine has. A survey of the XML refuses that before, and finds what the library
leaves out: errors, percentages, what is hidden, and formulas without a value.
"""

from __future__ import annotations

import zlib
from datetime import datetime, timedelta
from io import BytesIO
from itertools import product
from typing import Any
from xml.parsers.expat import ExpatError
from zipfile import BadZipFile, ZipFile

from python_calamine import CalamineError, CalamineWorkbook

from core.errors import InvalidImport
from core.import_export.draft import NAMED, LeftOut
from core.import_export.tables.grid import CellGrid, GridRow, make_grid
from core.import_export.tables.heads import Use, find_uses
from core.import_export.tables.mapping import same
from core.import_export.tables.sheet_survey import (
    MAX_PLACES,
    MAX_UNPACKED,
    SheetSurvey,
    find_elements,
    find_lengths,
    find_place,
    find_shown,
    write_number,
)
from core.record import Record
from core.text.amounts import has_two_meanings
from core.text.phrases import count, names, some
from core.text.sanitize import quote_value

MAX_SMALL = 10_000_000
"""The most bytes of a part that is not of cells, such as the styles."""

MAX_ELEMENTS, MAX_SMALL_ELEMENTS = 4_000_000, 500_000
"""The most elements of XML in all parts that are read, and in a part that is not of cells."""

MAX_RATIO = 200
"""The most bytes that a byte of a large part can become: real sheets have about 20."""

_OTHERS = {
    "word/": "a text document (.docx). Copy its table into a spreadsheet, and save that.",
    "ppt/": "a presentation (.pptx). Copy its table into a spreadsheet, and save that.",
    "xl/workbook.bin": "a binary spreadsheet (.xlsb). Save it as .xlsx or CSV (UTF-8), and import that.",
    "content.xml": "an OpenDocument file (.ods, .odt). Save it as .xlsx or CSV (UTF-8), and import that.",
}
"""Other zip archives, by the beginning of a name in them."""

_TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATION = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    f'<Relationship Id="r" Type="{_TYPES}/{{}}" Target="{{}}"/></Relationships>'
)
_WORKBOOK = (
    f'<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{_TYPES}">'
    '<workbookPr date1904="{}"/><sheets><sheet name="s" sheetId="1" r:id="r"/></sheets></workbook>'
)
"""A workbook of one sheet, so that the library sees nothing that the survey has not seen."""


class Workbook(Record, kw_only=False):
    """A sheet of a spreadsheet as a table, with notes on its reading and what is left out."""

    grid: CellGrid
    notes: tuple[str, ...]
    left_out: tuple[LeftOut, ...]


def read_workbook(data: bytes, sheet: str = "", skip_lines: int | None = None) -> Workbook:
    """Return a sheet of a spreadsheet: the one with this name, else the first with cells. Raises InvalidImport."""
    try:
        with ZipFile(BytesIO(data)) as archive:
            return _Reading(archive).read(sheet, skip_lines)
    except (BadZipFile, ExpatError, CalamineError, zlib.error, EOFError, LookupError, ValueError, ArithmeticError):
        raise InvalidImport("", "It is a damaged spreadsheet. Save it again, or as CSV (UTF-8).") from None
    except (NotImplementedError, RuntimeError):
        raise InvalidImport("", "It has a password, or is packed in a rare way. Save it without.") from None


class _Reading:
    """Reads the parts of a spreadsheet."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive, self._left, self._names = archive, MAX_UNPACKED, archive.namelist()
        self._elements = MAX_ELEMENTS
        if "xl/workbook.xml" not in self._names:
            for beginning, what in _OTHERS.items():
                if any(name.startswith(beginning) for name in self._names):
                    raise InvalidImport("", f"It is {what}")
            inside = names([f"“{quote_value(name)}”" for name in self._names[:3]]) or "nothing"
            raise InvalidImport("", f"It is a zip archive with {inside} in it. Unpack it, and import a file of it.")

    def read(self, wanted: str, skip_lines: int | None) -> Workbook:
        book, styles = self._part("xl/workbook.xml", MAX_SMALL), self._part("xl/styles.xml", MAX_SMALL)
        links = find_elements(self._part("xl/_rels/workbook.xml.rels", MAX_SMALL))
        targets = {each["Id"]: each["Target"] for name, each in links if name == "Relationship"}
        elements = find_elements(book)
        sheets = [each for name, each in elements if name == "sheet"]
        is_1904 = next((each.get("date1904", "0") for name, each in elements if name == "workbookPr"), "0")
        strings = self._part("xl/sharedStrings.xml")
        lengths, shown = find_lengths(strings), find_shown(styles)
        hidden = " (hidden)"
        listed = [f"“{quote_value(each['name'])}”{hidden * ('idden' in each.get('state', ''))}" for each in sheets]
        for at, each in enumerate(sheets):
            target = targets[next((value for key, value in each.items() if key.endswith(":id")), "")]
            if wanted and not same(each["name"], wanted):
                continue
            path = target[1:] if target.startswith("/") else f"xl/{target}"
            sheet = self._part(path)
            survey = SheetSurvey(sheet, lengths, shown)
            if not (survey.has_cells or wanted):
                continue
            parts = {"sharedStrings.xml": strings, "styles.xml": styles, "worksheets/s.xml": survey.mend(sheet)}
            rows, notes, is_typed = _read_rows(parts, is_1904, survey)
            cells = names([*survey.unvalued, *([f"{survey.more:,} more"] if survey.more else [])])
            no_value = f"the file has no value for {cells}. Save it in a spreadsheet program"
            left_out = [
                LeftOut(len(survey.unvalued) + survey.more, "formula", no_value),
                LeftOut(sum(name.startswith("xl/media/") for name in self._names), "picture", "cards have none"),
                LeftOut(sum(map(self._count_remarks, self._names)), "cell note", "only cells are read"),
            ]
            if others := listed[:at] + listed[at + 1 :]:
                notes.insert(0, f"The sheet {listed[at]} is read.")
                left_out.insert(0, LeftOut(len(others), "sheet", f"one is read; --sheet reads {_some(others, 'or')}"))
            behind = self._find_links(path, survey)
            outside = {cell: each for cell, each in behind.items() if each and not each.startswith("#")}
            grid, off = _add_links(make_grid(rows, skip_lines, is_typed=is_typed), outside)
            left_out.append(LeftOut(len(off), "link", f"no card has the cells {some(off, NAMED)}"))
            made = "a formula makes the address, or it leads into the file"
            left_out.append(LeftOut(len(behind) - len(outside), "link", made))
            return Workbook(grid, tuple(notes), tuple(each for each in left_out if each.number))
        sentence = f"There is no sheet “{quote_value(wanted)}”." if wanted else "No sheet has cells."
        raise InvalidImport("sheet" if wanted else "", f"{sentence} There is {_some(listed) or 'none'}.")

    def _part(self, name: str, most: int = MAX_UNPACKED) -> bytes:
        """The unpacked bytes of a part; none if there is no such part."""
        if name not in self._names:
            return b""
        about = self._archive.getinfo(name)
        size = about.file_size
        self._left -= size
        if self._left < 0 or size > most:
            raise InvalidImport("", f"Unpacked, it has more than {most:,} bytes in a part. Split it.")
        if size > max(MAX_SMALL, MAX_RATIO * about.compress_size):
            raise InvalidImport("", "It is packed far smaller than spreadsheets are. Save it again, or as CSV (UTF-8).")
        part = self._archive.read(name)
        elements = part.count(b"<") - part.count(b"</")
        self._elements -= elements
        if self._elements < 0 or (most == MAX_SMALL and elements > MAX_SMALL_ELEMENTS):
            raise InvalidImport(
                "", "It has more cells or formats than Podium reads. Split it, or save it as CSV (UTF-8)."
            )
        return part

    def _count_remarks(self, name: str) -> int:
        """Return the notes and comments of a part; of a comment in a thread, “tc=…” writes an old note too."""
        if name.startswith("xl/threadedComments/"):
            return self._part(name).count(b"<threadedComment ")
        part = self._part(name) if name.startswith("xl/comments") else b""
        return max(0, part.count(b"<comment ") - part.count(b">tc={"))

    def _find_links(self, path: str, survey: SheetSurvey) -> dict[str, str]:
        """The addresses behind cells, by the names of these; "" for one that is not known."""
        folder, _, name = path.rpartition("/")
        found = find_elements(self._part(f"{folder}/_rels/{name}.rels", MAX_SMALL)) if survey.links else ()
        targets = {each.get("Id", ""): each.get("Target", "") for _, each in found}
        return survey.addresses | {
            cell: targets.get(link, "") + (place and f"#{place}") for cell, (link, place) in survey.links.items()
        }


def _add_links(grid: CellGrid, links: dict[str, str]) -> tuple[CellGrid, list[str]]:
    """Return the table with the addresses behind its cells, and the names of cells that are in none of its lines.

    They stand in columns of their own, or change places with the texts of a column of links.
    """
    if not links:
        return grid, []
    uses, rows = find_uses(list(grid.heads)), {row.number: list(row.cells) for row in grid.rows}
    added: dict[int, dict[int, str]] = {}
    off, looked_at, most = [], 0, max(rows, default=0)
    for name, address in links.items():
        first, _, last = name.partition(":")
        (top, left), (bottom, right) = find_place(first), find_place(last or first)
        if not 0 <= left < min(len(rows.get(top, ())), len(uses)):
            off.append(first)
            continue
        lines, columns = range(top, min(bottom, most) + 1), range(left, min(right + 1, len(uses)))
        looked_at += len(lines) * len(columns)
        if looked_at > MAX_PLACES:
            raise ValueError("its links lie on each other")
        for number, column in product(lines, columns):
            cells = rows.get(number, [])
            text = cells[column].strip() if cells else ""
            if (text or (number, column) == (top, left)) and text.rstrip("/") not in (
                address.rstrip("/"),
                address.removeprefix("mailto:"),
            ):
                behind = address
                if uses[column] is Use.LINK:
                    behind, cells[column] = cells[column], address
                added.setdefault(column, {})[number] = behind
    heads = list(grid.heads)
    for column in sorted(added):
        what = "text" if uses[column] is Use.LINK else "link"
        heads.append("Link" if Use.LINK not in uses and len(heads) == len(uses) else f"{grid.heads[column]} ({what})")
        for number, cells in rows.items():
            cells.append(added[column].get(number, ""))
    made = tuple(GridRow(number, tuple(cells)) for number, cells in rows.items())
    return CellGrid(tuple(heads), made, grid.before, grid.is_typed), off


def _some(listed: list[str], last: str = "and") -> str:
    return some(listed, NAMED, last=last)


def _read_rows(parts: dict[str, bytes], is_1904: str, survey: SheetSurvey) -> tuple[list[GridRow], list[str], bool]:
    """The lines of a sheet, notes, and whether no text in it is a number with two meanings."""
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr("_rels/.rels", _RELATION.format("officeDocument", "xl/workbook.xml"))
        archive.writestr("xl/_rels/workbook.xml.rels", _RELATION.format("worksheet", "worksheets/s.xml"))
        archive.writestr("xl/workbook.xml", _WORKBOOK.format("1" if is_1904 in ("1", "true") else "0"))
        for name, part in parts.items():
            if part:
                archive.writestr(f"xl/{name}", part)
    packed.seek(0)
    with CalamineWorkbook.from_filelike(packed) as book:
        sheet = book.get_sheet_by_index(0)
        values, merged = sheet.to_python(skip_empty_area=False), sheet.merged_cell_ranges or []
    once: dict[str, str] = {}  # equal texts take their memory once
    cells = [
        [once.setdefault(each, each) if isinstance(each, str) else _write_cell(each) for each in row] for row in values
    ]
    is_typed = not any(map(has_two_meanings, once))
    del values
    for (row, column), text in survey.others.items():
        if row < len(cells) and column < len(cells[row]):
            cells[row][column] = text
    spread = looked_at = 0
    for (top, left), (bottom, _) in merged:
        lines = range(top + 1, min(bottom + 1, len(cells)))
        looked_at += len(lines)
        if looked_at > MAX_PLACES:
            raise ValueError("its merged cells lie on each other")
        for at in lines:
            if left < len(cells[at]) and cells[top][left] and not cells[at][left]:
                cells[at][left] = cells[top][left]
                spread += 1
    counts = ((survey.hidden_rows, "hidden line"), (survey.hidden_columns, "hidden column"))
    hidden = " and ".join(count(number, noun) for number, noun in counts if number)
    notes = [f"Read too: {hidden}."] if hidden else []
    if spread:
        notes.append(f"{count(spread, 'cell')} below others that are merged with them: each has the value above it.")
    if many := survey.long_numbers:
        notes.append(f"{count(many, 'number')} with more digits than spreadsheets keep, so the last may be wrong.")
    return [GridRow(at, tuple(row)) for at, row in enumerate(cells, 1) if any(row)], notes, is_typed


def _write_cell(value: Any) -> str:
    """The text of a cell: days and times as in ISO 8601, numbers with a point, and TRUE or FALSE."""
    if isinstance(value, float):
        return write_number(value)
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}{f':{seconds:02}' if seconds else ''}"
    if isinstance(value, datetime):
        return str(value.replace(microsecond=0))
    return str(value).upper()
