"""The check of an open form: whether its record is still as it was read, and who may ask."""

from __future__ import annotations

import pytest

from core.actions.cards.tasks import EditTask
from core.actions.history.versions import OF_WORKSPACE, RECORDS, CheckVersion, RecordKind
from core.actions.projects.members import RemoveMember
from core.actions.projects.projects import ArchiveProject
from core.actions.workspace.hierarchy import AddNode, RenameNode
from core.domain.model import Item, NodeKind
from core.errors import Forbidden, NotFound, RuleViolation, VersionConflict
from tests.support.workspace import World


def test_a_record_that_nobody_changed_has_the_version_that_was_seen(world: World) -> None:
    task = world.task()
    assert world.ask(CheckVersion(record_id=task.id, kind=RecordKind.ITEM, seen_version=task.version)) == task.version


def test_a_changed_record_is_refused_with_both_versions_and_the_person(world: World) -> None:
    task = world.task("Write the brief")
    world.do(EditTask(task_id=task.id, title="Write it all"), world.bob)
    with pytest.raises(VersionConflict) as caught:
        world.ask(CheckVersion(record_id=task.id, kind=RecordKind.ITEM, seen_version=task.version))
    assert caught.value.base == task
    assert isinstance(caught.value.current, Item)
    assert caught.value.current.title == "Write it all"
    assert [each.by for each in caught.value.since] == ["Bob Lind"]


def test_a_deleted_record_and_one_of_an_archived_project_are_refused_as_a_change_would_be(world: World) -> None:
    gone, kept = world.task(), world.task()
    world.delete(gone.id)
    world.refuses(CheckVersion(record_id=gone.id, kind=RecordKind.ITEM, seen_version=1), NotFound)
    world.do(ArchiveProject(project_id=world.project.id))
    with pytest.raises(RuleViolation, match="is archived"):
        world.ask(CheckVersion(record_id=kept.id, kind=RecordKind.ITEM, seen_version=kept.version))


def test_a_former_member_is_told_nothing(world: World) -> None:
    task = world.task()
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    with pytest.raises(NotFound):
        world.ask(CheckVersion(record_id=task.id, kind=RecordKind.ITEM, seen_version=task.version), world.bob)


def test_a_record_of_the_workspace_takes_the_permission_to_edit_it(world: World) -> None:
    node = world.do(AddNode(kind=NodeKind.CLIENT, name="Halden"))
    world.do(RenameNode(node_id=node.id, name="Halden Foods"))
    question = CheckVersion(record_id=node.id, kind=RecordKind.NODE, seen_version=node.version)
    world.refuses(question, VersionConflict)
    world.refuses(question, Forbidden, as_=world.bob)


def test_every_kind_has_a_record_with_a_version_and_those_of_projects_name_theirs() -> None:
    assert set(RECORDS) == set(RecordKind)
    for kind, record in RECORDS.items():
        names = record.__annotations__
        assert {"id", "version"} <= set(names)
        assert kind in OF_WORKSPACE or kind is RecordKind.PROJECT or "project_id" in names
