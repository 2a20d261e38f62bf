"""Cards that are dragged to another place, status or phase: one change each."""

from __future__ import annotations

import pytest

from core.actions.workflow.gates import DecideGate
from core.domain.gates import Decision
from core.domain.model import Status
from tests.support.app_driver import canvas, on_stage, press, seen, settled, told
from tests.support.workspace import World
from tui.board.messages import CardDropped


async def test_dropping_a_card_moves_it_to_the_section_under_the_mouse(world: World) -> None:
    task = world.task()
    async with on_stage(world, canvas(world)) as pilot:
        board = pilot.board
        board.post_message(CardDropped(pilot.card, world.build.id, Status.TO_DO, None))
        await settled(pilot)
        assert world.row("item", id=task.id)["phase_id"] == world.build.id
        await press(pilot, "u")
        assert world.row("item", id=task.id)["phase_id"] == world.discover.id


@pytest.mark.parametrize(
    ("phase", "status", "message", "line"),
    [
        ("discover", Status.IN_PROGRESS, "Moved “Film” to In Progress. u to undo.", "started “Film”"),
        (
            "build",
            Status.COMPLETED,
            "Moved “Film” to “Build”, Completed. u to undo.",
            "moved “Film” to phase “Build” and completed “Film”",
        ),
    ],
    ids=["another place and status", "another phase and status"],
)
async def test_one_drag_is_one_change_in_the_message_in_the_history_and_for_undo(
    world: World, phase: str, status: Status, message: str, line: str
) -> None:
    film, first = world.task("Film"), world.task("First")
    there = {"discover": world.discover, "build": world.build}[phase]
    world.do(DecideGate(phase_id=world.build.id, decision=Decision.OVERRIDE, reason="Early"))
    world.start(first.id)
    before = world.row("item", id=film.id)
    async with on_stage(world, canvas(world)) as pilot:
        board = pilot.board
        board.post_message(CardDropped(pilot.card, there.id, status, first.id if phase == "discover" else None))
        await settled(pilot)
        assert (world.status(film), world.row("item", id=film.id)["phase_id"]) == (status, there.id)
        assert told(pilot) == message
        assert world.last_change()["summary"] == line
        await press(pilot, "u")
        assert told(pilot).startswith(f"Undone: {line}")
    after = world.row("item", id=film.id)
    assert {name for name in before if before[name] != after[name]} <= {"version"}


async def test_a_drag_that_is_refused_changes_nothing_of_it(world: World) -> None:
    film = world.task("Film")
    before = world.row("item", id=film.id)
    async with on_stage(world, canvas(world)) as pilot:
        board = pilot.board
        board.post_message(CardDropped(pilot.card, world.build.id, Status.IN_PROGRESS, None))
        await settled(pilot)
        assert "“Film” cannot start: “Build” is locked" in " ".join(seen(pilot).replace("│", " ").split())
    assert world.row("item", id=film.id) == before


async def test_a_card_that_has_begun_is_dragged_to_do_in_a_locked_phase(world: World) -> None:
    film = world.task("Film")
    world.start(film.id)
    async with on_stage(world, canvas(world)) as pilot:
        board = pilot.board
        board.post_message(CardDropped(pilot.card, world.build.id, Status.TO_DO, None))
        await settled(pilot)
        assert told(pilot) == "Moved “Film” to “Build”, To Do. u to undo."
    assert (world.status(film), world.row("item", id=film.id)["phase_id"]) == ("TO_DO", world.build.id)
