"""The views of a project, in the order in which ``[`` and ``]`` step through them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from core.domain.canvas import Card
from core.domain.model import Id
from core.domain.view_settings import Layout
from tui.screens.framework.screen import PodiumScreen


class ProjectViewSpec(NamedTuple):
    """One view: its letter after ``g``, its words there, how it is made, and the layout of presets it is."""

    letter: str
    words: str
    name: str
    """The screen's name in the table of keys."""
    make: Callable[[Id, Id | None], PodiumScreen]
    """Makes the screen of a project, with the cursor on a card."""
    layout: Layout | None = None


def _canvas(project_id: Id, focus_id: Id | None) -> PodiumScreen:
    from tui.screens.canvas.screen import CanvasScreen

    return CanvasScreen(project_id, focus_id)


def _status_board(project_id: Id, focus_id: Id | None) -> PodiumScreen:
    from tui.screens.views.status_board import StatusBoardScreen

    return StatusBoardScreen(project_id, focus_id)


def _timeline(project_id: Id, focus_id: Id | None) -> PodiumScreen:
    from tui.screens.views.timeline import TimelineScreen

    return TimelineScreen(project_id, focus_id)


def _table(project_id: Id, focus_id: Id | None) -> PodiumScreen:
    from tui.screens.views.table import TableScreen

    return TableScreen(project_id, focus_id)


def _calendar(project_id: Id, focus_id: Id | None) -> PodiumScreen:
    from tui.screens.views.calendar import CalendarScreen

    return CalendarScreen(project_id, focus_id)


def _charts(project_id: Id, _focus_id: Id | None) -> PodiumScreen:
    from tui.screens.views.charts import ChartsScreen

    return ChartsScreen(project_id)


VIEWS: tuple[ProjectViewSpec, ...] = (
    ProjectViewSpec("c", "Canvas of this project", "canvas", _canvas, Layout.PHASE_COLUMNS),
    ProjectViewSpec("a", "Status board: statuses as columns", "status_board", _status_board, Layout.STATUS_BOARD),
    ProjectViewSpec("t", "Timeline: phases and due dates", "timeline", _timeline, Layout.TIMELINE),
    ProjectViewSpec("l", "Table of all cards", "table", _table, Layout.TABLE),
    ProjectViewSpec("k", "Calendar of a month", "calendar", _calendar),
    ProjectViewSpec("n", "Charts: burn-up and cumulative flow", "charts", _charts),
)


def view_of(layout: Layout) -> ProjectViewSpec:
    """The view that a preset's layout is."""
    return next(view for view in VIEWS if view.layout is layout)


async def step_view(screen: PodiumScreen, step: int) -> None:
    """Go to the next or the previous view of the same project, with the cursor on the same card."""
    names = [view.name for view in VIEWS]
    view = VIEWS[(names.index(screen.name_in_table) + step) % len(VIEWS)]
    card: Card | None = getattr(screen, "card", None)
    made = view.make(screen.project_id, card.id if card else None)
    await screen.podium.visit(made)
    top: Any = screen.podium.visible_screen
    if card is not None and top is not made and hasattr(top, "go_to"):  # it was open already
        top.go_to(card.id)
