"""Blocks in the width of a screen: wrapped between words, with signs of lists, quotes and code, and cached."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from rich.cells import cell_len, chop_cells, set_cell_size, split_graphemes

from tui.drawing.markdown.blocks import Block, Lead, LeadKind, Span, SpanStyle, read_document

Line = tuple[Span, ...]
"""One line, of spans without line ends."""

LEAST = 8
"""Fewest cells of a text, however deep it is nested."""

RULE = 24
"""Cells of a rule."""

SIGNS = {
    LeadKind.BULLET: "•",
    LeadKind.BOX: "□",
    LeadKind.TICKED: "■",
    LeadKind.QUOTE: "▌",
    LeadKind.CODE: "│",
}
ASCII_SIGNS = {
    LeadKind.BULLET: "-",
    LeadKind.BOX: "[ ]",
    LeadKind.TICKED: "[x]",
    LeadKind.QUOTE: ">",
    LeadKind.CODE: "|",
}

_REPEATED = (LeadKind.QUOTE, LeadKind.CODE)
_PIECES = re.compile(r"\n| +|[^\n ]+")


@lru_cache(maxsize=256)
def markdown_lines(text: str, width: int, ascii_only: bool = False) -> tuple[Line, ...]:
    """Return a text with Markdown as lines of at most ``width`` cells, at least two. Never raises.

    The spans have no control characters, and none that reverses, hides or covers others.
    """
    found: list[Line] = []
    for block in read_document(text).blocks:
        if block.has_gap:
            found.append(())
        found += _lines_of(block, max(2, width), ascii_only)
    return tuple(found)


def _lines_of(block: Block, width: int, ascii_only: bool) -> Iterator[Line]:
    first, rest = _leads(block.leads, width, ascii_only)
    room = width - cell_len(rest)
    spans = _dim(block)
    if block.is_rule:
        spans = ((("-" if ascii_only else "─") * min(room, RULE), SpanStyle.FAINT),)
    is_code = any(lead.kind is LeadKind.CODE for lead in block.leads)
    for number, line in enumerate(_chop(spans, room) if is_code else _wrap(spans, room)):
        lead = rest if number else first
        yield ((lead, SpanStyle.FAINT if is_code else SpanStyle.QUIET), *line) if lead else line


def _dim(block: Block) -> tuple[Span, ...]:
    """The spans of a block; what is ticked or quoted is quiet."""
    if not any(lead.kind in (LeadKind.TICKED, LeadKind.QUOTE) for lead in block.leads):
        return block.spans
    return tuple((text, mark | SpanStyle.QUIET) for text, mark in block.spans)


def _leads(leads: Sequence[Lead], width: int, ascii_only: bool) -> tuple[str, str]:
    """The texts before the first line and before the others, of the same width; cut at the left in a narrow place."""
    signs = ASCII_SIGNS if ascii_only else SIGNS
    first = rest = ""
    for lead in leads:
        sign = f"{lead.words or signs[lead.kind]} "
        blank = " " * cell_len(sign)
        first += sign if lead.is_first or lead.kind in _REPEATED else blank
        rest += sign if lead.kind in _REPEATED else blank
    most = max(0, width - LEAST)
    return (first, rest) if len(rest) <= most else (first[len(first) - most :], rest[len(rest) - most :])


def _wrap(spans: Sequence[Span], width: int) -> list[Line]:
    """Lines that break between words; a word in wide letters, and one that is too long, breaks between letters."""
    wrapping = _Wrapping(width)
    for text, mark in spans:
        for piece in _PIECES.findall(text):
            wrapping.take(piece, mark)
    return wrapping.end()


class _Wrapping:
    """The lines so far, the word that is being put together, and the blanks before it."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._lines: list[Line] = []
        self._line: list[Span] = []
        self._used = 0
        self._blank: Span = ("", SpanStyle.PLAIN)
        self._word: list[Span] = []

    def take(self, piece: str, mark: SpanStyle) -> None:
        """Take a word or a part of one, blanks, or a line end."""
        if piece == "\n":
            self._end_word()
            self._end_line()
        elif piece[0] == " ":
            self._end_word()
            self._blank = (self._blank[0] + piece, mark)
        else:
            self._word.append((piece, mark))

    def end(self) -> list[Line]:
        self._end_word()
        self._end_line()
        return self._lines

    def _end_line(self) -> None:
        self._lines.append(_fit_letters(self._line, self._width))
        self._line, self._used, self._blank = [], 0, ("", SpanStyle.PLAIN)

    def _end_word(self) -> None:
        if not self._word:
            return
        word, self._word = self._word, []
        text = "".join(piece for piece, _ in word)
        cells = cell_len(text)
        blank = min(len(self._blank[0]), max(0, self._width - LEAST)) if not self._line else len(self._blank[0])
        is_wide = cells != len(text)
        if self._line and self._used + blank + cells > self._width and not (is_wide and self._room(blank) >= 2):
            self._end_line()
            blank = 0
        if blank:
            self._add(" " * blank, self._blank[1], blank)
        self._blank = ("", SpanStyle.PLAIN)
        if self._used + cells <= self._width:
            self._line += word
            self._used += cells
        else:
            self._break(word)

    def _room(self, blank: int) -> int:
        return self._width - self._used - blank

    def _add(self, text: str, mark: SpanStyle, cells: int) -> None:
        self._line.append((text, mark))
        self._used += cells

    def _break(self, word: Sequence[Span]) -> None:
        """Put a word in as many lines as it takes, full ones first."""
        for text, mark in word:
            while text:
                head = _head(text, self._width - self._used)
                if not head:
                    if not self._line:  # wider than a whole line
                        return
                    self._end_line()
                    continue
                self._add(head, mark, cell_len(head))
                text = text[len(head) :]


def _head(text: str, cells: int) -> str:
    """The longest beginning of a text in so many cells, without a part of a letter."""
    if text.isascii():
        return text[: max(0, cells)]
    used = at = 0
    for _, end, width in split_graphemes(text[: max(1, cells) * 8])[0]:
        if used + width > cells:
            break
        used, at = used + width, end
    return text[:at]


def _chop(spans: Sequence[Span], width: int) -> Iterator[Line]:
    """The lines of code, which keep all their blanks and break anywhere."""
    for text, mark in spans:
        for line in text.split("\n"):
            yield from (_fit_letters([(part, mark)], width) for part in chop_cells(line, width) or [""])


def _fit_letters(line: list[Span], width: int) -> Line:
    """A line as it is; one whose letters are wider together than alone, such as a sign and its variant, is cut."""
    text = "".join(part for part, _ in line)
    if text.isascii() or cell_len(text) <= width:
        return tuple(line)
    return ((set_cell_size(text, width), line[0][1]),)
