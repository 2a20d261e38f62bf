"""Taking a change back, and bringing it back, takes at least every right that the change itself took: for each command.

Which rights a command asks for is found from outside: it is sent by a user who holds these and no others.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from core.actions import load_catalog
from core.actions.cards.activities import CreateActivity
from core.actions.cards.applications import EditApplication
from core.actions.cards.bulk import BulkResult, BulkUpdate
from core.actions.cards.cards import MoveCard
from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import CreateTask
from core.actions.catalog import COMMANDS
from core.actions.history.history import Redo, RevertCommand, Undo
from core.actions.workflow.reschedule import ReschedulePhase
from core.domain.model import Id, Status
from core.domain.permissions import Permission
from core.engine.engine import Engine
from core.engine.messages import Command
from core.engine.unit_of_work import UnitOfWork
from core.errors import CannotUndo, Forbidden
from tests.support.api.database_snapshot import Rewind
from tests.support.message_examples import messages
from tests.support.workspace import Clock, Without, World, content


class RolledBack(Exception):
    """Nothing stood in the way of a command, and none of it stays."""


def stop(work: UnitOfWork, result: object) -> None:
    if isinstance(result, BulkResult) and result.refused:  # it lists what it refuses, and does the rest
        raise Forbidden(result.refused[0].reason)
    raise RolledBack


def is_refused(world: World, command: Command[Any], *lacking: Permission) -> bool:
    """True if a command is refused to a user who holds all permissions except these."""
    engine = Engine(world.database, load_catalog, Without(world.database, *lacking), Clock())
    with pytest.raises((Forbidden, RolledBack, CannotUndo)) as ended:
        engine.execute(command, world.maya, finish=stop)
    return ended.type is Forbidden


def asked_of(world: World, command: Command[Any]) -> set[Permission]:
    """The permissions that a command asks for. A user who holds only these can send it, so the list is complete."""
    asked: set[Permission] = set()

    def listen(work: UnitOfWork, result: object) -> None:
        asked.update(work.asked)
        stop(work, result)

    with pytest.raises(RolledBack):
        world.engine.execute(command, world.maya, finish=listen)
    assert not is_refused(world, command, *set(Permission) - asked), f"{command} asks for more than {asked}"
    return asked


def scope_of_last(world: World, command: Command[Any]) -> Id:
    """Carry a command out; the project whose history has it, or the workspace."""
    sql = "SELECT project_id, seq FROM change"
    before = world.rows(sql)
    world.do(command)
    (change,) = [row for row in world.rows(sql) if row not in before]
    return str(change["project_id"])


def of_every_kind_of_step(world: World) -> BulkUpdate:
    steps = (
        MoveCard(card_id=world.task().id, status=Status.IN_PROGRESS),
        CreateTask(phase_id=world.discover.id, title="Call them"),
        CreateActivity(phase_id=world.discover.id, title="Interviews"),
        AddComment(item_id=world.task().id, text="Soon"),
        EditApplication(application_id=world.add_application().id, name="Pictures"),
    )
    return BulkUpdate(project_id=world.project.id, commands=steps)


def of_every_kind_of_card(world: World) -> ReschedulePhase:
    phase_id = messages.dated_phase(world)
    phase = world.row("phase", id=phase_id)
    for make in (world.task, world.activity):
        make(phase=world.discover if phase["id"] == world.discover.id else world.build, due=messages.DUE)
    return ReschedulePhase(phase_id=phase_id, days=2)


UNDOABLE = [
    kind for kind in COMMANDS if kind.undoable and not kind.creates_project and not issubclass(kind, RevertCommand)
]
"""All that Undo may take back, but new projects: to create one takes a right on the workspace."""

WALKED: list[tuple[str, Callable[[World], Any]]] = [
    *((kind.__name__, messages.COMMANDS[kind]) for kind in UNDOABLE),
    ("BulkUpdate", of_every_kind_of_step),
    ("ReschedulePhase", of_every_kind_of_card),
]

TAKES_FURTHER = {
    "AskForConsent": {"PROJECT_VIEW", "TASK_MANAGE"},
    "MergeTemplate": {"WORKFLOW_MANAGE", "ACTIVITY_MANAGE", "TASK_MANAGE"},
    "ReschedulePhase": {"WORKFLOW_MANAGE", "ACTIVITY_MANAGE", "TASK_MANAGE"},
    "BulkUpdate": {"TASK_MOVE", "TASK_MANAGE", "ACTIVITY_MANAGE", "COMMENT_ADD", "APPLICATION_MANAGE"},
}
"""Those that ask for more than one right, so that the walk is known to find them."""


NEVER_TAKEN_BACK = {"ClaimProject"}
"""The project would be left without an active owner."""


def test_undo_and_redo_need_every_right_that_the_change_took(world: World) -> None:
    found: dict[str, set[str]] = {}
    with closing(Rewind(world)) as rewind:
        for name, sample in WALKED:
            rewind()
            command = sample(world)
            codes = asked_of(world, command)
            found[name] = found.get(name, set()) | set(codes)
            scope = scope_of_last(world, command)
            for step in (Undo(project_id=scope, relock=True), Redo(project_id=scope, relock=True)):
                before = content(world.database)
                missing = [code for code in codes if not is_refused(world, step, code)]
                assert not missing, f"{type(step).__name__} of {name} does not ask for {missing}"
                assert content(world.database) == before
                if name in NEVER_TAKEN_BACK:
                    break
                world.do(step)
    assert {name: found[name] for name in TAKES_FURTHER} == TAKES_FURTHER


@pytest.mark.parametrize("codes", ["", "TASK_MANAGE FLY"])
def test_a_change_of_which_the_file_does_not_say_what_it_took_is_not_taken_back(world: World, codes: str) -> None:
    task = world.task()
    world.database.write(lambda tx: tx.execute("UPDATE change SET permissions = :codes", codes=codes))
    world.refuses(Undo(project_id=world.project.id), CannotUndo, "Change it back by hand")
    assert world.row("item", id=task.id)["title"] == task.title


def test_what_a_refused_step_of_many_asked_for_is_not_asked_for_again(world: World) -> None:
    steps = (
        CreateTask(phase_id=world.discover.id, title="Call them"),
        CreateActivity(phase_id=world.discover.id, title=""),
    )
    assert len(world.do(BulkUpdate(project_id=world.project.id, commands=steps)).refused) == 1
    (change,) = world.rows("SELECT permissions FROM change WHERE message = 'BulkUpdate'")
    assert set(change["permissions"].split()) == {BulkUpdate.permission, CreateTask.permission}
