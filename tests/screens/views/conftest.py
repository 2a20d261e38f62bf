"""The project of the tests of the Timeline."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from core.actions.cards.tasks import MoveTask
from core.actions.projects.projects import EditProject
from core.actions.workflow.phases import EditPhase, SetPhaseDueDate
from core.domain.model import Gate, Status
from tests.support.workspace import World

MONDAY = date(2026, 3, 2)
"""The day on which the clock of the tests stands."""


@pytest.fixture
def plan(world: World) -> World:
    """Discover was due last Friday with one of two tasks done; Build in two weeks behind a review; Launch undated."""
    world.do(EditProject(project_id=world.project.id, start=MONDAY - timedelta(21)))
    world.do(EditPhase(phase_id=world.build.id, gate=Gate.REVIEW))
    world.do(SetPhaseDueDate(phase_id=world.discover.id, due=MONDAY - timedelta(3)))
    world.do(SetPhaseDueDate(phase_id=world.build.id, due=MONDAY + timedelta(14)))
    done = world.task("Ask around", due=MONDAY - timedelta(10), assignee_id=world.bob.user_id)
    world.task("Write the brief", due=MONDAY - timedelta(4))
    world.do(MoveTask(task_id=done.id, status=Status.COMPLETED))
    world.task("Draft", world.build, due=MONDAY + timedelta(9), assignee_id=world.bob.user_id)
    world.task("Some day", world.build)
    return world
