"""The menu of the mouse: it opens at the mouse, and says what does not apply."""

from __future__ import annotations

import pytest
from textual.geometry import Offset

from tests.support.app_driver import canvas, on_stage, press, screen_of, seen, settled
from tests.support.workspace import World
from tui.board.board import Board
from tui.dialogs.menus.key_menu import KeyMenu


@pytest.mark.parametrize(
    ("size", "at"), [((200, 60), Offset(12, 8)), ((120, 40), Offset(12, 8)), ((40, 12), Offset(12, 8))]
)
async def test_the_menu_opens_at_the_mouse_or_as_near_as_it_fits(
    world: World, size: tuple[int, int], at: Offset
) -> None:
    at = Offset(12, 8)
    for number in range(4):
        world.task(f"Task {number}")
    async with on_stage(world, canvas(world), size=size) as pilot:
        await pilot.click(Board, offset=at, button=3)
        await settled(pilot)
        menu = screen_of(pilot, KeyMenu)
        panel = menu.query_one("#panel").region
        assert menu.region.contains_region(panel)
        assert size[0] < 120 or panel.x == at.x
        assert size[1] < 60 or panel.y == at.y + 1  # under the title line


async def test_what_does_not_apply_is_dim_and_says_why(world: World) -> None:
    world.task()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "full_stop")
        menu = screen_of(pilot, KeyMenu)
        dim = {entry.id for entry in menu._entries if entry.reason}
        assert {"canvas.restore", "canvas.delete", "canvas.launch"} <= dim
        assert "canvas.archive" not in dim
        await press(pilot, "r")
        assert "Not archived. Press A to show archived ones." in seen(pilot)
