"""A project has only so many phases. One that has more keeps them, also as a file, and adds none."""

from __future__ import annotations

from typing import Any

import pytest

from core.actions.history.history import Undo
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject
from core.actions.templates.apply import MergeTemplate
from core.actions.templates.templates import ListTemplates
from core.actions.workflow.phases import AddPhase, EditPhase, RemovePhase
from core.domain.max_lengths import MAX_PHASES
from core.domain.model import Id
from core.engine.messages import Command
from core.errors import CannotUndo, RuleViolation
from tests.support.sized_worlds import add_project
from tests.support.workspace import World

REFUSED = f"A project has at most {MAX_PHASES} phases, and this one would have"


@pytest.fixture
def full(world: World) -> Id:
    return add_project(world, phases=MAX_PHASES, cards=0, members=[world.maya.user_id])


def phases_of(world: World, project_id: Id) -> list[Id]:
    rows = world.rows("SELECT id FROM phase WHERE project_id = :id ORDER BY rank", id=project_id)
    return [row["id"] for row in rows]


def check_refused(world: World, command: Command[Any], project_id: Id) -> None:
    before = phases_of(world, project_id)
    world.refuses(command, (RuleViolation, CannotUndo), REFUSED)
    assert phases_of(world, project_id) == before


def test_a_phase_is_added_up_to_the_limit_and_no_further(world: World, full: Id) -> None:
    check_refused(world, AddPhase(project_id=full, name="Another"), full)
    world.do(RemovePhase(phase_id=phases_of(world, full)[0]))
    world.phase("Another", full)
    check_refused(world, AddPhase(project_id=full, name="One more"), full)


def test_an_undo_brings_no_phase_back_beyond_the_limit(world: World, full: Id) -> None:
    world.do(RemovePhase(phase_id=phases_of(world, full)[0]))
    removal = world.rows("SELECT max(seq) AS seq FROM change WHERE project_id = :id", id=full)[0]["seq"]
    world.phase("Another", full)
    check_refused(world, Undo(project_id=full, seq=removal), full)
    world.do(Undo(project_id=full, seq=removal + 1))
    world.do(Undo(project_id=full, seq=removal))
    assert len(phases_of(world, full)) == MAX_PHASES


def test_a_template_brings_no_phase_in_beyond_the_limit(world: World, full: Id) -> None:
    template = world.ask(ListTemplates())[0].template
    check_refused(world, MergeTemplate(project_id=full, template_id=template.id), full)


def test_a_project_with_more_phases_keeps_them_also_through_a_file(world: World) -> None:
    project_id = add_project(world, phases=MAX_PHASES + 2, cards=MAX_PHASES + 2, members=[world.maya.user_id])
    copy = world.do(ImportProject(document=world.ask(ExportProject(project_id=project_id)))).id
    for each in (project_id, copy):
        first = phases_of(world, each)[0]
        assert world.do(EditPhase(phase_id=first, name="First")).name == "First"
        check_refused(world, AddPhase(project_id=each, name="Another"), each)
        assert len(phases_of(world, each)) == MAX_PHASES + 2
