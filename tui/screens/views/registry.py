"""The views of a project, in the order in which ``[`` and ``]`` step through them."""

from __future__ import annotations

from collections.abc import Callable

from core.domain.model import Id
from core.domain.view_settings import Layout
from core.record import Record
from tui.services.destinations import Destination, ToCalendar, ToCanvas, ToCharts, ToStatusBoard, ToTable, ToTimeline


class ProjectViewSpec(Record, kw_only=False):
    """One view: its letter after ``g``, its words there, its destination, and the layout of presets it is."""

    letter: str
    words: str
    name: str
    """The screen's name in the table of keys."""
    to: Callable[[Id, Id | None], Destination]
    """Takes a project and the card under the cursor."""
    layout: Layout | None = None


VIEWS: tuple[ProjectViewSpec, ...] = (
    ProjectViewSpec("c", "Canvas: phases as columns", "canvas", ToCanvas, Layout.PHASE_COLUMNS),
    ProjectViewSpec("b", "Status board: statuses as columns", "status_board", ToStatusBoard, Layout.STATUS_BOARD),
    ProjectViewSpec("t", "Timeline: phases and due dates", "timeline", ToTimeline, Layout.TIMELINE),
    ProjectViewSpec("l", "Table: all cards", "table", ToTable, Layout.TABLE),
    ProjectViewSpec("C", "Calendar: a month", "calendar", ToCalendar),
    ProjectViewSpec("B", "Burn-up charts: burn-up and cumulative flow", "charts", ToCharts),
)


def view_of(layout: Layout) -> ProjectViewSpec:
    """The view that a preset's layout is."""
    return next(view for view in VIEWS if view.layout is layout)
