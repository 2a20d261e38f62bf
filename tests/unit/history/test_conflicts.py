"""Version conflicts: the error has the record as it is and as it was, and the changes by others."""

from __future__ import annotations

from typing import Any

import pytest

from core.actions.cards.activities import CreateActivity, EditActivity
from core.actions.cards.tasks import AssignTask, EditTask
from core.actions.history.history import Redo, Undo
from core.actions.projects.members import SetProjectRole
from core.domain.model import Item, Member, ProjectRole
from core.errors import ConcurrentChange, VersionConflict
from core.wire.error_bodies import error_from, to_error_body
from tests.support.workspace import Clock, World


def refused(world: World, task: Item) -> VersionConflict:
    """The conflict when Maya edits a task of which she saw this version."""
    return world.refuses(EditTask(task_id=task.id, title="Mine", seen_version=task.version), VersionConflict)


def test_both_versions_are_told_and_who_changed_what_when(world: World, clock: Clock) -> None:
    task = world.task("Write the brief")
    clock.forward(minutes=1)
    world.do(EditTask(task_id=task.id, title="Write it all"), world.bob)
    clock.forward(minutes=1)
    now = world.start(task.id)
    error = refused(world, task)
    assert (error.current, error.base) == (now, task)
    assert error.since == (
        ConcurrentChange("Maya Okafor", clock.now, "started “Write it all”"),
        ConcurrentChange("Bob Lind", error.since[1].at, "renamed “Write the brief” to “Write it all”"),
    )
    assert world.row("item", id=task.id)["title"] == "Write it all"


def test_what_was_taken_back_is_not_told_as_done(world: World) -> None:
    task = world.complete(world.task("Write the brief").id, as_=world.bob)
    world.do(Undo(project_id=world.project.id), world.bob)
    assert refused(world, task).since[0].summary == "undid: completed “Write the brief”"
    world.do(Redo(project_id=world.project.id), world.bob)
    assert refused(world, task).since[0].summary == "redid: completed “Write the brief”"


def test_what_a_server_says_of_it_is_the_same(world: World) -> None:
    task = world.task()
    world.do(AssignTask(task_id=task.id, assignee_id=world.bob.user_id))
    error = refused(world, task)
    read = error_from(error.http_status, to_error_body(error, "id"))
    assert isinstance(read, VersionConflict)
    assert (read.current, read.base, read.since) == (error.current, error.base, error.since)


def test_a_record_with_another_key_and_a_version_that_never_was(world: World) -> None:
    key: dict[str, Any] = {"project_id": world.project.id, "user_id": world.bob.user_id}
    world.do(SetProjectRole(**key, role=ProjectRole.OWNER))
    caught = world.refuses(SetProjectRole(**key, role=ProjectRole.VIEWER, seen_version=1), VersionConflict)
    assert isinstance(caught.base, Member)
    assert caught.base.role is ProjectRole.CONTRIBUTOR
    caught = world.refuses(SetProjectRole(**key, role=ProjectRole.VIEWER, seen_version=99), VersionConflict)
    assert caught.base is None


def test_the_history_of_one_record_is_not_that_of_another(world: World) -> None:
    first = world.do(CreateActivity(phase_id=world.discover.id, title="First"))
    second = world.do(CreateActivity(phase_id=world.discover.id, title="Second"))
    world.do(EditActivity(activity_id=second.id, title="Other"))
    world.do(EditActivity(activity_id=first.id, title="One"))
    with pytest.raises(VersionConflict) as caught:
        world.do(EditActivity(activity_id=first.id, title="Mine", seen_version=first.version))
    assert [each.summary for each in caught.value.since] == ["renamed “First” to “One”"]
