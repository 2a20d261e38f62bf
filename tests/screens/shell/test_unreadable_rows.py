"""A key that meets a damaged row: one sentence is shown, and Podium goes on."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest

from tests.support.app_driver import on_stage, press, settled, shows
from tests.support.message_examples import messages
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.projects.projects import ProjectsScreen


def damage(world: World, sql: str) -> None:
    """Write past all checks, as another program or a faulty disk does."""
    with closing(sqlite3.connect(world.database.path)) as file:
        file.execute("PRAGMA foreign_keys = OFF")
        file.execute("PRAGMA ignore_check_constraints = ON")
        file.execute(sql)
        file.commit()


def projects(_: World) -> PodiumScreen:
    return ProjectsScreen()


def canvas(world: World) -> PodiumScreen:
    return CanvasScreen(world.project.id)


def phase(world: World) -> PodiumScreen:
    return PhaseScreen(world.project.id, world.discover.id)


@pytest.mark.parametrize(
    ("first", "key", "sql"),
    [
        (projects, "n", "UPDATE template_version SET number = 0"),
        (projects, "n", "UPDATE template_version SET body = 'x'"),
        (canvas, "plus", "UPDATE product SET kind = 'X'"),
        (phase, "plus", "UPDATE product SET command = 'x'"),
    ],
)
async def test_a_damaged_row_is_told_in_a_sentence(
    world: World, first: Callable[[World], PodiumScreen], key: str, sql: str
) -> None:
    messages.application_role(world)
    world.task("Write the brief")
    async with on_stage(world, lambda: first(world)) as pilot:
        damage(world, sql)
        await press(pilot, key)
        assert await shows(pilot, "cannot be read")
        assert pilot.app.is_running
        await press(pilot, "question_mark")
        await settled(pilot)
        assert len(pilot.app.screen_stack) == 2
