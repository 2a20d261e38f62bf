"""Undo of a new project: it is archived, unless others have worked in it, and redo restores it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.actions.cards.tasks import CreateTask
from core.actions.history.history import Redo, Undo
from core.actions.projects.imports import ImportProject
from core.actions.projects.members import InviteMember
from core.actions.projects.projects import CreateProject
from core.domain.model import Id, ProjectRole
from core.engine.messages import Command
from core.errors import CannotUndo, Forbidden, NothingToUndo
from core.record import replace
from tests.support.message_examples import messages
from tests.support.workspace import World, content

CREATED = {
    kind.__name__: make
    for kind, make in messages.COMMANDS.items()
    if issubclass(kind, Command) and kind.creates_project
}


def created(world: World, make: Callable[[World], Any]) -> Id:
    before = {row["id"] for row in world.rows("SELECT id FROM project")}
    command = make(world)
    if isinstance(command, ImportProject):
        command = replace(command, document=replace(command.document, archived=False))
    world.do(command)
    new: Id
    (new,) = {row["id"] for row in world.rows("SELECT id FROM project")} - before
    return new


@pytest.mark.parametrize("name", CREATED)
def test_undo_archives_a_new_project_with_all_that_is_in_it_and_redo_restores_it(world: World, name: str) -> None:
    project_id = created(world, CREATED[name])
    before = content(world.database, versions=False)
    assert world.do(Undo(project_id=project_id, recent=True)).message == name
    assert world.row("project", id=project_id)["archived"] == 1
    undone = content(world.database, versions=False)
    of_lists = {"member"}  # it has a copy of what lists are ordered by, which a trigger keeps
    assert {table for table in before if before[table] != undone[table]} - of_lists == {"project"}
    world.do(Redo(project_id=project_id, recent=True))
    assert content(world.database, versions=False) == before
    world.do(Undo(project_id=project_id))
    assert world.row("project", id=project_id)["archived"] == 1
    world.refuses(Undo(project_id=project_id), NothingToUndo)


def test_ones_own_work_in_it_is_undone_first(world: World) -> None:
    project_id = world.do(CreateProject(name="Temp")).id
    phase = world.phase("First", project_id)
    world.do(Undo(project_id=project_id))
    assert not world.rows("SELECT id FROM phase WHERE id = :id", id=phase.id)
    assert world.row("project", id=project_id)["archived"] == 0
    world.do(Undo(project_id=project_id))
    assert world.row("project", id=project_id)["archived"] == 1
    world.do(Redo(project_id=project_id))
    world.do(Redo(project_id=project_id))
    assert world.row("phase", id=phase.id)["name"] == "First"


def test_a_project_in_which_another_person_has_worked_is_not_archived_by_undo(world: World) -> None:
    project_id = world.do(CreateProject(name="Temp")).id
    phase = world.phase("First", project_id)
    world.do(InviteMember(project_id=project_id, user_id=world.bob.user_id, role=ProjectRole.CONTRIBUTOR))
    world.do(CreateTask(phase_id=phase.id, title="Draw the map"), world.bob)
    before = content(world.database)
    refused = r"created the project “Temp”\) cannot be undone: Bob Lind has changed it since \(added the task “Draw"
    world.refuses(Undo(project_id=project_id, seq=1), CannotUndo, refused)
    assert content(world.database) == before


def test_it_takes_the_right_to_archive_the_project(world: World) -> None:
    project_id = world.do(CreateProject(name="Temp")).id
    world.database.write(
        lambda tx: tx.execute("UPDATE member SET role = 'CONTRIBUTOR' WHERE project_id = :id", id=project_id)
    )
    world.refuses(Undo(project_id=project_id), Forbidden)
    assert world.row("project", id=project_id)["archived"] == 0
