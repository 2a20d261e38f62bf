"""Text on its way to the terminal: the line filter that nothing unsafe passes, and text measured in cells.

``core.text.sanitize`` refuses unsafe text where it enters; the filter here is the one place that holds for all widgets,
whoever wrote the text: Textual itself sends control codes in a widget's content to the terminal as they are.
"""

from __future__ import annotations

from re import Match

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.content import Content
from textual.filter import LineFilter

from core.text.sanitize import UNSAFE, sanitized


class SafeText(LineFilter):
    """Takes the characters of ``core.text.sanitize.UNSAFE`` out of every line, and leaves each cell where it was.

    Segments that are control codes of Textual's own are passed on. For ``App.get_line_filters``.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same list when there is nothing to do, which is nearly always."""
        if not any(map(_is_unsafe, segments)):
            return segments
        return [
            Segment(UNSAFE.sub(_blank, segment.text), segment.style) if _is_unsafe(segment) else segment
            for segment in segments
        ]


def plain(text: str) -> Content:
    """Text from people for a widget: shown as it is, never read as markup."""
    return Content(sanitized(text))


def fit(text: str, cells: int, *, pad: bool = False, mark: str = "…") -> str:
    """One line of text in at most ``cells`` cells, exactly so many with ``pad``; what is cut ends in ``mark``.

    ``mark`` is one cell wide ("~" where the terminal has only ASCII). A wide character is never split.
    """
    if text.isascii():  # a character is a cell; this is called for each card that is painted
        if len(text) > cells:
            text = text[: cells - 1].rstrip() + mark if cells > 0 else ""
        return text.ljust(cells) if pad else text
    if cell_len(text) > cells:
        text = set_cell_size(text, cells - 1).rstrip() + mark if cells > 0 else ""
    return set_cell_size(text, cells) if pad else text


def _is_unsafe(segment: Segment) -> bool:
    text = segment.text
    if segment.control or (text.isascii() and text.isprintable()):
        return False
    return UNSAFE.search(text) is not None


def _blank(unsafe: Match[str]) -> str:
    """As many spaces as the layout counted for it: none for most, one for a soft hyphen."""
    return " " * cell_len(unsafe[0])
