"""Text for the terminal: the line filter that removes unsafe characters, and text measured in cells.

``core.text.sanitize`` refuses unsafe text as input. This filter covers all widgets and all other sources of text,
because Textual sends control codes in a widget's content to the terminal unchanged.
"""

from __future__ import annotations

import re
from re import Match

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.content import Content
from textual.filter import LineFilter

from core.text.sanitize import UNSAFE, sanitize

FIRST_TAG = "\U000e0000"
"""Among the characters from here on are unsafe ones that Python can print; every other unsafe one it cannot."""


class SafeText(LineFilter):
    """Removes the characters of ``core.text.sanitize.UNSAFE`` from every line, without moving any other cell.

    Textual's own control segments are kept. For ``App.get_line_filters``.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments without unsafe characters: nearly always the same list."""
        if not any(map(_is_unsafe, segments)):
            return segments
        return [
            Segment(re.sub(UNSAFE, _blank, segment.text), segment.style) if _is_unsafe(segment) else segment
            for segment in segments
        ]


def plain(text: str) -> Content:
    """User text for a widget, shown literally: markup in it has no effect."""
    return Content(sanitize(text))


def fit(text: str, cells: int, *, pad: bool = False, mark: str = "…") -> str:
    """One line of text in at most ``cells`` cells, or exactly so many with ``pad``; a cut text ends in ``mark``.

    ``mark`` is one cell wide ("~" where the terminal has only ASCII). A wide character is never split.
    """
    if text.isascii():  # one cell per character; called for each card that is drawn
        if len(text) > cells:
            text = text[: cells - 1].rstrip() + mark if cells > 0 else ""
        return text.ljust(cells) if pad else text
    if cell_len(text) > cells:
        text = set_cell_size(text, cells - 1).rstrip() + mark if cells > 0 else ""
    return set_cell_size(text, cells) if pad else text


def _is_unsafe(segment: Segment) -> bool:
    text = segment.text
    if segment.control or (text.isprintable() and (text.isascii() or max(text) < FIRST_TAG)):
        return False
    return re.search(UNSAFE, text) is not None


def _blank(unsafe: Match[str]) -> str:
    """Spaces of the same width in cells: none for most characters, one for a soft hyphen."""
    return " " * cell_len(unsafe[0])
