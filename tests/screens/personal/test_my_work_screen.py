"""My work: late first, over all projects, with the keys of cards on one line or on marked lines of several projects."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from textual.pilot import Pilot

from core.actions.projects.members import InviteMember
from core.domain.model import Item, Project
from tests.support.app_driver import Text, on_stage, press, screen_of, seen, shows
from tests.support.workspace import Clock, World
from tui.screens.cards.card import CardScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.personal.my_work import MyWorkScreen
from tui.screens.personal.my_work_rows import section_of
from tui.screens.phases.phase import PhaseScreen

SIZES = [(80, 24), (120, 40), (200, 60)]


@pytest.fixture(autouse=True)
def today(clock: Clock) -> None:
    clock.now = datetime.now(UTC)


def mine(world: World, title: str, days: int | None = None, **fields: Any) -> Item:
    """A task of Bob's, due in that many days."""
    due = date.today() + timedelta(days=days) if days is not None else None
    return world.task(title, assignee_id=world.bob.user_id, due=due, **fields)


def second_project(world: World) -> Project:
    """Another one with Bob in it and a card of his."""
    other = world.new_project("Autumn")
    world.do(InviteMember(project_id=other.id, user_id=world.bob.user_id))
    mine(world, "Elsewhere", 30, phase=world.phase("Only", other.id))
    return other


def screen(pilot: Pilot[int]) -> MyWorkScreen:
    return screen_of(pilot, MyWorkScreen)


@pytest.mark.parametrize("size", SIZES)
async def test_what_is_late_stands_first_with_its_project_at_every_size(world: World, size: tuple[int, int]) -> None:
    mine(world, "Someday")
    mine(world, "In a month", 30)
    mine(world, "Soon", 3)
    mine(world, "Now", 0)
    mine(world, "Overdue", -2)
    mine(world, "Not yet", phase=world.launch)
    async with on_stage(world, MyWorkScreen, world.bob, size) as pilot:
        shown = seen(pilot)
        order = ["Late", "Overdue", "Today", "Now", "Next 7 days", "Soon", "Later", "In a month", "No date", "Someday"]
        places = [shown.index(f"{words} ") for words in order]
        assert places == sorted(places)
        assert "My work · 1 late · 1 today" in shown
        line = next(row for row in shown.splitlines() if "Overdue" in row)
        assert "2d late" in line
        assert "Spring lau" in line
        assert "locked" in next(row for row in shown.splitlines() if "Not yet" in row)


@pytest.mark.parametrize(
    ("days", "heading"),
    [(None, "No date"), (-1, "Late"), (0, "Today"), (1, "Next 7 days"), (7, "Next 7 days"), (8, "Later")],
)
def test_each_date_has_its_heading(days: int | None, heading: str) -> None:
    eve = date(2026, 12, 31)
    assert section_of(eve + timedelta(days=days) if days is not None else None, eve) == heading


async def test_an_item_is_completed_from_here_and_undone_from_here(world: World) -> None:
    task = mine(world, "Write", 1)
    second_project(world)
    async with on_stage(world, MyWorkScreen, world.bob) as pilot:
        await press(pilot, "c")
        assert "“Discover” is complete" in seen(pilot)
        assert "Elsewhere" in seen(pilot)  # the cursor is on the other project now
        await press(pilot, "u")
        assert world.status(task) == "TO_DO"
        await press(pilot, "U")
        assert world.status(task) == "COMPLETED"


async def test_marks_over_several_projects_are_one_step_for_each_and_refusals_are_listed(world: World) -> None:
    task, blocked = mine(world, "Write", 1), mine(world, "Not yet", 2, phase=world.launch)
    other = second_project(world)
    async with on_stage(world, MyWorkScreen, world.bob) as pilot:
        await press(pilot, "V", "L")
        assert world.status(task) == "IN_PROGRESS"
        assert world.status(blocked) == "TO_DO"
        assert world.row("item", project_id=other.id)["status"] == "IN_PROGRESS"
        assert "2 done, 1 not possible" in seen(pilot)
        assert "Locked until" in seen(pilot)
        for project_id in (world.project.id, other.id):
            assert world.last_change(project_id)["message"] == "BulkUpdate"


