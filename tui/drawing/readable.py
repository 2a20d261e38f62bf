"""The line filter for themes that Podium did not choose: in their own colours some texts cannot be read."""

from __future__ import annotations

from functools import lru_cache

from rich.color import ColorType
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from tui.drawing.styles import make_readable


class ReadableText(LineFilter):
    """Gives each text on a ground of the theme the contrast of ``READABLE``. For ``App.get_line_filters``.

    Lines and signs keep their colours, and so does what has a colour of the terminal.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Return the segments, each text in a colour that can be read on its ground."""
        return [self._lift(each) if each.style is not None else each for each in segments]

    def _lift(self, segment: Segment) -> Segment:
        text, style, control = segment
        if control or style is None or style.color is None or style.bgcolor is None:
            return segment
        words, ground = style.color.triplet, style.bgcolor.triplet
        is_known = {style.color.type, style.bgcolor.type} == {ColorType.TRUECOLOR}
        if words is None or ground is None or not is_known or not any(map(str.isalnum, text)):
            return segment
        lifted = _find_lifted(ground, words) if style.reverse else _find_lifted(words, ground)
        if lifted is None:
            return segment
        return Segment(text, style + (Style(bgcolor=lifted) if style.reverse else Style(color=lifted)))


@lru_cache(maxsize=4096)
def _find_lifted(words: ColorTriplet, ground: ColorTriplet) -> str | None:
    """The colour in which words can be read on a ground; None for their own."""
    found = make_readable(Color(*words), Color(*ground)).hex
    return None if found == Color(*words).hex else found
