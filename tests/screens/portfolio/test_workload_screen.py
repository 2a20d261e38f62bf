"""The Workload: a line for each person, and the cards behind it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from textual.pilot import Pilot

from core.text.dates import in_short
from tests.support.app_driver import on_stage, press, seen, shows
from tests.support.workspace import Clock, World
from tui.screens.cards.card import CardScreen
from tui.screens.portfolio.person_workload import PersonWorkloadScreen
from tui.screens.portfolio.workload import WorkloadScreen
from tui.screens.projects.projects import ProjectsScreen

TODAY = date.today()


@pytest.fixture(autouse=True)
def today(clock: Clock) -> None:
    clock.now = datetime.now(UTC)


def numbers(pilot: Pilot[int], name: str) -> list[str]:
    """The numbers of a person's line, empty cells and weeks without cards left out."""
    line = next(row for row in seen(pilot).splitlines() if name in row)
    return line.split(name)[1].replace("·", "").split()


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_open_cards_are_counted_by_person_and_nobody_stands_last(world: World, size: tuple[int, int]) -> None:
    bob = world.bob.user_id
    world.task("Late", due=TODAY - timedelta(days=1), assignee_id=bob)
    world.task("Now", due=TODAY, assignee_id=bob)
    world.task("Now too", due=TODAY, assignee_id=bob)
    world.task("Free", due=TODAY)
    async with on_stage(world, WorkloadScreen, size=size) as pilot:
        assert numbers(pilot, "Bob Lind") == ["1", "2", "3"]
        assert numbers(pilot, "Nobody assigned") == ["1", "1"]
        assert seen(pilot).index("Bob Lind") < seen(pilot).index("Nobody assigned")
        assert "This week" in seen(pilot)


async def test_e_sets_the_limit_above_which_a_week_is_marked_and_the_title_names_it(world: World) -> None:
    for title in ("Now", "Now too"):
        world.task(title, due=TODAY, assignee_id=world.bob.user_id)
    async with on_stage(world, WorkloadScreen) as pilot:
        assert "▲ more than 5 open cards in a week" in seen(pilot)
        assert numbers(pilot, "Bob Lind") == ["2", "2"]
        await press(pilot, "e")
        await press(pilot, "x", "enter")
        assert await shows(pilot, "Type a whole number")
        await press(pilot, "backspace", "1", "enter")
        assert await shows(pilot, "▲ more than 1 open card in a week")
        assert numbers(pilot, "Bob Lind") == ["▲2", "2"]


async def test_weeks_that_do_not_fit_are_counted_as_later(world: World) -> None:
    world.task("Soon", due=TODAY, assignee_id=world.bob.user_id)
    world.task("Far", due=TODAY + timedelta(weeks=7), assignee_id=world.bob.user_id)
    monday = TODAY + timedelta(weeks=7) - timedelta(days=TODAY.weekday())
    async with on_stage(world, WorkloadScreen, size=(60, 24)) as pilot:
        assert numbers(pilot, "Bob Lind") == ["1", "1", "2"]
        assert "Beyond" in seen(pilot).splitlines()[1]
        assert in_short(monday, TODAY) not in seen(pilot)
        await pilot.resize_terminal(200, 60)
        assert await shows(pilot, in_short(monday, TODAY))
        assert "Beyond" not in seen(pilot).splitlines()[1]
        assert numbers(pilot, "Bob Lind") == ["1", "1", "2"]


async def test_enter_lists_the_cards_and_enter_again_opens_one(world: World) -> None:
    world.task("Call the venue", due=TODAY, assignee_id=world.bob.user_id)
    world.task("Someday", assignee_id=world.bob.user_id)
    world.task("Vera's", due=TODAY, assignee_id=world.vera.user_id)
    async with on_stage(world, WorkloadScreen) as pilot:
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, PersonWorkloadScreen)
        assert "Workload · Bob Lind" in seen(pilot)
        assert "Call the venue" in seen(pilot)
        assert "Vera's" not in seen(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CardScreen)
        assert await shows(pilot, "Call the venue")
        await press(pilot, "escape")
        assert "Workload · Bob Lind" in seen(pilot)


async def test_the_cards_of_nobody_are_listed_too(world: World) -> None:
    world.task("Free", due=TODAY)
    async with on_stage(world, WorkloadScreen) as pilot:
        await press(pilot, "enter")
        assert "Workload · Nobody assigned" in seen(pilot)
        assert "Free" in seen(pilot)


async def test_the_preview_lists_the_cards_by_section(world: World) -> None:
    world.task("Overdue", due=TODAY - timedelta(days=2), assignee_id=world.bob.user_id)
    world.task("Someday", assignee_id=world.bob.user_id)
    async with on_stage(world, WorkloadScreen) as pilot:
        assert await shows(pilot, "Overdue")
        assert "2 open cards · 1 late" in seen(pilot)
        assert "No date  1" in seen(pilot)


async def test_a_card_that_is_completed_no_longer_counts(world: World) -> None:
    task = world.task("Call the venue", due=TODAY, assignee_id=world.bob.user_id)
    async with on_stage(world, WorkloadScreen) as pilot:
        assert numbers(pilot, "Bob Lind") == ["1", "1"]
        world.complete(task.id)
        await press(pilot, "R")
        assert "No open cards" in seen(pilot)


async def test_g_w_leads_to_it(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "g", "W")
        assert isinstance(pilot.app.screen, WorkloadScreen)
        assert "No open cards" in seen(pilot)
