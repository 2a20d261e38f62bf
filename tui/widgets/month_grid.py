"""A month as a grid of days with their due dates, and a cursor on one day."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

from rich.cells import cell_len
from rich.style import Style
from textual import events
from textual.geometry import Offset
from textual.message import Message
from textual.strip import Strip

from core.record import Record
from tui.drawing.cells import fit
from tui.drawing.rows import Word, cells, join_words, one_line, others_here, wrap_text
from tui.drawing.styles import BackgroundRole, TextRole
from tui.widgets.styled_widget import ThemedWidget

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
HEADER = 2
"""Lines above the weeks: the month, and the weekdays."""

WEEK_CELLS = 4
"""Cells of the week number, in a wide terminal."""

ROOMY_FROM = 90

RULED_FROM = 4
"""Lines of a week from which on a rule under it is worth one of them."""

SATURDAY = 5

NARROW = 8
"""Most cells of a day in which a text is cut, not wrapped, because the parts would be too short to read."""


class CalendarEntry(Record, kw_only=False):
    """A due date on a day: its sign, text and style."""

    sign: str
    words: str
    text_role: TextRole
    marked: bool = False
    lit: bool = False
    """True for a moment after another user changed it."""
    online: str = ""
    """The initials of other users on it."""


Entries = Mapping[date, Sequence[CalendarEntry]]


def weeks_of(month: date) -> list[date]:
    """The Mondays of the weeks with days of a month (ISO 8601)."""
    first = month.replace(day=1)
    monday = first - timedelta(days=first.weekday())
    mondays = [monday]
    while (following := mondays[-1] + timedelta(days=7)).month == first.month:
        mondays.append(following)
    return mondays


class Month(ThemedWidget, can_focus=True):
    """Draws the month of the cursor."""

    DEFAULT_CSS = "Month { height: 1fr; width: 1fr; background: $background; color: $foreground; }"
    ALLOW_SELECT = False

    class DayPicked(Message):
        """A day was clicked; ``twice`` is true for a double click."""

        def __init__(self, day: date, *, twice: bool) -> None:
            super().__init__()
            self.day = day
            self.twice = twice

    def __init__(self) -> None:
        super().__init__()
        self.cursor = date.min
        self._today = date.min
        self._heading = ""
        self._entries: Entries = {}

    def show(self, cursor: date, today: date, entries: Entries, heading: str) -> None:
        """Show the month of a day, with the due dates of each day."""
        self.cursor, self._today, self._entries, self._heading = cursor, today, entries, heading
        self.refresh()

    # -- positions -------------------------------------------------------------------------------------------

    @property
    def _weeks(self) -> list[date]:
        return weeks_of(self.cursor)

    @property
    def _left(self) -> int:
        return WEEK_CELLS if self.size.width >= ROOMY_FROM else 1

    @property
    def _cell(self) -> int:
        """Cells of one day; the last one stays blank."""
        return max(4, (self.size.width - self._left) // 7)

    @property
    def _lines(self) -> int:
        """Lines of one week."""
        return max(2, (self.size.height - HEADER) // len(self._weeks))

    def day_at(self, x: int, y: int) -> date | None:
        """The day at a cell of the widget, or None."""
        week, column = (y - HEADER) // self._lines, (x - self._left) // self._cell
        if y < HEADER or x < self._left or not 0 <= week < len(self._weeks) or column > 6:
            return None
        return self._weeks[week] + timedelta(days=column)

    @property
    def cursor_screen_offset(self) -> Offset:
        """The cell of the terminal where the day of the cursor begins."""
        week, column = divmod((self.cursor - self._weeks[0]).days, 7)
        return self.region.offset + Offset(self._left + column * self._cell, HEADER + week * self._lines)

    def on_click(self, event: events.Click) -> None:
        day = self.day_at(event.x, event.y)
        if day is not None:
            self.post_message(self.DayPicked(day, twice=event.chain > 1))

    # -- drawing ---------------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if y == 0:
            words: list[Word] = [(f" {fit(self._heading, width - 2)}", TextRole.NAME)]
        elif y < HEADER:
            names = "".join(fit(day, self._cell, pad=True) for day in WEEKDAYS)
            words = [(" " * self._left + names, TextRole.QUIET)]
        else:
            return self._week_line(*divmod(y - HEADER, self._lines)).adjust_cell_length(width, self._blank)
        return Strip(join_words(self.look, BackgroundRole.PLAIN, words)).adjust_cell_length(width, self._blank)

    @property
    def _blank(self) -> Style:
        return self.look.style(TextRole.QUIET)

    def _week_line(self, week: int, line: int) -> Strip:
        if week >= len(self._weeks):
            return Strip([])
        if self._is_ruled and line == self._lines - 1:
            rule = self.look.signs.rest * (self._cell * 7 - 1) if week < len(self._weeks) - 1 else ""
            return Strip(join_words(self.look, BackgroundRole.PLAIN, [(" " * self._left + rule, TextRole.FAINT)]))
        monday = self._weeks[week]
        number = f" {monday.isocalendar().week:>2} " if line == 0 and self._left == WEEK_CELLS else " " * self._left
        segments = [*join_words(self.look, BackgroundRole.PLAIN, [(number, TextRole.QUIET)])]
        for column in range(7):
            day = monday + timedelta(days=column)
            words, background = self._day_line(day, line)
            used = sum(cell_len(text) for text, _ in words)
            segments += join_words(self.look, background, [*words, (" " * (self._cell - 1 - used), TextRole.QUIET)])
            gap = BackgroundRole.WEEKEND if column == SATURDAY else BackgroundRole.PLAIN
            segments += join_words(self.look, gap, [(" ", TextRole.QUIET)])
        return Strip(segments)

    @property
    def _is_ruled(self) -> bool:
        return self._lines >= RULED_FROM

    def _day_line(self, day: date, line: int) -> tuple[list[Word], BackgroundRole]:
        """Text and background of one line of a day; line 0 is its number."""
        here, room = day == self.cursor, self._cell - 1
        focused = BackgroundRole.CURSOR if self.has_focus else BackgroundRole.BLURRED
        free = BackgroundRole.WEEKEND if day.weekday() >= SATURDAY else BackgroundRole.PLAIN
        background = focused if here else free
        entries = self._entries.get(day, ())
        if line == 0:
            return self._number(day, room), background
        shown = self._lines - 1 - self._is_ruled
        if line == shown < len(entries):
            left = f" +{len(entries) - shown + 1} more" if shown > 1 else f" {len(entries)} due"
            return [(fit(left, room), TextRole.QUIET)], background
        parts = self._parts(entries, shown, room)
        if line > len(parts):
            return [], background
        entry, text, online = parts[line - 1]
        words = [(text, TextRole.QUIET if day.month != self.cursor.month else entry.text_role), *online]
        if entry.lit and not here:
            return words, BackgroundRole.HIGHLIGHT
        return words, BackgroundRole.MARKED if entry.marked and not here else background

    def _parts(
        self, entries: Sequence[CalendarEntry], lines: int, room: int
    ) -> list[tuple[CalendarEntry, str, list[Word]]]:
        """The due dates of a day by line. Long texts are wrapped while lines are left, beginning with the first."""
        parts: list[tuple[CalendarEntry, str, list[Word]]] = []
        spare, mark = max(0, lines - len(entries)), self.look.ellipsis
        for entry in entries[:lines]:
            online = others_here(self.look, entry.online)
            space = max(0, room - cells(online))
            texts = wrap_text(one_line(entry.words), space - 2, 1 + spare, mark) if space > NARROW else []
            spare -= max(0, len(texts) - 1)
            sign = self.look.signs.mark if entry.marked else entry.sign
            first, *rest = texts or [one_line(entry.words)]
            parts.append((entry, fit(f"{sign} {first}", space, pad=bool(online), mark=mark), online))
            parts += [(entry, f"  {text}", []) for text in rest]
        return parts

    def _number(self, day: date, room: int) -> list[Word]:
        """The number of a day, and "today"."""
        if day.month != self.cursor.month:
            return [(f"{day.day:>2}", TextRole.QUIET)]
        bar = self.look.signs.bar if day == self.cursor else ""
        number: list[Word] = [
            (f"{bar}{day.day}" if bar else f"{day.day:>2}", TextRole.ACCENT if bar else TextRole.NAME)
        ]
        if day == self._today:
            number = [(f"{bar or ' '}{day.day}", TextRole.ACCENT), (fit(" today", room - 3), TextRole.ACCENT)]
        return number
