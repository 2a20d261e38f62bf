"""Pictures of the views that plan: Timeline, Table, Calendar, Charts, Portfolio, Workload.

They are kept beside the tests as in ``test_pictures``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import date, timedelta

import pytest

from core.actions.cards.comments import AddComment
from core.actions.projects.projects import EditProject
from core.actions.workflow.phases import EditPhase, SetPhaseDueDate
from core.actions.workspace.profile import GetCurrentUser, SetPreference
from core.backends.local import LocalBackend
from core.domain.model import Gate, Id
from tests.screens.test_pictures import pressing
from tests.support.sweeps import sizes, sweep
from tests.support.workspace import Clock, World
from tui.app import PodiumApp
from tui.drawing.theme import LIGHT
from tui.screens.framework.screen import PodiumScreen
from tui.screens.portfolio import workload
from tui.screens.portfolio.portfolio import PortfolioScreen
from tui.screens.portfolio.workload import WorkloadScreen
from tui.screens.previews import lines, projects
from tui.screens.views.calendar import CalendarScreen
from tui.screens.views.charts import ChartsScreen
from tui.screens.views.table import TableScreen
from tui.screens.views.timeline import TimelineScreen

pytestmark = pytest.mark.usefixtures("utc")

Snap = Callable[..., bool]
MONDAY = date(2026, 3, 2)
"""The day on which the clock of the tests stands."""
SCREENS: dict[str, tuple[Callable[[Id], PodiumScreen], tuple[str, ...]]] = {
    "timeline": (TimelineScreen, ("j", "tab", "k", "tab", "j")),
    "table": (TableScreen, ("space", "S")),
    "calendar": (CalendarScreen, ("tab", "space")),
    "charts": (ChartsScreen, ()),
    "portfolio": (lambda _: PortfolioScreen(), ()),
    "workload": (lambda _: WorkloadScreen(), ("j",)),
}


class OnMonday(date):
    """The date on which the previews stand, as the clock of the tests does."""

    @classmethod
    def today(cls) -> OnMonday:
        return cls(MONDAY.year, MONDAY.month, MONDAY.day)


@pytest.fixture(autouse=True)
def _on_monday(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (lines, projects, workload):
        monkeypatch.setattr(module, "date", OnMonday)


@pytest.fixture
def plan(world: World, clock: Clock) -> World:
    """Late, open and locked phases; one without a date; cards of each kind, wide and hostile texts among them.

    It took three weeks to come to this.
    """
    clock.forward(days=-21)
    world.do(EditProject(project_id=world.project.id, start=MONDAY - timedelta(28)))
    for phase, days in ((world.discover, -4), (world.build, 21)):
        world.do(SetPhaseDueDate(phase_id=phase.id, due=MONDAY + timedelta(days)))
    world.do(EditPhase(phase_id=world.build.id, gate=Gate.REVIEW))
    brief = world.task("Write the brief", due=MONDAY - timedelta(14), assignee_id=world.bob.user_id)
    talks = world.activity("Interviews with customers in four countries", due=MONDAY - timedelta(5))
    world.task("Call Ana", activity_id=talks.id, due=MONDAY + timedelta(2), assignee_id=world.maya.user_id)
    world.task("概要を書く、それから翻訳する", world.build, due=MONDAY + timedelta(9), assignee_id=world.bob.user_id)
    world.task("[red]Not red[/] [@click=app.bell]not a link[/]", world.build)
    world.add_application(world.product("Planner"), world.build)
    clock.forward(days=8)
    world.start(brief.id)
    clock.forward(days=5)
    world.complete(brief.id)
    clock.forward(days=8)
    world.do(AddComment(item_id=talks.id, text="Two of them answer only in the evening."))
    return world


@pytest.fixture
def shown(plan: World, snap_compare: Snap) -> Iterator[Callable[..., bool]]:
    """``shown(screen, size, theme, keys)``: whether Podium looks as in the picture."""
    backends: list[LocalBackend] = []

    def compare(name: str, size: tuple[int, int], *, theme: str = "", more: tuple[str, ...] = ()) -> bool:
        screen, keys = SCREENS[name]
        backends.append(LocalBackend(plan.engine, plan.maya))
        app = PodiumApp(backends[-1], plan.ask(GetCurrentUser()), lambda: screen(plan.project.id))
        if theme:
            app.theme = theme
        return snap_compare(app, terminal_size=size, run_before=pressing(*keys, *more))

    yield compare
    for backend in backends:
        asyncio.run(backend.close())


@sizes((120, 40), swept=[(80, 24), (200, 60), (40, 12)])
@pytest.mark.parametrize("name", SCREENS)
def test_the_view(shown: Callable[..., bool], name: str, size: tuple[int, int]) -> None:
    assert shown(name, size)


@pytest.mark.parametrize("name", sweep(SCREENS, lambda name: name == "timeline"))
def test_the_view_in_light_colours(shown: Callable[..., bool], name: str) -> None:
    assert shown(name, (120, 40), theme=LIGHT.name)


@pytest.mark.parametrize("name", SCREENS)
def test_the_view_in_plain_signs(plan: World, shown: Callable[..., bool], name: str) -> None:
    plan.do(SetPreference(name="signs", value="ascii"))
    assert shown(name, (80, 24))


@sizes((120, 40), swept=[(80, 24), (40, 12)])
def test_the_reasons_of_the_health(shown: Callable[..., bool], size: tuple[int, int]) -> None:
    assert shown("charts", size, more=("w",))


@sizes((120, 40), swept=[(80, 24)])
def test_a_move_before_it_is_done(shown: Callable[..., bool], size: tuple[int, int]) -> None:
    assert shown("timeline", size, more=("home", "right_curly_bracket", "right_parenthesis"))
