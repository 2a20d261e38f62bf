"""The setting where the cursor is after a card was moved."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.actions.workspace.profile import SetPreference
from tests.support.app_driver import canvas, on_stage, press, seen
from tests.support.workspace import World
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
        assert pilot.app.screen.presenter.card.title == "Third"  # type: ignore[attr-defined]


async def test_it_is_chosen_in_the_settings(world: World) -> None:
    async with on_stage(world, SettingsScreen) as pilot:
        while pilot.app.screen.line.id != "after_move":
            await press(pilot, "j")
        await press(pilot, "enter")
        assert world.row("preference", name="after_move")["value"] == "take the next"
        assert "take the next" in seen(pilot)
        await press(pilot, "r")
        assert world.rows("SELECT * FROM preference WHERE name = 'after_move'") == []
