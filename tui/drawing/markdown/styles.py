"""The spans of Markdown in the styles of a page (Textual's) and of a preview (roles)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from textual.content import Content

from tui.drawing.markdown.blocks import SpanStyle
from tui.drawing.markdown.lines import Line, markdown_lines
from tui.drawing.rows import Word
from tui.drawing.styles import TextRole
from tui.drawing.theme import QUIET

_COLOURS = (
    (SpanStyle.LINK, "$text-primary"),
    (SpanStyle.HEADING, "$text-primary"),
    (SpanStyle.FAINT, "$foreground 26%"),
    (SpanStyle.QUIET, QUIET),
    (SpanStyle.CODE, "$text-accent"),
)
"""The colour of the first mark that a span has."""

_ATTRIBUTES = (
    (SpanStyle.STRONG | SpanStyle.HEADING, "bold"),
    (SpanStyle.EMPHASIS, "italic"),
    (SpanStyle.STRUCK, "strike"),
    (SpanStyle.LINK, "underline"),
)

_ROLES = (
    (SpanStyle.LINK, TextRole.ACCENT),
    (SpanStyle.HEADING, TextRole.ACCENT),
    (SpanStyle.FAINT, TextRole.FAINT),
    (SpanStyle.QUIET | SpanStyle.STRUCK, TextRole.QUIET),
    (SpanStyle.STRONG, TextRole.NAME),
    (SpanStyle.CODE, TextRole.SECTION),
)


def line_content(line: Line) -> Content:
    """Return a line of a text with Markdown as content of a page."""
    return Content.assemble(*((part, style_of(mark)) for part, mark in line))


def markdown_words(text: str, width: int, ascii_only: bool) -> Iterator[list[Word]]:
    """Yield the lines of a text with Markdown as words for rows of this width."""
    for line in markdown_lines(text, width, ascii_only):
        yield [(part, role_of(mark)) for part, mark in line]


@cache  # since flags of an enum are dear, and a page has thousands of spans
def style_of(mark: SpanStyle) -> str:
    """The style of a span of a page."""
    words = [style for part, style in _ATTRIBUTES if mark & part]
    words += [style for part, style in _COLOURS if mark & part][:1]
    return " ".join(words)


@cache
def role_of(mark: SpanStyle) -> TextRole:
    """The role of a span of a preview."""
    return next((role for part, role in _ROLES if mark & part), TextRole.TITLE)
