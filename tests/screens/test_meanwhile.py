"""What the core answers when the screen that asked has forgotten what it showed, or is closed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from core.actions.canvas import ShowCanvasChanges
from core.actions.history import ShowHistory
from core.backend import LocalBackend
from core.messages import Query
from tests.screens.stage import on_stage, seen, settled
from tests.world import World
from tui.screens.canvas import CanvasScreen
from tui.screens.history import HistoryScreen


class Held:
    """Answers to one kind of query that come when they are let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, kind: type[Query[Any]]) -> None:
        self.asked, self.let_go = asyncio.Event(), asyncio.Event()
        ask = LocalBackend.query

        async def query(backend: LocalBackend, query: Query[Any]) -> Any:
            answer = await ask(backend, query)
            if isinstance(query, kind):
                self.asked.set()
                await self.let_go.wait()
            return answer

        monkeypatch.setattr(LocalBackend, "query", query)


async def test_a_canvas_is_read_whole_while_changes_are_on_their_way(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        screen: Any = pilot.app.screen
        held = Held(monkeypatch, ShowCanvasChanges)
        world.task("Write the brief")
        await asyncio.wait_for(held.asked.wait(), 5)
        await screen.do_refresh()
        assert "Write the brief" in seen(pilot)
        screen._head = None  # as it is while one more is read
        held.let_go.set()
        await settled(pilot)
        assert await screen.refresh_from_core()
        assert "Write the brief" in seen(pilot)


async def test_a_screen_is_closed_while_the_core_answers(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        screen = HistoryScreen(world.project.id)
        await pilot.app.push_screen(screen)
        await settled(pilot)
        held = Held(monkeypatch, ShowHistory)
        reading = asyncio.create_task(screen.refresh_from_core())
        await asyncio.wait_for(held.asked.wait(), 5)
        await pilot.app.pop_screen()
        held.let_go.set()
        assert not await reading
        assert isinstance(pilot.app.screen, CanvasScreen)
