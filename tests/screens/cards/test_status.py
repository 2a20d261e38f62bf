"""The keys L and H: they move the selected cards to the next and the previous status."""

from __future__ import annotations

from core.domain.model import Status
from tests.support.app_driver import canvas, on_stage, press, seen
from tests.support.workspace import World


async def test_l_moves_the_card_to_the_next_status_and_the_cursor_stays_on_it(world: World) -> None:
    task = world.task("Write the brief")
    world.task("Read the old brief")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "L")
        assert world.status(task) == Status.IN_PROGRESS
        assert "In Progress 1" in seen(pilot)
        assert pilot.card.id == task.id
        await press(pilot, "L")
        assert world.status(task) == Status.COMPLETED
        assert "Completed 1" in seen(pilot)


async def test_a_locked_phase_refuses_and_leads_to_what_stands_in_the_way(world: World) -> None:
    first = world.task("Interview customers")
    later = world.task("Build the page", world.build)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "2", "L")
        assert world.status(later) == Status.TO_DO
        shown = seen(pilot)
        assert "locked" in shown
        assert "Interview customers" in shown
        assert "Maya Okafor" in shown
        await press(pilot, "enter")
        assert pilot.card.id == first.id


async def test_reopening_asks_before_later_phases_lock_again(world: World) -> None:
    first = world.task("Interview customers")
    world.complete(first.id)
    world.task("Build the page", world.build)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "1", "enter", "H")
        assert world.status(first) == "COMPLETED"
        assert "Lock later phases again?" in seen(pilot)
        await press(pilot, "y")
        assert world.status(first) == "IN_PROGRESS"
        assert "locked" in seen(pilot)
