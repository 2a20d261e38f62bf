"""The preview pane: the record under the cursor in short, below a list or beside a board."""

from __future__ import annotations

from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip

from tui.drawing.preview_rows import PreviewPage, preview_rows
from tui.drawing.styles import Row, TextRole
from tui.widgets.styled_widget import ThemedWidget

MARGIN = 2
"""Blank cells at the left and the right of the text, where a list has its cursor."""


LEAST = 8
"""Fewest cells of a text."""


class PreviewPane(ThemedWidget):
    """Draws a page under a rule, or beside a board."""

    DEFAULT_CSS = """
    PreviewPane { dock: bottom; width: 1fr; margin-bottom: 1; background: $background; color: $foreground; }
    PreviewPane.-beside { dock: right; height: 1fr; margin: 1 0 2 0; }
    ListScreen PreviewPane.-beside { margin: 1 0 1 0; }
    TableScreen PreviewPane { margin-bottom: 2; }
    """
    ALLOW_SELECT = False

    def __init__(self, *, beside: bool = False) -> None:
        super().__init__(classes="-beside" if beside else "")
        self._beside = beside
        self._page: PreviewPage | None = None
        self._rows: list[Row] | None = None
        self._drawn: tuple[Region, list[Strip]] | None = None

    def show(self, page: PreviewPage | None) -> None:
        """Show a page; None for nothing."""
        if page != self._page:
            self._page = page
            self._forget()
            self.refresh()

    def on_resize(self) -> None:
        self._forget()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._forget()

    def _forget(self) -> None:
        self._rows = self._drawn = None

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines of the last frame: Textual asks for them in each frame, whatever has changed."""
        if self._drawn is None or self._drawn[0] != crop:
            self._drawn = (crop, super().render_lines(crop))
        return self._drawn[1]

    def render_line(self, y: int) -> Strip:
        width, height = self.size
        if self._rows is None:
            self._rows = self._lines(width, height)
        row = self._rows[y] if y < len(self._rows) else ()
        return Strip(row).adjust_cell_length(width, self.look.style(TextRole.QUIET))

    def _lines(self, width: int, height: int) -> list[Row]:
        page, look = self._page, self.look
        room = width - 2 * MARGIN
        lines = preview_rows(look, page, room, height - 1) if page and room > LEAST else []
        rule = Segment("" if self._beside else look.signs.rest * width, look.style(TextRole.FAINT))
        margin = Segment(" " * MARGIN, look.style(TextRole.QUIET))
        return [(rule,), *((margin, *line) for line in lines)]
