"""The Timeline widget: phases and due dates over time, on Textual's line API."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.strip import Strip

from core.domain.canvas import CanvasMember
from core.domain.model import Id
from core.record import replace
from tui.drawing.rows import row
from tui.drawing.styles import BackgroundRole, Row, TextRole
from tui.timeline.brush import RenderContext
from tui.timeline.paint import axis, days_row, legend_row, name_row, today_row
from tui.timeline.rows import AnyLine, first_names, span
from tui.timeline.scale import ZOOMS, Scale, fitting
from tui.widgets.cursor_lines import CursorListView

L = TypeVar("L", bound=AnyLine)

HEADER = 3
"""Lines of the axis, which do not scroll."""
BESIDE_NAME = 24
"""Cells that sign, number, progress and date of a line take beside its name."""
MEASURED = 100
"""The most lines whose names are measured."""
NO_PHASES = ("This project has no phases yet", "Press N to add the first one.")


class TimelineChart(CursorListView[L]):
    """Draws the lines in view: names at the left, and beside them the days of the visible window."""

    DEFAULT_CSS = "TimelineChart { scrollbar-size-vertical: 0; }"
    header = HEADER

    line_id = Reactive("", repaint=False)
    """The id of the line under the cursor."""

    def __init__(self) -> None:
        super().__init__()
        self.empty = NO_PHASES
        """The lines of an empty Timeline: the state of affairs, and the next step."""
        self._today = date.min
        self._widest_name = 0
        """Cells of the longest of the first names."""
        self._members: dict[Id, CanvasMember] = {}
        self._scale: Scale | None = None
        self._is_chosen = False
        """True after the user zoomed or scrolled: a new width then keeps the user's window."""
        self._brush: RenderContext | None = None
        self._strips: dict[int, Strip] = {}
        """Cached lines by number, the axis with negative numbers. The line under the cursor is not cached."""
        self._names: dict[int, Row] = {}
        self._axis: tuple[Row, Row, Row] | None = None
        self._filters: Sequence[LineFilter] = ()
        self._width_drawn = 0
        self._background = Color(0, 0, 0)

    # -- display ---------------------------------------------------------------------------------------------

    def show(self, lines: Sequence[L], today: date, members: Iterable[CanvasMember] = ()) -> None:
        """Show these lines. The cursor stays on its line, or if that is gone, at its position.

        ``members`` are the people whose initials stand beside cards.
        """
        self.take(lines)
        self._today, self._members = today, {member.user_id: member for member in members}
        self._look = None  # the user can have switched to ASCII symbols
        self._forget()
        self._widest_name = max(map(cell_len, first_names(lines, MEASURED)), default=0)
        self.virtual_size = Size(1, len(lines) + HEADER)
        self.reveal()
        self.refresh()
        self._say()

    def _forget(self) -> None:
        """Draw every line again."""
        self._forget_days()
        self._names.clear()

    def _forget_days(self) -> None:
        """Draw the days of every line again, but not the names."""
        self._brush = self._axis = None
        self._strips.clear()

    def _say(self) -> None:
        self.line_id = self.line.id if self.line else ""

    def renew(self) -> None:
        self._forget()
        super().renew()

    # -- time ------------------------------------------------------------------------------------------------

    @property
    def _label(self) -> int:
        """Cells of the names: a third of the terminal, or up to two fifths where a name needs them."""
        usual = max(14, min(56, 8 + self.size.width // 4))
        return max(usual, min(self._widest_name + BESIDE_NAME, self.size.width * 2 // 5))

    @property
    def scale(self) -> Scale:
        """The visible window. By default the closest zoom at which the whole project and today fit.

        If they do not fit at any zoom, the window is around the day of the project that is nearest to today.
        """
        width = max(1, self.scrollable_content_region.width - self._label - 1)
        if self._scale is None or not self.size or (self._scale.width != width and not self._is_chosen):
            today, (first, last) = self._today, span(self._today, self._lines)
            scale = fitting(min(first, today), max(last, today), width)
            if not scale.shows(max(last, today)):
                scale = scale.around(min(max(today, first), last))
            if not self.size or not self._lines:  # the width is unknown before the first frame
                return scale
            self._scale = scale
        return replace(self._scale, width=width)

    def _choose(self, scale: Scale) -> None:
        self._is_chosen = True
        self._take_scale(scale)

    def _take_scale(self, scale: Scale) -> None:
        self._scale = scale
        self._forget_days()
        self.refresh()

    def scroll_time(self, steps: int) -> None:
        """Scroll by ``steps`` steps (negative: earlier); the zoom gives the days of a step."""
        self._choose(self.scale.move_window(steps * self.scale.zoom.step))

    def zoom(self) -> None:
        """Change to the next zoom, around today if it is visible, else around the day a third of the way in."""
        scale, today = self.scale, self._today
        day = today if scale.shows(today) else scale.first + timedelta(days=scale.length // 3)
        zoom = ZOOMS[(ZOOMS.index(scale.zoom) + 1) % len(ZOOMS)]
        self._choose(replace(scale, zoom=zoom).around(day))

    def show_day(self, day: date) -> None:
        """Scroll in time so that a day is visible."""
        if not self.scale.shows(day):
            self._take_scale(self.scale.around(day))

    def go_to_today(self) -> None:
        self._choose(self.scale.around(self._today))

    # -- the cursor ------------------------------------------------------------------------------------------

    def cursor_moved(self) -> None:
        self._follow()
        self._say()

    def _follow(self) -> None:
        """Scroll in time to the dates of the line under the cursor, if none of them is visible."""
        days = self.line.days if self.line and self.size else ()  # the width is unknown before the first frame
        if days and (max(days) < self.scale.first or self.scale.x(min(days)) >= self.scale.width):
            self.show_day(days[0])

    def refresh_line(self, number: int | None) -> None:
        if number is not None:
            self._strips.pop(number, None)
        super().refresh_line(number)

    def on_resize(self) -> None:
        self._follow()

    # -- drawing ---------------------------------------------------------------------------------------------

    @property
    def _tools(self) -> RenderContext:
        if self._brush is None:
            self._background, self._filters = self.background_colors[1], self.get_line_filters()
            scale = self.scale
            weekends = scale.weekends if scale.zoom.cells > 1 else frozenset()  # else they double the cost of a line
            self._brush = RenderContext(self.look, scale, self._today, self._members, self._label, weekends)
        return self._brush

    def notify_style_update(self) -> None:
        """Draw every line again after a change of theme, style sheet or focus."""
        super().notify_style_update()
        self._forget()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Cached lines: the cost of a frame depends on the lines that differ, not on the size of the screen."""
        width = self.scrollable_content_region.width
        if width != self._width_drawn:  # a resize event comes only after the first frame of the new size
            self._width_drawn = width
            self._forget()
        top, blank = round(self.scroll_offset.y), self._tools.look.style(TextRole.QUIET)
        thumb, thumb_strip = self._thumb(top), self._thumb_strip
        lines: list[Strip] = []
        for y in crop.line_range:
            number = y - HEADER if y < HEADER else min(y - HEADER + top, len(self._lines))
            if number == len(self._lines) > 0 and y == self.size.height - 1:
                strip = Strip(self._filter_row(legend_row(self._tools, self._lines[0], width)), width)
            else:
                strip = self._strip(number, width)
            if y in thumb:
                strip = Strip.join([strip.crop(0, width - 1), thumb_strip])
            lines.append(strip if crop.column_span == (0, width) else strip.crop_extend(crop.x, crop.right, blank))
        return lines

    def _thumb(self, top: int) -> range:
        """The lines of the widget with the thumb of the scroll bar, at the right edge.

        Textual's own scroll bar takes twice as long to draw as all the lines.
        """
        total, body = len(self._lines), max(1, self.size.height - HEADER)
        if total <= body:
            return range(0)
        length = max(1, body * body // total)
        start = HEADER + round(top * (body - length) / (total - body))
        return range(start, start + length)

    @property
    def _thumb_strip(self) -> Strip:
        look = self._tools.look
        return Strip(self._filter_row((Segment(look.signs.thumb, look.style(TextRole.FAINT)),)))

    def _strip(self, number: int, width: int) -> Strip:
        strip = self._strips.get(number)
        if strip is None or number == self._cursor:
            brush = self._tools
            is_cut = width != brush.label + brush.scale.width + 1  # too narrow for a day
            strip = Strip(self._row(number, width), None if is_cut else width)
            if is_cut:
                strip = strip.adjust_cell_length(width, brush.look.style(TextRole.QUIET))
            if number != self._cursor:
                self._strips[number] = strip
        return strip

    def _filter_row(self, row: Row) -> Row:
        """Apply the app's line filters, as Textual does for widgets without lines of their own."""
        segments = list(row)
        for line_filter in self._filters:
            segments = line_filter.apply(segments, self._background)
        return tuple(segments)

    def _row(self, number: int, width: int) -> Row:
        brush = self._tools
        if not self._lines:
            words = self.empty[number + 2] if 0 <= number + 2 < len(self.empty) else ""
            return self._filter_row(row(brush.look, BackgroundRole.PLAIN, width, [(f"  {words}", TextRole.TITLE)]))
        if number < 0:
            if self._axis is None:
                self._axis = axis(brush, brush.scale.zoom.words)
            return self._filter_row(self._axis[number])
        return self._line_row(number) if number < len(self._lines) else self._filter_row(today_row(brush))

    def _line_row(self, number: int) -> Row:
        brush, line = self._tools, self._lines[number]
        here, marked = number == self._cursor, line.id in self._marked
        if here:
            background = BackgroundRole.CURSOR if self.has_focus else BackgroundRole.BLURRED
        else:
            background = (
                BackgroundRole.HIGHLIGHT
                if line.id in self._lit
                else BackgroundRole.MARKED
                if marked
                else BackgroundRole.PLAIN
            )
        name = None if here else self._names.get(number)
        if name is None:
            bar = brush.look.signs.bar if here else " "
            bar_word = (bar, TextRole.ACCENT if self.has_focus else TextRole.FAINT)
            name = self._filter_row(name_row(brush, line, background, bar_word, marked, self._online.get(line.id, "")))
            if not here:
                self._names[number] = name
        return (*name, *self._filter_row(days_row(brush, line, background)))
