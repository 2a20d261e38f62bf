"""The visible screen: pyte's emulation, with the features that pyte lacks.

These are synchronised updates (DEC mode 2026: nothing is shown until the update ends), the alternate screen, and
private sequences that pyte would print as text.
"""

from __future__ import annotations

import codecs
import re

import pyte
from pyte.screens import Char

Row = tuple[Char, ...]

OURS = re.compile(
    r"\x1b\[\?(?P<mode>2026|1049)(?P<way>[hl])"
    r"|\x1b\[[<=>][\d;]*[@-~]"
    r"|\x1b[P_^X][^\x1b]*\x1b\\"
)
CUT = re.compile(r"\x1b(?:\[[<-?]?[\d;]*|[P_^X][^\x1b]*\x1b?)?\Z")
"""A sequence that the end of a chunk may have cut in two."""


class Screen:
    """Cells as they are shown. ``feed`` takes bytes as they come, cut anywhere."""

    def __init__(self, cols: int, rows: int) -> None:
        self.cols, self.rows = cols, rows
        self.synchronized = False
        self._main, self._alternate = pyte.Screen(cols, rows), pyte.Screen(cols, rows)
        self._stream = pyte.Stream(self._main)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._cut = ""
        self.shown: list[Row] = [()] * rows
        self.cursor = (0, 0)
        self._publish()

    @property
    def lines(self) -> list[str]:
        """The text of each row, without the blanks on its right."""
        return ["".join(cell.data for cell in row).rstrip() for row in self.shown]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def after_cursor(self) -> str:
        """The text of the cursor's row, from its cell on."""
        x, y = self.cursor
        return "".join(cell.data for cell in self.shown[y][x:])

    def find(self, text: str) -> tuple[int, int] | None:
        """Column and row of the first cell of a text that is shown, or None."""
        for y, row in enumerate(self.shown):
            letters = [(letter, x) for x, cell in enumerate(row) for letter in cell.data]
            at = "".join(letter for letter, _ in letters).find(text)
            if at >= 0:
                return letters[at][1], y
        return None

    @property
    def pen(self) -> pyte.Screen:
        """The screen that receives bytes now; during a synchronised update it is ahead of the visible one."""
        screen = self._stream.listener
        assert screen is not None
        return screen

    def feed(self, data: bytes) -> bool:
        """Emulate a chunk; whether it changed a cell that is shown."""
        text = self._cut + self._decode(data)
        cut = CUT.search(text)
        self._cut = text[cut.start() :] if cut else ""
        text = text[: len(text) - len(self._cut)]
        changed, start = False, 0
        for found in OURS.finditer(text):
            self._stream.feed(text[start : found.start()])
            start = found.end()
            if found["mode"]:
                changed |= self._switch(found["mode"], found["way"] == "h")
        self._stream.feed(text[start:])
        return self._publish() or changed

    def resize(self, cols: int, rows: int) -> None:
        self.cols, self.rows = cols, rows
        for screen in (self._main, self._alternate):
            screen.resize(rows, cols)
        self._show_all()

    def _switch(self, mode: str, on: bool) -> bool:
        if mode == "2026":
            self.synchronized = on
            return self._publish()
        target = self._alternate if on else self._main
        if target is not self.pen:
            self._stream.detach(self.pen)
            self._stream.attach(target)
            if on:
                self._alternate.reset()
        return self._show_all()

    def _show_all(self) -> bool:
        self.shown = [()] * self.rows
        self.pen.dirty.update(range(self.rows))
        return self._publish()

    def _publish(self) -> bool:
        """Show what was drawn, unless an update is under way; whether any cell differs."""
        if self.synchronized:
            return False
        pen, changed = self.pen, False
        for y in pen.dirty:
            if y < self.rows:
                line = pen.buffer[y]
                row = tuple(line[x] for x in range(self.cols))
                changed |= row != self.shown[y]
                self.shown[y] = row
        pen.dirty.clear()
        self.cursor = (pen.cursor.x, pen.cursor.y)
        return changed
