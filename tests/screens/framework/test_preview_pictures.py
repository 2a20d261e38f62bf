"""Pictures of the preview pane: below a list, beside the Canvas, and where there is no room for it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest

from core.actions.cards.tasks import EditTask
from core.actions.workflow.phases import EditPhase
from core.domain.model import Gate
from tests.screens.test_pictures import MakeApp, Snap, app, canvas, furnish, scene, still
from tests.support.sweeps import sizes
from tests.support.workspace import World
from tui.drawing.theme import LIGHT
from tui.screens.framework.screen import PodiumScreen
from tui.screens.personal.my_work import MyWorkScreen
from tui.screens.projects.projects import ProjectsScreen

__all__ = ["app", "furnish", "scene"]  # fixtures

FAR = date(2150, 6, 1)


@pytest.fixture
def work(scene: World) -> World:
    """Work of Maya's with everything that a preview shows."""
    talks = scene.activity(
        "Interviews in 概要 [red]two[/]", due=FAR, member_ids=(scene.maya.user_id, scene.bob.user_id)
    )
    scene.task("Call Ana", activity_id=talks.id, due=FAR, assignee_id=scene.bob.user_id)
    task = scene.task("Write the long brief", due=FAR, assignee_id=scene.maya.user_id)
    scene.do(
        EditTask(task_id=task.id, description="One page, signed.\n\n" + "Who it is for, and what they think. " * 9)
    )
    scene.do(EditPhase(phase_id=scene.build.id, gate=Gate.REVIEW, objectives="Know who pays."))
    return scene


@sizes((120, 40), swept=[(80, 30), (200, 60), (40, 12)])
@pytest.mark.parametrize("screen", [ProjectsScreen, MyWorkScreen], ids=["projects", "my work"])
def test_a_list_with_its_preview(
    work: World, app: MakeApp, snap_compare: Snap, screen: Callable[[], PodiumScreen], size: tuple[int, int]
) -> None:
    assert snap_compare(app(screen), terminal_size=size, run_before=still)


@sizes((160, 40), swept=[(200, 60)])
@pytest.mark.parametrize("theme", [None, LIGHT.name], ids=["dark", "light"])
def test_the_canvas_with_the_preview_beside_it(
    work: World, app: MakeApp, snap_compare: Snap, theme: str | None, size: tuple[int, int]
) -> None:
    assert snap_compare(app(canvas(work), theme), terminal_size=size, run_before=still)
