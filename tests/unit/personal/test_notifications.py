"""Notifications: who is notified of a change, written in its transaction and taken back with it."""

from __future__ import annotations

import pytest

from core.actions.cards.activities import AssignActivity
from core.actions.cards.applications import AssignApplication
from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import DeleteCard
from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import AssignTask
from core.actions.history.history import Redo, Undo
from core.actions.personal.inbox import MarkNotificationsRead
from core.actions.workflow.phases import AssignPhase
from core.actions.workspace.users import DeactivateUser
from tests.support.inbox import inbox, told, unread
from tests.support.workspace import Clock, World


def undo(world: World) -> None:
    world.do(Undo(project_id=world.project.id))


def test_a_new_assignee_is_notified_and_reads_who_assigned_them(world: World, clock: Clock) -> None:
    me = (world.bob.user_id,)
    task = world.task("A task", assignee_id=world.bob.user_id)
    for each in (
        lambda: world.activity("An activity", member_ids=me),
        lambda: world.add_application(name="An application", member_ids=me),
        lambda: world.do(AssignPhase(phase_id=world.build.id, member_ids=me)),
    ):
        clock.forward(minutes=1)
        each()
    assert [(line.title, line.target_kind) for line in inbox(world)] == [
        ("Build", "PHASE"),
        ("An application", "APPLICATION"),
        ("An activity", "ACTIVITY"),
        ("A task", "TASK"),
    ]
    (line,) = [line for line in inbox(world) if line.target_id == task.id]
    assert (line.words, line.project, line.unread) == ("Maya Okafor assigned it to you", "Spring launch", True)
    assert unread(world) == 4
    assert unread(world, world.vera) == 0


def test_only_new_assignees_are_notified_and_no_user_of_their_own_changes(world: World) -> None:
    activity = world.activity(member_ids=(world.bob.user_id,))
    everybody = (world.maya.user_id, world.bob.user_id, world.vera.user_id)
    world.do(AssignActivity(activity_id=activity.id, member_ids=everybody))
    assert [unread(world, who) for who in (world.maya, world.bob, world.vera)] == [0, 1, 1]
    task = world.task(assignee_id=world.bob.user_id)
    world.do(AssignTask(task_id=task.id, assignee_id=world.bob.user_id))
    assert unread(world) == 2
    held = world.add_application(member_ids=(world.vera.user_id,))
    world.do(AssignApplication(application_id=held.id, member_ids=(world.vera.user_id,)))
    assert unread(world, world.vera) == 2


def test_a_move_notifies_no_user_and_a_bulk_change_notifies_once_for_each_card(world: World) -> None:
    tasks = [world.task(f"Card {number}") for number in range(3)]
    give = tuple(AssignTask(task_id=task.id, assignee_id=world.bob.user_id) for task in tasks)
    world.do(BulkUpdate(project_id=world.project.id, commands=give))
    assert unread(world) == 3
    world.start(tasks[0].id)
    assert world.rows("SELECT count(*) AS n FROM notification")[0]["n"] == 3
    undo(world)
    undo(world)
    assert world.rows("SELECT * FROM notification") == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@bob please look", "bob"),
        ("Ask @bob, or @vera.", "bob vera"),
        ("@BOB and @bob and @Bob", "bob"),
        ("(@vera)", "vera"),
        ("mail bob@example.com or x@bob", ""),
        ("@bobby @bo @@bob /@bob -@bob", ""),
        ("@gus is no member, @nobody is nobody", ""),
        ("@maya wrote this herself", ""),
        ("@bob\u0301", "bob"),
        ("[b]@bob[/b] \\@vera %@vera", "bob vera"),
        ("@ bob @", ""),
        ("@" * 5000, ""),
        ("@a " * 1600, ""),
        ("@" + "b" * 4000, ""),
    ],
    ids=lambda text: text[:20],
)
def test_a_comment_tells_the_members_that_it_names(world: World, text: str, names: str) -> None:
    world.do(AddComment(item_id=world.task().id, text=text))
    found = world.rows("SELECT login FROM notification JOIN app_user ON app_user.id = user_id ORDER BY login")
    assert " ".join(row["login"] for row in found) == names


def test_two_remarks_of_one_step_are_two_notifications(world: World) -> None:
    task = world.task()
    remarks = tuple(AddComment(item_id=task.id, text=f"@bob {word}") for word in ("one", "two"))
    world.do(BulkUpdate(project_id=world.project.id, commands=remarks))
    assert unread(world) == len(inbox(world)) == 2


def test_a_user_who_has_left_is_not_notified(world: World) -> None:
    world.do(DeactivateUser(user_id=world.vera.user_id))
    world.do(AddComment(item_id=world.task().id, text="@vera"))
    assert world.rows("SELECT * FROM notification") == []


def test_undo_takes_the_notification_back_even_when_it_was_read_and_redo_brings_it_back_as_it_was(world: World) -> None:
    task = world.task("Write")
    world.do(AssignTask(task_id=task.id, assignee_id=world.bob.user_id))
    world.do(MarkNotificationsRead(), as_=world.bob)
    assert (unread(world), len(inbox(world, read_too=True))) == (0, 1)
    undo(world)
    assert world.row("item", id=task.id)["assignee_id"] is None
    assert world.rows("SELECT * FROM notification") == []
    world.do(Redo(project_id=world.project.id))
    assert world.row("item", id=task.id)["assignee_id"] == world.bob.user_id
    assert (unread(world), len(inbox(world, read_too=True))) == (0, 1)
    undo(world)
    undo(world)
    assert world.rows("SELECT * FROM item") == []


def test_a_notification_that_is_gone_blocks_no_undo(world: World) -> None:
    task = world.task(assignee_id=world.bob.user_id)
    world.database.write(lambda tx: tx.execute("DELETE FROM notification"))
    undo(world)
    assert world.rows("SELECT * FROM item WHERE id = :id", id=task.id) == []


def test_what_was_removed_is_told_of_no_more(world: World) -> None:
    world.task("Stays")
    task = world.task("Goes", assignee_id=world.bob.user_id)
    world.archive(task.id)
    assert told(world) == [("ASSIGNED", "Goes")]
    world.do(DeleteCard(card_id=task.id))
    assert told(world) == []
    assert unread(world) == 0
