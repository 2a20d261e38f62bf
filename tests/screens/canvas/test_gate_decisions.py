"""The notice after a decision at a gate: it was made, and a second one changes nothing."""

from __future__ import annotations

import pytest

from core.domain.model import Phase
from tests.support.app_driver import Text, on_stage, press, screen_of, seen, settled, shows
from tests.support.workspace import World
from tui.screens.phases.phase import PhaseScreen


def phase_screen(world: World, phase: Phase) -> PhaseScreen:
    return PhaseScreen(world.project.id, phase.id)


async def test_an_approval_is_told_and_a_second_one_changes_nothing(world: World) -> None:
    async with on_stage(world, lambda: phase_screen(world, world.discover)) as pilot:
        await press(pilot, "greater_than_sign", "ctrl+s")
        assert await shows(pilot, "“Discover” approved. “Build” is open: no cards yet.")
        before = world.rows("SELECT * FROM change")
        await press(pilot, "greater_than_sign")
        assert await shows(pilot, "“Discover” is already approved.")
        assert len(pilot.app.screen_stack) == 1
        assert world.rows("SELECT * FROM change") == before
        assert len(world.rows("SELECT id FROM gate_record")) == 1


@pytest.mark.parametrize(
    ("verb", "told"),
    [("hold", "“Discover” is on hold. u to undo."), ("send_back", "“Discover” sent back. u to undo.")],
)
async def test_every_other_decision_is_told_too(world: World, verb: str, told: str) -> None:
    async with on_stage(world, lambda: phase_screen(world, world.discover)) as pilot:
        screen = screen_of(pilot, PhaseScreen)
        await screen.action_do(f"phase.{verb}")
        await settled(pilot)
        await press(pilot, Text("Not yet"), "ctrl+s")
        assert await shows(pilot, told)
        assert [row["reason"] for row in world.rows("SELECT reason FROM gate_record")] == ["Not yet"]


async def test_what_was_told_of_an_earlier_step_does_not_cover_what_is_opened_next(world: World) -> None:
    async with on_stage(world, lambda: phase_screen(world, world.discover)) as pilot:
        await press(pilot, "R")
        assert "Refreshed." in seen(pilot)
        await press(pilot, "e")
        await settled(pilot)
        assert "Edit the phase" in seen(pilot)
        assert "Refreshed." not in seen(pilot)
