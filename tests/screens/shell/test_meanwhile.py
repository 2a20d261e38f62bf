"""Answers of the core for a screen that has forgotten its data meanwhile, or is closed."""

from __future__ import annotations

import asyncio
from functools import wraps
from typing import Any

import pytest

from core.actions.history.history import ListHistory
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.backends.local import LocalBackend
from core.engine.messages import Query
from core.errors import DatabaseBusy
from tests.support.api.server import ServerOfTests
from tests.support.app_driver import canvas, comes, on_stage, seen, settled, shows
from tests.support.behind_server import at
from tests.support.waiting import PATIENCE, until
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.framework import reading
from tui.screens.projects.history import HistoryScreen, ProjectHistory


class Held:
    """Answers to one kind of query that come when they are let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, kind: type[Query[Any]], *, first: bool = False) -> None:
        """``first`` is for the first of them alone."""
        self.asked, self.let_go = asyncio.Event(), asyncio.Event()
        ask = LocalBackend.query

        async def query(backend: LocalBackend, query: Query[Any]) -> Any:
            answer = await ask(backend, query)
            if isinstance(query, kind) and not (first and self.asked.is_set()):
                self.asked.set()
                await self.let_go.wait()
            return answer

        monkeypatch.setattr(LocalBackend, "query", query)


async def test_a_canvas_is_read_whole_while_changes_are_on_their_way(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        screen: Any = pilot.app.screen
        held = Held(monkeypatch, GetCanvasChanges)
        world.task("Write the brief")
        await asyncio.wait_for(held.asked.wait(), PATIENCE)
        again = asyncio.create_task(screen.action_do("everywhere.refresh"))
        await until(lambda: screen.project_reading.read_on is None)
        held.let_go.set()
        await again
        assert "Write the brief" in seen(pilot)


async def test_a_read_after_a_change_that_meets_a_busy_database_is_asked_once_more(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind a real server: another user's change is seen, though no further change brings news."""
    busy: list[GetCanvasChanges] = []
    run = GetCanvasChanges.run

    @wraps(run)
    def refused_once(query: GetCanvasChanges, view: Any) -> Any:
        busy.append(query)
        if len(busy) == 1:
            raise DatabaseBusy("Another program holds the database.")
        return run(query, view)

    with ServerOfTests(world) as server:
        async with at(server, world, canvas(world), world.maya) as pilot:
            monkeypatch.setattr(GetCanvasChanges, "run", refused_once)
            await asyncio.to_thread(world.task, "Write the brief")
            assert await shows(pilot, "Write the brief")
            assert "Nothing was changed" not in seen(pilot), "a cause that has passed"


async def test_a_read_after_a_change_that_fails_twice_says_why_and_is_left_at_that(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "SOON", (0.1, 0.1))
    asked: list[GetCanvasChanges] = []
    run = GetCanvasChanges.run

    @wraps(run)
    def refused(query: GetCanvasChanges, _: Any) -> Any:
        asked.append(query)
        raise DatabaseBusy("Another program holds the database.")

    with ServerOfTests(world) as server:
        async with at(server, world, canvas(world), world.maya) as pilot:
            monkeypatch.setattr(GetCanvasChanges, "run", refused)
            screen: Any = pilot.app.screen
            assert not await screen.refresh_from_core(unasked=True)
            assert "Nothing was changed" not in seen(pilot)
            assert await shows(pilot, "Nothing was changed. Try again in a moment.")
            assert await comes(pilot, lambda: len(asked) in (2, 4))  # the stream may begin with another news
            await pilot.pause(0.5)  # for a third try
            assert len(asked) <= 4
            monkeypatch.setattr(GetCanvasChanges, "run", run)
            await asyncio.to_thread(world.task, "Write the brief")
            assert await shows(pilot, "Write the brief")


async def test_an_older_answer_that_comes_last_is_not_drawn_over_a_newer_one(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The screen opens while another user changes something: it is read twice, and the first answer is slow."""
    async with on_stage(world, canvas(world)) as pilot:
        held = Held(monkeypatch, GetCanvas, first=True)
        opening = asyncio.ensure_future(pilot.app.push_screen(screen := CanvasScreen(world.project.id)))
        await asyncio.wait_for(held.asked.wait(), PATIENCE)
        world.task("Write the brief")
        answer = asyncio.create_task(screen.refresh_from_core(unasked=True))
        await asyncio.sleep(0.5)  # without turns this, and what the watch of commits asks for, would be drawn by now
        held.let_go.set()
        await asyncio.gather(opening, answer)
        await settled(pilot)
        assert "Write the brief" in seen(pilot)


async def test_a_screen_is_closed_while_the_core_answers(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        screen = HistoryScreen(ProjectHistory(world.project.id))
        await pilot.app.push_screen(screen)
        await settled(pilot)
        held = Held(monkeypatch, ListHistory)
        reading = asyncio.create_task(screen.refresh_from_core())
        await asyncio.wait_for(held.asked.wait(), PATIENCE)
        await pilot.app.pop_screen()
        held.let_go.set()
        assert not await reading
        assert isinstance(pilot.app.screen, CanvasScreen)
