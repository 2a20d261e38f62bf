"""Screens that are open at midnight show the new day, although nobody changes anything."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime

import pytest

from core.actions.cards.tasks import AssignTask
from tests.support.app_driver import on_stage, seen, settled, shows
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.cards.card import CardScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.personal.my_work import MyWorkScreen
from tui.screens.views.table import TableScreen
from tui.services import change_listener

BEFORE, AFTER = "AAA+12", "BBB-12"
"""Time zones between which it is another day, at any time."""

SCREENS: dict[str, Callable[[World, str], PodiumScreen]] = {
    "Canvas": lambda world, _: CanvasScreen(world.project.id),
    "Table": lambda world, _: TableScreen(world.project.id),
    "card": lambda world, card: CardScreen(world.project.id, card),
    "My work": lambda *_: MyWorkScreen(),
}


@pytest.fixture
def before_midnight(monkeypatch: pytest.MonkeyPatch, world: World) -> Iterator[Callable[[], None]]:
    """A function after which it is tomorrow."""

    def in_zone(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    monkeypatch.setattr(change_listener, "DAY_SECONDS", 0.05)
    monkeypatch.setattr(world.engine, "clock", lambda: datetime.now(UTC))
    in_zone(BEFORE)
    yield lambda: in_zone(AFTER)
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("name", SCREENS)
async def test_a_screen_shows_the_new_day(world: World, before_midnight: Callable[[], None], name: str) -> None:
    task = world.task("Call", due=date.today())
    world.do(AssignTask(task_id=task.id, assignee_id=world.maya.user_id))
    async with on_stage(world, lambda: SCREENS[name](world, task.id)) as pilot:
        await settled(pilot)
        assert await shows(pilot, "today")
        before_midnight()
        assert await shows(pilot, "yesterday")
        assert "Call" in seen(pilot)
