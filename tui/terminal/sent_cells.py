"""The cells on the terminal, so that only those that differ are sent.

Textual sends the whole screen when a screen or a dialog opens or closes, and each line of a widget that draws itself
again. Most of these cells stand there already.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import compress, groupby
from operator import is_not, ne, or_
from typing import NamedTuple

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.geometry import Size
from textual.strip import SGR_STYLES, Strip

GAP = 4
"""Most cells between two differing ones that are sent again: a move of the cursor costs as much."""

UNKNOWN = "\0"
"""An unknown cell, which is always sent."""

FIRST_EMOJI = "\U0001f000"
"""From here on terminals disagree: half of a flag, which counts as one cell, is two in some."""

ON_BLANKS = frozenset({"4", "5", "7", "9", "21", "51", "52", "53"})
"""Attributes that are visible on a space: underlined, blinking, reverse, struck out, framed, encircled, overlined."""


class Pen(NamedTuple):
    """The look of a cell: parameters of SGR (ECMA-48) for its attributes and its colours, and the target of a link."""

    attributes: str = ""
    colour: str = ""
    background: str = ""
    link: str = ""


PLAIN = Pen()

_PENS = {PLAIN: PLAIN}
"""All pens without a link, so that two that are equal are one, and a comparison takes no time."""


class SentCells:
    """The cells that were sent last.

    Terminals disagree on how wide some signs are. A text with a sign that is not one cell wide can end early or late
    on the screen, so its cells are emptied first, and those right of it are sent again.
    """

    def __init__(self) -> None:
        self._size = Size(0, 0)
        self._texts: list[str] = []
        self._pens: list[list[Pen]] = []
        self._odd: list[dict[int, tuple[str, Pen]]] = []
        """For each line the texts with such a sign, by their column."""

    def forget(self) -> None:
        """Send everything again: another program wrote on the terminal, or its size changed."""
        self._size = Size(0, 0)

    def write(self, update: CompositorUpdate, size: Size, colours: ColorSystem) -> str:
        """Return the escape sequences for the cells of an update that differ from the sent ones, which it replaces."""
        if size != self._size:
            self._size = size
            self._texts = [UNKNOWN * size.width] * size.height
            self._pens = [[PLAIN] * size.width for _ in range(size.height)]
            self._odd = [{} for _ in range(size.height)]
        writer = _Writer()
        for x, y, strip in _list_pieces(update):
            if 0 <= y < size.height and 0 <= x < size.width:
                self._write_piece(writer, x, y, strip.crop(0, size.width - x), colours)
        return writer.end()

    def _write_piece(self, writer: _Writer, x: int, y: int, strip: Strip, colours: ColorSystem) -> None:
        if _has_simple_cells(strip.text):
            pens: list[Pen] = []
            for part, style, _ in strip:
                pens += _find_pens(part, style, colours)
            self._write_simple(writer, x, y, strip.text, pens)
            return
        unsure = None
        for part, style, _ in strip:
            width = cell_len(part)
            if not _has_simple_cells(part):
                odd = part, _find_pen(style, colours)
                if self._odd[y].get(x) != odd:
                    self._put(x, y, UNKNOWN * width, [PLAIN] * width)
                    self._odd[y][x] = odd
                    unsure = x if unsure is None else unsure
            elif unsure is None:
                self._write_simple(writer, x, y, part, [*_find_pens(part, style, colours)])
            else:  # it is sent with all that stands right of the odd sign
                self._put(x, y, part, [*_find_pens(part, style, colours)])
            x += width
        if unsure is not None:
            self._write_from(writer, unsure, y)

    def _write_simple(self, writer: _Writer, x: int, y: int, text: str, pens: list[Pen]) -> None:
        """Write the cells that differ of a text in which each character is one cell wide."""
        end = x + len(text)
        old_text, old_pens = self._texts[y][x:end], self._pens[y][x:end]
        if text == old_text and pens == old_pens:
            return
        self._put(x, y, text, pens)
        pairs = map(or_, map(ne, text, old_text), map(is_not, pens, old_pens))  # an equal pen is the same one
        differing = list(compress(range(len(text)), pairs))
        first = last = differing[0]
        for at in (*differing[1:], len(self._texts[y]) + GAP):
            if at - last > GAP:
                writer.write(x + first, y, text[first : last + 1], pens[first : last + 1])
                first = at
            last = at

    def _put(self, x: int, y: int, text: str, pens: list[Pen]) -> None:
        """Remember cells of a line, and forget the texts with an odd sign that they cover; their rest stays unknown."""
        end = x + len(text)
        if odd := self._odd[y]:
            for at in [at for at, (part, _) in odd.items() if at < end and x < at + cell_len(part)]:
                del odd[at]
        self._texts[y] = self._texts[y][:x] + text + self._texts[y][end:]
        self._pens[y][x:end] = pens

    def _write_from(self, writer: _Writer, x: int, y: int) -> None:
        """Write the cells of a line from this column on, without those that are unknown."""
        text, odd = self._texts[y], self._odd[y]
        while x < len(text):
            if x in odd:
                part, pen = odd[x]
                width = cell_len(part)
                writer.write(x, y, " " * width, [pen] * width)
                writer.write(x, y, part, [pen] * len(part))
                writer.lose_place()
                x += width
            else:
                known = text[x:].partition(UNKNOWN)[0]
                if known:
                    writer.write(x, y, known, self._pens[y][x : x + len(known)])
                x += len(known) or 1


class _Writer:
    """Collects escape sequences, and knows the place of the cursor and the pen after them."""

    def __init__(self) -> None:
        self._output: list[str] = []
        self._pen = PLAIN
        self._place: tuple[int, int] | None = None

    def write(self, x: int, y: int, text: str, pens: list[Pen]) -> None:
        """Write a text, whose characters have a pen each."""
        if self._place != (x, y):
            at = self._place[0] if self._place is not None and self._place[1] == y else x
            self._output.append(f"\x1b[{x - at}C" if at < x else f"\x1b[{y + 1};{x + 1}H")
        begin = 0
        for pen, run in groupby(pens):
            end = begin + len(list(run))
            part = text[begin:end]
            if pen is not self._pen and (part.strip(" ") or not _shows_as(self._pen, pen)):
                self._output.append(_switch(self._pen, pen))
                self._pen = pen
            self._output.append(part)
            begin = end
        self._place = (x + len(text), y)

    def lose_place(self) -> None:
        """The cursor can be anywhere, after signs whose width is not known."""
        self._place = None

    def end(self) -> str:
        """Return what was collected, after which the pen is plain."""
        if self._pen != PLAIN:
            self._output.append(_switch(self._pen, PLAIN))
        return "".join(self._output)


def _list_pieces(update: CompositorUpdate) -> Iterator[tuple[int, int, Strip]]:
    """List the strips of an update with their column and line, cut as Textual cuts them when it sends them."""
    if isinstance(update, LayoutUpdate):
        for y, strips in enumerate(update.strips, update.region.y):
            x = update.region.x
            for strip in strips:
                yield x, y, strip
                x += strip.cell_length
    elif isinstance(update, ChopsUpdate):
        for y, begin, stop in update.spans:
            for end, (x, chop) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
                if chop is not None and x <= stop and end > begin:
                    yield x, y, chop if end <= stop else chop.crop(0, stop - x)


@lru_cache(maxsize=8192)
def _has_simple_cells(text: str) -> bool:
    """True if each character is one cell wide, in all terminals."""
    return text.isascii() or all(cell_len(each) == 1 and each < FIRST_EMOJI for each in text)


@lru_cache(maxsize=8192)
def _find_pen(style: Style | None, colours: ColorSystem) -> Pen:
    """Return the pen of a style, as Textual's ``Strip.render_ansi`` writes it."""
    if style is None:
        return PLAIN
    bits = style._attributes & style._set_attributes
    attributes = ";".join(SGR_STYLES[at] for at in range(bits.bit_length()) if bits & (1 << at))
    colour = ";".join(style.color.downgrade(colours).get_ansi_codes()) if style.color else ""
    background = ";".join(style.bgcolor.downgrade(colours).get_ansi_codes(foreground=False)) if style.bgcolor else ""
    return _find_same(Pen(attributes, colour, background, style.link or ""))


