"""Days and cells: the visible window, four zooms, and the labels over the days."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

from core.record import Record, replace
from core.text.dates import FIRST_YEAR, LAST_YEAR, month_name

FIRST_DAY, LAST_DAY = date(FIRST_YEAR, 1, 1), date(LAST_YEAR, 12, 31)


class Zoom(Record, kw_only=False):
    """A zoom: ``cells`` cells for ``days`` days. One key scrolls by ``step`` days."""

    words: str
    cells: int
    days: int
    step: int


BY_DAY, BY_WEEK, BY_MONTH, BY_YEAR = (
    Zoom("days", 3, 1, 1),
    Zoom("weeks", 1, 1, 7),
    Zoom("months", 1, 2, 14),
    Zoom("years", 1, 7, 28),
)
ZOOMS = (BY_DAY, BY_WEEK, BY_MONTH, BY_YEAR)
SATURDAY = 5
MARGIN = 3
"""Cells before the first day if all days fit."""


class Scale(Record, kw_only=False):
    """The visible window: ``width`` cells, beginning with the day ``first``."""

    zoom: Zoom
    first: date
    width: int

    def x(self, day: date) -> int:
        """The middle cell of a day; it can be outside the window."""
        return (day - self.first).days * self.zoom.cells // self.zoom.days + self.zoom.cells // 2

    def shows(self, day: date) -> bool:
        return 0 <= self.x(day) < self.width

    @property
    def weekends(self) -> frozenset[int]:
        """The cells of Saturdays and Sundays; none where a cell is more than a day."""
        if self.zoom.days > 1:
            return frozenset()
        first, cells = self.first.weekday(), self.zoom.cells
        return frozenset(x for x in range(self.width) if (first + x // cells) % 7 >= SATURDAY)

    @property
    def length(self) -> int:
        """Days in the window."""
        return max(1, self.width * self.zoom.days // self.zoom.cells)

    def move_window(self, days: int) -> Scale:
        """The window ``days`` days later, within the range of dates."""
        most = LAST_DAY.toordinal() - self.length
        first = max(FIRST_DAY.toordinal(), min(self.first.toordinal() + days, most))
        return replace(self, first=date.fromordinal(first))

    def around(self, day: date) -> Scale:
        """The window that has a day a third of the way in."""
        return self.move_window((day - self.first).days - self.length // 3)


def fitting(first: date, last: date, width: int) -> Scale:
    """The window at the closest zoom that shows all days from ``first`` to ``last``, with a small margin."""
    for zoom in ZOOMS:
        scale = Scale(zoom, first, width)
        spare = scale.length - (last - first).days - 1
        if spare >= 0:
            break
    return scale.move_window(-min(max(0, spare) // 2, MARGIN * zoom.days // zoom.cells))


def labels(scale: Scale) -> tuple[str, str]:
    """The two lines over the window, each exactly as wide: months and days, or years and months."""
    major, minor = _MAJOR[scale.zoom], _MINOR[scale.zoom]
    every = 12 if scale.zoom is BY_YEAR else 1
    upper = [(scale.x(day), major(day)) for day in _months(scale, every)]
    first = (0, major(scale.first))
    if not upper or upper[0][0] > len(first[1]):
        upper.insert(0, first)
    days = _months(scale, 1) if scale.zoom is BY_YEAR else _days(scale)
    lower = [(scale.x(day) - scale.zoom.cells // 2, minor(day)) for day in days]
    return _laid_out(upper, scale.width), _laid_out(lower, scale.width)


def _months(scale: Scale, every: int) -> list[date]:
    """The first day of each month in the window, or of every ``every``-th month."""
    begin, end = scale.first, scale.first + timedelta(days=scale.length)
    months = range(begin.year * 12 + begin.month - 1, end.year * 12 + end.month)
    days = (date(month // 12, month % 12 + 1, 1) for month in months if month % every == 0)
    return [day for day in days if begin <= day < end]


def _days(scale: Scale) -> list[date]:
    """The labelled days, by zoom: each day, each Monday, or every second Monday."""
    step = {BY_DAY: 1, BY_WEEK: 7}.get(scale.zoom, 14)
    first = scale.first.toordinal()
    begin = first + (1 - first) % step  # 1 January of the year 1 was a Monday
    return [date.fromordinal(day) for day in range(begin, first + scale.length, step)]


_MAJOR: dict[Zoom, Callable[[date], str]] = {
    BY_DAY: lambda day: f"{month_name(day)[:3]} {day.year}",
    BY_WEEK: lambda day: f"{month_name(day)[:3]} {day.year}",
    BY_MONTH: lambda day: f"{month_name(day)[:3]} {day.year}",
    BY_YEAR: lambda day: str(day.year),
}
_MINOR: dict[Zoom, Callable[[date], str]] = {
    BY_DAY: lambda day: f"{day.day:>2}",
    BY_WEEK: lambda day: str(day.day),
    BY_MONTH: lambda day: str(day.day),
    BY_YEAR: lambda day: month_name(day)[:3],
}


def _laid_out(words: list[tuple[int, str]], width: int) -> str:
    """The words at their cells, without those that do not fit before the next word or the edge."""
    line = ""
    for number, (x, word) in enumerate(words):
        end = words[number + 1][0] if number + 1 < len(words) else width + 1
        if x >= len(line) and x + len(word) < end:
            line = line.ljust(x) + word
    return line[:width].ljust(width)
