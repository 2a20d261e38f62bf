"""The processor time that drawing texts may take, so that keys are heard whatever people write."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

READING = 0.1
"""Most seconds for reading one text as Markdown. Some signs take markdown-it-py the square of their number."""

DRAWING = 0.04
"""Most seconds for drawing texts at once, beside that of the last of them; the others are drawn between keys."""


class TakesTooLong(Exception):
    """A text that cannot be read as Markdown in time."""


def until(seconds: float) -> float:
    """Return the end of so much processor time of this thread, from now."""
    return time.thread_time() + seconds


def is_over(end: float) -> bool:
    return time.thread_time() >= end


def watch_parser(parser: MarkdownIt) -> MarkdownIt:
    """Let a parser look at each block and sign whether ``env["until"]`` is over. It raises TakesTooLong."""

    def look(state: object, *_: object) -> bool:
        if is_over(state.env["until"]):  # type: ignore[attr-defined]
            raise TakesTooLong
        return False

    parser.block.ruler.before("code", "budget", look)
    parser.inline.ruler.before("text", "budget", look)
    return parser
