"""Pictures of refusals, of the list of undo, and of messages; ``tests/screens/test_pictures.py`` says more."""

from __future__ import annotations

from typing import Any

import pytest

from core.actions.cards.tasks import EditTask
from core.actions.projects.projects import CreateProject
from core.actions.workspace.profile import SetPreference
from tests.screens.test_pictures import FAR, MakeApp, Snap, app, canvas, still
from tests.support.app_driver import Text, comes, press, shows, told
from tests.support.sweeps import sizes
from tests.support.workspace import Clock, World
from tui.dialogs.menus import undo_steps
from tui.screens.projects.projects import ProjectsScreen

__all__ = ["app"]

SIZES = sizes((120, 40), swept=[(80, 24), (40, 12)])


@pytest.fixture
def scene(world: World, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> World:
    """A project with three weeks of history, whose first phase is one card from its end."""
    clock.forward(days=-21)
    world.do(CreateProject(name="Autumn collection for the Nordics"))
    world.task("Order the samples [red]not red[/]", world.build, due=FAR)
    clock.forward(days=20)
    gone = world.task("概要を書く、それから翻訳する", world.build)
    world.delete(gone.id, relock=True)
    clock.forward(hours=23)
    last = world.task("Sign the contract")
    clock.forward(minutes=20)
    world.do(EditTask(task_id=last.id, title="Sign the contract with the printer in Hamburg"))
    monkeypatch.setattr(undo_steps, "now", clock)
    return world


@SIZES
def test_a_refusal_with_its_ways_out(scene: World, app: MakeApp, snap_compare: Snap, size: tuple[int, int]) -> None:
    async def refuse(pilot: Any) -> None:
        await press(pilot, "2", "L")
        assert await shows(pilot, "Override")
        await still(pilot)

    assert snap_compare(app(canvas(scene)), terminal_size=size, run_before=refuse)


@SIZES
@pytest.mark.parametrize("place", ["canvas", "projects"])
def test_the_list_of_undo(scene: World, app: MakeApp, snap_compare: Snap, size: tuple[int, int], place: str) -> None:
    async def open_list(pilot: Any) -> None:
        await press(pilot, "colon", Text("undo my last changes"))
        assert await shows(pilot, "Undo: my last changes")
        await press(pilot, "enter")
        assert await shows(pilot, "enter undo")
        await press(pilot, "j")
        await still(pilot)

    first = ProjectsScreen if place == "projects" else canvas(scene)
    assert snap_compare(app(first), terminal_size=size, run_before=open_list)


@SIZES
def test_the_message_of_a_phase(scene: World, app: MakeApp, snap_compare: Snap, size: tuple[int, int]) -> None:
    async def complete(pilot: Any) -> None:
        await press(pilot, "c")
        assert await comes(pilot, lambda: "is open:" in told(pilot))
        pilot.app.screen.board.show_highlight(frozenset())  # which ends in its own time
        await still(pilot)

    assert snap_compare(app(canvas(scene)), terminal_size=size, run_before=complete)


def test_a_warning_in_ascii(scene: World, app: MakeApp, snap_compare: Snap) -> None:
    scene.do(SetPreference(name="signs", value="ascii"))

    async def warn(pilot: Any) -> None:
        pilot.app.toast("“Discover” is already approved. < sends it back.", severity="warning")
        await still(pilot)

    assert snap_compare(app(canvas(scene)), terminal_size=(80, 24), run_before=warn)
