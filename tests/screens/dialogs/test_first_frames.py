"""The first frame of a dialog is its final layout."""

from __future__ import annotations

from typing import Any

import pytest
from textual.screen import ModalScreen

from tests.support.app_driver import canvas, on_stage, press
from tests.support.sweeps import sweep
from tests.support.workspace import World
from tui.app import PodiumApp
from tui.screens.people.people import PeopleScreen
from tui.screens.phases.phase import PhaseScreen


@pytest.mark.parametrize("size", [(120, 40), (40, 12)], ids=str)
@pytest.mark.parametrize(
    ("screen", "key"),
    sweep(
        [*(("canvas", key) for key in "nNaDeCm"), ("phase", "e"), ("phase", "exclamation_mark"), ("people", "n")],
        lambda case: case in [("canvas", "n"), ("canvas", "D"), ("canvas", "m"), ("phase", "e")],
    ),
)
async def test_a_dialog_is_painted_once_in_its_final_layout(
    world: World, monkeypatch: pytest.MonkeyPatch, screen: str, key: str, size: tuple[int, int]
) -> None:
    frames: list[str] = []

    def record(self: PodiumApp, on: Any, renderable: Any) -> None:
        if renderable is not None and not self._batch_count and on is self.screen and isinstance(on, ModalScreen):
            strips = on._compositor.render_strips()
            frames.append("\n".join("".join(segment.text for segment in strip) for strip in strips))

    monkeypatch.setattr(PodiumApp, "_display", record)
    world.activity("Interviews")
    world.task("Write the brief")
    screens: dict[str, Any] = {
        "canvas": canvas(world),
        "phase": lambda: PhaseScreen(world.project.id, world.build.id),
        "people": PeopleScreen,
    }
    async with on_stage(world, screens[screen], size=size) as pilot:
        await press(pilot, key)
        assert isinstance(pilot.app.screen, ModalScreen)
        assert frames
        assert frames[0] == frames[-1]
        assert len(set(frames)) == 1
