"""ASCII mode: whatever is drawn, the signs of Podium and of Textual become plain ones on their way to the terminal.

Where signs must stay apart from each other a widget has plain ones of its own (``tui.drawing.styles``); this is the one
place for all the others, in sentences, frames and bars. It knows signs and not who wrote them, so a quotation mark that
people typed is drawn as a plain one too; what is stored stays as it is, and letters are never touched.
"""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

SIGNS = {
    '"': "“”„″❝",
    "'": "‘’",
    "-": "–—·•−▁▔─━╌═□",
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
    "?": "\ufffd",
    "> ": "🔎",
}
"""Each plain sign, as many cells wide as those for which it stands."""

_PLAIN = str.maketrans({sign: plain for plain, signs in SIGNS.items() for sign in signs})


class AsciiFilter(LineFilter):
    """Draws the plain signs. For ``App.get_line_filters``, after what takes out unsafe text."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The same list when there is nothing to do."""
        if all(segment.text.isascii() for segment in segments):
            return segments
        return [
            segment if segment.control else Segment(segment.text.translate(_PLAIN), segment.style)
            for segment in segments
        ]
