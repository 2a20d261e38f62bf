"""Commands on large projects: no transaction of them keeps other writers waiting, and nobody sees half of anything."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from core.actions.cards.activities import AssignActivity
from core.actions.cards.comments import AddComment
from core.actions.cards.details import GetCard
from core.actions.cards.tasks import CreateTask, EditTask
from core.actions.history.history import ListHistory, Undo
from core.actions.products.launch import LaunchApplication
from core.actions.projects import members
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject
from core.actions.projects.members import RemoveMember, SetProjectRole
from core.actions.projects.projects import ArchiveProject, DeleteProject
from core.actions.templates.apply import MergeTemplate, PreviewTemplateMerge, SaveTemplate
from core.actions.workflow import reschedule
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.reschedule import ReschedulePhase
from core.domain.gates import Decision
from core.domain.model import Project, ProjectRole
from core.engine import large_projects
from core.engine.messages import Query
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import NotFound, RuleViolation, VersionConflict
from core.record import replace
from core.server.endpoints.routes import exchange_code
from core.storage.schema.integrity import damage
from core.storage.sqlite.transaction import SqliteTx
from core.templates import project_tree
from core.templates.project_tree import ProjectTree
from tests.support.message_examples import messages
from tests.support.postgres_cluster import ON_POSTGRES, about_the_file
from tests.support.sweeps import every_message
from tests.support.workspace import World, content

SMALL = 3
"""Records that a transaction writes at most, where that is set lower for a test."""


@pytest.fixture
def slowly(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The clock of the slices, at which each look takes as long as a slice."""
    moments = iter(range(1_000_000))
    clock = SimpleNamespace(
        monotonic=lambda: next(moments) * large_projects.SLICE_SECONDS * 0.6, sleep=lambda _seconds: None
    )
    monkeypatch.setattr(large_projects, "time", clock)
    return clock


def per_transaction(world: World, monkeypatch: pytest.MonkeyPatch, count: Callable[[SqliteTx], int]) -> list[int]:
    """A list that will have, for each transaction that writes, how much ``count`` grew in it."""
    found: list[int] = []
    write = world.database.write

    def counted(work: Callable[[Any], Any], *args: Any, **options: Any) -> Any:
        def noted(tx: Any) -> Any:
            before = count(tx)
            result = work(tx)
            found.append(count(tx) - before)
            return result

        return write(noted, *args, **options)

    monkeypatch.setattr(world.database, "write", counted)
    return found


def rows_gone(tx: SqliteTx) -> int:
    tables = dict.fromkeys(rows.table for rows in large_projects.HIDDEN)
    return -sum(int(tx.tuples(f"SELECT count(*) FROM {table}")[0][0]) for table in tables)


def letters(tx: SqliteTx) -> int:
    """The bytes of text in the descriptions of all cards."""
    size = "octet_length(description)" if ON_POSTGRES else "length(CAST(description AS BLOB))"
    return int(tx.tuples(f"SELECT coalesce(sum({size}), 0) FROM item")[0][0])


def furnished(world: World) -> str:
    """Put something of each kind that is hidden into the project of the world; the code of a launch that waits."""
    activity = world.activity(member_ids=(world.bob.user_id,))
    held = world.add_application(world.product("Footage store"), activity_id=activity.id)
    for number in range(10):
        task = world.task(f"Unheard-of {number}", assignee_id=world.bob.user_id, activity_id=activity.id)
        world.do(AddComment(item_id=task.id, text="Unheard-of, @bob"))
    messages.deliverable(world)
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.HOLD))
    return world.do(LaunchApplication(application_id=held.id)).code


def delete(world: World) -> None:
    if not world.row("project", id=world.project.id)["archived"]:
        world.do(ArchiveProject(project_id=world.project.id))
    world.do(DeleteProject(project_id=world.project.id))