async def test_a_due_date_is_set_for_all_marked_ones(world: World) -> None:
    first, second = mine(world, "One", 1), mine(world, "Two", 2)
    other = second_project(world)
    async with on_stage(world, MyWorkScreen, world.bob) as pilot:
        await press(pilot, "x", "x", "x", "D", Text("2031-05-06"), "ctrl+s")
        ids = (first.id, second.id)
        assert {world.row("item", id=each)["due"] for each in ids} == {"2031-05-06"}
        assert world.row("item", project_id=other.id)["due"] == "2031-05-06"
        assert "and 1 more in 2 projects. u to undo those of the last one." in seen(pilot)


async def test_the_members_of_the_lines_project_can_be_assigned(world: World) -> None:
    task = mine(world, "Write", 1)
    activity = world.activity("Talk", member_ids=(world.bob.user_id, world.vera.user_id))
    other = second_project(world)
    async with on_stage(world, MyWorkScreen, world.bob) as pilot:
        await press(pilot, "a")
        assert "Vera Sato" in seen(pilot)
        assert "Gus Roy" not in seen(pilot)
        await press(pilot, Text("vera"), "enter")
        assert world.row("item", id=task.id)["assignee_id"] == world.vera.user_id
        await press(pilot, "G", "a", "enter")  # those who are assigned are chosen already
        people = world.rows("SELECT user_id FROM assignment WHERE target_id = :id", id=activity.id)
        assert {row["user_id"] for row in people} == {world.bob.user_id, world.vera.user_id}
        await press(pilot, "V", "a")
        assert "one project at a time" in seen(pilot)
        assert world.row("item", project_id=other.id)["assignee_id"] == world.bob.user_id


@pytest.mark.parametrize(("key", "there"), [("enter", CardScreen), ("p", PhaseScreen)])
async def test_keys_lead_to_the_card_and_to_the_phase(world: World, key: str, there: type[PodiumScreen]) -> None:
    mine(world, "Other", -1)
    task = mine(world, "Write")
    async with on_stage(world, MyWorkScreen, world.bob) as pilot:
        await press(pilot, "j", key)
        assert isinstance(pilot.app.screen, there)
        assert pilot.screen.project_id == world.project.id
        if isinstance(pilot.app.screen, CardScreen):
            detail = pilot.app.screen.detail
            assert detail is not None
            assert detail.item.id == task.id
        await press(pilot, "escape")
        assert pilot.record.id == task.id


async def test_why_an_item_is_locked_is_told_with_what_stands_in_the_way(world: World) -> None:
    world.task("In the way")
    mine(world, "Not yet", phase=world.build)
    async with on_stage(world, MyWorkScreen, world.bob) as pilot:
        await press(pilot, "w")
        assert "In the way" in seen(pilot)


async def test_an_empty_list_says_what_comes_here_and_its_keys_say_why_not(world: World) -> None:
    async with on_stage(world, MyWorkScreen, world.gus) as pilot:
        assert "No open work" in seen(pilot)
        for key in ("c", "a", "x", "V", "enter", "p", "w", "u"):
            await press(pilot, key)
        assert isinstance(pilot.app.screen, MyWorkScreen)


async def test_a_card_that_another_user_completes_leaves_the_list(world: World) -> None:

    task = mine(world, "Write", 1)
    async with on_stage(world, MyWorkScreen, world.bob) as pilot:
        await press(pilot, "x")
        world.complete(task.id)
        await screen(pilot).refresh_from_core()
        assert await shows(pilot, "No open work")
        await press(pilot, "c")
        assert "no card of yours" in seen(pilot)
