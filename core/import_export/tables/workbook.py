"""Spreadsheets (.xlsx) as tables. python-calamine reads the cells, and this module alone knows it.

The library takes memory for each place up to the furthest cell, and copies a shared text into each cell that has it: a
small file can claim more memory than a machine has. A survey of the XML refuses that before, and finds what the library
leaves out: errors, percentages, what is hidden, and formulas without a value.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache, reduce
from io import BytesIO
from typing import Any
from xml.parsers.expat import ExpatError, ParserCreate, XMLParserType
from zipfile import BadZipFile, ZipFile

from python_calamine import CalamineError, CalamineWorkbook

from core.errors import InvalidImport
from core.import_export.draft import LeftOut
from core.import_export.tables.grid import MAX_COLUMNS, CellGrid, GridRow, make_grid
from core.import_export.tables.mapping import same
from core.record import Record
from core.text.amounts import has_two_meanings
from core.text.phrases import count, names
from core.text.sanitize import quote_value

MAX_UNPACKED = 100_000_000
"""The most bytes of the parts that are read, and the most characters of all cells."""

MAX_SMALL = 10_000_000
"""The most bytes of a part that is not of cells, such as the styles."""

MAX_PLACES = 2_000_000
"""The most places of a sheet up to its last line and column. The library takes 32 bytes for each."""

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
    except (BadZipFile, ExpatError, CalamineError, zlib.error, EOFError, LookupError, ValueError) as error:
        why = quote_value(str(error))
        raise InvalidImport("", f"It is a damaged spreadsheet ({why}). Save it again, or as CSV (UTF-8).") from None
    except (NotImplementedError, RuntimeError):
        raise InvalidImport("", "It has a password, or is packed in a rare way. Save it without.") from None


class _Reading:
    """Reads the parts of a spreadsheet."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive, self._left, self._names = archive, MAX_UNPACKED, archive.namelist()
        if "xl/workbook.xml" not in self._names:
            for beginning, what in _OTHERS.items():
                if any(name.startswith(beginning) for name in self._names):
                    raise InvalidImport("", f"It is {what}")
            inside = names([f"“{quote_value(name)}”" for name in self._names[:3]]) or "nothing"
            raise InvalidImport("", f"It is a zip archive with {inside} in it. Unpack it, and import a file of it.")

    def read(self, wanted: str, skip_lines: int | None) -> Workbook:
        book, styles = self._part("xl/workbook.xml", MAX_SMALL), self._part("xl/styles.xml", MAX_SMALL)
        links = _find_elements(self._part("xl/_rels/workbook.xml.rels", MAX_SMALL))
        targets = {each["Id"]: each["Target"] for name, each in links if name == "Relationship"}
        sheets = [each for name, each in _find_elements(book) if name == "sheet"]
        is_1904 = next((each.get("date1904", "0") for name, each in _find_elements(book) if name == "workbookPr"), "0")
        strings = self._part("xl/sharedStrings.xml")
        lengths, percents = _find_lengths(strings), _find_percents(styles)
        hidden = " (hidden)"
        listed = [f"“{quote_value(each['name'])}”{hidden * ('idden' in each.get('state', ''))}" for each in sheets]
        for at, each in enumerate(sheets):
            target = targets[next((value for key, value in each.items() if key.endswith(":id")), "")]
            if wanted and not same(each["name"], wanted):
                continue
            sheet = self._part(target[1:] if target.startswith("/") else f"xl/{target}")
            survey = _Survey(sheet, lengths, percents)
            if not (survey.cells or wanted):
                continue
            parts = {"sharedStrings.xml": strings, "styles.xml": styles, "worksheets/s.xml": sheet}
            rows, notes, is_typed = _read_rows(parts, is_1904, survey)
            left_out = [
                LeftOut(survey.unvalued, "formula", "the file has no value for it. Save it in a spreadsheet program"),
                LeftOut(sum(name.startswith("xl/media/") for name in self._names), "picture", "cards have none"),
                LeftOut(sum(map(self._count_remarks, self._names)), "cell note", "only cells are read"),
            ]
            if others := listed[:at] + listed[at + 1 :]:
                notes.insert(0, f"The sheet {listed[at]} is read.")
                left_out.insert(0, LeftOut(len(others), "sheet", f"one is read; --sheet reads {names(others, 'or')}"))
            grid = make_grid(rows, skip_lines, is_typed=is_typed)
            return Workbook(grid, tuple(notes), tuple(each for each in left_out if each.number))
        sentence = f"There is no sheet “{quote_value(wanted)}”." if wanted else "No sheet has cells."
        raise InvalidImport("sheet" if wanted else "", f"{sentence} There is {names(listed) or 'none'}.")

    def _part(self, name: str, most: int = MAX_UNPACKED) -> bytes:
        """The unpacked bytes of a part; none if there is no such part."""
        if name not in self._names:
            return b""
        size = self._archive.getinfo(name).file_size
        self._left -= size
        if self._left < 0 or size > most:
            raise InvalidImport("", f"Unpacked, it has more than {most:,} bytes in a part. Split it.")
        return self._archive.read(name)

    def _count_remarks(self, name: str) -> int:
        return self._part(name).count(b"<comment ") if name.startswith("xl/comments") else 0


