"""The setting where the cursor is after a card was moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import pytest

from core.actions.workspace.profile import SetPreference
from tests.support.app_driver import PodiumPilot, canvas, on_stage, press, seen
from tests.support.sweeps import sweep
from tests.support.workspace import World
from tui.screens.personal.my_work import MyWorkScreen
from tui.screens.personal.settings import SettingsScreen
from tui.screens.views.project_view import ProjectView
from tui.screens.views.status_board import StatusBoardScreen
from tui.screens.views.table import TableScreen

VIEWS: tuple[Callable[[World], Callable[[], ProjectView]], ...] = (
    canvas,
    lambda world: lambda: TableScreen(world.project.id),
    lambda world: lambda: StatusBoardScreen(world.project.id),
)


@pytest.mark.parametrize("view", VIEWS)
async def test_by_default_the_cursor_follows_the_card(
    world: World, view: Callable[[World], Callable[[], ProjectView]]
) -> None:
    first, second = world.task("First"), world.task("Second")
    async with on_stage(world, view(world)) as pilot:
        await press(pilot, "L", "L")
        assert [world.status(each) for each in (first, second)] == ["COMPLETED", "TO_DO"]
        assert "First, task, Completed" in seen(pilot)


@pytest.mark.parametrize("view", VIEWS)
async def test_a_list_is_worked_off_with_c_where_the_cursor_takes_the_next_card(
    world: World, view: Callable[[World], Callable[[], ProjectView]]
) -> None:
    world.do(SetPreference(name="after_move", value="take the next"))
    tasks = [world.task(title) for title in ("First", "Second", "Third")]
    async with on_stage(world, view(world)) as pilot:
        await press(pilot, "c")
        assert "Second, task, To Do" in seen(pilot)
        await press(pilot, "c", "c")
        assert [world.status(each) for each in tasks] == ["COMPLETED"] * 3
        assert pilot.card.title == "Third"


MOVING = ("L", "s i", "s c", "c", "d", "s a")


@pytest.mark.parametrize(
    ("view", "keys"), sweep(product(range(3), MOVING), lambda case: MOVING.index(case[1]) % 3 == case[0])
)
@pytest.mark.parametrize("archive", [(), ("A",)], ids=["", "with the archive shown"])
async def test_each_key_that_moves_a_card_takes_the_next_one(
    world: World, view: int, keys: str, archive: Sequence[str]
) -> None:
    world.do(SetPreference(name="after_move", value="take the next"))
    first, second = world.task("First"), world.task("Second")
    async with on_stage(world, VIEWS[view](world)) as pilot:
        await press(pilot, *archive, *keys.split())
        assert world.status(first) != "TO_DO"
        assert world.status(second) == "TO_DO"
        assert pilot.card.title == "Second"
        assert "Second" in seen(pilot)


async def test_the_next_card_is_taken_backwards_and_into_another_phase(world: World) -> None:
    world.do(SetPreference(name="after_move", value="take the next"))
    begun = [world.task(title) for title in ("First", "Second", "Third")]
    world.start(*(each.id for each in begun))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "H")
        assert [world.status(each) for each in begun] == ["TO_DO", "IN_PROGRESS", "IN_PROGRESS"]
        assert "Second, task, In Progress" in seen(pilot)
        await press(pilot, "H", "H", "g", "g")
        assert "First, task, To Do" in seen(pilot)
        await press(pilot, "m", "enter")
        assert world.row("item", title="First")["phase_id"] != world.discover.id
        assert "Second, task, To Do" in seen(pilot)


async def test_marked_cards_leave_the_cursor_alone_wherever_it_is(world: World) -> None:
    world.do(SetPreference(name="after_move", value="take the next"))
    tasks = [world.task(title) for title in ("First", "Second", "Third")]
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "space", "space", "c")
        assert [world.status(each) for each in tasks] == ["COMPLETED", "COMPLETED", "TO_DO"]
        assert pilot.card.title == "Third"


@pytest.mark.parametrize(("value", "after"), [("", "First"), ("take the next", "Second")])
async def test_in_my_work_the_next_line_is_taken(world: World, value: str, after: str) -> None:
    world.do(SetPreference(name="after_move", value=value))
    tasks = [world.task(title, assignee_id=world.maya.user_id) for title in ("First", "Second")]
    async with on_stage(world, MyWorkScreen) as pilot:
        await press(pilot, "L")
        assert [world.status(each) for each in tasks] == ["IN_PROGRESS", "TO_DO"]
        assert title_at_cursor(pilot) == after
        await press(pilot, "c")
        assert title_at_cursor(pilot) in ("First", "Second")


def title_at_cursor(pilot: PodiumPilot) -> str:
    """The title of the card that the cursor of My work is on."""
    line = pilot.record
    return str(line.title)


async def test_it_is_chosen_in_the_settings(world: World) -> None:
    async with on_stage(world, SettingsScreen) as pilot:
        while pilot.line.id != "after_move":
            await press(pilot, "j")
        await press(pilot, "enter")
        assert world.row("preference", name="after_move")["value"] == "take the next"
        assert "take the next" in seen(pilot)
        await press(pilot, "r")
        assert world.rows("SELECT * FROM preference WHERE name = 'after_move'") == []
