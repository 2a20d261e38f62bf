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
from itertools import product
from math import isinf
from typing import Any
from xml.parsers.expat import ExpatError, ParserCreate, XMLParserType
from zipfile import BadZipFile, ZipFile

from python_calamine import CalamineError, CalamineWorkbook

from core.errors import InvalidImport
from core.import_export.draft import NAMED, LeftOut
from core.import_export.tables.grid import MAX_COLUMNS, MAX_LINES, CellGrid, GridRow, make_grid
from core.import_export.tables.heads import Use, find_uses
from core.import_export.tables.mapping import same
from core.record import Record
from core.text.amounts import has_two_meanings
from core.text.phrases import count, names, some
from core.text.sanitize import quote_value

MAX_UNPACKED = 100_000_000
"""The most bytes of the parts that are read, and the most characters of all cells."""

MAX_SMALL = 10_000_000
"""The most bytes of a part that is not of cells, such as the styles."""

MAX_ELEMENTS, MAX_SMALL_ELEMENTS = 4_000_000, 500_000
"""The most elements of XML in all parts that are read, and in a part that is not of cells."""

MAX_RATIO = 200
"""The most bytes that a byte of a large part can become: real sheets have about 20."""

MAX_PLACES = 3_000_000
"""The most places of a sheet up to its last line and column. The library takes 32 bytes for each."""

EXACT = 10**15
"""From here on the digits of a number are taken as they stand in the file."""

LAST_DAY = 2_957_000
"""The number of the last day that is read: the library refuses a file with a later one."""

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?")
_UNIT = re.compile(r'\[\$([^\]-]+)[^\]]*\]|("(?:[A-Z]{3}|[€$£¥₽₹]|zł|Kč|kr\.?)"|[€$£¥₽₹])')
"""A currency in a number format."""

_LINK = re.compile(r'\bHYPERLINK\s*\(\s*(?:"((?:[^"]|"")*+)"\s*[,;)])?', re.IGNORECASE)
"""The function of a formula that links its cell, with the address if that is a text."""

_PLAIN = re.compile(
    rb'<c r="([A-Z]{1,3})(\d{1,7})"(?: s="(\d{1,5})")?(?: t="(?:(s)|n)")?><v>(\d{1,6}(?:\.\d{1,20})?)</v></c>\s*'
)
"""A cell with a shared text or a number below a million, as programs write nearly all."""

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
        links = _find_elements(self._part("xl/_rels/workbook.xml.rels", MAX_SMALL))
        targets = {each["Id"]: each["Target"] for name, each in links if name == "Relationship"}
        sheets = [each for name, each in _find_elements(book) if name == "sheet"]
        is_1904 = next((each.get("date1904", "0") for name, each in _find_elements(book) if name == "workbookPr"), "0")
        strings = self._part("xl/sharedStrings.xml")
        lengths, shown = _find_lengths(strings), _find_shown(styles)
        hidden = " (hidden)"
        listed = [f"“{quote_value(each['name'])}”{hidden * ('idden' in each.get('state', ''))}" for each in sheets]
        for at, each in enumerate(sheets):
            target = targets[next((value for key, value in each.items() if key.endswith(":id")), "")]
            if wanted and not same(each["name"], wanted):
                continue
            path = target[1:] if target.startswith("/") else f"xl/{target}"
            sheet = self._part(path)
            survey = _Survey(sheet, lengths, shown)
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

    def _find_links(self, path: str, survey: _Survey) -> dict[str, str]:
        """The addresses behind cells, by the names of these; "" for one that is not known."""
        folder, _, name = path.rpartition("/")
        found = _find_elements(self._part(f"{folder}/_rels/{name}.rels", MAX_SMALL)) if survey.links else ()
        targets = {each.get("Id", ""): each.get("Target", "") for _, each in found}
        return survey.addresses | {
            cell: targets.get(link, "") + (place and f"#{place}") for cell, (link, place) in survey.links.items()
        }


