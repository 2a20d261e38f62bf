"""An outline with signs and indents; a long text is wrapped below its own first line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from tui.drawing.outline_lines import OutlineEntry, draw_entry


class Outline(Widget):
    """Draws entries, as high as they need at its width."""

    DEFAULT_CSS = """
    Outline { width: 1fr; height: auto; max-width: 120; }
    """
    ALLOW_SELECT = False

    def __init__(self, entries: Sequence[OutlineEntry] = (), *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._entries = tuple(entries)

    def put(self, entries: Sequence[OutlineEntry]) -> None:
        """Show other entries."""
        if tuple(entries) != self._entries:
            self._entries = tuple(entries)
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return sum(1 for _ in self._lines(width))

    def render(self) -> Content:
        return Content("\n").join(self._lines(self.size.width))

    def _lines(self, width: int) -> Iterator[Content]:
        for entry in self._entries:
            yield from draw_entry(entry, width)
