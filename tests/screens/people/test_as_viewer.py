"""As a Viewer sees it: chosen in the menu of presets, holding on the whole project, ended by one key."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.actions.workflow.canvas import GetCanvas
from core.domain.model import Id, Status
from tests.screens.views.test_presets import canvas, chosen, furnish
from tests.support.app_driver import on_stage, press, seen, settled
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.cards.card import CardScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.projects.projects import ProjectsScreen
from tui.screens.views.calendar import CalendarScreen
from tui.screens.views.status_board import StatusBoardScreen
from tui.screens.views.table import TableScreen
from tui.screens.views.timeline import TimelineScreen


async def test_as_a_viewer_keys_refuse_with_the_reason_until_esc(world: World) -> None:
    furnish(world)
    task = world.task("Call")
    async with on_stage(world, canvas(world, task.id)) as pilot:
        await press(pilot, "P", "G", "v")
        title = seen(pilot).splitlines()[0]
        assert "as Viewer · Spring launch" in title
        assert "  Review" in title
        assert "viewer" in title
        assert "Objectives Know the people" in seen(pilot)
        for key in ("L", "e", "n", "d", "N"):
            await press(pilot, key)
            assert "you are a viewer" in " ".join(seen(pilot).split())
        await press(pilot, "u")
        assert "You are viewing this project as a viewer" in seen(pilot)
        await pilot.screen.refresh_from_core()
        world.task("News")
        await pilot.screen.refresh_from_core()
        await press(pilot, "L")
        assert world.status(task) == Status.TO_DO
        await press(pilot, "escape")
        assert "News" in seen(pilot)
        assert "Viewer" not in seen(pilot).splitlines()[0]
        assert "Objectives" not in seen(pilot)
        await press(pilot, "L")
        assert world.status(task) == Status.IN_PROGRESS
    assert chosen(world) == []
    assert world.ask(GetCanvas(project_id=world.project.id)).preset.id == "OVERVIEW"


async def test_P_ends_looking_as_a_viewer_too(world: World) -> None:  # noqa: N802 - as the key is
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "P", "v")
        assert "as Viewer" in seen(pilot).splitlines()[0]
        await press(pilot, "P")
        assert "as Viewer" not in seen(pilot).splitlines()[0]
        assert "owner" in seen(pilot).splitlines()[0]
        assert isinstance(pilot.app.screen, CanvasScreen)


@pytest.mark.parametrize("view", [TableScreen, StatusBoardScreen, TimelineScreen, CalendarScreen])
async def test_as_a_viewer_holds_on_every_view_and_page_of_the_project_and_ends_with_one_key(
    world: World, view: Callable[[Id, Id], PodiumScreen]
) -> None:
    task = world.task("Call", due=world.engine.clock().date())
    project = world.project.id
    async with on_stage(world, canvas(world)) as pilot:
        await pilot.app.push_screen(view(project, task.id))
        await press(pilot, "P", "G", "v")
        assert "as Viewer" in seen(pilot).splitlines()[0]
        assert "Review" in seen(pilot).splitlines()[0]
        await press(pilot, "c")
        assert "you are a viewer" in " ".join(seen(pilot).split())
        await press(pilot, "enter", "e")
        assert isinstance(pilot.app.screen, CardScreen)
        assert "as Viewer" in seen(pilot).splitlines()[0]
        assert "you are a viewer" in " ".join(seen(pilot).split())
        await press(pilot, "q", "q")
        assert isinstance(pilot.app.screen, CanvasScreen)
        title = seen(pilot).splitlines()[0]
        assert "as Viewer · Spring launch" in title
        assert "  Review" in title
        await pilot.app.push_screen(view(project, task.id))
        await settled(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, view)
        assert "owner" in seen(pilot).splitlines()[0]
        assert not {"Viewer", "Review"} & set(seen(pilot).splitlines()[0].split())
        await press(pilot, "c")
        assert world.status(task) == Status.COMPLETED
    assert chosen(world) == []


async def test_leaving_the_project_ends_looking_as_a_viewer(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "P", "v", "g", "p")
        assert isinstance(pilot.app.screen, ProjectsScreen)
        assert "Viewer" not in seen(pilot).splitlines()[0]
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert "Viewer" not in seen(pilot).splitlines()[0]
