"""The idle limit: Podium quits after some minutes without a key or the mouse."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest

from tests.support.app_driver import on_stage
from tests.support.waiting import until
from tests.support.workspace import World
from tui.screens.projects.projects import ProjectsScreen
from tui.services import idle_timeout


class Minutes:
    """The time as the limit sees it: it goes on when a test says so, and a thread that sleeps looks at it often."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.looks = 0
        """How often the thread has found that there is time left."""

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.looks += 1
        time.sleep(0.01 if seconds <= idle_timeout.MINUTE else 60)  # what comes after the limit would end the tests

    async def looked_at(self) -> None:
        """Wait until the thread has found once more, from its beginning on, that there is time left."""
        before = self.looks
        await until(lambda: self.looks >= before + 2)

    def pass_by(self, minutes: float) -> None:
        self.now += minutes * idle_timeout.MINUTE


@pytest.fixture(autouse=True)
def minutes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Minutes]:
    minutes = Minutes()
    monkeypatch.setattr(idle_timeout, "time", minutes)
    monkeypatch.setattr(idle_timeout, "MINUTE", 1.0)
    yield minutes
    minutes.pass_by(1_000_000)  # so that no thread waits on


async def test_podium_quits_when_no_key_is_pressed_and_not_before(world: World, minutes: Minutes) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        pilot.app.idle.minutes = 1
        pilot.app.idle.begin()
        for touch in (pilot.press("down"), pilot.hover(offset=(3, 3)), pilot.press("up")):
            minutes.pass_by(0.9)
            await minutes.looked_at()
            await touch
        assert pilot.app._exit is False
        minutes.pass_by(1.1)
        await until(lambda: pilot.app._exit)
        (words,) = pilot.app._exit_renderables
        assert "no key was pressed for 1 min" in str(words)


async def test_who_is_in_a_product_of_the_terminal_is_not_away(world: World, minutes: Minutes) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        pilot.app.idle.minutes = 1
        pilot.app.idle.begin()
        pilot.app.app_suspend_signal.publish(pilot.app)
        minutes.pass_by(10)
        await minutes.looked_at()
        assert pilot.app._exit is False
        pilot.app.app_resume_signal.publish(pilot.app)
        minutes.pass_by(0.9)
        await minutes.looked_at()
        assert pilot.app._exit is False


def watching() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "idle limit"}


async def test_it_stays_when_no_limit_is_set(world: World, minutes: Minutes) -> None:
    before = watching()
    async with on_stage(world, ProjectsScreen) as pilot:
        minutes.pass_by(1000)
        await pilot.press("down")
        assert pilot.app._exit is False
        assert watching() <= before
