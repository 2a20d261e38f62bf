"""Going from place to place, and back."""

from __future__ import annotations

from tests.screens.stage import on_stage, press, seen
from tests.world import World
from tui.screens.canvas import CanvasScreen
from tui.screens.projects import ProjectsScreen


async def test_from_any_place_escape_leads_back_to_the_canvas_and_then_to_the_projects(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CanvasScreen)
        await press(pilot, "g", "u")
        assert "Members" in seen(pilot)
        await press(pilot, "g", "h")
        assert "added the phase" in seen(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, CanvasScreen)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, ProjectsScreen)


async def test_minus_leads_back_to_the_last_place(world: World) -> None:
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await press(pilot, "g", "h", "g", "c")
        assert isinstance(pilot.app.screen, CanvasScreen)
        await press(pilot, "minus")
        assert "added the phase" in seen(pilot)


async def test_escape_on_the_first_screen_does_not_quit(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "escape", "escape")
        assert isinstance(pilot.app.screen, ProjectsScreen)
        assert pilot.app.is_running


async def test_the_palette_runs_an_action_by_its_name(world: World) -> None:
    task = world.task()
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await press(pilot, "colon")
        await press(pilot, *"completeorreopen")
        await pilot.pause(0.5)
        assert "🔎" not in seen(pilot)
        await press(pilot, "enter")
        await pilot.pause(0.3)
        assert world.status(task) == "COMPLETED"
