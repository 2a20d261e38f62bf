"""Pictures of a beginning: the first run, the three ways to begin, and the tour, at three sizes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.actions.workspace.profile import GetCurrentUser
from core.backends.local import LocalBackend
from tests.screens.test_pictures import pressing
from tests.support.app_driver import comes, seen, settled
from tests.support.sweeps import sizes
from tests.support.workspace import World
from tui.app import PodiumApp
from tui.dialogs.fields import inputs
from tui.drawing.theme import LIGHT
from tui.screens.projects.projects import ProjectsScreen
from tui.screens.shell import first_run
from tui.screens.shell.first_run import FirstRun
from tui.services import tour
from tui.services.tour import GOALS

Snap = Callable[..., bool]
SIZES = sizes((80, 24), swept=[(120, 40), (40, 12)])


class Monday(date):
    """The day of the clock of these workspaces."""

    @classmethod
    def today(cls) -> Monday:
        return cls(2026, 3, 2)


class Thursday(date):
    """The day on which a date is typed: the Friday after it is in the picture."""

    @classmethod
    def today(cls) -> Thursday:
        return cls(2026, 11, 26)


@pytest.fixture
def app(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], PodiumApp]]:
    """Makes Podium as Gus has it, who may create projects and has none yet."""
    monkeypatch.setattr(tour, "date", Monday)
    world.internal(world.gus)
    backend = LocalBackend(world.engine, world.gus)
    yield lambda: PodiumApp(backend, world.ask(GetCurrentUser(), world.gus), ProjectsScreen)
    asyncio.run(backend.close())


@SIZES
@pytest.mark.parametrize("keys", [(), ("tab", "tab", "enter", "ctrl+s")], ids=["empty", "with faults"])
def test_the_first_run(
    snap_compare: Snap, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    monkeypatch.setattr(first_run, "os_login", lambda: "ines")
    page = FirstRun(Path("/home/ines/podium.db"), {})
    assert snap_compare(page, terminal_size=size, run_before=pressing(*keys))


@SIZES
def test_the_ways_to_begin(app: Callable[[], PodiumApp], snap_compare: Snap, size: tuple[int, int]) -> None:
    assert snap_compare(app(), terminal_size=size, run_before=pressing())


@SIZES
def test_the_first_goal_of_the_tour(app: Callable[[], PodiumApp], snap_compare: Snap, size: tuple[int, int]) -> None:
    assert snap_compare(app(), terminal_size=size, run_before=pressing("1"))


@SIZES
def test_the_end_of_the_tour(app: Callable[[], PodiumApp], snap_compare: Snap, size: tuple[int, int]) -> None:
    async def finish(pilot: Any) -> None:
        await pressing("1")(pilot)
        pilot.app.tour._tick({goal.name for goal in GOALS})
        await settled(pilot)
        assert await comes(pilot, lambda: pilot.app.saving.is_saved)
        assert await comes(pilot, lambda: "saving" not in seen(pilot))  # the title follows a moment later
        await settled(pilot)

    assert snap_compare(app(), terminal_size=size, run_before=finish)


def test_the_tour_in_light_colours(
    app: Callable[[], PodiumApp], snap_compare: Snap, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "date", Thursday)
    podium = app()
    podium.theme = LIGHT.name
    assert snap_compare(podium, terminal_size=(120, 40), run_before=pressing("1", "D", "f", "r", "i", "enter"))
