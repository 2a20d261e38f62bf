"""Saved, saving, not saved: what the title line says is what is on disk."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest

from core.actions.workflow.phases import ListPhases
from core.domain.model import Status
from core.engine.messages import Query
from core.errors import DatabaseAway, UndoTooOld
from tests.support import wait_until_idle
from tests.support.app_driver import canvas, hides, on_stage, press, seen, settled, shows
from tests.support.workspace import World


@contextlib.contextmanager
def held_by_another_program(world: World) -> Iterator[None]:
    """The database, with a write begun by a program that does not end it."""
    with contextlib.closing(sqlite3.connect(world.database.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


async def test_a_database_that_was_away_is_no_longer_said_when_it_answers(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise DatabaseAway("The database restarts or changes over to another server.")

    world.task()
    async with on_stage(world, canvas(world)) as pilot:
        with monkeypatch.context() as meanwhile:
            for step in ("read", "write"):
                meanwhile.setattr(world.database, step, away)
            await press(pilot, "L")
            assert await shows(pilot, "✗ not saved")
        await pilot.screen.refresh_from_core()
        assert await hides(pilot, "✗ not saved")


async def test_a_change_that_could_not_be_saved_is_said_and_the_next_one_works(world: World) -> None:
    task = world.task()
    world.database.busy_seconds = 0.4
    async with on_stage(world, canvas(world)) as pilot:
        with held_by_another_program(world):
            await press(pilot, "L")
            assert await shows(pilot, "✗ not saved")
            assert "✗ not saved" in seen(pilot)
            assert "Another program is using" in seen(pilot)
            assert "In Progress 0" in seen(pilot)
        await press(pilot, "L")
        await settled(pilot)
        assert "✓ saved" in seen(pilot)
        assert world.status(task) == Status.IN_PROGRESS


async def test_while_it_waits_the_screen_says_saving_and_still_answers(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wait_until_idle, "KEPT_BACK", 0.05)
    world.task("Write the brief")
    world.task("Call the venue")
    world.database.busy_seconds = 60
    async with on_stage(world, canvas(world)) as pilot:
        with held_by_another_program(world):
            moving = pilot.app.run_worker(pilot.screen.action_do("canvas.next_status"))
            assert await shows(pilot, "… saving")
            await press(pilot, "j")
            assert pilot.card.title == "Call the venue"
        await moving.wait()
        assert await shows(pilot, "✓ saved")
        assert world.row("item", title="Write the brief")["status"] == Status.IN_PROGRESS


async def test_an_answer_that_takes_long_is_said_to_be_waited_for(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = asyncio.Event()
    async with on_stage(world, canvas(world)) as pilot:
        ask = pilot.app.backend.query

        async def late(query: Query[Any]) -> Any:
            await answered.wait()
            return await ask(query)

        monkeypatch.setattr("tui.services.save_status.READING_SHOWN_AFTER", 0.05)
        monkeypatch.setattr(pilot.app.backend, "query", late)
        asking = pilot.app.run_worker(pilot.app.query(ListPhases(project_id=world.project.id)))
        assert await shows(pilot, "… reading")
        answered.set()
        await asking.wait()
        await settled(pilot)
        assert "✓ saved" in seen(pilot)


async def test_nothing_is_being_saved_after_a_refusal_that_took_long(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a message whose refusal is not followed by a reading: the title was drawn as saving meanwhile."""
    async with on_stage(world, canvas(world)) as pilot:
        answered = asyncio.Event()

        async def late(*_: Any) -> None:
            await answered.wait()
            raise UndoTooOld("Your last change here was on Mon 2 Mar 2026.", seq=1)

        monkeypatch.setattr(pilot.app.backend, "execute", late)
        pilot.app.run_worker(pilot.app.undoing.undo(world.project.id))
        assert await shows(pilot, "… saving")
        answered.set()
        assert await shows(pilot, "Undo an older change?")
        assert "✓ saved" in seen(pilot).splitlines()[0]
        await press(pilot, "escape")
        assert await hides(pilot, "Undo an older change?")
    assert world.row("project", id=world.project.id)["archived"] == 0
