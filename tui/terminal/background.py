"""Light or dark: the terminal is asked for its background colour, and answers as input whenever it likes.

The question is OSC 11 of xterm. Nothing waits for the answer, which some terminals never give. It can arrive in several
reads and between keys, and none of its characters must ever count as a key: ``d`` would archive a card.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from time import monotonic

from textual.message import Message

from tui.terminal.escapes import EscapeParser

QUESTION = "\x1b]11;?\x07"
"""Ends with BEL: some terminals end their answer as the question ends, and a few get the other end wrong."""

BEGIN = "\x1b]11;"
END = re.compile(r"\x07|\x1b\\|(?=[\x00-\x06\x08-\x1a\x1c-\x1f\x7f]|\x1b[^\\])")
"""BEL or ST. Another control character is a key after an answer without an end."""

WHOLE = re.compile(r"\x1b\]11;([^\x07\x1b]*)(?:\x07|\x1b\\)")
"""An answer in the middle of another text."""

MAX_COUNT = 256
"""Most characters of an answer; the rest is dropped."""

PAUSE = 0.5
"""Seconds of silence that end an answer without an end."""

STALLED = 10.0
"""The same for an answer that is right so far: its rest is still under way on a slow line."""

SO_FAR = re.compile(r"[rgba]{0,4}(?::[0-9a-f/]*)?", re.IGNORECASE)
"""The beginning of an answer that names a colour."""

COLOUR = re.compile(r"rgba?:([0-9a-f]{1,4})/([0-9a-f]{1,4})/([0-9a-f]{1,4})(?:/[0-9a-f]{1,4})?", re.IGNORECASE)
"""Red, green and blue as XParseColor writes them: each a fraction of the largest number of so many digits."""

WEIGHTS = (0.299, 0.587, 0.114)
"""The parts of red, green and blue in the lightness (ITU-R BT.601)."""

LIGHT_COLOURS = ("7", "15")
"""White, among the sixteen colours."""


class TerminalBackground(Message):
    """The answer of the terminal."""

    def __init__(self, is_light: bool) -> None:
        super().__init__()
        self.is_light = is_light


def read_answer(text: str) -> TerminalBackground | None:
    """Parse an answer, such as ``rgb:1010/1010/1010``; None if it names no colour."""
    found = COLOUR.fullmatch(text)
    if found is None:
        return None
    parts = [int(part, 16) / (16 ** len(part) - 1) for part in found.groups()]
    return TerminalBackground(sum(weight * part for weight, part in zip(WEIGHTS, parts, strict=True)) > 0.5)


def is_light_by_environment() -> bool:
    """True if ``COLORFGBG``, which some terminals and the browser gateway set, names a light background."""
    return os.environ.get("COLORFGBG", "").rpartition(";")[2] in LIGHT_COLOURS


class AnswerParser(EscapeParser):
    """The parser of keys, which emits an answer as one ``TerminalBackground``, also if it arrives in several reads."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._kept = ""
        """Input that can be an answer, of which more is to come."""
        self._heard = 0.0
        self._last = ""
        """The last character that went to Textual's parser."""

    def feed(self, data: str) -> Iterable[Message]:
        """Read some input; an empty text means the end of input."""
        if not data:
            yield from super().feed(data)
            return
        data, self._kept = self._kept + data, ""
        if self._last == BEGIN[0] and data[0] == BEGIN[1]:
            data = self._with_escape(data)
        while (at := data.find(BEGIN)) >= 0:
            yield from self._forward(data[:at])
            end = END.search(data, at + len(BEGIN))
            if end is None:
                whole = COLOUR.match(data, at + len(BEGIN))
                after = data[whole.end() :] if whole is not None else ""
                if whole is not None and after[:1] not in ("", "/", BEGIN[0]):
                    end = whole  # and a key after an answer without an end
                else:
                    self._keep(data[at : at + MAX_COUNT])
                    return
            answer = read_answer(data[at + len(BEGIN) : end.end() if end.re is COLOUR else end.start()])
            if answer is not None:
                yield answer
            data = data[end.end() :]
        begun = next((size for size in (4, 3, 2) if data.endswith(BEGIN[:size])), 0)
        yield from self._forward(data[: len(data) - begun])
        if begun:
            self._keep(data[-begun:])

    def tick(self) -> Iterable[Message]:
        """Called after each read, and about ten times a second."""
        yield from super().tick()
        if self._kept and monotonic() >= self._heard + self._patience:
            kept, self._kept = self._kept, ""
            if not kept.startswith(BEGIN):
                yield from self._forward(kept)

    @property
    def _patience(self) -> float:
        """Seconds of silence after which what was kept is no answer."""
        is_right = self._kept.startswith(BEGIN) and SO_FAR.fullmatch(self._kept, len(BEGIN)) is not None
        return STALLED if is_right else PAUSE

    def _with_escape(self, data: str) -> str:
        """Return input after an escape with that escape, if it can begin an answer."""
        return BEGIN[0] + data if self.take_escape() or data.startswith(BEGIN[1:]) else data

    def _keep(self, text: str) -> None:
        self._kept, self._heard = text, monotonic()

    def _forward(self, data: str) -> Iterable[Message]:
        if data:
            self._last = data[-1]
            yield from super().feed(data)