class _Survey:
    """The look at the XML of a sheet. Raises InvalidImport for one that claims too much."""

    def __init__(self, sheet: bytes, lengths: list[int], shown: dict[str, str]) -> None:
        self._lengths, self._shown = lengths, shown
        self._row = self._column = self._height = self._width = self._size = 0
        self._kind = self._style = ""
        self._begins = self._lines = self._last = 0
        self._text: list[str] = []
        self.has_cells = self._is_open = False
        self.more = self.hidden_rows = self.hidden_columns = self.long_numbers = 0
        self._reference = ""
        self.unvalued: list[str] = []
        """The first cells whose formula has no value; ``more`` is the number of the others."""
        self.others: dict[tuple[int, int], str] = {}
        """The errors, and the numbers that the library does not give as they are shown, by line and column from 0."""
        self.links: dict[str, tuple[str, str]] = {}
        """The number of the address behind a cell and the place in that page, by the name of the cell."""
        self.addresses: dict[str, str] = {}
        """The addresses in formulas, by the names of the cells; "" for one that a formula makes."""
        self._formulas: dict[str, str] = {}
        """The formulas that several cells share, by their numbers."""
        self._shared = ""
        self._mended: list[tuple[int, int, bytes]] = []
        """Where values stand that the library refuses, and what is put there."""
        self._parser, self._shift = _make_parser(self._start), 0
        self._read(sheet)
        self._close_cell()

    def _read(self, sheet: bytes) -> None:
        """Take plain cells as they are found, and have the parser read what stands between them: it is far slower."""
        at, read, size, here, letters = 0, 0, 0, b"", b""
        columns: dict[bytes, int] = {b"": 0}
        lengths, styles = self._lengths, {style.encode() for style in self._shown}
        hides = b"<!" in sheet or sheet.find(b"<?", 1) > 0  # comments and the like, in which cells can seem to be
        for cell in () if hides else _PLAIN.finditer(sheet):
            if (begins := cell.start()) > at:
                self._column, self._shift, here = columns[letters], at - read, b""
                self._parser.Parse(sheet[at:begins], False)
                read += begins - at
                self._close_cell()
            at = cell.end()
            letters, line, style, is_shared, text = cell.groups()
            if line != here or letters not in columns:
                here, self._row = line, int(line)
                self._column = columns[letters] = _find_column(letters.decode())
                self._count_line()
                self._grow()
            if is_shared:
                size += lengths[int(text)]
            elif style in styles:
                self._column, self._kind, self._style = columns[letters], "n", style.decode()
                self._take(text.decode(), cell.start(5) - 1, cell.end(5))
        self._column, self._shift = columns[letters], at - read
        self._parser.Parse(sheet[at:], True)
        self.has_cells = self.has_cells or at > 0
        if self._size + size > MAX_UNPACKED:
            raise InvalidImport("", f"Its cells have more than {MAX_UNPACKED:,} characters. Split it.")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if name == "c":
            self._close_cell()
            self._column += 1
            self._reference = attributes.get("r") or f"a cell of line {self._row}"
            if reference := attributes.get("r"):
                letters = reference.rstrip("0123456789")
                self._row, self._column = int(reference[len(letters) :]), _find_column(letters.upper())
            self._kind, self._style = attributes.get("t", "n"), attributes.get("s", "")
        elif name in ("v", "is", "f"):
            self._count_line()
            self._is_open = self._is_open or name == "f"
            self.has_cells = self.has_cells or name != "f"
            if self._row > self._height or self._column > self._width:
                self._grow()
            if name == "f":
                self._shared = attributes.get("si", "") if attributes.get("t") == "shared" else ""
            if name == "f" or (name == "v" and (self._is_open or self._kind in ("s", "e", "n"))):
                self._text, self._begins = [], self._parser.CurrentByteIndex + self._shift
                self._parser.CharacterDataHandler = self._text.append
                self._parser.EndElementHandler = self._end_formula if name == "f" else self._end
        elif name == "row":
            self._row, self._column = int(attributes.get("r", self._row + 1)), 0
            self.hidden_rows += attributes.get("hidden") in ("1", "true")
        elif name == "hyperlink":
            link = next((value for key, value in attributes.items() if key.endswith(":id")), "")
            self.links[attributes.get("ref", "").replace("$", "")] = link, attributes.get("location", "")
        elif name == "col" and attributes.get("hidden") in ("1", "true"):
            self.hidden_columns += int(attributes["max"]) - int(attributes["min"]) + 1

    def _count_line(self) -> None:
        self._lines += self._row != self._last
        self._last = self._row
        if self._lines > MAX_LINES:
            raise InvalidImport("", f"It has more than {MAX_LINES:,} lines. Split it.")

    def _close_cell(self) -> None:
        """Take up a cell whose formula has no value."""
        if self._is_open and len(self.unvalued) < NAMED:
            self.unvalued.append(quote_value(self._reference))
        else:
            self.more += self._is_open
        self._is_open = False

    def _grow(self) -> None:
        self._height, self._width = max(self._height, self._row), max(self._width, self._column)
        if self._width > MAX_COLUMNS or self._height * self._width > MAX_PLACES:
            raise InvalidImport(
                "",
                f"Its cells reach to line {self._height:,} and column {self._width:,}. Podium reads {MAX_COLUMNS:,}"
                f" columns, and {MAX_PLACES:,} cells. Clear what is far out.",
            )

    def _end_formula(self, _tag: str) -> None:
        self._parser.CharacterDataHandler = self._parser.EndElementHandler = None
        text = "".join(self._text) or self._formulas.get(self._shared, "")
        if self._shared:
            self._formulas.setdefault(self._shared, text)
        if link := _LINK.search(text):
            self.addresses[self._reference] = (link[1] or "").replace('""', '"')

    def _end(self, _tag: str) -> None:
        self._parser.CharacterDataHandler = self._parser.EndElementHandler = None
        text = "".join(self._text).strip()
        self._is_open = self._is_open and not text
        self._take(text, self._begins, self._parser.CurrentByteIndex + self._shift)

    def _take(self, text: str, begins: int, end: int) -> None:
        """Take up the value of a cell, and the places of its tag and of its end."""
        if self._kind == "s":
            self._size += self._lengths[int(text)]
        elif text and self._kind in ("e", "n") and (shown := self._show(text)) is not None:
            self.others[self._row - 1, self._column - 1] = shown
            self._mended.append((begins, end, b"0" if self._kind == "n" else b"#N/A"))

    def _show(self, text: str) -> str | None:
        """The text of a value that the library refuses or shows otherwise; None for another."""
        if self._kind == "e" or not _NUMBER.fullmatch(text):
            return text
        number = float(text)
        if isinf(number):
            return text
        shown = self._shown.get(self._style, "")
        if abs(number) >= EXACT:
            self.long_numbers += abs(Decimal(text)) > 2**53
            return f"{Decimal(text):f}"
        if shown == "%":
            return f"{_write_number(number * 100)}%"
        if shown.startswith("0"):
            return _write_number(number).zfill(len(shown))
        if shown:
            return f"{_write_number(number)} {shown}"
        return _write_number(number) if self._style and not 0 <= number < LAST_DAY else None

    def mend(self, sheet: bytes) -> bytes:
        """Return the sheet without the values that the library can refuse; they are in ``others``."""
        parts, at = [], 0
        for begins, end, value in self._mended:
            parts += [sheet[at : sheet.index(b">", begins) + 1], value]
            at = end
        return b"".join([*parts, sheet[at:]])


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
        (top, left), (bottom, right) = _find_place(first), _find_place(last or first)
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


