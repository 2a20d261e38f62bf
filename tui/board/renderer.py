"""Draws the frames of a board on its widget, and repaints only lines that differ."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, groupby

from textual.color import Color
from textual.geometry import Offset, Region, Size
from textual.strip import Strip
from textual.widget import Widget

from tui.board.cards import DrawingSettings
from tui.board.cursor import Cursor
from tui.board.layout import ColumnLayout, Grid
from tui.board.model import BoardModel
from tui.board.paint import MAX_PIECES, FrameStrip, Painter, Scene
from tui.board.viewport import Viewport
from tui.drawing.styles import Row

MakeScene = Callable[[Grid, Mapping[int, ColumnLayout]], Scene]
"""Returns what a frame shows, with these columns in view, of which those with a layout are drawn."""


class BoardRenderer:
    """Draws the model for Textual's line API. Borders and padding of the widget are not supported.

    ``lines`` returns finished lines, so the cost of a frame depends on the lines that differ, not on the size of the
    screen. This class therefore applies the app's line filters, instead of Textual's ``StylesCache``.
    """

    def __init__(self, widget: Widget, model: BoardModel, viewport: Viewport, cursor: Cursor, scene: MakeScene) -> None:
        self._widget = widget
        self._model = model
        self._viewport = viewport
        self._cursor = cursor
        self._scene = scene
        self._painter: Painter | None = None
        self._frame: list[FrameStrip] = []
        self._lines: list[Strip] = []
        self._filtered_rows: dict[int, tuple[Row, Row]] = {}
        self._background = Color(0, 0, 0)
        self.size_drawn = Size(0, 0)
        """The size of the last frame."""
        self._grid_drawn: Grid | None = None
        """The grid of the last frame."""
        self._number_drawn = 0
        """The column of the cursor in the last frame."""

    def use(self, setting: DrawingSettings) -> None:
        """Draw the next frames with these settings; cached pieces are kept if they are unchanged."""
        self._filtered_rows.clear()
        self._background = self._widget.background_colors[1]
        if self._painter is None or self._painter.setting != setting:
            self._painter = Painter(setting, self._model)

    def sync(self, *, cursor_only: bool = False) -> None:
        """Repaint the lines that differ.

        ``cursor_only``: nothing but the cursor and the line to which its column is scrolled has changed.
        """
        view, number = self._viewport, self._cursor.number
        size = view.size
        if not size or self._painter is None:
            return
        grid = view.fill()
        columns: Collection[int] = range(grid.first, grid.last)
        if cursor_only and (grid, self.size_drawn) == (self._grid_drawn, size):
            columns = {self._number_drawn, number} & {*columns}
        scene = self._scene(grid, view.stacks(columns, grid))
        frame = self._painter.frame(scene, self._frame)
        self._grid_drawn, self._number_drawn = grid, number
        self._take(frame, size)

    def _take(self, frame: list[FrameStrip], size: Size) -> None:
        """Render the lines that differ, and have Textual send only those."""
        old, self._frame = self._frame, frame
        if size != self.size_drawn or not same_slots(old, frame):
            self._lines = [self._line(y, size.width) for y in range(size.height)]
            if size == self.size_drawn:  # the layout paints the whole widget after a new size
                self._widget.refresh()
            self.size_drawn = size
            return
        regions = [Region(*area) for area in differences(old, frame)]
        for y in {y for region in regions for y in region.line_range}:
            self._lines[y] = self._line(y, size.width)
        if regions:
            self._widget.refresh(*regions)

    def _line(self, y: int, width: int) -> Strip:
        return Strip(chain.from_iterable(self._apply_filters(slot.rows[y]) for slot in self._frame), width)

    def _apply_filters(self, row: Row) -> Row:
        """Apply the app's line filters to a row. Cached, because a row is in many lines and frames."""
        kept = self._filtered_rows.get(id(row))
        if kept is not None and kept[0] is row:
            return kept[1]
        if len(self._filtered_rows) > MAX_PIECES:
            self._filtered_rows.clear()
        segments = list(row)
        for line_filter in self._widget.get_line_filters():
            segments = line_filter.apply(segments, self._background)
        filtered = tuple(segments)
        self._filtered_rows[id(row)] = (row, filtered)
        return filtered

    def lines(self, crop: Region) -> list[Strip]:
        """The lines of a part of the widget."""
        lines = self._lines[crop.y : crop.bottom]
        if crop.width == self.size_drawn.width:
            return lines
        return [line.crop(crop.x, crop.right) for line in lines]

    def cursor_offset(self) -> Offset:
        """The cell of the focused card in the widget."""
        if not self._model.columns:
            return Offset(0, 0)
        grid, line = self._viewport.grid, self._cursor.line
        number = max(grid.first, min(self._cursor.number, grid.last - 1))
        line = -grid.head if line is None else line
        return Offset(grid.span(number)[0], max(0, min(grid.head + line, grid.height - 1)))


def differences(old: Sequence[FrameStrip], new: Sequence[FrameStrip]) -> Iterator[tuple[int, int, int, int]]:
    """Rectangles (x, y, width, height) in which two frames of the same slots differ, at most one on each line.

    Textual sends a line from the widget's left edge to the right edge of a rectangle (``ChopsUpdate`` crops only
    there), so a second rectangle on a line would send the first one again.
    """
    spans: dict[int, tuple[int, int]] = {}
    for before, after in zip(old, new, strict=True):
        if before.rows == after.rows:  # decided by identity, line by line, before any segment is compared
            continue
        for y, (one, other) in enumerate(zip(before.rows, after.rows, strict=True)):
            if one is not other:
                spans[y] = spans.get(y, (after.x, 0))[0], after.x + after.width
    y = 0
    for span, lines in groupby(map(spans.get, range(len(new[0].rows) if new else 0))):
        height = len(list(lines))
        if span is not None:
            yield span[0], y, span[1] - span[0], height
        y += height


def same_slots(old: Sequence[FrameStrip], new: Sequence[FrameStrip]) -> bool:
    """True if two frames have the same slots, so that they can be compared line by line."""
    shape = [(slot.x, slot.width, len(slot.rows)) for slot in old]
    return shape == [(slot.x, slot.width, len(slot.rows)) for slot in new]
