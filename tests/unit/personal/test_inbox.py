"""The inbox: notifications, gates that wait for an owner, and cards that are due; reading and marking them."""

from __future__ import annotations

from datetime import date

from core.actions.cards.activities import CreateActivity
from core.actions.cards.cards import SetCardDueDate
from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import AssignTask
from core.actions.history.history import Undo
from core.actions.personal.inbox import InboxItem, InboxReason, ListInbox, MarkNotificationsRead
from core.actions.projects.exports import GetStatusReport
from core.actions.projects.members import InviteMember, RemoveMember
from core.actions.projects.projects import ArchiveProject, DeleteProject
from core.actions.workflow.deliverables import AddDeliverable, Deliver
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase
from core.domain.gates import Decision
from core.domain.model import Gate, ProjectRole, Status
from core.record import replace
from core.reports.status_report import to_markdown
from tests.support.inbox import inbox, unread
from tests.support.workspace import World


def undo(world: World) -> None:
    world.do(Undo(project_id=world.project.id))


def test_what_was_said_is_shown_in_one_line(world: World) -> None:
    world.do(AddComment(item_id=world.task().id, text="@bob\nis this\nright? " + "x" * 300))
    (line,) = inbox(world)
    assert line.concern is InboxReason.MENTIONED
    assert line.words.startswith("Maya Okafor mentioned you: @bob is this right? xxx")
    assert len(line.words) < 240


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
    world.complete(task.id)
    (gate,) = inbox(world, world.maya)
    assert (gate.concern, gate.target_id, gate.title) == (InboxReason.GATE, world.discover.id, "1 Discover")
    assert inbox(world, world.bob) == []
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.SEND_BACK, reason="Thin."))
    assert "after it was sent back" in inbox(world, world.maya)[0].words
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS))
    assert inbox(world, world.maya) == []


def test_a_phase_of_deliverables_alone_waits_once_they_have_their_evidence(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, evidence_required=True))
    assert inbox(world, world.maya) == []
    contract = world.do(AddDeliverable(phase_id=world.discover.id, name="Contract"))
    assert inbox(world, world.maya) == []
    world.do(Deliver(deliverable_id=contract.id, link="https://files.example/1"))
    assert [line.words for line in inbox(world, world.maya)] == ["ready for approval"]
    report = to_markdown(world.ask(GetStatusReport(project_id=world.project.id)))
    assert "Phase 1 Discover waits for a decision at its gate" in report


def test_permissions_are_asked_for_projects_that_a_line_can_come_from_alone(world: World) -> None:
    due, gated, told, empty = (world.new_project(name) for name in ("Due", "Gated", "Told", "Empty"))
    world.task("Mine", phase=world.phase("Only", due.id), assignee_id=world.maya.user_id)
    review = world.phase("Only", gated.id, gate=Gate.REVIEW)
    world.do(InviteMember(project_id=told.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    task = world.task("Hers", phase=world.phase("Only", told.id))
    world.do(AssignTask(task_id=task.id, assignee_id=world.maya.user_id), as_=world.bob)
    world.do(AssignTask(task_id=task.id, assignee_id=None), as_=world.bob)

    def asked() -> set[str]:
        return {question.account_id for question in world.engine.read(world.maya, ListInbox().asks)}

    assert asked() == {due.auth_id, gated.auth_id, told.auth_id}
    world.do(DecideGate(phase_id=review.id, decision=Decision.PASS))
    assert asked() == {due.auth_id, told.auth_id}
    assert empty.auth_id not in asked()


def test_what_is_late_or_due_today_is_there_until_it_is_done(world: World) -> None:
    late = world.task("Late", due=date(2026, 2, 27), assignee_id=world.bob.user_id)
    world.task("Today", due=date(2026, 3, 2), assignee_id=world.bob.user_id)
    world.task("Tomorrow", due=date(2026, 3, 3), assignee_id=world.bob.user_id)
    world.do(MarkNotificationsRead(), as_=world.bob)
    assert [(line.title, line.words) for line in inbox(world)] == [("Late", "3d late"), ("Today", "due today")]
    world.do(SetCardDueDate(card_id=late.id, due=date(2026, 3, 1)))
    assert inbox(world)[0].words == "due yesterday"
    world.complete(late.id)
    assert [line.title for line in inbox(world)] == ["Today"]


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
        status=Status.TO_DO,
        version=created.version,
        key="SPR-1",
    )
