"""Phases and due dates over time: one widget on Textual's line API, whatever the number of phases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from datetime import date, timedelta

from rich.segment import Segment
from textual import events
from textual.color import Color
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from core.canvas import CanvasHead
from core.model import Id
from tui.board.look import COLOURS, COMPONENTS, Ground, Ink, Look, Row
from tui.board.model import NOTHING
from tui.board.rows import row
from tui.dialogs.rows import is_ascii
from tui.timeline.lines import TimeLine, span
from tui.timeline.paint import Brush, axis, days_row, name_row, today_row
from tui.timeline.scale import ZOOMS, Scale, fitting

HEADER = 3
"""Lines of the axis; they do not scroll."""
EMPTY = ("This project has no phases yet", "N on the Canvas adds the first.")


class TimelineChart(ScrollView, can_focus=True, inherit_bindings=False):
    """Draws the lines that are in view. Its cursor stays on the same line when others come and go.

    Textual's own keys of what scrolls are left out: arrows and pages move the cursor, and it is scrolled into view.
    """

    COMPONENT_CLASSES = COMPONENTS
    DEFAULT_CSS = (
        f"TimelineChart {COLOURS[COLOURS.index('{') :]}"
        """
    TimelineChart { height: 1fr; overflow-x: hidden; scrollbar-size-vertical: 0; }
    """
    )
    ALLOW_SELECT = False

    line_id = Reactive("", repaint=False)
    """Which line the cursor is on."""

    class Opened(Message):
        """A line was clicked twice."""

    class MenuRequested(Message):
        """The right button was pressed on a line, on which the cursor now is."""

    def __init__(self) -> None:
        super().__init__()
        self.marked: set[Id] = set()
        self._lit: Set[Id] = frozenset()
        self._guests: Mapping[Id, str] = {}
        self._lines: Sequence[TimeLine] = ()
        self._head: CanvasHead = NOTHING.head
        self._cursor = 0
        self._scale: Scale | None = None
        self._look: Look | None = None
        self._brush: Brush | None = None
        self._strips: dict[int, Strip] = {}
        """Finished lines by their number, those of the axis below 0; the one of the cursor is not kept."""
        self._names: dict[int, Row] = {}
        self._width_drawn = 0
        self._background = Color(0, 0, 0)

    # -- what is shown ---------------------------------------------------------------------------------------

    def show(self, head: CanvasHead, lines: Sequence[TimeLine]) -> None:
        """Show these lines; the cursor stays on its own if it is still there, else on its place."""
        here = self.line.id if self.line else None
        self._head, self._lines, self._look = head, lines, None  # the person may have chosen other signs
        self._forget()
        self.virtual_size = Size(1, len(lines) + HEADER)
        places = {line.id: number for number, line in enumerate(lines)}
        self._cursor = places.get(here or "", max(0, min(self._cursor, len(lines) - 1)))
        self._reveal()
        self.refresh()
        self._say()

    def _forget(self) -> None:
        """Draw every line anew."""
        self._forget_days()
        self._names.clear()

    def _forget_days(self) -> None:
        """Draw what stands over the days anew; the names at the left stay."""
        self._brush = None
        self._strips.clear()

    def _say(self) -> None:
        self.line_id = self.line.id if self.line else ""

    @property
    def line(self) -> TimeLine | None:
        """The line of the cursor."""
        return self._lines[self._cursor] if self._lines else None

    def show_marks(self, marked: set[Id]) -> None:
        """Draw other marks."""
        self.marked = marked
        self._forget()
        self.refresh()

    def show_glow(self, lit: Set[Id]) -> None:
        """Show these lines as lit, and no others."""
        if lit != self._lit:
            self._lit = lit
            self._forget()
            self.refresh()

    def show_guests(self, guests: Mapping[Id, str]) -> None:
        """Show the initials of those who are on a line too, by its id."""
        if guests != self._guests:
            self._guests = guests
            self._forget()
            self.refresh()

    # -- time ------------------------------------------------------------------------------------------------

    @property
    def _label(self) -> int:
        """Cells of the names: a third of a narrow terminal, less of a wide one."""
        return max(14, min(56, 8 + self.size.width // 4))

    @property
    def scale(self) -> Scale:
        """The window in time; at first all of the project and today, as close as they fit.

        Where they do not, it is what is around the day of the project that is nearest to today.
        """
        width = max(1, self.scrollable_content_region.width - self._label - 1)
        if self._scale is None or not self.size:
            today, (first, last) = self._head.today, span(self._head, self._lines)
            scale = fitting(min(first, today), max(last, today), width)
            if not scale.shows(max(last, today)):
                scale = scale.around(min(max(today, first), last))
            if not self.size or not self._lines:  # before the first frame nobody knows what fits
                return scale
            self._scale = scale
        return self._scale._replace(width=width)

    def _take_scale(self, scale: Scale) -> None:
        self._scale = scale
        self._forget_days()
        self.refresh()

    def scroll_time(self, steps: int) -> None:
        """Earlier or later by a day, a week or four, as the zoom is."""
        self._take_scale(self.scale.moved(steps * self.scale.zoom.step))

    def zoom(self) -> None:
        """The next zoom, around today if that can be seen, else around what is a third of the way in."""
        scale, today = self.scale, self._head.today
        day = today if scale.shows(today) else scale.first + timedelta(days=scale.length // 3)
        zoom = ZOOMS[(ZOOMS.index(scale.zoom) + 1) % len(ZOOMS)]
        self._take_scale(scale._replace(zoom=zoom).around(day))

    def show_day(self, day: date) -> None:
        """Scroll in time so that a day can be seen."""
        if not self.scale.shows(day):
            self._take_scale(self.scale.around(day))

    def go_to_today(self) -> None:
        self._take_scale(self.scale.around(self._head.today))

    # -- the cursor ------------------------------------------------------------------------------------------

    def go(self, number: int) -> None:
        """Put the cursor on a line, as near as there is one, and bring it into view."""
        target = max(0, min(number, len(self._lines) - 1))
        if target != self._cursor:
            self._refresh_line(self._cursor)
            self._cursor = target
            self._refresh_line(target)
            self._follow()
            self._say()
        self._reveal()

    def _follow(self) -> None:
        """Scroll in time to the date of the line of the cursor, if nothing of it can be seen."""
        days = self.line.days if self.line and self.size else ()  # before the first frame nobody knows what fits
        if days and (max(days) < self.scale.first or self.scale.x(min(days)) >= self.scale.width):
            self.show_day(days[0])

    def go_to(self, line_id: Id) -> None:
        """Put the cursor on a line, if it is there."""
        for number, line in enumerate(self._lines):
            if line.id == line_id:
                self.go(number)

    def step(self, lines: int) -> None:
        self.go(self._cursor + lines)

    def page(self, pages: int) -> None:
        self.step(pages * max(1, (self.size.height - HEADER) // 2))

    def bottom(self) -> None:
        self.go(len(self._lines) - 1)

    def _reveal(self) -> None:
        """Scroll by the least that shows the cursor."""
        height = max(1, self.size.height - HEADER)
        top = min(max(round(self.scroll_offset.y), self._cursor - height + 1), self._cursor)
        self.scroll_to(y=top, animate=False, force=True, immediate=True)
        if self.has_focus:  # the hardware cursor follows, for screen readers and magnifiers
            y = HEADER + self._cursor - round(self.scroll_offset.y)
            self.app.cursor_position = self.region.offset + Offset(0, y)

    def _refresh_line(self, number: int) -> None:
        self._strips.pop(number, None)
        self.refresh(Region(0, HEADER + number - self.scroll_offset.y, self.size.width, 1))

    def on_focus(self) -> None:
        self._refresh_line(self._cursor)
        self._reveal()

    def on_blur(self) -> None:
        self._refresh_line(self._cursor)

    def on_resize(self) -> None:
        self._follow()
        self._reveal()

    # -- the mouse -------------------------------------------------------------------------------------------

    def _number_at(self, y: int) -> int | None:
        number = y - HEADER + round(self.scroll_offset.y)
        return number if y >= HEADER and number < len(self._lines) else None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        number = self._number_at(event.y)
        if number is not None:
            self.go(number)
            if event.button == 3:
                self.post_message(self.MenuRequested())

    def on_click(self, event: events.Click) -> None:
        if event.chain == 2 and event.button == 1 and self._number_at(event.y) is not None:
            self.post_message(self.Opened())

    # -- drawing ---------------------------------------------------------------------------------------------

    @property
    def _tools(self) -> Brush:
        if self._brush is None:
            if self._look is None:
                self._look = Look(self.get_component_rich_style, is_ascii(self))
            self._background = self.background_colors[1]
            members = {member.user_id: member for member in self._head.members}
            self._brush = Brush(self._look, self.scale, self._head.today, members, self._label)
        return self._brush

    def notify_style_update(self) -> None:
        """The theme, the style sheet or the focus changed."""
        super().notify_style_update()
        self._look = None
        self._forget()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Finished lines, kept from frame to frame: a frame costs what differs, not what is on the screen."""
        width = self.scrollable_content_region.width
        if width != self._width_drawn:  # a resize event comes only after the first frame of the new size
            self._width_drawn = width
            self._forget()
        top, blank = round(self.scroll_offset.y), self._tools.look.style(Ink.QUIET)
        thumb = self._thumb(top)
        lines: list[Strip] = []
        for y in crop.line_range:
            strip = self._strip(y - HEADER if y < HEADER else min(y - HEADER + top, len(self._lines)), width)
            if y in thumb:
                strip = Strip.join([strip.crop(0, width - 1), self._thumb_strip])
            lines.append(strip.crop_extend(crop.x, crop.right, blank))
        return lines

    def _thumb(self, top: int) -> range:
        """The lines of the widget that say at the right edge which part of the whole is in view.

        Textual's own bar takes twice as long to draw as all the lines.
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
        return Strip([Segment(look.signs.thumb, look.style(Ink.FAINT))])

    def _strip(self, number: int, width: int) -> Strip:
        strip = self._strips.get(number)
        if strip is None or number == self._cursor:
            strip = Strip(self._row(number, width)).adjust_cell_length(width, self._tools.look.style(Ink.QUIET))
            for line_filter in self.get_line_filters():
                strip = strip.apply_filter(line_filter, self._background)
            if number != self._cursor:
                self._strips[number] = strip
        return strip

    def _row(self, number: int, width: int) -> Row:
        brush = self._tools
        if not self._lines:
            words = EMPTY[number + 2] if 0 <= number + 2 < len(EMPTY) else ""
            return row(brush.look, Ground.PLAIN, width, [(f"  {words}", Ink.TITLE)])
        if number < 0:
            return axis(brush, brush.scale.zoom.words)[number]
        return self._line_row(number) if number < len(self._lines) else today_row(brush)

    def _line_row(self, number: int) -> Row:
        brush, line = self._tools, self._lines[number]
        here, marked = number == self._cursor, line.id in self.marked
        if here:
            ground = Ground.CURSOR if self.has_focus else Ground.BLURRED
        else:
            ground = Ground.GLOW if line.id in self._lit else Ground.MARKED if marked else Ground.PLAIN
        name = None if here else self._names.get(number)
        if name is None:
            bar = brush.look.signs.bar if here else " "
            bar_word = (bar, Ink.ACCENT if self.has_focus else Ink.FAINT)
            name = name_row(brush, line, ground, bar_word, marked, self._guests.get(line.id, ""))
            if not here:
                self._names[number] = name
        return (*name, *days_row(brush, line, ground))
