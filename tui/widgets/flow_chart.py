"""Two charts of work over time: burn-up, with the plan and the forecast, and cumulative flow.

Each area and line has its own character, shown in the legend, so they can be told apart without colours.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from itertools import groupby, pairwise
from math import ceil
from operator import itemgetter
from typing import ClassVar

from textual.content import Content
from textual.widget import Widget

from core.actions.workflow.burn_up import BurnUp, BurnUpDay
from core.domain.fields import Number, add_numbers
from core.record import Record
from core.text.dates import in_full
from tui.drawing.theme import QUIET

TICK_CELLS = 14
"""Cells of a date on the axis, with its margins."""

MIN_ROWS = 8
"""Fewest rows of a chart; with fewer, title, legend and axis leave too few, and nothing is drawn."""

FULL = "█"

EIGHTHS = " ▁▂▃▄▅▆▇"
"""The tops of an area, by eighths of a cell."""


class Series(Record, kw_only=False):
    """An area or a line: its name in the legend, style, character in Unicode and in ASCII, and value on a day."""

    name: str
    style: str
    signs: tuple[str, str]
    value: Callable[[BurnUpDay], Number]
    is_line: bool = False
    is_smooth: bool = False
    """True to draw the top of an area in eighths of a cell."""


Point = tuple[date, float]
"""A day and a number of cards, or a sum."""

Cell = tuple[str, str]
"""A character and its style."""


class TargetLine(Record, kw_only=False):
    """A line through points, which can lie in the future."""

    name: str
    style: str
    signs: tuple[str, str]
    points: Sequence[Point]
    is_mark: bool = False
    """True to draw its last point only."""


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
        self._flow: BurnUp | None = None

    def show(self, flow: BurnUp) -> None:
        """Draw another flow."""
        self._flow = flow
        self.refresh()

    def last_day(self, flow: BurnUp) -> date:
        """The day at the right edge."""
        return flow.days[-1].day

    def lines(self, flow: BurnUp) -> Sequence[TargetLine]:
        """The lines over the series."""
        return ()

    def render(self) -> Content:
        flow = self._flow
        most = ceil(max([1, *(day.total for day in flow.days)])) if flow else 1
        left = len(str(most)) + 1
        rows, columns = self.size.height - 4, self.size.width - left - 1
        if flow is None or not flow.days or self.size.height < MIN_ROWS or columns < TICK_CELLS:
            return Content("")
        first, length = flow.days[0].day, (self.last_day(flow) - flow.days[0].day).days
        days = [first + timedelta(days=round(x * length / (columns - 1))) for x in range(columns)]
        lines = self.lines(flow)
        drawn = self._columns(flow, days, most, rows)
        for line in lines:
            _draw(drawn, line, days, line.signs[self._ascii], rows / most)
        marks = {round(rows * value / most): str(value) for value in _ticks(most)}
        drawn_from: list[Series | TargetLine] = [*self.series, *lines]
        legend = (Content.assemble((each.signs[self._ascii], each.style), f" {each.name}") for each in drawn_from)
        text = [Content.styled(self.title, "bold"), Content("  ").join(legend).truncate(self.size.width)]
        for level in range(rows, 0, -1):
            edge = f"{marks.get(level, ''):>{left - 1}} {'┤' if level in marks else '│'}"
            cells = groupby((column[level - 1] for column in drawn), key=itemgetter(1))
            text.append(
                Content.assemble((edge, QUIET), *(("".join(map(itemgetter(0), same)), style) for style, same in cells))
            )
        axis, dates = axis_of(days, [line.points[-1][0] for line in lines if line.is_mark])
        text += [Content.styled(f"{'0':>{left - 1}} └{axis}", QUIET), Content.styled(" " * (left + 1) + dates, QUIET)]
        return Content("\n").join(text)

    def _columns(self, flow: BurnUp, days: Sequence[date], most: int, rows: int) -> list[list[Cell]]:
        """The character and the style of each cell, by column, from the bottom to the top."""
        columns: list[list[Cell]] = [[(" ", "")] * rows for _ in days]
        first, past = flow.days[0].day, [day for day in days if day <= flow.days[-1].day]
        for series in self.series:
            sign, parts = series.signs[self._ascii], 8 if series.is_smooth and not self._ascii else 1
            tops = [round(series.value(flow.days[(day - first).days]) * rows * parts / most) for day in past]
            if series.is_line:  # what lies ahead is to be done too
                tops += [tops[-1]] * (len(days) - len(past))
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


def _draw(columns: list[list[Cell]], line: TargetLine, days: Sequence[date], sign: str, scale: float) -> None:
    """Draw a line through its points, on the days between the first and the last of them."""
    before: int | None = None
    for column, day, following in zip(columns, days, [*days[1:], date.max], strict=True):
        if line.is_mark:
            value = line.points[-1][1] if day <= line.points[-1][0] < following else None
        else:
            value = _at(line.points, day)
        if value is None:
            continue
        level = max(0, min(round(value * scale), len(column)) - 1)
        low, high = sorted((level, level if before is None else before))
        for row in range(low + (low < level), high + (high == level)):
            under, style = column[row]
            column[row] = (sign, f"$background on {style}" if under == FULL else line.style)
        before = level


def _at(points: Sequence[Point], day: date) -> float | None:
    """The value of a line on a day; None before its first point and after its last."""
    for (start, low), (end, high) in pairwise(points):
        if start <= day <= end:
            return low + (high - low) * (day - start).days / max(1, (end - start).days)
    return None


class BurnUpChart(FlowChart):
    """All cards and completed cards by day, the plan by the due dates of the phases, and the forecast to its end."""

    title = "Burn-up"
    series = (
        Series("completed", "$success", (FULL, "#"), lambda day: day.completed, is_smooth=True),
        Series("all cards", "$foreground", ("─", "-"), lambda day: day.total, is_line=True),
    )

    def last_day(self, flow: BurnUp) -> date:
        """The end of the plan or of the forecast. A forecast far ahead leaves half of the chart to the past."""
        today = flow.days[-1].day
        last = max(today, *(point.day for point in flow.plan)) if flow.plan else today
        if flow.forecast.finish is None:
            return last
        half = last + max(last - flow.days[0].day, timedelta(days=1))
        return max(last, min(flow.forecast.finish, half))

    def lines(self, flow: BurnUp) -> Sequence[TargetLine]:
        today, finish = flow.days[-1], flow.forecast.finish
        lines = []
        if flow.plan:
            lines.append(TargetLine("plan", "$accent", ("╌", "~"), [(point.day, point.cards) for point in flow.plan]))
        if finish is not None:
            ahead = [(today.day, today.completed), (finish, today.total)]
            colour = "$warning" if flow.forecast.is_late else "$success"
            lines.append(TargetLine("forecast", colour, ("·", ":"), ahead))
            lines.append(TargetLine("end", colour, ("◆", "*"), ahead, is_mark=True))
        return lines


class CumulativeFlow(FlowChart):
    """Cards by status and day, stacked: a band that becomes wider shows waiting work."""

    title = "Cumulative flow"
    series = (
        Series("to do", "$foreground", ("░", "."), lambda day: day.total),
        Series("in progress", "$accent", ("▒", "+"), lambda day: add_numbers(day.completed, day.in_progress)),
        Series("completed", "$success", ("█", "#"), lambda day: day.completed),
    )


def _ticks(most: int) -> list[int]:
    """The numbers on the axis, up to five at equal distances from 0; ``most`` is the last, unless it is too near."""
    step = ceil(most / 4)
    return [*range(0, most - step // 2, step), most]


def axis_of(days: Sequence[date], marked: Sequence[date] = ()) -> tuple[str, str]:
    """The axis below the columns, and the dates below its ticks: as many as fit, the first and last among them.

    ``marked`` days get a tick before the others.
    """
    axis, dates = ["─"] * len(days), [" "] * len(days)
    ticks = len(days) // TICK_CELLS + 1
    at = [round(tick * (len(days) - 1) / (ticks - 1)) for tick in range(ticks)]
    ends = [x for day in marked for x in (bisect_left(days, day),) if x < len(days)]
    shown = set()
    for x in (*ends, at[0], at[-1], *at[1:-1]):
        label = _axis_words(days[x], days[-1])
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
