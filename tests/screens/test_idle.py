"""Leaving when nobody has touched a key or the mouse for as long as is set."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests.screens.stage import on_stage
from tests.world import World
from tui import idle
from tui.screens.projects import ProjectsScreen


@pytest.fixture(autouse=True)
def _short_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idle, "MINUTE", 1.0)


async def test_it_is_left_when_nobody_touches_a_key_and_not_before(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        pilot.app.idle.minutes = 1  # type: ignore[attr-defined]
        pilot.app.idle.begin()  # type: ignore[attr-defined]
        began = time.monotonic()
        while time.monotonic() - began < 1.5:
            await pilot.press("down")
            await pilot.hover(offset=(3, 3))
            await asyncio.sleep(0.15)
        assert pilot.app._exit is False
        async with asyncio.timeout(30):
            while not pilot.app._exit:
                await asyncio.sleep(0.02)
        (words,) = pilot.app._exit_renderables
        assert "nobody touched a key for 1 min" in str(words)


async def test_who_is_in_a_product_of_the_terminal_is_not_away(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        pilot.app.idle.minutes = 1  # type: ignore[attr-defined]
        pilot.app.idle.begin()  # type: ignore[attr-defined]
        pilot.app.app_suspend_signal.publish(pilot.app)
        await asyncio.sleep(1.5)
        assert pilot.app._exit is False
        pilot.app.app_resume_signal.publish(pilot.app)
        await asyncio.sleep(0.3)
        assert pilot.app._exit is False


async def test_it_stays_when_no_limit_is_set(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await asyncio.sleep(1)
        assert pilot.app._exit is False
