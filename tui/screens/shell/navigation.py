"""The table of screens by destination, the Go menu, the actions of the palette, and the first screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, assert_never

from core.domain.model import WORKSPACE, Id
from core.record import Record
from core.rules.project_names import ProjectRef
from tui.podium import Podium
from tui.screens.framework.screen import PodiumScreen
from tui.services.destinations import (
    VIEWS,
    Destination,
    ProjectViewSpec,
    ToApplication,
    ToCalendar,
    ToCanvas,
    ToCard,
    ToCharts,
    ToGateRecord,
    ToHistory,
    ToMembers,
    ToPage,
    ToPersonWorkload,
    ToPhase,
    ToProduct,
    ToSearch,
    ToSetting,
    ToSinceLastVisit,
    ToStatusBoard,
    ToTable,
    ToTemplate,
    ToTimeline,
)
from tui.services.preferences import SETTINGS


def screen_of(destination: Destination) -> PodiumScreen:
    """The screen of a destination. Its module is loaded when it is first opened."""
    match destination:
        case ToPage.PROJECTS:
            from tui.screens.projects.projects import ProjectsScreen

            return ProjectsScreen()
        case ToPage.MY_WORK:
            from tui.screens.personal.my_work import MyWorkScreen

            return MyWorkScreen()
        case ToPage.PORTFOLIO:
            from tui.screens.portfolio.portfolio import PortfolioScreen

            return PortfolioScreen()
        case ToPage.WORKLOAD:
            from tui.screens.portfolio.workload import WorkloadScreen

            return WorkloadScreen()
        case ToPersonWorkload(user_id, name):
            from tui.screens.portfolio.person_workload import PersonWorkloadScreen

            return PersonWorkloadScreen(user_id, name)
        case ToPage.INBOX:
            from tui.screens.personal.inbox import InboxScreen

            return InboxScreen()
        case ToSearch(text):
            from tui.screens.personal.search import SearchScreen

            return SearchScreen(text)
        case ToPage.PEOPLE:
            from tui.screens.people.people import PeopleScreen

            return PeopleScreen()
        case ToPage.TOKENS:
            from tui.screens.people.tokens import AccessScreen

            return AccessScreen()
        case ToPage.PRODUCTS:
            from tui.screens.products.products import ProductsScreen

            return ProductsScreen()
        case ToProduct(product_id):
            from tui.screens.products.product import ProductScreen

            return ProductScreen(product_id)
        case ToPage.TEMPLATES:
            from tui.screens.templates.templates import TemplatesScreen

            return TemplatesScreen()
        case ToTemplate(template_id):
            from tui.screens.templates.template import TemplateScreen

            return TemplateScreen(template_id)
        case ToPage.HIERARCHY:
            from tui.screens.projects.hierarchy import HierarchyScreen

            return HierarchyScreen()
        case ToPage.META_ROLES:
            from tui.screens.people.meta_roles import MetaRolesScreen

            return MetaRolesScreen()
        case ToPage.SETTINGS:
            from tui.screens.personal.settings import SettingsScreen

            return SettingsScreen()
        case ToSetting(name):
            from tui.screens.personal.settings import SettingsScreen

            return SettingsScreen(name)
        case ToPage.DOCTOR:
            from tui.screens.shell.doctor import DoctorScreen

            return DoctorScreen()
        case ToMembers(project_id):
            from tui.screens.people.members import MembersScreen

            return MembersScreen(project_id)
        case ToHistory(project_id):
            from tui.screens.projects.history import HistoryScreen, ProjectHistory

            return HistoryScreen(ProjectHistory(project_id))
        case ToSinceLastVisit(project_id, after):
            from tui.screens.projects.history import HistoryScreen, OthersChanges

            return HistoryScreen(OthersChanges(project_id, after))
        case ToPhase(project_id, phase_id, deliverable_id):
            from tui.screens.phases.phase import PhaseScreen

            return PhaseScreen(project_id, phase_id, deliverable_id)
        case ToGateRecord(project_id, phase_id):
            from tui.screens.phases.gate_record import GateRecordScreen

            return GateRecordScreen(project_id, phase_id)
        case ToCard(project_id, card_id):
            from tui.screens.cards.card import CardScreen

            return CardScreen(project_id, card_id)
        case ToApplication(project_id, application_id):
            from tui.screens.products.application import ApplicationScreen

            return ApplicationScreen(project_id, application_id)
        case ToCanvas(project_id, focus_id, in_layout):
            from tui.screens.canvas.screen import CanvasScreen

            return CanvasScreen(project_id, focus_id, in_layout=in_layout)
        case ToStatusBoard(project_id, focus_id):
            from tui.screens.views.status_board import StatusBoardScreen

            return StatusBoardScreen(project_id, focus_id)
        case ToTimeline(project_id, focus_id):
            from tui.screens.views.timeline import TimelineScreen

            return TimelineScreen(project_id, focus_id)
        case ToTable(project_id, focus_id):
            from tui.screens.views.table import TableScreen

            return TableScreen(project_id, focus_id)
        case ToCalendar(project_id, focus_id):
            from tui.screens.views.calendar import CalendarScreen

            return CalendarScreen(project_id, focus_id)
        case ToCharts(project_id):
            from tui.screens.views.charts import ChartsScreen

            return ChartsScreen(project_id)
    assert_never(destination)


ME, THIS_PROJECT, OF_WORKSPACE = "Me", "This project", "Workspace"
"""The groups of the Go menu; what only admins change is last."""


class GoEntry(Record, kw_only=False):
    """A destination with its letter after ``g``."""

    group: str
    letter: str
    name: str
    """The name in the menu, in which the letter is."""
    words: str
    """The name and what is there, for the palette."""
    to: Callable[[Id], Destination]
    """Takes the project that is open, or WORKSPACE."""

    @property
    def in_project(self) -> bool:
        """True for what is about a project, and so needs one open."""
        return self.group == THIS_PROJECT


def _view(view: ProjectViewSpec, project_id: Id) -> Destination:
    return view.to(project_id, None)


PLACES = (
    GoEntry(ME, "p", "Projects", "Projects", lambda _: ToPage.PROJECTS),
    GoEntry(ME, "m", "My work", "My work: what is late, due and next for me", lambda _: ToPage.MY_WORK),
    GoEntry(ME, "i", "Inbox", "Inbox", lambda _: ToPage.INBOX),
    GoEntry(ME, "f", "Find: search", "Search everything", lambda _: ToSearch()),
    GoEntry(ME, "s", "Settings", "Settings", lambda _: ToPage.SETTINGS),
    GoEntry(ME, "a", "Access: tokens", "Sign-in and tokens, linked accounts", lambda _: ToPage.TOKENS),
    *(
        GoEntry(THIS_PROJECT, view.letter, view.short or view.words.partition(":")[0], view.words, partial(_view, view))
        for view in VIEWS
    ),
    GoEntry(THIS_PROJECT, "G", "Gate record", "Gate record of this project", ToGateRecord),
    GoEntry(THIS_PROJECT, "M", "Members", "Members of this project", ToMembers),
    GoEntry(OF_WORKSPACE, "P", "Portfolio", "Portfolio: a timeline of my projects", lambda _: ToPage.PORTFOLIO),
    GoEntry(OF_WORKSPACE, "W", "Workload", "Workload: open cards by person and week", lambda _: ToPage.WORKLOAD),
    GoEntry(OF_WORKSPACE, "h", "History", "History of the project or the workspace", ToHistory),
    GoEntry(OF_WORKSPACE, "e", "Templates", "Templates", lambda _: ToPage.TEMPLATES),
    GoEntry(OF_WORKSPACE, "w", "Workspace people", "People of the workspace", lambda _: ToPage.PEOPLE),
    GoEntry(OF_WORKSPACE, "o", "Products", "Products", lambda _: ToPage.PRODUCTS),
    GoEntry(OF_WORKSPACE, "y", "Hierarchy", "Clients, markets and brands", lambda _: ToPage.HIERARCHY),
    GoEntry(OF_WORKSPACE, "r", "Meta roles", "Meta roles: roles for products", lambda _: ToPage.META_ROLES),
    GoEntry(OF_WORKSPACE, "d", "Doctor: check", "Check of this installation", lambda _: ToPage.DOCTOR),
)


class PaletteEntry(Record, kw_only=False):
    """A line of the palette."""

    title: str
    help: str
    """The keys that do it; where it is refused, why."""
    callback: Callable[[], object]
    refused: bool = False


async def go_menu(app: Podium, screen: PodiumScreen | None) -> None:
    """Ask where to go; ``g`` again goes to the top, as in vim."""
    from tui.dialogs.menus.go_menu import GoMenu, PlaceEntry

    project_id = _project_of(app, screen) if screen else WORKSPACE
    entries = [PlaceEntry(place.letter, place.name, place.group, _why_not(place, project_id)) for place in PLACES]
    top = screen.keys.actions.get("top") if screen else None
    picked = await app.ask(GoMenu(entries, has_top=top is not None))
    if picked == "g" and top is not None:
        top.run()
    elif picked:
        place = next(place for place in PLACES if place.letter == picked)
        await app.visit(place.to(project_id))


def _project_of(app: Podium, screen: PodiumScreen) -> Id:
    """The project of a screen; of one without a project, such as the Inbox, the project that it was opened over."""
    if screen.is_level or screen.project_id != WORKSPACE:
        return screen.project_id
    below = (each.project_id for each in reversed(app.open_screens) if each.project_id != WORKSPACE)
    return next(below, WORKSPACE)


def _why_not(place: GoEntry, project_id: Id) -> str:
    return "Open a project first." if place.in_project and project_id == WORKSPACE else ""


def commands(app: Podium, screen: Any) -> Iterable[PaletteEntry]:
    """The actions of the palette: every key of the screen, with the key or the reason against it, and every place.

    On a list of projects, the views are those of the project under the cursor.
    """
    if not isinstance(screen, PodiumScreen):
        return
    for key in screen.keys.live():
        reason = screen.keys.why_not(key)
        hint = reason or (key.shown if key.keys else "")
        yield PaletteEntry(key.words, hint, partial(app.call_later, screen.keys.run, key), refused=bool(reason))
    near, project_id = _project_at_cursor(screen), _project_of(app, screen)
    for place in PLACES:
        words = f"Go to {place.words}"
        if not _why_not(place, project_id):
            yield PaletteEntry(words, f"g {place.letter}", partial(_visit, app, place, project_id))
        elif near is not None:
            yield PaletteEntry(words, near.name, partial(_visit, app, place, near.id))
    for setting in SETTINGS:
        go = partial(app.call_later, app.visit, ToSetting(setting.name))
        now = app.preferences.find(setting.name) if setting.values else ""
        yield PaletteEntry(f"Setting: {setting.label}", now, go)


def _project_at_cursor(screen: PodiumScreen) -> ProjectRef | None:
    """The project under the cursor of the list of projects, also that of a card in it."""
    from tui.screens.projects.projects import ProjectsScreen

    if not isinstance(screen, ProjectsScreen):
        return None
    item, line = screen.next_item, screen.records.current
    if item is not None:
        return ProjectRef(id=item.project_id, name=item.project)
    return ProjectRef(id=line.project.id, name=line.project.name) if line and not line.withheld else None


def _visit(app: Podium, place: GoEntry, project_id: Id) -> None:
    app.call_later(app.visit, place.to(project_id))


def first_screen(found: ProjectRef | None, card_id: Id | None = None) -> Callable[[], PodiumScreen]:
    """The screen that Podium opens with: the Projects widget, or the Canvas of a project, with the cursor on a card."""
    place = ToCanvas(found.id, card_id, in_layout=card_id is None) if found else ToPage.PROJECTS
    return partial(screen_of, place)
