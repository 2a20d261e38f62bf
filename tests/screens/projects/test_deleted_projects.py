"""Every screen of a project hides all of it when another person deletes the project, and names what was deleted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import ModalScreen

from core.actions.projects.members import RemoveMember
from core.actions.projects.projects import ArchiveProject, DeleteProject
from tests.support.app_driver import Text, hides, on_stage, press, seen, settled, shows
from tests.support.waiting import until
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.cards.card import CardScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.people.members import MembersScreen
from tui.screens.personal.settings import SettingsScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.products.application import ApplicationScreen
from tui.screens.projects.history import HistoryScreen, OthersChanges, ProjectHistory
from tui.screens.views.calendar import CalendarScreen
from tui.screens.views.charts import ChartsScreen
from tui.screens.views.status_board import StatusBoardScreen
from tui.screens.views.table import TableScreen
from tui.screens.views.timeline import TimelineScreen

DELETED = "“Spring launch” was deleted for good"
REMOVED = "or you are not a member of it any more."

SCREENS: dict[str, Callable[[World], PodiumScreen]] = {
    "canvas": lambda world: CanvasScreen(world.project.id),
    "status board": lambda world: StatusBoardScreen(world.project.id),
    "table": lambda world: TableScreen(world.project.id),
    "timeline": lambda world: TimelineScreen(world.project.id),
    "calendar": lambda world: CalendarScreen(world.project.id),
    "charts": lambda world: ChartsScreen(world.project.id),
    "card": lambda world: CardScreen(world.project.id, world.row("item", title="Write the brief")["id"]),
    "phase": lambda world: PhaseScreen(world.project.id, world.discover.id),
    "application": lambda world: ApplicationScreen(world.project.id, world.row("application")["id"]),
    "members": lambda world: MembersScreen(world.project.id),
    "history": lambda world: HistoryScreen(ProjectHistory(world.project.id)),
    "news": lambda world: HistoryScreen(OthersChanges(world.project.id)),
}


@pytest.fixture
def plan(world: World) -> World:
    world.task("Write the brief", assignee_id=world.bob.user_id)
    world.add_application()
    return world


def delete(world: World) -> None:
    """As the owner does elsewhere, while Bob looks."""
    world.do(ArchiveProject(project_id=world.project.id))
    world.do(DeleteProject(project_id=world.project.id))
    assert not world.rows("SELECT id FROM project WHERE name = 'Spring launch'")


def remove(world: World) -> None:
    """From the project, which stays."""
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    assert not world.rows("SELECT * FROM member WHERE user_id = :bob", bob=world.bob.user_id)


HIDDEN = pytest.mark.parametrize(
    ("hide", "words"),
    [(delete, DELETED), (remove, REMOVED)],
    ids=["deleted", "removed"],
)


@pytest.mark.parametrize("name", SCREENS)
async def test_a_screen_hides_all_of_a_project_that_was_deleted_and_esc_leads_back(plan: World, name: str) -> None:
    screen = SCREENS[name](plan)
    async with on_stage(plan, SettingsScreen, plan.bob) as pilot:
        await pilot.app.push_screen(screen)
        await settled(pilot)
        delete(plan)
        assert await shows(pilot, DELETED)
        assert "esc leads back." in seen(pilot)
        assert "All is shown again" not in seen(pilot)
        assert not [word for word in ("brief", "Discover", "Maya", plan.project.id) if word in seen(pilot)]
        await press(pilot, "D")
        assert "esc leads back." in seen(pilot)
        assert plan.project.id not in seen(pilot)
        await press(pilot, "escape")
        await until(lambda: isinstance(pilot.app.screen, SettingsScreen))


@asynccontextmanager
async def filtering(plan: World, words: str) -> AsyncIterator[Pilot[Any]]:
    """Bob's Canvas, opened from the settings, with these words typed as its filter."""
    async with on_stage(plan, SettingsScreen, plan.bob) as pilot:
        await pilot.app.push_screen(CanvasScreen(plan.project.id))
        await settled(pilot)
        await press(pilot, "slash", Text(words))
        yield pilot


@HIDDEN
async def test_esc_leads_back_at_once_from_a_hidden_project_whatever_was_marked_and_filtered(
    plan: World, hide: Callable[[World], None], words: str
) -> None:
    async with filtering(plan, "brief") as pilot:
        await press(pilot, "enter", "space")
        hide(plan)
        assert await shows(pilot, words)
        assert await hides(pilot, "brief")
        await press(pilot, "escape")
        await until(lambda: isinstance(pilot.app.screen, SettingsScreen))


@HIDDEN
async def test_a_filter_that_is_being_typed_is_left_when_the_project_is_hidden(
    plan: World, hide: Callable[[World], None], words: str
) -> None:
    async with filtering(plan, "assignee:") as pilot:
        hide(plan)
        assert await shows(pilot, words)
        await press(pilot, "b", "escape")
        await until(lambda: isinstance(pilot.app.screen, SettingsScreen))


async def test_a_form_closes_with_the_project_that_it_was_about(plan: World) -> None:
    async with on_stage(plan, lambda: CanvasScreen(plan.project.id), plan.bob) as pilot:
        await press(pilot, "e")
        await until(lambda: isinstance(pilot.app.screen, ModalScreen))
        delete(plan)
        assert await shows(pilot, DELETED)
        assert "q quits." in seen(pilot)
        assert isinstance(pilot.app.screen, CanvasScreen)


async def test_a_card_that_is_gone_closes_as_before_and_the_project_stays(plan: World) -> None:
    task = plan.task("Call the venue")
    async with on_stage(plan, lambda: CanvasScreen(plan.project.id), plan.bob) as pilot:
        await pilot.app.push_screen(CardScreen(plan.project.id, task.id))
        await settled(pilot)
        plan.delete(task.id)
        assert await shows(pilot, "“Call the venue” is not here any more.")
        assert await shows(pilot, "Write the brief")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert [row["title"] for row in plan.rows("SELECT title FROM item")] == ["Write the brief"]
