"""The cursor after an undo: on the card that it was on before the card went."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from core.actions.cards.cards import RestoreCard
from core.domain.model import Item
from tests.support.app_driver import PodiumPilot, Text, canvas, on_stage, press, screen_of, settled
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.views.calendar import CalendarScreen
from tui.screens.views.project_view import ProjectView
from tui.screens.views.status_board import StatusBoardScreen
from tui.screens.views.table import TableScreen
from tui.screens.views.timeline import TimelineScreen

VIEWS = [TableScreen, CalendarScreen, StatusBoardScreen, TimelineScreen, CanvasScreen]


@pytest.fixture
def tasks(world: World) -> list[Item]:
    return [world.task(f"Task {number}", due=date(2026, 3, 2) + timedelta(number)) for number in range(5)]


async def put(pilot: Any, task: Item) -> None:
    pilot.app.screen.presenter.go_to(task.id)
    await settled(pilot)
    assert pilot.title == task.title


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.__name__)
async def test_u_goes_back_to_the_card_that_was_archived(
    world: World, tasks: list[Item], view: type[ProjectView]
) -> None:
    async with on_stage(world, lambda: view(world.project.id)) as pilot:
        await put(pilot, tasks[1])
        await press(pilot, "d")
        assert world.status(tasks[1]) == "ARCHIVED"
        then = pilot.title
        assert then == ("" if view is CalendarScreen else "Task 2")  # nothing else is due on its day
        await press(pilot, "u")
        assert (world.status(tasks[1]), pilot.title) == ("TO_DO", "Task 1")
        await press(pilot, "U")
        assert (world.status(tasks[1]), pilot.title) == ("ARCHIVED", then)


async def test_each_u_goes_back_by_one_of_several(world: World, tasks: list[Item]) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await put(pilot, tasks[1])
        await press(pilot, "d", "d")
        assert pilot.title == "Task 3"
        steps = []
        while any(world.status(task) == "ARCHIVED" for task in tasks):
            await press(pilot, "u")
            steps.append(pilot.title)
        assert steps in (["Task 2", "Task 1"], ["Task 1"])  # one step, if the key was as fast as a held one


async def test_a_cursor_that_was_moved_stays(world: World, tasks: list[Item]) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await put(pilot, tasks[1])
        await press(pilot, "d", "j")
        assert pilot.title == "Task 3"
        await press(pilot, "u")
        assert (world.status(tasks[1]), pilot.title) == ("TO_DO", "Task 3")


def column_of(pilot: PodiumPilot) -> str:
    """The phase of the cursor."""
    column = pilot.view.presenter.column
    assert column is not None
    return column.name


async def test_a_cursor_that_was_moved_where_no_card_is_stays(world: World) -> None:
    only = world.task("Only", phase=world.phase("Before all"))
    world.phase("Empty")
    async with on_stage(world, canvas(world)) as pilot:
        await put(pilot, only)
        await press(pilot, "d")
        assert (pilot.title, column_of(pilot)) == ("", "Before all")
        await press(pilot, "l", "u")
        assert (world.status(only), column_of(pilot)) == ("TO_DO", "Empty")


async def test_a_day_that_was_chosen_after_the_archiving_stays(world: World, tasks: list[Item]) -> None:
    async with on_stage(world, lambda: CalendarScreen(world.project.id)) as pilot:
        await put(pilot, tasks[1])
        day = screen_of(pilot, CalendarScreen).presenter.day
        await press(pilot, "d", "j", "u")
        assert (world.status(tasks[1]), screen_of(pilot, CalendarScreen).presenter.day) == ("TO_DO", day + timedelta(7))


@pytest.mark.parametrize("way_back", ["another user", "the archive", "a filter"])
async def test_a_card_that_came_back_in_another_way_does_not_move_the_cursor(
    world: World, tasks: list[Item], way_back: str
) -> None:
    """Neither then, nor when another change is undone."""
    async with on_stage(world, canvas(world)) as pilot:
        await put(pilot, tasks[1])
        if way_back == "another user":
            await press(pilot, "d")
            world.do(RestoreCard(card_id=tasks[1].id), world.bob)
            await pilot.refresh()
        elif way_back == "the archive":
            await press(pilot, "d", "A")
        else:
            await press(pilot, "slash", Text("status:todo"))
            await press(pilot, "enter")  # the cursor is on the first match then
            await put(pilot, tasks[1])
            await press(pilot, "L")
            assert pilot.title == "Task 2"
            await press(pilot, "F")
        assert tasks[1].id in [card.id for card in pilot.view.presenter.list_shown()]
        assert pilot.title == "Task 2"
        await press(pilot, "L", "u")
        assert (world.status(tasks[2]), pilot.title) == ("TO_DO", "Task 2")
