"""The survey of a sheet of a spreadsheet (.xlsx): a look at its XML before python-calamine reads the cells.

It refuses a sheet that claims more than a plan has, and finds what the library leaves out: errors, percentages, what is
hidden, links, and formulas without a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache, reduce
from math import isinf
from xml.parsers.expat import ParserCreate, XMLParserType

from core.errors import InvalidImport
from core.import_export.draft import NAMED
from core.import_export.tables.grid import MAX_COLUMNS, MAX_LINES
from core.text.sanitize import quote_value

MAX_UNPACKED = 100_000_000
"""The most bytes of the parts that are read, and the most characters of all cells."""

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
    rb'<c r="([A-Z]{1,3})(\d{1,7})"(?: s="(\d{1,5})")?'
    rb'(?:(?: t="(?:(s)|n)")?><v>(\d{1,6}(?:\.\d{1,20})?)</v>'
    rb'| t="inlineStr"><is><t(?: xml:space="preserve")?>[^<&>\xef\x00-\x1f]*+</t></is>'
    rb'| t="str"><v>[^<&>\xef\x00-\x1f]*+</v>)</c>\s*'
)
"""A cell with a shared text, a number below a million, or a text of its own, as programs write nearly all.

Texts with a sign that XML can forbid are left to the parser: ]]> and U+FFFE, which begins with EF in UTF-8.
"""


class SheetSurvey:
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
            elif text and style in styles:
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
            return f"{write_number(number * 100)}%"
        if shown.startswith("0"):
            return write_number(number).zfill(len(shown))
        if shown:
            return f"{write_number(number)} {shown}"
        return write_number(number) if self._style and not 0 <= number < LAST_DAY else None

    def mend(self, sheet: bytes) -> bytes:
        """Return the sheet without the values that the library can refuse; they are in ``others``."""
        parts, at = [], 0
        for begins, end, value in self._mended:
            parts += [sheet[at : sheet.index(b">", begins) + 1], value]
            at = end
        return b"".join([*parts, sheet[at:]])


def find_place(cell: str) -> tuple[int, int]:
    """The line of a cell from 1, and its column from 0."""
    letters = cell.rstrip("0123456789")
    return int(cell[len(letters) :] or 0), _find_column(letters.upper()) - 1


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


def find_elements(xml: bytes) -> list[tuple[str, dict[str, str]]]:
    """The local names and attributes of the elements of a small part."""
    found: list[tuple[str, dict[str, str]]] = []
    if xml:
        _make_parser(lambda tag, attributes: found.append((tag.rpartition(":")[2], attributes))).Parse(xml, True)
    return found


def find_lengths(xml: bytes) -> list[int]:
    """The number of characters of each shared text."""
    lengths = [0]

    def add(text: str) -> None:
        lengths[-1] += len(text)

    parser = _make_parser(lambda tag, _: lengths.append(0) if tag.rpartition(":")[2] == "si" else None)
    parser.CharacterDataHandler = add
    if xml:
        parser.Parse(xml, True)
    return lengths[1:]


def find_shown(xml: bytes) -> dict[str, str]:
    """Return the addition of each style of cells to a number: “%”, a currency, or zeros before it (“00000”)."""
    formats, styles = {"9": "%", "10": "%"}, []
    is_cell = False
    for name, each in find_elements(xml):
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


def write_number(value: float) -> str:
    """A number as a spreadsheet shows it, of which 15 digits are exact.

    >>> write_number(0.1 + 0.2), write_number(1e15)
    ('0.3', '1000000000000000')
    """
    text = format(value, ".15g")
    return f"{Decimal(text):f}" if "e" in text else text
