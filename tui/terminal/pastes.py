"""Pastes as one text each, also if they contain escape sequences.

A terminal puts a pasted text between two escape sequences, so that programs can distinguish it from keys (bracketed
paste). Textual's parser also reads escape sequences inside that text, such as colours, and treats the text after them
as keys, which run commands. This module collects the text before that parser sees it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Generator, Iterable
from time import monotonic
from typing import Any, ClassVar

from textual import events
from textual._xterm_parser import BRACKETED_PASTE_END as END
from textual._xterm_parser import BRACKETED_PASTE_START as START
from textual.driver import Driver
from textual.message import Message

from tui.terminal.background import WHOLE, AnswerParser, read_answer

MAX_COUNT = 128 * 1024
"""Most characters of a paste, more than any field accepts. The rest is dropped, and not read as keys."""

PAUSE = 5.0
"""Seconds of silence that end a paste without an end sequence. Pauses on a slow line are shorter."""

ESCAPES = re.compile(
    r"\x1b(?:"
    r"\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor, erasing
    r"|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC, DCS, SOS, PM, APC: titles, links, clipboard
    r"|[ -/]*[0-~]"  # short sequences: character sets, saved cursor
    r")?"
)
"""Escape sequences (ECMA-48, ECMA-35), and a single ESC."""


class PasteParser(AnswerParser):
    """Emits a bracketed paste as one ``Paste`` without escape sequences, also if it arrives in several reads."""

    typed_ahead: ClassVar[int] = 0
    """The bytes that were typed before the terminal was in raw mode, in which enter is a newline."""

    def __init__(self, debug: bool = False) -> None:
        self._cooked = self.typed_ahead
        self._text: str | None = None
        """The text of a paste so far; None outside a paste."""
        self._before = ""
        """The last characters outside a paste, because they can begin the start sequence."""
        self._heard = 0.0
        super().__init__(debug)

    def feed(self, data: str) -> Iterable[Message]:
        """Read some input; an empty text means the end of input."""
        if not data:
            yield from super().feed(data)
        if self._cooked:
            typed, data = data[: self._cooked], data[self._cooked :]
            data = typed.replace("\n", "\r") + data
            self._cooked = max(0, self._cooked - len(typed.encode()))
        while data:
            data = yield from self._go_on(data) if self._text is not None else self._find_start(data)

    def tick(self) -> Iterable[Message]:
        """Called after each read, and about ten times a second."""
        yield from super().tick()
        if self._text is not None and monotonic() >= self._heard + PAUSE:
            yield from self._end(self._text)

    def _find_start(self, data: str) -> Generator[Message, None, str]:
        """Forward the keys before a paste, and return the text after its start sequence."""
        seen = self._before + data
        at = seen.find(START)
        if at < 0:
            self._before = seen[1 - len(START) :]
            yield from super().feed(data)
            return ""
        begun = at + len(START) - len(self._before)
        is_late = at < len(self._before) and not self._sequence  # its ESC came early, and became a key
        for message in () if is_late else super().feed(data[:begun] + END):  # Textual's parser sees an empty paste
            if not isinstance(message, events.Paste):
                yield message
        self._before, self._text, self._heard = "", "", monotonic()
        return data[begun:]

    def _go_on(self, data: str) -> Generator[Message, None, str]:
        """Collect a paste, and return the text after its end sequence."""
        assert self._text is not None
        text = self._text + data
        at = text.find(END, max(0, len(self._text) - len(END) + 1))
        if at < 0:
            # Beyond MAX_COUNT only the last characters are kept, because they can begin the end sequence.
            self._text = (
                text if len(text) <= MAX_COUNT else text[:MAX_COUNT] + text[max(MAX_COUNT, len(text) - len(END) + 1) :]
            )
            self._heard = monotonic()
            return ""
        yield from self._end(text[:at])
        return text[at + len(END) :]

    def _end(self, text: str) -> Iterable[Message]:
        """Emit a paste, after the answers of the terminal that arrived in the middle of it."""
        self._text = None
        yield from filter(None, map(read_answer, WHOLE.findall(text)))
        yield events.Paste(ESCAPES.sub("", text[:MAX_COUNT]).replace("\0", ""))


class BrowserParser(PasteParser):
    """Waits for nothing after Esc: a page sends each key and each sequence whole."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self.escape_delay = 0


def read_with_our_parser(driver: type[Driver]) -> None:
    """Make one of Textual's drivers that read by themselves, such as that for a browser, use ``BrowserParser``."""
    module: Any = sys.modules[driver.__module__]
    if hasattr(module, "XTermParser"):
        module.XTermParser = BrowserParser


class TakesLines:
    """A mixin for an ``Input`` that handles a paste of several lines itself; for others its lines are joined."""


class LinesJoined(Message):
    """Posted before a paste of several lines goes into a field of one line."""

    def __init__(self, lines: int) -> None:
        super().__init__()
        self.words = f"{lines:,} lines were joined into one."


def in_one_line(text: str) -> str:
    """A pasted text for a field of one line: line breaks become spaces, one at the end is dropped."""
    return " ".join(text.splitlines())
