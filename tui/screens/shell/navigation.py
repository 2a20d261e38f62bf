"""Where one can go, and everything one can do: the Go menu, the palette, and the first screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from core.domain.model import WORKSPACE, Id
from core.errors import InvalidInput, NotFound
from core.rules.project_names import ProjectRef
from core.text.phrases import some
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.views.registry import VIEWS, ProjectViewSpec

if TYPE_CHECKING:
    from tui.app import PodiumApp


class Place(NamedTuple):
    """A screen one can go to with ``g`` and a letter."""

    letter: str
    words: str
    make: Callable[[Id], PodiumScreen]
    """Makes the screen; it is given the project that is open, or WORKSPACE."""
    in_project: bool = False
    """Whether it is about a project and so needs one open."""


def _projects(_project_id: Id) -> PodiumScreen:
    from tui.screens.projects.projects import ProjectsScreen

    return ProjectsScreen()


def _my_work(_project_id: Id) -> PodiumScreen:
    from tui.screens.personal.my_work import MyWorkScreen

    return MyWorkScreen()


def _inbox(_project_id: Id) -> PodiumScreen:
    from tui.screens.personal.inbox import InboxScreen

    return InboxScreen()


def _search(_project_id: Id) -> PodiumScreen:
    from tui.screens.personal.search import SearchScreen

    return SearchScreen()


def _members(project_id: Id) -> PodiumScreen:
    from tui.screens.people.members import MembersScreen

    return MembersScreen(project_id)


def _history(project_id: Id) -> PodiumScreen:
    from tui.screens.projects.history import HistoryScreen

    return HistoryScreen(project_id)


def _people(_project_id: Id) -> PodiumScreen:
    from tui.screens.people.people import PeopleScreen

    return PeopleScreen()


def _access(_project_id: Id) -> PodiumScreen:
    from tui.screens.people.tokens import AccessScreen

    return AccessScreen()


def _products(_project_id: Id) -> PodiumScreen:
    from tui.screens.products.products import ProductsScreen

    return ProductsScreen()


def _templates(_project_id: Id) -> PodiumScreen:
    from tui.screens.templates.templates import TemplatesScreen

    return TemplatesScreen()


def _hierarchy(_project_id: Id) -> PodiumScreen:
    from tui.screens.projects.hierarchy import HierarchyScreen

    return HierarchyScreen()


def _meta_roles(_project_id: Id) -> PodiumScreen:
    from tui.screens.people.meta_roles import MetaRolesScreen

    return MetaRolesScreen()


def _settings(_project_id: Id) -> PodiumScreen:
    from tui.screens.personal.settings import SettingsScreen

    return SettingsScreen()


def _doctor(_project_id: Id) -> PodiumScreen:
    from tui.screens.shell.doctor import DoctorScreen

    return DoctorScreen()


def _view(view: ProjectViewSpec, project_id: Id) -> PodiumScreen:
    return view.make(project_id, None)


PLACES = (
    Place("p", "Projects", _projects),
    Place("m", "My work: what is late, due and next for me", _my_work),
    Place("i", "Inbox: what concerns me", _inbox),
    Place("f", "Search everything", _search),
    *(Place(view.letter, view.words, partial(_view, view), in_project=True) for view in VIEWS),
    Place("u", "Members of this project", _members, in_project=True),
    Place("h", "History", _history),
    Place("w", "People of the workspace", _people),
    Place("y", "Access: tokens and enrolled accounts", _access),
    Place("e", "Templates", _templates),
    Place("o", "Products", _products),
    Place("b", "Hierarchy: clients, markets, brands", _hierarchy),
    Place("r", "Meta roles", _meta_roles),
    Place("s", "Settings", _settings),
    Place("d", "Doctor", _doctor),
)


class Offer(NamedTuple):
    """A line of the palette."""

    title: str
    help: str
    """The keys that do it; where it is refused, why."""
    callback: Callable[[], object]
    refused: bool = False


async def go_menu(app: PodiumApp, screen: PodiumScreen | None) -> None:
    """Ask where to go; ``g`` again goes to the top, as in vim."""
    from tui.dialogs.key_menu import Entry, KeyMenu

    project_id = screen.project_id if screen else WORKSPACE
    entries = [Entry(place.letter, place.letter, place.words, _why_not(place, project_id)) for place in PLACES]
    if screen is not None and hasattr(screen, "do_top"):
        entries.append(Entry("g", "g", "Top"))
    picked = await app.ask(KeyMenu("Go to", entries))
    if picked == "g" and screen is not None:
        screen.do_top()  # type: ignore[attr-defined]
    elif picked:
        place = next(place for place in PLACES if place.letter == picked)
        await app.visit(place.make(project_id))


def _why_not(place: Place, project_id: Id) -> str:
    return "Open a project first." if place.in_project and project_id == WORKSPACE else ""


def commands(app: PodiumApp, screen: Any) -> Iterable[Offer]:
    """What the palette offers: every key of the screen, with the key or the reason against it, and every place."""
    if not isinstance(screen, PodiumScreen):
        return
    for key in screen.live_keys():
        reason = screen.why_not(key)
        hint = reason or (key.shown if key.keys else "")
        yield Offer(key.words, hint, partial(app.call_later, screen.run_key, key), refused=bool(reason))
    for place in PLACES:
        if not _why_not(place, screen.project_id):
            yield Offer(f"Go to {place.words}", f"g {place.letter}", partial(_visit, app, screen, place))


def _visit(app: PodiumApp, screen: PodiumScreen, place: Place) -> None:
    app.call_later(app.visit, place.make(screen.project_id))


def first_screen(found: ProjectRef | None) -> Callable[[], PodiumScreen]:
    """The screen that Podium opens with: the Projects widget, or the Canvas of a project."""
    if found is None:
        return lambda: _projects(WORKSPACE)
    return lambda: CanvasScreen(found.id, in_layout=True)


NAMED = 8
"""An ambiguous name names no more projects than this; of more it says how many."""


def the_project(wanted: str, found: tuple[ProjectRef, ...]) -> ProjectRef:
    """The one project that is meant by an id, a name, or the unique beginning of a name, of those it could be.

    Raises NotFound when none of the person's projects is meant, InvalidInput when more than one is.
    """
    if not found:
        raise NotFound(f"None of your projects is called “{wanted}”. “podium project list” shows them.")
    if len(found) > 1:
        called = some([f"“{project.name}” ({project.id})" for project in found], NAMED)
        raise InvalidInput("project", f"“{wanted}” could be {called}. Name one by its id.")
    return found[0]
