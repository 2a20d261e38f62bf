"""The inbox: who is told of what, in the transaction of the step; what waits and what is due; reading it."""

from __future__ import annotations

from datetime import date

import pytest

from core.actions.cards.activities import AssignActivity, CreateActivity
from core.actions.cards.applications import AssignApplication
from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import ArchiveTask, AssignTask, DeleteTask, MoveTask, SetTaskDueDate
from core.actions.history.history import Redo, Undo
from core.actions.personal.inbox import CountUnread, InboxItem, InboxReason, ListInbox, MarkNotificationsRead
from core.actions.projects.members import RemoveMember
from core.actions.projects.projects import ArchiveProject, DeleteProject
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import AssignPhase, EditPhase
from core.actions.workspace.users import DeactivateUser
from core.domain.model import Decision, Gate, Status
from core.engine.unit_of_work import Actor
from core.record import replace
from tests.support.workspace import Clock, World


def inbox(world: World, as_: Actor | None = None, *, read_too: bool = False) -> list[InboxItem]:
    return list(world.ask(ListInbox(read_too=read_too), as_=as_ or world.bob))


def unread(world: World, as_: Actor | None = None) -> int:
    count = world.ask(CountUnread(), as_=as_ or world.bob)
    assert count == sum(line.unread for line in inbox(world, as_))
    return count


def told(world: World, as_: Actor | None = None) -> list[tuple[str, str]]:
    return [(line.concern.value, line.title) for line in inbox(world, as_) if line.notification_id]


def undo(world: World) -> None:
    world.do(Undo(project_id=world.project.id))


def test_whoever_is_assigned_to_something_is_told_by_whom(world: World, clock: Clock) -> None:
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


def test_only_the_new_ones_are_told_and_nobody_of_what_they_did_themselves(world: World) -> None:
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


def test_a_move_tells_nobody_and_a_bulk_change_tells_once_for_each_card(world: World) -> None:
    tasks = [world.task(f"Card {number}") for number in range(3)]
    give = tuple(AssignTask(task_id=task.id, assignee_id=world.bob.user_id) for task in tasks)
    world.do(BulkUpdate(project_id=world.project.id, commands=give))
    assert unread(world) == 3
    world.do(MoveTask(task_id=tasks[0].id, status=Status.IN_PROGRESS))
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


def test_what_was_said_is_shown_in_one_line(world: World) -> None:
    world.do(AddComment(item_id=world.task().id, text="@bob\nis this\nright? " + "x" * 300))
    (line,) = inbox(world)
    assert line.concern is InboxReason.MENTIONED
    assert line.words.startswith("Maya Okafor mentioned you: @bob is this right? xxx")
    assert len(line.words) < 240


def test_two_remarks_of_one_step_are_two_notifications(world: World) -> None:
    task = world.task()
    remarks = tuple(AddComment(item_id=task.id, text=f"@bob {word}") for word in ("one", "two"))
    world.do(BulkUpdate(project_id=world.project.id, commands=remarks))
    assert unread(world) == len(inbox(world)) == 2


def test_nobody_is_told_who_has_left(world: World) -> None:
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


def test_notifications_are_read_unread_and_all_read_by_their_owner_alone(world: World) -> None:
    for title in ("One", "Two", "Three"):
        world.task(title, assignee_id=world.bob.user_id)
    first = inbox(world)[0].notification_id or ""
    world.do(MarkNotificationsRead(notification_ids=(first,)), as_=world.vera)
    assert unread(world) == 3
    world.do(MarkNotificationsRead(notification_ids=(first, "nothing")), as_=world.bob)
    assert unread(world) == 2
    world.do(MarkNotificationsRead(notification_ids=(first,), unread=True), as_=world.bob)
    assert unread(world) == 3
    before = world.rows("SELECT count(*) AS n FROM change")
    world.do(MarkNotificationsRead(), as_=world.bob)
    assert unread(world) == 0
    assert world.rows("SELECT count(*) AS n FROM change") == before


def test_gates_of_which_all_is_done_wait_for_the_owner(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    assert inbox(world, world.maya) == []  # without cards it waits for nobody yet
    task = world.task()
    assert inbox(world, world.maya) == []
    world.do(MoveTask(task_id=task.id, status=Status.COMPLETED))
    (gate,) = inbox(world, world.maya)
    assert (gate.concern, gate.target_id, gate.title) == (InboxReason.GATE, world.discover.id, "1 Discover")
    assert inbox(world, world.bob) == []
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.SEND_BACK, reason="Thin."))
    assert "since it was sent back" in inbox(world, world.maya)[0].words
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS))
    assert inbox(world, world.maya) == []


def test_what_is_late_or_due_today_is_there_until_it_is_done(world: World) -> None:
    late = world.task("Late", due=date(2026, 2, 27), assignee_id=world.bob.user_id)
    world.task("Today", due=date(2026, 3, 2), assignee_id=world.bob.user_id)
    world.task("Tomorrow", due=date(2026, 3, 3), assignee_id=world.bob.user_id)
    world.do(MarkNotificationsRead(), as_=world.bob)
    assert [(line.title, line.words) for line in inbox(world)] == [("Late", "3d late"), ("Today", "due today")]
    world.do(SetTaskDueDate(task_id=late.id, due=date(2026, 3, 1)))
    assert inbox(world)[0].words == "due yesterday"
    world.do(MoveTask(task_id=late.id, status=Status.COMPLETED))
    assert [line.title for line in inbox(world)] == ["Today"]


def test_what_was_removed_is_told_of_no_more(world: World) -> None:
    world.task("Stays")
    task = world.task("Goes", assignee_id=world.bob.user_id)
    world.do(ArchiveTask(task_id=task.id))
    assert told(world) == [("ASSIGNED", "Goes")]
    world.do(DeleteTask(task_id=task.id))
    assert told(world) == []
    assert unread(world) == 0


def test_the_inbox_ends_with_the_membership_and_with_the_project(world: World) -> None:
    world.task(due=date(2026, 3, 1), assignee_id=world.bob.user_id)
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    assert (inbox(world), unread(world)) == ([], 0)
    undo(world)
    assert (len(inbox(world)), unread(world)) == (2, 1)
    world.do(ArchiveProject(project_id=world.project.id))
    assert (inbox(world), unread(world)) == ([], 0)
    world.do(DeleteProject(project_id=world.project.id))
    assert world.rows("SELECT * FROM notification") == []


def test_a_line_says_all_a_screen_needs(world: World) -> None:
    created = world.do(CreateActivity(phase_id=world.discover.id, title="Interviews", member_ids=(world.bob.user_id,)))
    (line,) = inbox(world)
    assert replace(line, notification_id=None, at=None) == InboxItem(
        concern=InboxReason.ASSIGNED,
        notification_id=None,
        project_id=world.project.id,
        project="Spring launch",
        target_kind="ACTIVITY",
        target_id=created.id,
        title="Interviews",
        words="Maya Okafor assigned it to you",
        at=None,
        unread=True,
    )
