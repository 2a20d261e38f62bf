"""The project of the tests of the Timeline, and the changes of cards that views by date are tested with."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from core.actions.cards.cards import ArchiveCard, DeleteCard, MoveCard, ReorderCard, SetCardDueDate
from core.actions.cards.tasks import CreateTask, EditTask
from core.actions.dependencies.links import LinkCards
from core.actions.projects.projects import EditProject
from core.actions.workflow.phases import EditPhase, SetPhaseDueDate
from core.domain.model import Gate, Item, Status
from core.engine.messages import Command
from tests.support.workspace import World

MONDAY = date(2026, 3, 2)
"""The day on which the clock of the tests stands."""


FOLDED = (120, 12)
"""The size of a terminal in which the Timeline of ``plan`` opens with its phases folded: their cards do not fit."""


def changes_of_cards(world: World) -> tuple[list[Item], list[Command[Any]]]:
    """Eight tasks on four days, and commands that rename, date, move, complete, archive, delete, link and add cards.

    They date a phase too.
    """
    tasks = [world.task(f"Book {at}", due=MONDAY + timedelta(at % 4)) for at in range(8)]
    undated, gone = world.task("Go without a date"), world.task("Lose it", due=MONDAY)
    return tasks, [
        EditTask(task_id=tasks[0].id, title="Look it up"),
        EditTask(task_id=tasks[1].id, title="xx"),
        EditTask(task_id=tasks[1].id, title="Only now"),
        SetCardDueDate(card_id=tasks[2].id, due=MONDAY + timedelta(9)),
        SetCardDueDate(card_id=tasks[3].id, due=None),
        SetCardDueDate(card_id=undated.id, due=MONDAY + timedelta(1)),
        MoveCard(card_id=tasks[4].id, status=Status.COMPLETED),
        ReorderCard(card_id=tasks[5].id, phase_id=world.build.id),
        ArchiveCard(card_id=tasks[6].id),
        ArchiveCard(card_id=gone.id),
        DeleteCard(card_id=gone.id),
        LinkCards(waiting_id=tasks[2].id, blocker_id=undated.id),
        CreateTask(phase_id=world.build.id, title="Look once more", due=MONDAY),
        CreateTask(phase_id=world.build.id, title="Look back"),
        SetPhaseDueDate(phase_id=world.discover.id, due=MONDAY + timedelta(30)),
    ]


@pytest.fixture
def plan(world: World) -> World:
    """Discover was due last Friday with one of two tasks done; Build in two weeks behind a review; Launch undated."""
    world.do(EditProject(project_id=world.project.id, start=MONDAY - timedelta(21)))
    world.do(EditPhase(phase_id=world.build.id, gate=Gate.REVIEW))
    world.do(SetPhaseDueDate(phase_id=world.discover.id, due=MONDAY - timedelta(3)))
    world.do(SetPhaseDueDate(phase_id=world.build.id, due=MONDAY + timedelta(14)))
    done = world.task("Ask around", due=MONDAY - timedelta(10), assignee_id=world.bob.user_id)
    world.task("Write the brief", due=MONDAY - timedelta(4))
    world.complete(done.id)
    world.task("Draft", world.build, due=MONDAY + timedelta(9), assignee_id=world.bob.user_id)
    world.task("Some day", world.build)
    return world
