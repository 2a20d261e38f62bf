"""An answer that comes, or fails to come, after its screen or its dialog was closed: Podium goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from core.actions.history.history import ListHistory
from core.diagnostics.workspace import diagnose_workspace
from core.errors import Forbidden, RuleViolation
from tests.support.app_driver import PodiumPilot, canvas, on_stage, press, seen, settled
from tests.support.waiting import until
from tests.support.workspace import World
from tui.dialogs.form import FormDialog
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.personal.search import SearchScreen
from tui.screens.personal.settings import SettingsScreen
from tui.screens.projects.history import HistoryScreen, ProjectHistory
from tui.screens.shell import doctor
from tui.screens.shell.doctor import DoctorScreen


class Held:
    """Answers of the backend that are kept back until the test lets them go, or has them fail."""

    def __init__(self, pilot: PodiumPilot, *names: str) -> None:
        self.go = asyncio.Event()
        self.asked = 0
        self.fault: Exception | None = None
        backend: Any = pilot.app.backend
        for name in names:
            setattr(backend, name, self.held(getattr(backend, name)))

    def held(self, ask: Callable[..., Any]) -> Callable[..., Any]:
        async def held(*arguments: Any) -> Any:
            self.asked += 1
            await self.go.wait()
            if self.fault is not None:
                raise self.fault
            return await ask(*arguments)

        return held


@pytest.mark.parametrize("fault", [None, RuleViolation("It cannot be answered.")], ids=["answered", "refused"])
async def test_a_search_that_is_left_while_it_looks(world: World, fault: Exception | None) -> None:
    async with on_stage(world, SettingsScreen) as pilot:
        app: Any = pilot.app
        screen = SearchScreen()
        await app.push_screen(screen)
        await settled(pilot)
        held = Held(pilot, "aside")
        await pilot.press("d")
        await until(lambda: held.asked)
        held.fault = fault
        await screen.remove_children()  # a screen that is closed loses its widgets bit by bit
        app._screen_stack.remove(screen)
        held.go.set()
        await settled(pilot)
        assert app.is_running
        assert type(app.screen) is SettingsScreen


@pytest.mark.parametrize(
    ("make", "method", "name"),
    [
        (lambda world: HistoryScreen(ProjectHistory(world.project.id)), "query", "_read_more"),
        (lambda world: DoctorScreen(), "", "_examine"),
    ],
    ids=["history", "doctor"],
)
async def test_a_list_that_is_left_while_it_reads(
    world: World, monkeypatch: pytest.MonkeyPatch, make: Callable[[World], PodiumScreen], method: str, name: str
) -> None:
    for number in range(3):
        world.task(f"Card {number}")
    async with on_stage(world, SettingsScreen) as pilot:
        app: Any = pilot.app
        screen: Any = make(world)
        await app.push_screen(screen)
        await settled(pilot)
        if isinstance(screen, HistoryScreen):
            screen.source.is_whole = False
        held = Held(pilot, *filter(None, [method]))
        monkeypatch.setattr(doctor, "diagnose_workspace", held.held(diagnose_workspace))
        reading = getattr(screen, name)()
        reading = app.run_worker(reading) if asyncio.iscoroutine(reading) else reading
        await until(lambda: held.asked)
        await screen.remove_children()
        app._screen_stack.remove(screen)
        held.go.set()
        await reading.wait()
        assert app.is_running
        assert world.ask(ListHistory(project_id=world.project.id))


@pytest.mark.parametrize("fault", [None, RuleViolation("It was refused.")], ids=["saved", "refused"])
async def test_a_form_that_closes_with_a_right_that_is_lost_while_it_is_saved(
    world: World, fault: Exception | None
) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        app: Any = pilot.app
        await press(pilot, "n", "d")
        assert isinstance(app.screen, FormDialog)
        held = Held(pilot, "execute")
        await pilot.press("ctrl+s")
        await until(lambda: held.asked)
        held.fault = fault
        app.visible_screen.access.hide(Forbidden("You cannot look."))
        await settled(pilot)
        held.go.set()
        await settled(pilot)
        assert app.is_running
        assert isinstance(app.screen, CanvasScreen)
        assert len(world.rows("SELECT id FROM item")) == (fault is None)
        await press(pilot, "question_mark")
        assert "keys" in seen(pilot).lower()
