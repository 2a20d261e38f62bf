"""Pictures of templates; ``tests/screens/test_pictures.py`` says how they are taken again."""

from __future__ import annotations

from typing import Any

import pytest

from core.actions.templates.apply import SaveTemplate
from core.actions.workflow.phases import EditPhase
from core.domain.model import Gate
from tests.screens.test_pictures import FAR, MakeApp, Snap, app, pressing
from tests.support.sweeps import sizes
from tests.support.workspace import World
from tui.screens.templates.templates import TemplatesScreen

__all__ = ["app"]


@pytest.fixture
def scene(world: World) -> World:
    """Beside what is built in a template of two versions, with wide, long and hostile texts in it."""
    project = world.project.id
    world.do(EditPhase(phase_id=world.discover.id, objectives="概要を書く、それから翻訳する", gate=Gate.REVIEW))
    talks = world.activity("Interviews with customers in four countries and two languages, or more of each", due=FAR)
    world.task("Call Ana", activity_id=talks.id, assignee_id=world.maya.user_id)
    words: dict[str, Any] = {
        "name": "[b]Shop[/b] in six weeks",
        "description": "For a shop with one page.",
        "tags": ("web", "店"),
    }
    first = world.do(SaveTemplate(project_id=project, **words))
    world.do(EditPhase(phase_id=world.discover.id, objectives="Know who buys."))
    world.task("[red]Not red[/] [@click=app.bell]not a link[/]", world.build)
    world.do(SaveTemplate(project_id=project, template_id=first.id, note="The build has work in it."))
    return world


@sizes((120, 40), swept=[(80, 24)])
@pytest.mark.parametrize("keys", [["j"], ["enter"], ["enter", "enter"]], ids=["templates", "template", "compared"])
def test_the_templates(scene: World, app: MakeApp, snap_compare: Snap, size: tuple[int, int], keys: list[str]) -> None:
    assert snap_compare(app(TemplatesScreen), terminal_size=size, run_before=pressing(*keys))
