"""Quitting at any moment, also while a screen opens, is no fault."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.app_driver import canvas, on_stage, post_keys
from tests.support.sweeps import sweep
from tests.support.workspace import World

FEW, ALL = range(0, 60, 12), range(0, 60, 3)
"""Turns of the event loop between the key that opens something and the end, enough for a screen to be drawn."""

OPENING = {
    "card": ["enter"],
    "filter": ["slash", "i"],
    "form": ["n"],
    "palette": ["colon", "a"],
    "search": ["backslash"],
    **{f"g {key}": ["g", key] for key in "PWt"},
}


@pytest.mark.parametrize("moments", sweep([FEW, ALL], lambda moments: moments == FEW), ids=["few", "all"])
@pytest.mark.parametrize("keys", OPENING.values(), ids=OPENING)
async def test_quitting_while_something_opens_is_no_fault(world: World, keys: list[str], moments: range) -> None:
    world.task("Draw the map")
    for moment in moments:
        async with on_stage(world, canvas(world)) as pilot:
            post_keys(pilot, *keys)
            for _ in range(moment):
                await asyncio.sleep(0)
            pilot.app.exit(0)
        assert pilot.app.return_code == 0
        assert pilot.app._exception is None
