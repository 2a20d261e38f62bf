"""Destinations: the places that a screen can ask the app to open.

``tui/screens/shell/navigation.py`` turns each into its screen, so that screens do not import each other::

    await self.podium.open(ToCard(project_id, card_id))
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import TypeAlias

from core.domain.model import WORKSPACE, Id
from core.domain.view_settings import Layout
from core.record import Record


class ToPage(Enum):
    """A page of the workspace."""

    PROJECTS = auto()
    PORTFOLIO = auto()
    WORKLOAD = auto()
    MY_WORK = auto()
    INBOX = auto()
    PEOPLE = auto()
    TOKENS = auto()
    PRODUCTS = auto()
    TEMPLATES = auto()
    HIERARCHY = auto()
    META_ROLES = auto()
    SETTINGS = auto()
    DOCTOR = auto()


class ToSetting(Record, kw_only=False):
    """The settings, with the cursor on one of them."""

    name: str


class ToSearch(Record, kw_only=False):
    """The search, which begins with these words."""

    text: str = ""


class ToImport(Record, kw_only=False):
    """The preview of an import, for which the user names the file first."""

    project_id: Id = WORKSPACE
    """The project that it goes into; WORKSPACE for a new one."""


class ToPersonWorkload(Record, kw_only=False):
    """The open cards of a person, or with an empty id those of nobody."""

    user_id: Id
    name: str


class ToProduct(Record, kw_only=False):
    """One product."""

    product_id: Id


class ToTemplate(Record, kw_only=False):
    """One template."""

    template_id: Id


class ToMembers(Record, kw_only=False):
    """The members of a project."""

    project_id: Id


class ToHistory(Record, kw_only=False):
    """The history of a project, or of the workspace."""

    project_id: Id = WORKSPACE


class ToSinceLastVisit(Record, kw_only=False):
    """The changes of other users since the last visit to a project."""

    project_id: Id
    after: int | None = None
    """The number of the last change that was seen; None for the one that the project remembers."""


class ToPhase(Record, kw_only=False):
    """One phase."""

    project_id: Id
    phase_id: Id
    deliverable_id: Id = ""
    """The deliverable under the cursor; empty for the first one."""


class ToGateRecord(Record, kw_only=False):
    """The gate record of a project, or of one of its phases."""

    project_id: Id
    phase_id: Id | None = None


class ToCard(Record, kw_only=False):
    """One task or activity."""

    project_id: Id
    card_id: Id


class ToApplication(Record, kw_only=False):
    """One application."""

    project_id: Id
    application_id: Id


class ToView(Record, kw_only=False):
    """A view of a project."""

    project_id: Id
    focus_id: Id | None = None
    """The card under the cursor; Charts have none."""


class ToCanvas(ToView, kw_only=False):
    """The Canvas."""

    in_layout: bool = False
    """True to open the view of the user's active preset on top."""


class ToStatusBoard(ToView):
    """The Status board."""


class ToTimeline(ToView):
    """The Timeline."""


class ToTable(ToView):
    """The Table."""


class ToCalendar(ToView):
    """The Calendar."""


class ToCharts(ToView):
    """The Charts."""


Destination: TypeAlias = (
    ToPage
    | ToSetting
    | ToSearch
    | ToPersonWorkload
    | ToProduct
    | ToTemplate
    | ToMembers
    | ToHistory
    | ToSinceLastVisit
    | ToPhase
    | ToGateRecord
    | ToCard
    | ToApplication
    | ToCanvas
    | ToStatusBoard
    | ToTimeline
    | ToTable
    | ToCalendar
    | ToCharts
)
"""Every destination; mypy checks that the navigation table has them all."""


class ProjectViewSpec(Record, kw_only=False):
    """One view: its letter after ``g``, its words there, its destination, and the layout of presets it is."""

    letter: str
    words: str
    name: str
    """The screen's name in the table of keys."""
    to: Callable[[Id, Id | None], Destination]
    """Takes a project and the card under the cursor."""
    layout: Layout | None = None
    short: str = ""
    """The name in the menu of places, where the words begin with none that has the letter."""


VIEWS: tuple[ProjectViewSpec, ...] = (
    ProjectViewSpec("c", "Canvas: phases as columns", "canvas", ToCanvas, Layout.PHASE_COLUMNS),
    ProjectViewSpec("b", "Status board: statuses as columns", "status_board", ToStatusBoard, Layout.STATUS_BOARD),
    ProjectViewSpec("t", "Timeline: phases and due dates", "timeline", ToTimeline, Layout.TIMELINE),
    ProjectViewSpec("l", "Table: all cards", "table", ToTable, Layout.TABLE),
    ProjectViewSpec("C", "Calendar: a month", "calendar", ToCalendar),
    ProjectViewSpec("B", "Charts: burn-up and cumulative flow", "charts", ToCharts, short="Charts: burn-up"),
)
"""The views of a project, in the order in which ``[`` and ``]`` step through them."""


def view_of(layout: Layout) -> ProjectViewSpec:
    """The view that a preset's layout is."""
    return next(view for view in VIEWS if view.layout is layout)
