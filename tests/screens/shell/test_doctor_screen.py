"""The Doctor: the findings of ``podium doctor`` on a screen."""

from __future__ import annotations

import os

import pytest

from tests.support.app_driver import PodiumPilot, on_stage, press, seen, settled
from tests.support.workspace import World
from tui.screens.shell.doctor import DoctorScreen


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 40)])
async def test_it_says_what_is_well_and_where_the_workspace_is(world: World, size: tuple[int, int]) -> None:
    async with on_stage(world, DoctorScreen, size=size) as pilot:
        await until_looked(pilot)
        assert "✓ ok" in seen(pilot)
        said = " ".join(line.searched for line in pilot.listing.lines)
        for words in ("quick check", "sqlite", "term", f"{size[0]} by {size[1]}", str(world.database.path).lower()):
            assert words in said


async def test_a_file_that_others_can_reach_is_bad_and_enter_reads_what_to_do(world: World) -> None:
    os.chmod(world.database.path, 0o646)
    async with on_stage(world, DoctorScreen) as pilot:
        await until_looked(pilot)
        assert "■ bad" in seen(pilot)
        pilot.listing.filter_by("access to podium.db 0646")
        await press(pilot, "enter")
        assert "chmod o=" in seen(pilot)


async def until_looked(pilot: PodiumPilot) -> None:
    """Wait until the examination is over."""
    for _ in range(100):
        await settled(pilot)
        if pilot.listing.lines:
            return
