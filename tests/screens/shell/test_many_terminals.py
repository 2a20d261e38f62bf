"""A user with more terminals than the server has streams for: the last one says so, stays calm, and works."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from core.backends import connection
from core.server.requests.bounds import limits
from tests.support.api.server import ServerOfTests
from tests.support.app_driver import hides, seen, shows
from tests.support.behind_server import at
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.services.save_status import SaveStatus


@pytest.fixture
def server(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerOfTests]:
    monkeypatch.setattr(limits, "STREAMS_PER_USER", 1)
    monkeypatch.setattr(connection, "POLL_SECONDS", 0.1)
    with ServerOfTests(world) as server:
        yield server


async def test_a_terminal_too_many_says_so_once_and_sees_all_the_same_what_others_do(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, card = world.project.id, world.task("Draw the map")
    states: list[bool] = []
    monkeypatch.setattr(SaveStatus, "hear", lambda _, online: states.append(online))

    def canvas() -> CanvasScreen:
        return CanvasScreen(project, card.id)

    async with at(server, world, canvas, world.maya) as first:
        await asyncio.to_thread(world.task, "Open the gate")
        assert await shows(first, "Open the gate"), "it has the only place"
        async with at(server, world, canvas, world.maya) as second:
            assert await shows(second, "You already follow the changes")
            await asyncio.to_thread(world.task, "Ask the neighbours")
            assert await shows(second, "Ask the neighbours")
            second.app.messages.clear()
            assert await hides(second, "terminals or tabs")
            await asyncio.to_thread(world.task, "Water the plants")
            assert await shows(second, "Water the plants")
            assert "terminals or tabs" not in seen(second), "said once"
            assert "saved" in seen(second)
    assert states == [], "never offline, not for a moment"