@lru_cache(maxsize=8192)
def _find_blank_pen(style: Style | None, colours: ColorSystem) -> Pen:
    """Return the pen of a space: without the attributes and the colour that do not show on a space."""
    pen = _find_pen(style, colours)
    attributes = [each for each in pen.attributes.split(";") if each in ON_BLANKS]
    return pen if attributes else _find_same(pen._replace(attributes="", colour=""))


def _find_same(pen: Pen) -> Pen:
    """Return the one object for all pens that are equal. Links are without end, so a pen with one stays its own."""
    return pen if pen.link else _PENS.setdefault(pen, pen)


@lru_cache(maxsize=2048)
def _find_pens(text: str, style: Style | None, colours: ColorSystem) -> tuple[Pen, ...]:
    """Return the pen of each character."""
    pen, blank = _find_pen(style, colours), _find_blank_pen(style, colours)
    return tuple([blank if each == " " else pen for each in text])


@lru_cache(maxsize=8192)
def _shows_as(pen: Pen, blank: Pen) -> bool:
    """True if a space looks the same with a pen as with the pen of a space."""
    is_visible = not ON_BLANKS.isdisjoint(pen.attributes.split(";"))
    return not blank.attributes and not is_visible and (pen.background, pen.link) == (blank.background, blank.link)


@lru_cache(maxsize=8192)
def _switch(old: Pen, new: Pen) -> str:
    """Return the shortest sequence from one pen to another."""
    link = f"\x1b]8;;{new.link}\x1b\\" if new.link != old.link else ""
    parts = []
    if old.attributes != new.attributes:
        if old.attributes:
            parts.append("0")
            old = PLAIN
        parts.append(new.attributes)
    if new.colour != old.colour:
        parts.append(new.colour or "39")
    if new.background != old.background:
        parts.append(new.background or "49")
    if new[:3] == PLAIN[:3]:
        parts = ["0"] if parts else []
    sgr = ";".join(part for part in parts if part)
    return (f"\x1b[{sgr}m" if sgr else "") + link


class WrittenUpdate(CompositorUpdate):
    """An update whose escape sequences are there."""

    def __init__(self, codes: str) -> None:
        self._codes = codes

    def render_segments(self, console: Console) -> str:
        """Return them."""
        return self._codes
