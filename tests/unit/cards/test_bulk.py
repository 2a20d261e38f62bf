"""Many changes as one step: what can be done is done, what cannot is listed, and one undo takes it back."""

from __future__ import annotations

from typing import Any

import pytest

from core.actions.cards.applications import RemoveApplication
from core.actions.cards.bulk import BulkResult, BulkUpdate
from core.actions.cards.cards import ArchiveCard, DeleteCard, MoveCard, ReorderCard
from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import CreateTask
from core.actions.history.history import Undo
from core.actions.projects.members import InviteMember, SetProjectRole
from core.actions.workflow.phases import EditPhase
from core.domain.model import ProjectRole, Status
from core.engine.messages import Command
from core.engine.unit_of_work import Actor
from core.errors import Forbidden, InvalidInput
from core.wire.message_decoder import message_from
from tests.support.counting import looks_for
from tests.support.workspace import World, content


def bulk(world: World, *commands: Command[Any], as_: Actor | None = None) -> BulkResult:
    return world.do(BulkUpdate(project_id=world.project.id, commands=commands), as_=as_)


def test_a_bulk_change_is_one_line_and_one_undo(world: World) -> None:
    tasks = [world.task(title) for title in "abc"]
    seq, before = world.last_change()["seq"], content(world.database, versions=False)
    result = bulk(world, *(MoveCard(card_id=task.id, status=Status.COMPLETED) for task in tasks))
    assert (result.done, result.refused) == (3, ())
    assert world.last_change()["seq"] == seq + 1
    assert world.last_change()["summary"] == "completed “a” and 2 more"
    world.do(Undo(project_id=world.project.id, relock=True))
    assert content(world.database, versions=False) == before


def test_what_is_refused_is_listed_and_leaves_nothing_behind(world: World) -> None:
    open_task, locked = world.task(), world.task(phase=world.build)
    result = bulk(
        world,
        MoveCard(card_id=locked.id, status=Status.IN_PROGRESS),
        MoveCard(card_id=open_task.id, status=Status.IN_PROGRESS, seen_version=7),
        MoveCard(card_id="nothing", status=Status.IN_PROGRESS),
        MoveCard(card_id=open_task.id, status=Status.IN_PROGRESS),
    )
    assert result.done == 1
    assert [refusal.step for refusal in result.refused] == [0, 1, 2]
    assert "locked" in result.refused[0].reason
    assert [refusal.title for refusal in result.refused] == [locked.title, open_task.title, ""]
    assert (world.status(locked), world.status(open_task)) == ("TO_DO", "IN_PROGRESS")
    records = world.rows(
        "SELECT key FROM change_record WHERE project_id = :p AND seq = :s",
        p=world.project.id,
        s=world.last_change()["seq"],
    )
    assert len(records) == 1


def test_where_all_is_refused_the_history_stays_silent(world: World) -> None:
    locked = world.task(phase=world.build)
    before = content(world.database)
    assert bulk(world, MoveCard(card_id=locked.id, status=Status.COMPLETED)).done == 0
    assert content(world.database) == before


def test_only_tasks_and_activities_of_this_project_are_changed_in_bulk(world: World) -> None:
    task = world.task()
    other = world.new_project("Other")
    alien = world.task("Secret plan", world.phase("Alien", other.id))
    world.archive(task.id)
    before = content(world.database)
    result = bulk(
        world,
        MoveCard(card_id=alien.id, status=Status.IN_PROGRESS),
        DeleteCard(card_id=task.id, relock=True),
        Undo(project_id=world.project.id),
        BulkUpdate(project_id=world.project.id, commands=()),
        EditPhase(phase_id=world.build.id, name="x"),
        InviteMember(project_id=world.project.id, user_id=world.gus.user_id),
    )
    assert (result.done, len(result.refused)) == (0, 6)
    assert content(world.database) == before
    foreign = (MoveCard(card_id=alien.id, status=Status.COMPLETED), AddComment(item_id=alien.id, text="x"))
    refused = bulk(world, *foreign, as_=world.bob).refused
    assert [each.title for each in refused] == ["", ""], "Bob is not on that project"


def test_each_step_takes_its_own_right(world: World) -> None:
    task = world.task()
    assert bulk(world, ArchiveCard(card_id=task.id), as_=world.bob).done == 1
    with pytest.raises(Forbidden):
        bulk(world, CreateTask(phase_id=world.discover.id, title="x"), as_=world.vera)
    application = world.add_application()
    refused = bulk(world, RemoveApplication(application_id=application.id), as_=world.bob).refused
    assert [each.reason for each in refused] == ["You cannot add or change applications."]
    assert world.row("application", id=application.id)["name"] == "Asset library"