def test_deleting_a_project_removes_a_bounded_number_of_rows_in_each_transaction(
    world: World, monkeypatch: pytest.MonkeyPatch, slowly: SimpleNamespace
) -> None:
    kept = content(world.database)
    for tasks in (100, 300):
        here = world.new_project("Large")
        phase = world.phase("Make", here.id)
        for number in range(tasks):
            world.do(CreateTask(phase_id=phase.id, title=f"Task {number}"))
        world.do(ArchiveProject(project_id=here.id))
        with monkeypatch.context() as patch:
            found = per_transaction(world, patch, rows_gone)
            world.do(DeleteProject(project_id=here.id))
            assert world.rows("SELECT count(*) AS n FROM item WHERE project_id = :p", p=here.id)[0]["n"] > 0
            world.refuses(ExportProject(project_id=here.id), NotFound)
            large_projects.sweep(world.database)
        assert world.rows("SELECT 1 FROM unfinished") == []
        assert world.rows("SELECT 1 FROM search_doc WHERE scope = :p", p=here.id) == []
        assert sum(found) > 2 * tasks
        assert max(found) <= 2 * large_projects.SWEPT_AT_ONCE
    after = content(world.database)
    for table in ("item", "phase", "change", "project", "member"):
        assert [row for row in after[table] if row.get("project_id") != "workspace"] == [
            row for row in kept[table] if row.get("project_id") != "workspace"
        ], table


