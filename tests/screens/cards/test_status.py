"""The keys L and H: they move the selected cards to the next and the previous status."""

from __future__ import annotations

from core.domain.model import Status
from tests.support.app_driver import Text, canvas, on_stage, press, seen, told
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


async def test_d_on_an_archived_card_deletes_it_for_good_after_a_question(world: World) -> None:
    first, old = world.task("First"), world.task("Old")
    world.archive(old.id)
    async with on_stage(world, canvas(world), size=(160, 40)) as pilot:
        await press(pilot, "A")
        assert "d archive" in seen(pilot)
        await press(pilot, "j")
        assert "d delete" in seen(pilot)
        await press(pilot, "d")
        assert "“Old” and all that belongs to" in " ".join(seen(pilot).replace("│", " ").split())
        await press(pilot, Text("delete"), "enter")
        assert [row["id"] for row in world.rows("SELECT id FROM item")] == [first.id]


async def test_who_may_not_delete_reads_who_may(world: World) -> None:
    world.task("First")
    old = world.task("Old")
    world.archive(old.id)
    async with on_stage(world, canvas(world), world.bob, size=(160, 40)) as pilot:
        await press(pilot, "A", "j")
        assert "d delete" not in seen(pilot)
        await press(pilot, "d")
        assert told(pilot) == "This card is archived. Press r to restore it. Only an owner can delete it for good."
        assert len(world.rows("SELECT id FROM item")) == 2
