"""The line with the record under the cursor in one sentence, above the line of keys."""

from __future__ import annotations

from collections.abc import Callable

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.content import Content
from textual.geometry import Region
from textual.strip import Strip

from tui.drawing.cells import fit
from tui.widgets.bars import LineWidget


class DetailLine(LineWidget):
    """The focused record as one sentence, with its whole title, also for screen readers."""

    DEFAULT_CSS = "DetailLine { dock: bottom; margin-bottom: 1; background: $surface; color: $foreground; }"
    _look: tuple[Style, Color] | None = None
    """The style of the text and its background, kept until the style sheet or the theme changes."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw plain text, because it is drawn at every key: as ``Content`` it would cost as much as the board.

        This class applies the app's line filters itself, as the board does. Borders and padding are not supported.
        """
        if self._drawn is None or self._drawn[0] != crop:
            if self._look is None:
                self._look = self.rich_style, self.background_colors[1]
            style, background = self._look
            strip = Strip([Segment(self.render().plain, style)])
            strip = strip.crop_extend(crop.x, crop.right, Style(bgcolor=background.rich_color))
            for line_filter in self.get_line_filters():
                strip = strip.apply_filter(line_filter, background)
            self._drawn = (crop, [strip] * crop.height)
        return self._drawn[1]

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._look = None


class SentenceLine(DetailLine):
    """A line that shows the sentence which ``text`` returns."""

    def __init__(self, text: Callable[[], str]) -> None:
        super().__init__()
        self._text = text

    def line(self, width: int) -> Content:
        return Content(fit(f" {self._text()}", width))
