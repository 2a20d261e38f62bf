"""Bytes that dialogs and screens send to a terminal of 120×40 when they open and close, counted on a full Canvas."""

from __future__ import annotations

from typing import Any

import pytest
from rich.color import ColorSystem
from textual._compositor import CompositorUpdate

from tests.support.app_driver import canvas, on_stage, press, settled
from tests.support.workspace import World
from tui.app import PodiumApp

DIALOG, PALETTE, SCREEN = 6_000, 10_000, 24_000
"""Most bytes; drawn whole, a picture takes 30,000 to 60,000."""

OPENED = dict.fromkeys((*"nNDagwmv", "number_sign", "ampersand", "full_stop", "slash"), DIALOG) | {
    "colon": PALETTE,
    "question_mark": SCREEN,
    "enter": SCREEN,
    "T": SCREEN,
}


@pytest.fixture
def full(world: World) -> World:
    for phase in (world.discover, world.build):
        for number in range(20):
            world.task(f"{phase.name} the site, part {number}", phase)
    return world


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bytes of each update that a terminal would get."""
    counts: list[int] = []

    def display(app: PodiumApp, screen: Any, update: object) -> None:
        if isinstance(update, CompositorUpdate) and not app._batch_count:
            counts.append(len(app.sent.write(update, app.size, ColorSystem.TRUECOLOR).encode()))

    monkeypatch.setattr(PodiumApp, "_display", display)
    return counts


async def test_no_key_sends_what_stands_on_the_terminal_already(full: World, sent: list[int]) -> None:
    found = {}
    async with on_stage(full, canvas(full)) as pilot:
        for key, most in OPENED.items():
            before = pilot.app.screen
            for way, pressed in (("opens", key), ("closes", "escape")):
                sent.clear()
                await press(pilot, pressed)
                found[f"{key} {way}"] = (sum(sent), most)
            assert pilot.app.screen is before, key
    assert {step: of for step, of in found.items() if not 0 < of[0] <= of[1]} == {}


@pytest.mark.parametrize("opened", ["", "n", "colon", "question_mark"])
async def test_after_ctrl_l_everything_is_sent_once(full: World, sent: list[int], opened: str) -> None:
    async with on_stage(full, canvas(full)) as pilot:
        whole = sum(sent)
        await press(pilot, *filter(None, [opened]))
        sent.clear()
        pilot.app.screen.refresh()
        await settled(pilot)
        assert sum(sent) == 0
        await press(pilot, "ctrl+l")
        assert sum(sent) > whole / 2
