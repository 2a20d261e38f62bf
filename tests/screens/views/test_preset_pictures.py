"""Pictures of the status board, and of the Canvas under the menu of presets; ``test_pictures.py`` says how."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.actions.personal.presets import SharePreset
from core.actions.workflow.deliverables import AddDeliverable, Deliver
from core.actions.workflow.phases import EditPhase
from tests.screens.test_pictures import MakeApp, Snap, app, canvas, pressing, scene, still
from tests.support.sweeps import sizes
from tests.support.workspace import World
from tui.drawing.theme import LIGHT
from tui.screens.framework.screen import PodiumScreen
from tui.screens.views.status_board import StatusBoardScreen

__all__ = ["app", "scene"]


@pytest.fixture
def promised(scene: World) -> World:
    """Phases that say what they are about, one of them with wide and hostile text; and a shared preset."""
    objectives, outcomes = "Know what four countries want of the product, and why", "概要を書く、それから翻訳する " * 4
    scene.do(EditPhase(phase_id=scene.discover.id, objectives=objectives, outcomes=outcomes))
    scene.do(EditPhase(phase_id=scene.build.id, objectives="[red]Not red[/] and one line"))
    done = scene.do(AddDeliverable(phase_id=scene.build.id, name="Prototype"))
    scene.do(Deliver(deliverable_id=done.id))
    for number in range(5):
        scene.do(AddDeliverable(phase_id=scene.build.id, name=f"Translation {number}"))
    scene.do(SharePreset(project_id=scene.project.id, name="What is late", filter="due:late"))
    return scene


def status_board(world: World) -> Callable[[], PodiumScreen]:
    return lambda: StatusBoardScreen(world.project.id)


@sizes((120, 40), swept=[(80, 24), (200, 60)])
def test_the_status_board(scene: World, app: MakeApp, snap_compare: Snap, size: tuple[int, int]) -> None:
    assert snap_compare(app(status_board(scene)), terminal_size=size, run_before=still)


def test_the_status_board_in_light_colours(scene: World, app: MakeApp, snap_compare: Snap) -> None:
    assert snap_compare(app(status_board(scene), LIGHT.name), terminal_size=(120, 40), run_before=still)


@sizes((120, 40), swept=[(80, 24)])
def test_the_menu_of_presets_over_what_it_previews(
    promised: World, app: MakeApp, snap_compare: Snap, size: tuple[int, int]
) -> None:
    assert snap_compare(app(canvas(promised)), terminal_size=size, run_before=pressing(*"PGk"))
