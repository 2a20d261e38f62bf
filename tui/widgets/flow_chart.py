"""Two charts of work over time, drawn by plotext: burn-up and cumulative flow.

Each area and line has its own character, shown in the legend, so they can be told apart without colours.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import cast

from rich.text import Text
from textual.color import Color
from textual_plotext import PlotextPlot

from core.actions.workflow.burn_up import BurnUpDay, Flow
from core.text.dates import in_full

TICK_CELLS = 14
"""Cells of a date on the axis, with its margins."""

MIN_ROWS = 8
"""Fewest rows of a chart; with fewer, title, axes and legend leave no rows, and nothing is drawn."""

ROOM_FOR_LEGEND = 1.3
"""The height of the chart relative to its highest value, so that the legend covers no line."""

AREA, LINE = "hd", "─"
BANDS = {"to do": "░", "in progress": "▒", "completed": "█"}
ASCII_AREA, ASCII_LINE = "#", "-"
ASCII_FRAME = str.maketrans("┌┐└┘┬┴┤├┼─│", "+++++++++-|")
ASCII_BANDS = {"to do": ".", "in progress": "+", "completed": "#"}


class FlowChart(PlotextPlot):
    """A chart of the numbers of each day."""

    DEFAULT_CSS = "FlowChart { height: 1fr; width: 1fr; }"
    ALLOW_SELECT = False
    title: str = ""

    def __init__(self, *, ascii_only: bool) -> None:
        super().__init__()
        self.can_focus = False
        self._area, self._line = (ASCII_AREA, ASCII_LINE) if ascii_only else (AREA, LINE)
        self._bands = ASCII_BANDS if ascii_only else BANDS
        self._ascii = ascii_only
        self._flow = Flow(days=(), due=None)

    def show(self, flow: Flow) -> None:
        """Draw another flow."""
        self._flow = flow
        self._plan()

    def render(self) -> Text:
        """The chart; in ASCII mode the frame is replaced too, which plotext cannot draw in ASCII."""
        drawn = cast(Text, super().render())
        if self._ascii:
            drawn.plain = drawn.plain.translate(ASCII_FRAME)
        return drawn

    def on_resize(self) -> None:
        self._plan()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._plan()

    def _plan(self) -> None:
        """Draw the chart again, for this width and theme."""
        days = self._flow.days
        self.plt.clear_figure()
        enough = self.size.height >= MIN_ROWS
        self.plt.title(self.title if enough else "")
        self.plt.frame(enough)
        if days and enough:
            self._draw(range(len(days)), days)
            self._scale(days)
        self.refresh()

    def _draw(self, x: Sequence[float], days: Sequence[BurnUpDay]) -> None:
        """Draw the lines and areas of this chart."""
        raise NotImplementedError

    def _scale(self, days: Sequence[BurnUpDay]) -> None:
        """Set the axes: whole numbers, and as many dates as fit, with the first and the last one."""
        most = max(1, max(day.total for day in days))
        steps = min(most, 4)
        self.plt.ylim(0, most * ROOM_FOR_LEGEND)
        self.plt.yticks([float(round(most * step / steps)) for step in range(steps + 1)])
        room = max(2, self.size.width // TICK_CELLS)
        places = sorted({round((len(days) - 1) * step / (room - 1)) for step in range(room)})
        self.plt.xticks(
            [float(place) for place in places], [_axis_words(days[place].day, days[-1].day) for place in places]
        )

    def _colour(self, name: str) -> tuple[int, int, int]:
        """A colour of the theme."""
        return Color.parse(self.app.theme_variables[name]).rgb


class BurnUp(FlowChart):
    """All cards and completed cards by day."""

    title = "Burn-up"

    def _draw(self, x: Sequence[float], days: Sequence[BurnUpDay]) -> None:
        done, scope = [day.completed for day in days], [day.total for day in days]
        self.plt.plot(x, done, label="completed", color=self._colour("success"), marker=self._area, fillx=True)
        self.plt.plot(x, scope, label="all cards", color=self._colour("foreground"), marker=self._line)


class CumulativeFlow(FlowChart):
    """Cards by status and day, stacked: a band that becomes wider shows waiting work."""

    title = "Cumulative flow"

    def _draw(self, x: Sequence[float], days: Sequence[BurnUpDay]) -> None:
        """Draw the highest area first, because later ones cover it."""
        done = [day.completed for day in days]
        begun = [day.completed + day.in_progress for day in days]
        every = [day.total for day in days]
        for heights, label, colour in (
            (every, "to do", "foreground"),
            (begun, "in progress", "accent"),
            (done, "completed", "success"),
        ):
            self.plt.plot(x, heights, label=label, color=self._colour(colour), marker=self._bands[label], fillx=True)


def _axis_words(day: date, last: date) -> str:
    """A day on the axis: "5 Oct", with the year if it differs from the last day's."""
    _, number, month, year = in_full(day).split()
    return f"{number} {month}" if day.year == last.year else f"{number} {month} {year}"