def _find_place(cell: str) -> tuple[int, int]:
    """The line of a cell from 1, and its column from 0."""
    letters = cell.rstrip("0123456789")
    return int(cell[len(letters) :] or 0), _find_column(letters.upper()) - 1


def _some(listed: list[str], last: str = "and") -> str:
    return some(listed, NAMED, last=last)


@cache
def _find_column(letters: str) -> int:
    """The number of a column, from 1: 28 for “AB”."""
    return reduce(lambda number, letter: number * 26 + ord(letter) - 64, letters[:4], 0)


def _make_parser(start: Callable[[str, dict[str, str]], None]) -> XMLParserType:
    """A parser of XML that refuses document types, and so entities."""

    def refuse(*_: object) -> None:
        raise InvalidImport("", "It has a document type, which no spreadsheet has. Save it again, or as CSV (UTF-8).")

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


def _find_shown(xml: bytes) -> dict[str, str]:
    """Return the addition of each style of cells to a number: “%”, a currency, or zeros before it (“00000”)."""
    formats, styles = {"9": "%", "10": "%"}, []
    is_cell = False
    for name, each in _find_elements(xml):
        is_cell = name == "cellXfs" or (is_cell and name != "cellStyles")
        if name == "numFmt":
            code = each.get("formatCode", "")
            currency = _UNIT.search(code)
            if "%" in re.sub(r'"[^"]*"|\\.', "", code):
                formats[each.get("numFmtId", "")] = "%"
            elif re.fullmatch("00+", code):
                formats[each.get("numFmtId", "")] = code
            elif currency:
                formats[each.get("numFmtId", "")] = (currency[1] or currency[2]).strip('" ')
        if name == "xf" and is_cell:
            styles.append(each.get("numFmtId"))
    return {str(at): formats[number] for at, number in enumerate(styles) if number in formats}


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
    if isinstance(value, timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}{f':{seconds:02}' if seconds else ''}"
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