class _Survey:
    """The look at the XML of a sheet. Raises InvalidImport for one that claims too much."""

    def __init__(self, sheet: bytes, lengths: list[int], percents: frozenset[str]) -> None:
        self._lengths, self._percents = lengths, percents
        self._row = self._column = self._height = self._width = self._size = 0
        self._kind = ""
        self._text: list[str] = []
        self._is_open = False
        self.cells = self.unvalued = self.hidden_rows = self.hidden_columns = 0
        self.others: dict[tuple[int, int], str] = {}
        """The errors and percentages, which the library does not give, by line and column from 0."""
        self._parser = _make_parser(self._start)
        self._parser.Parse(sheet, True)
        self.unvalued += self._is_open

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if name == "c":
            self.unvalued += self._is_open
            self._is_open = False
            self._column += 1
            if reference := attributes.get("r"):
                letters = reference.rstrip("0123456789")
                self._row, self._column = int(reference[len(letters) :]), _find_column(letters.upper())
            kind = attributes.get("t", "n")
            self._kind = "%" if kind == "n" and attributes.get("s") in self._percents else kind
        elif name in ("v", "is", "f"):
            self._is_open = self._is_open or name == "f"
            self.cells += name != "f"
            if self._row > self._height or self._column > self._width:
                self._grow()
            if name == "v" and (self._is_open or self._kind in ("s", "e", "%")):
                self._text = []
                self._parser.CharacterDataHandler, self._parser.EndElementHandler = self._text.append, self._end
        elif name == "row":
            self._row, self._column = int(attributes.get("r", self._row + 1)), 0
            self.hidden_rows += attributes.get("hidden") in ("1", "true")
        elif name == "col" and attributes.get("hidden") in ("1", "true"):
            self.hidden_columns += int(attributes["max"]) - int(attributes["min"]) + 1

    def _grow(self) -> None:
        self._height, self._width = max(self._height, self._row), max(self._width, self._column)
        if self._width > MAX_COLUMNS or self._height * self._width > MAX_PLACES:
            raise InvalidImport(
                "",
                f"Its cells reach to line {self._height:,} and column {self._width:,}. Podium reads {MAX_COLUMNS:,}"
                f" columns, and {MAX_PLACES:,} cells. Clear what is far out.",
            )

    def _end(self, _tag: str) -> None:
        self._parser.CharacterDataHandler = self._parser.EndElementHandler = None
        text = "".join(self._text).strip()
        self._is_open = self._is_open and not text
        if self._kind == "s":
            self._size += self._lengths[int(text)]
            if self._size > MAX_UNPACKED:
                raise InvalidImport("", f"Its cells have more than {MAX_UNPACKED:,} characters. Split it.")
        elif text and self._kind in ("e", "%"):
            shown = f"{_write_number(float(text) * 100)}%" if self._kind == "%" else text
            self.others[self._row - 1, self._column - 1] = shown


@cache
def _find_column(letters: str) -> int:
    """The number of a column, from 1: 28 for “AB”."""
    return reduce(lambda number, letter: number * 26 + ord(letter) - 64, letters[:4], 0)


def _make_parser(start: Callable[[str, dict[str, str]], None]) -> XMLParserType:
    """A parser of XML that refuses document types, and so entities."""

    def refuse(*_: object) -> None:
        raise ValueError("It has a document type.")

    parser = ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.StartDoctypeDeclHandler = start, refuse
    return parser


def _find_elements(xml: bytes) -> list[tuple[str, dict[str, str]]]:
    """The local names and attributes of the elements of a small part."""
    found: list[tuple[str, dict[str, str]]] = []
    if xml:
        _make_parser(lambda tag, attributes: found.append((tag.rpartition(":")[2], attributes))).Parse(xml, True)
    return found


def _find_lengths(xml: bytes) -> list[int]:
    """The number of characters of each shared text."""
    lengths = [0]

    def add(text: str) -> None:
        lengths[-1] += len(text)

    parser = _make_parser(lambda tag, _: lengths.append(0) if tag.rpartition(":")[2] == "si" else None)
    parser.CharacterDataHandler = add
    if xml:
        parser.Parse(xml, True)
    return lengths[1:]


def _find_percents(xml: bytes) -> frozenset[str]:
    """The numbers of the styles that show a share of one as a percentage."""
    formats, styles = {"9", "10"}, []
    is_cell = False
    for name, each in _find_elements(xml):
        is_cell = name == "cellXfs" or (is_cell and name != "cellStyles")
        if name == "numFmt" and "%" in re.sub(r'"[^"]*"|\\.', "", each.get("formatCode", "")):
            formats.add(each.get("numFmtId", ""))
        if name == "xf" and is_cell:
            styles.append(each.get("numFmtId"))
    return frozenset(str(at) for at, number in enumerate(styles) if number in formats)


def _read_rows(parts: dict[str, bytes], is_1904: str, survey: _Survey) -> tuple[list[GridRow], list[str], bool]:
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
    is_typed = not any(map(has_two_meanings, {each for row in values for each in row if isinstance(each, str)}))
    cells = [[each if isinstance(each, str) else _write_cell(each) for each in row] for row in values]
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
    return [GridRow(at, tuple(row)) for at, row in enumerate(cells, 1) if any(row)], notes, is_typed


def _write_cell(value: Any) -> str:
    """The text of a cell: days and times as in ISO 8601, numbers with a point, and TRUE or FALSE."""
    if isinstance(value, timedelta):
        return f"{value // timedelta(hours=1)}:{value // timedelta(minutes=1) % 60:02}"
    if isinstance(value, datetime):
        return str(value.replace(microsecond=0))
    return _write_number(value) if isinstance(value, float) else str(value).upper()


def _write_number(value: float) -> str:
    """A number as a spreadsheet shows it, of which 15 digits are exact.

    >>> _write_number(0.1 + 0.2), _write_number(1e15)
    ('0.3', '1000000000000000')
    """
    text = format(value, ".15g")
    return text if text.isdecimal() else f"{Decimal(text):f}"