@every_message(messages.QUERIES)
def test_no_question_of_anybody_sees_what_is_left_of_a_deleted_project(
    world: World, kind: type[Query[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    furnished(world)
    query = messages.QUERIES[kind](world)
    world.answers(query)  # to have asked may be seen too, as who is here
    monkeypatch.setattr(large_projects, "SLICE_SECONDS", -1.0)
    delete(world)
    half = world.answers(query, type)
    assert world.rows("SELECT count(*) AS n FROM item WHERE project_id = :p", p=world.project.id)[0]["n"]
    monkeypatch.undo()
    large_projects.sweep(world.database)
    assert world.rows("SELECT 1 FROM unfinished") == []
    assert half == world.answers(query, type)


@about_the_file
def test_what_is_left_of_a_deleted_project_is_no_damage_and_answers_to_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch, slowly: SimpleNamespace
) -> None:
    others = world.task("In another project", world.phase("Make", world.new_project("Kept").id))
    code = furnished(world)
    task = world.row("item", title="Unheard-of 3")
    monkeypatch.setattr(large_projects, "SWEPT_AT_ONCE", 2)
    delete(world)
    world.refuses(EditTask(task_id=task["id"], title="Still here"), NotFound)
    world.refuses(AddComment(item_id=task["id"], text="Still here"), NotFound)
    with pytest.raises(NotFound, match="launch code is unknown"):
        exchange_code(world.engine, code)
    damages: list[list[str]] = []

    def look(_seconds: float) -> None:
        damages.append(damage(world.database.connection))

    monkeypatch.setattr(slowly, "sleep", look)
    large_projects.sweep(world.database)
    assert len(damages) > 3
    assert not any(damages)
    assert world.ask(GetCard(item_id=others.id)).item.title == "In another project"
    assert world.rows("SELECT 1 FROM item WHERE project_id = :p", p=world.project.id) == []


def test_an_import_of_long_texts_writes_a_bounded_amount_of_text_in_each_transaction(
    world: World, monkeypatch: pytest.MonkeyPatch, slowly: SimpleNamespace
) -> None:
    world.task("One", description="x" * 20_000)
    document = world.ask(ExportProject(project_id=world.project.id))
    first = document.phases[0]
    cards = tuple(replace(first.items[0], id=str(number), number=number) for number in range(1, 61))
    large = replace(document, name="Long", phases=(replace(first, items=cards),))
    found = per_transaction(world, monkeypatch, letters)
    brought = world.do(ImportProject(document=large))
    assert max(found) <= 2 * large_projects.STEP_TEXT + 2 * 20_000
    assert world.rows("SELECT count(*) AS n FROM item WHERE project_id = :p", p=brought.id)[0]["n"] == 60
    assert found[-1] == 0  # what makes it seen brings no text


def test_a_member_with_very_many_cards_is_removed_in_changes_of_a_bounded_size(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob = world.bob.user_id
    for number in range(7):
        world.task(f"Task {number}", assignee_id=bob)
    for number in range(4):
        activity = world.activity(f"Activity {number}")
        world.do(AssignActivity(activity_id=activity.id, member_ids=(bob, world.maya.user_id)))
    monkeypatch.setattr(members, "AT_ONCE", SMALL)
    found = per_transaction(world, monkeypatch, lambda tx: tx.tuples("SELECT count(*) FROM change_record")[0][0])
    world.do(RemoveMember(project_id=world.project.id, user_id=bob))
    assert max(found) <= SMALL + 1
    assert world.rows("SELECT 1 FROM item WHERE assignee_id = :bob", bob=bob) == []
    assert [row["user_id"] for row in world.rows("SELECT user_id FROM assignment")] == [world.maya.user_id] * 4
    assert world.rows("SELECT 1 FROM member WHERE user_id = :bob", bob=bob) == []
    lines = [line.summary for line in world.ask(ListHistory(project_id=world.project.id))[:4]]
    name = world.row("app_user", id=bob)["first_name"]
    assert lines[0].startswith(f"removed {name}")
    assert all(line.startswith(f"unassigned 3 cards of {name}") for line in lines[1:])
    world.do(Undo(project_id=world.project.id))
    world.do(Undo(project_id=world.project.id))
    assert len(world.rows("SELECT 1 FROM member WHERE user_id = :bob", bob=bob)) == 1


def test_of_the_last_owner_with_very_many_cards_nothing_is_taken(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(7):
        world.task(f"Task {number}", assignee_id=world.maya.user_id)
    monkeypatch.setattr(members, "AT_ONCE", SMALL)
    before = content(world.database)
    with pytest.raises(RuleViolation, match="at least one active owner"):
        world.do(RemoveMember(project_id=world.project.id, user_id=world.maya.user_id))
    assert content(world.database) == before
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    world.do(RemoveMember(project_id=world.project.id, user_id=world.maya.user_id))
    assert world.rows("SELECT 1 FROM item WHERE assignee_id IS NOT NULL") == []


def test_what_a_template_brings_into_a_large_project_is_worked_out_before_the_transaction(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = world.do(SaveTemplate(project_id=world.project.id, name="Ours"))
    for number in range(5):
        world.task(f"Task {number}")
    saved = world.do(SaveTemplate(project_id=world.project.id, template_id=saved.id))
    here = world.new_project("Other")
    phase = world.phase("Make", here.id)
    tasks = [world.task(f"Own {number}", phase) for number in range(5)]
    monkeypatch.setattr(large_projects, "AT_ONCE", SMALL)
    views: list[type] = []
    whole = project_tree.read_project_tree

    def noted(view: Snapshot, project: Project, **more: Any) -> ProjectTree:
        views.append(type(view))
        return whole(view, project, **more)

    monkeypatch.setattr(project_tree, "read_project_tree", noted)
    bring = MergeTemplate(project_id=here.id, template_id=saved.id, relock=True)
    plan = world.ask(PreviewTemplateMerge(project_id=here.id, template_id=saved.id))
    prepare = MergeTemplate.prepare

    def overtaken(command: MergeTemplate, look: Any) -> Any:
        found = prepare(command, look)
        world.do(EditTask(task_id=tasks[0].id, title="Another title"))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(MergeTemplate, "prepare", overtaken)
        world.refuses(bring, VersionConflict, "changed since you previewed")
    assert len(world.rows("SELECT 1 FROM item WHERE project_id = :p", p=here.id)) == 5
    assert world.do(bring).differences == plan.differences
    assert len(world.rows("SELECT 1 FROM item WHERE project_id = :p", p=here.id)) == 10
    assert views
    assert UnitOfWork not in views


def test_a_phase_that_would_move_too_many_cards_is_refused_before_they_are_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    phase_id = messages.dated_phase(world)
    for number in range(4):
        world.task(f"Task {number}", world.build, due=messages.DUE)
    monkeypatch.setattr(reschedule, "MAX_RECORDS", 4)
    monkeypatch.setattr(reschedule, "_open", lambda _view: pytest.fail("The cards are read."))
    before = content(world.database)
    with pytest.raises(RuleViolation, match="would move 5 cards; one change can move at most 4"):
        world.do(ReschedulePhase(phase_id=phase_id, days=2))
    assert content(world.database) == before
