"""Keys of cards and projects on the screens: shown, copied with y, found, changed."""

from __future__ import annotations

import pytest

from core.actions.projects.projects import EditProject
from tests.screens.shell.test_palette import find
from tests.support.app_driver import Text, canvas, comes, on_stage, press, seen, shows, told
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.cards.card import CardScreen
from tui.screens.personal.my_work import MyWorkScreen
from tui.screens.personal.search import SearchScreen
from tui.screens.projects.projects import ProjectsScreen
from tui.screens.views.table import TableScreen


async def test_a_card_shows_its_key_on_the_canvas_and_y_copies_it(world: World) -> None:
    world.task("Write the brief", assignee_id=world.bob.user_id)
    async with on_stage(world, canvas(world)) as pilot:
        assert "SPR-1" in seen(pilot)
        await press(pilot, "y")
        assert pilot.app.clipboard == "SPR-1"
        assert "Copied the key of “Write the brief”: SPR-1" in told(pilot)
        world.do(EditProject(project_id="SPR", key="NEW"))
        assert await shows(pilot, "NEW-1")
        await press(pilot, "y")
        assert pilot.app.clipboard == "NEW-1"


async def test_an_application_has_no_key_so_y_copies_its_id(world: World) -> None:
    application = world.add_application()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "y")
        assert pilot.app.clipboard == application.id
        assert "Copied the id of" in told(pilot)


async def test_the_page_of_a_card_has_its_key_beside_the_title(world: World) -> None:
    activity = world.activity("Interviews")
    world.task("Call Ann", activity_id=activity.id)
    async with on_stage(world, lambda: CardScreen(world.project.id, activity.id)) as pilot:
        assert "Interviews  SPR-1" in seen(pilot)
        await press(pilot, "y")
        assert pilot.app.clipboard == "SPR-1"
        await press(pilot, "j", "y")
        assert pilot.app.clipboard == "SPR-2"


async def test_my_work_and_projects_copy_keys_too(world: World) -> None:
    world.task("Write the brief", assignee_id=world.maya.user_id)
    async with on_stage(world, MyWorkScreen) as pilot:
        await press(pilot, "y")
        assert pilot.app.clipboard == "SPR-1"
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "y")
        assert pilot.app.clipboard == "SPR"


async def test_the_table_has_a_column_of_keys(world: World) -> None:
    world.task("Write the brief")
    async with on_stage(world, lambda: TableScreen(world.project.id), size=(160, 40)) as pilot:
        assert "Key" in seen(pilot)
        assert "SPR-1" in seen(pilot)


@pytest.mark.parametrize("key", ["SPR-2", "spr-2"])
async def test_search_and_palette_find_a_card_by_its_key(world: World, key: str) -> None:
    world.task("Write the brief")
    found = world.task("Call the printer")
    async with on_stage(world, lambda: SearchScreen(key)) as pilot:
        assert await shows(pilot, "SPR-2 Call the printer")
        assert "Write the brief" not in seen(pilot)
        await press(pilot, "down", "y")
        assert pilot.app.clipboard == "SPR-2"
    async with on_stage(world, ProjectsScreen) as pilot:
        await find(pilot, key, "Call the printer")
        await press(pilot, "enter")
        assert await comes(pilot, lambda: isinstance(pilot.app.screen, CanvasScreen))
        assert pilot.card.id == found.id


async def test_the_form_of_a_project_shows_and_changes_its_key(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "e", "tab", "tab")
        assert "SPR" in seen(pilot)
        await press(pilot, "ctrl+u", Text("1"), "ctrl+s")
        assert "A key has 2 to 6 letters" in seen(pilot)
        await press(pilot, "ctrl+u", Text("fall"), "ctrl+s")
        assert world.row("project", id=world.project.id)["key"] == "FALL"
        await press(pilot, "u")
        assert world.row("project", id=world.project.id)["key"] == "SPR"
