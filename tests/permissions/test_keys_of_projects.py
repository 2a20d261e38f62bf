"""Role × key on the list of projects, where a key asks for the rights on the project of the line only when pressed."""

from __future__ import annotations

import pytest

from tests.support.app_driver import PodiumPilot, comes, on_stage, press, settled, told
from tests.support.expected_rights import Role, Stage, is_refusal
from tests.support.screen_cases import ASKS_WHEN_PRESSED
from tests.support.workspace import World, content
from tui.keys.table import BY_ID
from tui.screens.framework.screen import PodiumScreen
from tui.screens.projects.projects import ProjectsScreen

LESSER = (Role("contributor", "internal"), Role("viewer", "guest"))
"""Members who may do none of it."""

CODES = {
    "projects.edit": "PROJECT_UPDATE",
    "projects.archive": "PROJECT_UPDATE",
    "projects.restore": "PROJECT_UPDATE",
    "projects.delete": "PROJECT_DELETE",
}
ON_ARCHIVED = ("projects.restore", "projects.delete")

by_key = pytest.mark.parametrize("key_id", CODES)


@pytest.fixture(scope="module")
def world(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> World:
    return stage.copied(tmp_path_factory.mktemp("projects") / "projects.db")


def put(world: World, *, archived: bool) -> None:
    world.database.write(lambda tx: tx.execute("UPDATE project SET archived = :archived", archived=int(archived)))


async def pressed(pilot: PodiumPilot, key_id: str) -> str:
    """The message after a key is pressed, or chosen in the menu if it has none."""
    screen, key = pilot.app.screen, BY_ID[key_id]
    assert isinstance(screen, PodiumScreen)
    if key_id in ON_ARCHIVED:
        await press(pilot, "A")
        pilot.app.messages.clear()
        await settled(pilot)
        assert told(pilot) == ""
    if key.keys:
        await pilot.press(key.keys.partition(",")[0])
    else:
        await screen.keys.run(key)
    assert await comes(pilot, lambda: told(pilot)), "nothing is said"
    assert pilot.app.screen is screen, "nothing is asked"
    return told(pilot)


@by_key
@pytest.mark.parametrize("role", LESSER, ids=str)
async def test_a_key_says_why_not_asks_nothing_and_writes_nothing(
    world: World, stage: Stage, role: Role, key_id: str
) -> None:
    put(world, archived=key_id in ON_ARCHIVED)
    before = content(world.database)
    async with on_stage(world, ProjectsScreen, stage.cast.active[role], (80, 24)) as pilot:
        said = await pressed(pilot, key_id)
    assert is_refusal(said, role.on_project, CODES[key_id]), said
    assert content(world.database) == before


@by_key
async def test_a_user_who_is_no_member_has_no_project_in_the_list_to_press_it_on(
    world: World, stage: Stage, key_id: str
) -> None:
    put(world, archived=key_id in ON_ARCHIVED)
    before = content(world.database)
    async with on_stage(world, ProjectsScreen, stage.cast.active[Role("", "platform admin")], (80, 24)) as pilot:
        assert await pressed(pilot, key_id) == "No project here."
    assert content(world.database) == before


def test_every_key_of_the_list_that_asks_when_pressed_is_pressed_here() -> None:
    of_list = {key_id for key_id in ASKS_WHEN_PRESSED if key_id.startswith("projects.")}
    assert CODES.keys() == of_list - {"projects.favourite"}
