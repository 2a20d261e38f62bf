"""Two charts of work over time: burn-up and cumulative flow.

Each area and line has its own character, shown in the legend, so they can be told apart without colours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from itertools import groupby
from math import ceil
from operator import itemgetter
from typing import ClassVar

from textual.content import Content
from textual.widget import Widget

from core.actions.workflow.burn_up import BurnUp, BurnUpDay
from core.record import Record
from core.text.dates import in_full
from tui.drawing.theme import QUIET

TICK_CELLS = 14
"""Cells of a date on the axis, with its margins."""

MIN_ROWS = 8
"""Fewest rows of a chart; with fewer, title, legend and axis leave too few, and nothing is drawn."""

EIGHTHS = " ▁▂▃▄▅▆▇"
"""The tops of an area, by eighths of a cell."""


class Series(Record, kw_only=False):
    """An area or a line: its name in the legend, style, character in Unicode and in ASCII, and value on a day."""

    name: str
    style: str
    signs: tuple[str, str]
    value: Callable[[BurnUpDay], int]
    is_line: bool = False
    is_smooth: bool = False
    """True to draw the top of an area in eighths of a cell."""


class FlowChart(Widget):
    """A chart of the numbers of each day: a column of cells shows the day nearest to it."""

    DEFAULT_CSS = "FlowChart { height: 1fr; width: 1fr; padding: 0 1; text-wrap: nowrap; }"
    ALLOW_SELECT = False
    title: ClassVar[str]
    series: ClassVar[Sequence[Series]]
    """A later one covers an earlier one."""

    def __init__(self, *, ascii_only: bool) -> None:
        super().__init__()
        self._ascii = ascii_only
        self._days: Sequence[BurnUpDay] = ()

    def show(self, flow: BurnUp) -> None:
        """Draw another flow."""
        self._days = flow.days
        self.refresh()

    def render(self) -> Content:
        most = max([1, *(day.total for day in self._days)])
        left = len(str(most)) + 1
        rows, columns = self.size.height - 4, self.size.width - left - 1
        if not self._days or self.size.height < MIN_ROWS or columns < TICK_CELLS:
            return Content("")
        days = [self._days[round(x * (len(self._days) - 1) / (columns - 1))] for x in range(columns)]
        drawn = self._columns(days, most, rows)
        marks = {round(rows * value / most): str(value) for value in _ticks(most)}
        legend = (Content.assemble((each.signs[self._ascii], each.style), f" {each.name}") for each in self.series)
        lines = [Content.styled(self.title, "bold"), Content("  ").join(legend)]
        for level in range(rows, 0, -1):
            edge = f"{marks.get(level, ''):>{left - 1}} {'┤' if level in marks else '│'}"
            cells = groupby((column[level - 1] for column in drawn), key=itemgetter(1))
            lines.append(
                Content.assemble((edge, QUIET), *(("".join(map(itemgetter(0), same)), style) for style, same in cells))
            )
        axis, dates = axis_of(days)
        lines += [Content.styled(f"{'0':>{left - 1}} └{axis}", QUIET), Content.styled(" " * (left + 1) + dates, QUIET)]
        return Content("\n").join(lines)

    def _columns(self, days: Sequence[BurnUpDay], most: int, rows: int) -> list[list[tuple[str, str]]]:
        """The character and the style of each cell, by column, from the bottom to the top."""
        columns = [[(" ", "")] * rows for _ in days]
        for series in self.series:
            sign, parts = series.signs[self._ascii], 8 if series.is_smooth and not self._ascii else 1
            tops = [round(series.value(day) * rows * parts / most) for day in days]
            for column, before, top in zip(columns, [tops[0], *tops], tops, strict=False):
                full, rest = divmod(top, parts)
                if series.is_line:
                    full = max(1, full)
                    column[min(before, full) : max(before, full)] = [("│", series.style)] * abs(before - full)
                    column[full - 1] = (sign, series.style)
                else:
                    column[:full] = [(sign, series.style)] * full
                    column[full : full + bool(rest)] = [(EIGHTHS[rest], series.style)] * bool(rest)
        return columns


class BurnUpChart(FlowChart):
    """All cards and completed cards by day."""

    title = "Burn-up"
    series = (
        Series("completed", "$success", ("█", "#"), lambda day: day.completed, is_smooth=True),
        Series("all cards", "$foreground", ("─", "-"), lambda day: day.total, is_line=True),
    )


class CumulativeFlow(FlowChart):
    """Cards by status and day, stacked: a band that becomes wider shows waiting work."""

    title = "Cumulative flow"
    series = (
        Series("to do", "$foreground", ("░", "."), lambda day: day.total),
        Series("in progress", "$accent", ("▒", "+"), lambda day: day.completed + day.in_progress),
        Series("completed", "$success", ("█", "#"), lambda day: day.completed),
    )


def _ticks(most: int) -> list[int]:
    """The numbers on the axis, up to five at equal distances from 0; ``most`` is the last, unless it is too near."""
    step = ceil(most / 4)
    return [*range(0, most - step // 2, step), most]


def axis_of(days: Sequence[BurnUpDay]) -> tuple[str, str]:
    """The axis below the columns, and the dates below its ticks: as many as fit, the first and last among them."""
    axis, dates = ["─"] * len(days), [" "] * len(days)
    ticks = len(days) // TICK_CELLS + 1
    at = [round(tick * (len(days) - 1) / (ticks - 1)) for tick in range(ticks)]
    shown = set()
    for x in (at[0], at[-1], *at[1:-1]):
        label = _axis_words(days[x].day, days[-1].day)
        start = min(max(0, x - len(label) // 2), len(days) - len(label))
        is_free = set(dates[max(0, start - 1) : start + len(label) + 1]) == {" "}
        if label not in shown and is_free:
            shown.add(label)
            axis[x], dates[start : start + len(label)] = "┬", label
    return "".join(axis), "".join(dates)


def _axis_words(day: date, last: date) -> str:
    """A day on the axis: "5 Oct", with the year if it differs from the last day's."""
    _, number, month, year = in_full(day).split()
    return f"{number} {month}" if day.year == last.year else f"{number} {month} {year}"
