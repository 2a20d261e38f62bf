"""ASCII mode: a line filter that replaces the symbols of Podium and Textual by ASCII characters.

A widget whose symbols must stay distinct has ASCII symbols of its own (``tui.drawing.styles``); this filter covers all
others, in sentences, frames and bars. It also replaces a symbol in user text, such as a quotation mark, on the screen
but not in the database. Letters are never replaced.
"""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

SIGNS = {
    '"': "“”„″❝",
    "'": "‘’",
    "-": "–—·•−▁▔─━╌┄═□",
    "~": "…",
    "<": "‹←",
    ">": "›❯→▶",
    "^": "↑▲",
    "v": "↓▼▾",
    "@": "↗",
    "\\": "↳",
    "|": "│┃▌▐▎▊▏▕▍▋▉",
    "+": "✓▸┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛",
    "!": "✗⊘",
    "*": "■◆★",
    "o": "○●◇",
    "%": "◐◈",
    "#": "⊞█▓▒░▀▄▖▗▘▝▂▃▅▆▇",
    " ": "\u202f",
    "?": "\ufffd",
    "> ": "🔎",
}
"""Each ASCII character and the symbols that it replaces, all of the same width."""

OLD_TERMINALS = ("linux", "vt100", "vt102", "vt220")
"""The values of TERM of terminals whose font has no symbols, and which have no title but could print one."""

_PLAIN = str.maketrans({sign: plain for plain, signs in SIGNS.items() for sign in signs})


class AsciiFilter(LineFilter):
    """Replaces symbols by ASCII. For ``App.get_line_filters``, after ``SafeText``."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments in ASCII: the same list if they are ASCII already."""
        if all(segment.text.isascii() for segment in segments):
            return segments
        return [
            segment if segment.control else Segment(segment.text.translate(_PLAIN), segment.style)
            for segment in segments
        ]