def test_taking_a_bulk_change_back_takes_the_rights_of_its_steps(world: World) -> None:
    held = world.activity()
    world.add_application(activity_id=held.id)
    bulk(world, ReorderCard(card_id=held.id, phase_id=world.build.id), as_=world.bob)
    world.do(Undo(project_id=world.project.id), as_=world.bob)
    assert world.row("application")["phase_id"] == world.discover.id, "its activity took it along, there and back"

    def make_bob(role: ProjectRole) -> None:
        world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=role))

    make_bob(ProjectRole.OWNER)
    bulk(world, RemoveApplication(application_id=world.row("application")["id"]), as_=world.bob)
    make_bob(ProjectRole.CONTRIBUTOR)
    world.refuses(Undo(project_id=world.project.id), Forbidden, "add or change applications", as_=world.bob)
    assert world.rows("SELECT 1 FROM application") == []


def test_a_comment_on_several_cards_is_one_step_too(world: World) -> None:
    tasks = [world.task(title) for title in "ab"]
    result = bulk(world, *(AddComment(item_id=task.id, text="Ready") for task in tasks))
    assert result.done == 2
    assert [row["text"] for row in world.rows("SELECT text FROM comment")] == ["Ready", "Ready"]
    world.do(Undo(project_id=world.project.id))
    assert world.rows("SELECT 1 FROM comment") == []


def test_a_bulk_change_has_at_most_500_steps_however_it_is_sent(world: World) -> None:
    task = world.task()
    step = AddComment(item_id=task.id, text="Ready")
    with pytest.raises(InvalidInput, match=r"at most 500 steps; this one has 501\. Send it in several\."):
        bulk(world, *[step] * 501)
    steps = [{"message": "AddComment", "item_id": task.id, "text": "Ready"}] * 501
    with pytest.raises(InvalidInput, match="at most 500 steps"):
        message_from("BulkUpdate", {"project_id": world.project.id, "commands": steps})
    with pytest.raises(InvalidInput, match="List its steps instead"):
        message_from(
            "BulkUpdate", {"project_id": world.project.id, "commands": [{"message": "BulkUpdate", "commands": steps}]}
        )
    assert world.rows("SELECT 1 FROM comment") == []
    assert bulk(world, *[step] * 500).done == 500


def grown(world: World, cards: int) -> None:
    """Fill the phase with copies of its first card."""
    sql = (
        "INSERT INTO item WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :cards)"
        " SELECT project_id, 'card' || i, kind, phase_id, 'a0' || (100000 + i) || 'V', title, status, activity_id,"
        " assignee_id, due, description, link, archived_from, archived_with, version, 1000 + i, priority,"
        " completed_by, completed_at"
        " FROM item, n WHERE title = 'the first'"
    )
    world.database.write(lambda tx: tx.execute(sql, cards=cards))


@pytest.mark.parametrize("kind", ["create", "move", "place", "comment", "refused"])
def test_a_step_of_a_bulk_change_costs_the_same_however_large_the_project_is(
    world: World, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    first = world.task("the first")
    locked = world.task("locked", phase=world.build)
    tasks = [world.task(str(number)) for number in range(40)]

    def step(number: int, status: Status) -> Command[Any]:
        match kind:
            case "create":
                return CreateTask(phase_id=world.discover.id, title="new", before_id=first.id if number % 2 else None)
            case "move":
                return MoveCard(card_id=tasks[number].id, status=status)
            case "place":
                return ReorderCard(card_id=tasks[number].id, phase_id=world.discover.id, before_id=first.id)
            case "comment":
                return AddComment(item_id=tasks[number].id, text="Ready")
        return MoveCard(card_id=locked.id, status=Status.COMPLETED)

    def each(status: Status) -> int:
        """The additional cost of 30 more steps."""
        few, many = (
            looks_for(
                monkeypatch,
                world,
                BulkUpdate(project_id=world.project.id, commands=tuple(step(at, status) for at in range(count))),
            )
            for count in (10, 40)
        )
        return many - few

    small = each(Status.IN_PROGRESS)
    grown(world, 2000)
    assert each(Status.TO_DO) < 2 * small
