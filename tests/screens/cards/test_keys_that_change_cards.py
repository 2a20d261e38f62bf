"""The keys that change a card, on each screen that has cards: what they write, and ``u`` that takes it back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest

from tests.support.app_driver import Text, on_stage, press, seen
from tests.support.workspace import Clock, World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.cards.card import CardScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.personal.my_work import MyWorkScreen
from tui.screens.views.calendar import CalendarScreen
from tui.screens.views.status_board import StatusBoardScreen
from tui.screens.views.table import TableScreen
from tui.screens.views.timeline import TimelineScreen

PLACES = (CanvasScreen, CardScreen, TableScreen, StatusBoardScreen, CalendarScreen, TimelineScreen, MyWorkScreen)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
async def test_a_key_changes_the_card_of_the_cursor_and_u_takes_it_back(
    world: World, clock: Clock, place: Callable[..., PodiumScreen]
) -> None:
    clock.now = datetime.now(UTC)
    mine: dict[str, Any] = {"assignee_id": world.maya.user_id}
    world.task("Read the old brief")
    task = world.task("Write the brief", due=date.today(), **mine if place is MyWorkScreen else {})
    changes: dict[tuple[str, ...], tuple[str, dict[str, Any]]] = {
        ("L",): ("In Progress", {"status": "IN_PROGRESS"}),
        ("c",): ("Completed", {"status": "COMPLETED"}),
        ("d",): ("u to undo", {"status": "ARCHIVED"}),
        ("a", Text("bob"), "enter"): ("Bob", {"assignee_id": world.bob.user_id}),
        ("i",): ("Maya", mine),
        ("D", "ctrl+a", "ctrl+k", Text("3 dec 2027"), "enter"): ("Dec", {"due": "2027-12-03"}),
    }

    def row() -> dict[str, Any]:
        return {**world.row("item", id=task.id), "version": 0}

    def first() -> PodiumScreen:
        return place() if place is MyWorkScreen else place(world.project.id, task.id)

    async with on_stage(world, first) as pilot:
        before = row()
        for keys, (words, change) in changes.items():
            await press(pilot, *keys)
            assert row().items() >= change.items()
            has_left = place is MyWorkScreen or (place is CalendarScreen and words == "Dec")  # the list, or the month
            assert has_left or words in seen(pilot)
            if row() != before:
                await press(pilot, "u")
                assert row() == before
