"""The data of a card, a phase and the Canvas, and the comments on a card."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from core.actions.cards.activities import AssignActivity
from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import ArchiveCard, ReorderCard, RestoreCard, SetCardDueDate
from core.actions.cards.comments import AddComment
from core.actions.cards.details import GetCard, GetPhase
from core.actions.cards.tasks import EditTask
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.actions.workflow.deliverables import AddDeliverable, Deliver
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import AssignPhase, RemovePhase
from core.domain.canvas import Card
from core.domain.gates import Decision
from core.domain.model import Id, ItemKind, PhaseState
from core.domain.permissions import Permission
from core.engine.messages import Command
from core.errors import Forbidden, InvalidInput, NotFound
from tests.support.message_examples import messages
from tests.support.workspace import Clock, Without, World, content


def cards(world: World) -> dict[Id, Card]:
    return {card.id: card for card in world.ask(GetCanvas(project_id=world.project.id)).cards}


def test_the_canvas_has_a_column_for_each_phase_and_a_card_for_each_item(world: World) -> None:
    activity = world.activity(link="https://example.com", due=date(2026, 4, 1))
    done, other = world.task("b", activity_id=activity.id), world.task("c", assignee_id=world.bob.user_id)
    world.task("a", phase=world.build)
    world.complete(done.id)
    world.do(AssignActivity(activity_id=activity.id, member_ids=(world.vera.user_id,)))
    world.do(AssignPhase(phase_id=world.discover.id, member_ids=(world.maya.user_id,)))
    report = world.do(AddDeliverable(phase_id=world.discover.id, name="Report"))
    world.do(Deliver(deliverable_id=report.id))
    world.do(AddComment(item_id=other.id, text="Hm."))
    canvas = world.ask(GetCanvas(project_id=world.project.id))
    head = canvas.head
    assert [(c.number, c.name, c.state) for c in head.columns] == [
        (1, "Discover", PhaseState.OPEN),
        (2, "Build", PhaseState.LOCKED),
        (3, "Launch", PhaseState.LOCKED),
    ]
    assert head.columns[0].member_ids == (world.maya.user_id,)
    assert (head.columns[0].deliverables_done, head.columns[0].deliverables) == (1, 1)
    assert (head.tally.to_do, head.tally.completed) == (3, 1)
    assert [member.name for member in head.members] == ["Bob Lind", "Maya Okafor", "Vera Sato"]
    assert head.seq == world.last_change()["seq"]
    assert [card.title for card in canvas.cards] == ["Interviews", "b", "c", "a"]
    shown = canvas.cards[0]
    assert (shown.kind, shown.has_link, shown.due) == (ItemKind.ACTIVITY, True, date(2026, 4, 1))
    assert (shown.tasks_done, shown.tasks, shown.assignee_ids) == (1, 1, (world.vera.user_id,))
    assert (canvas.cards[2].comments, canvas.cards[2].assignee_ids) == (1, (world.bob.user_id,))
    assert {card.version for card in canvas.cards} == {row["version"] for row in world.rows("SELECT version FROM item")}


def test_what_changed_since_is_enough_to_bring_an_old_canvas_up_to_date(world: World) -> None:
    activity = world.activity()
    tasks = [world.task(title, activity_id=activity.id) for title in "abcd"]
    old, head = cards(world), world.ask(GetCanvas(project_id=world.project.id)).head
    assert world.ask(GetCanvasChanges.of(head)) is None
    world.complete(tasks[0].id)
    world.do(AddComment(item_id=tasks[1].id, text="Hm."))
    world.delete(tasks[2].id)
    world.do(ReorderCard(card_id=tasks[3].id, phase_id=world.build.id))
    world.do(AssignActivity(activity_id=activity.id, member_ids=(world.bob.user_id,)))
    world.do(AssignPhase(phase_id=world.launch.id, member_ids=(world.bob.user_id,)))
    world.task("new")
    changes = world.ask(GetCanvasChanges.of(head))
    assert changes is not None
    assert changes.gone == (tasks[2].id,)
    for card_id in changes.gone:
        del old[card_id]
    assert old | {card.id: card for card in changes.changed} == cards(world)
    assert head.after(changes.head) == world.ask(GetCanvas(project_id=world.project.id)).head


def test_the_changes_tell_what_others_did(world: World) -> None:
    mine, theirs = world.task(), world.task()
    seq = world.last_change()["seq"]
    world.do(EditTask(task_id=mine.id, title="Mine"))
    world.do(EditTask(task_id=theirs.id, title="Theirs"), as_=world.bob)
    changes = world.ask(GetCanvasChanges(project_id=world.project.id, since=seq))
    assert changes is not None
    assert changes.by_others == {theirs.id}


def test_a_removed_phase_is_no_card_that_went(world: World) -> None:
    world.do(AssignPhase(phase_id=world.launch.id, member_ids=(world.bob.user_id,)))
    head = world.ask(GetCanvas(project_id=world.project.id)).head
    world.do(RemovePhase(phase_id=world.launch.id))
    changes = world.ask(GetCanvasChanges.of(head))
    assert changes is not None
    assert (changes.changed, changes.gone, len(head.after(changes.head).columns)) == ((), (), 2)


def test_a_card_shows_all_that_belongs_to_it(world: World, clock: Clock) -> None:
    activity = world.activity()
    task = world.task(activity_id=activity.id, assignee_id=world.bob.user_id)
    world.do(AddComment(item_id=task.id, text=" Looks good.\nReally. "), as_=world.bob)
    clock.forward(minutes=5)
    world.do(AddComment(item_id=task.id, text="Thanks."))
    shown = world.ask(GetCard(item_id=task.id))
    assert (shown.item.id, shown.phase.name, shown.state) == (task.id, "Discover", PhaseState.OPEN)
    assert shown.activity is not None
    assert shown.activity.id == activity.id
    assert [user.first_name for user in shown.people] == ["Bob"]
    assert [(line.author, line.text) for line in shown.comments] == [
        ("Bob Lind", "Looks good.\nReally."),
        ("Maya Okafor", "Thanks."),
    ]
    assert [line.summary for line in shown.history] == ["added the task “Write the brief”"]
    assert shown.blocked is None
    assert [each.id for each in world.ask(GetCard(item_id=activity.id)).tasks] == [task.id]


def test_a_card_says_what_blocks_it(world: World) -> None:
    activity = world.activity()
    task, locked = world.task(activity_id=activity.id), world.task(phase=world.build)
    blocked = world.ask(GetCard(item_id=locked.id)).blocked
    assert blocked is not None
    assert "locked until “Discover” is complete" in blocked.reason
    blocked = world.ask(GetCard(item_id=activity.id)).blocked
    assert blocked is not None
    assert [blocker.id for blocker in blocked.blockers] == [task.id]
    world.archive(activity.id)
    assert world.ask(GetCard(item_id=activity.id)).blocked is None


def test_a_phase_shows_its_people_deliverables_gate_and_decisions(world: World, clock: Clock) -> None:
    world.do(AssignPhase(phase_id=world.discover.id, member_ids=(world.bob.user_id,)))
    world.do(AddDeliverable(phase_id=world.discover.id, name="Report"))
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.SEND_BACK, reason="Wait"))
    clock.forward(hours=1)
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS))
    shown = world.ask(GetPhase(phase_id=world.discover.id))
    assert (shown.number, shown.state) == (1, PhaseState.COMPLETE)
    assert [user.first_name for user in shown.members] == ["Bob"]
    assert [line.deliverable.name for line in shown.deliverables] == ["Report"]
    assert [(line.record.decision, line.by) for line in shown.decisions] == [
        (Decision.PASS, "Maya Okafor"),
        (Decision.SEND_BACK, "Maya Okafor"),
    ]
    world.refuses(GetPhase(phase_id="nowhere"), NotFound)


@pytest.mark.parametrize("text", ["", " \n\t ", "\u200b", "x" * 5_001, "a\x1b]52;c;x\x07", "a\u2066b"])
def test_a_comment_that_shows_nothing_or_too_much_is_refused(world: World, text: str) -> None:
    task = world.task()
    world.refuses(AddComment(item_id=task.id, text=text), InvalidInput)
    assert world.rows("SELECT 1 FROM comment") == []


def test_a_comment_needs_a_card(world: World) -> None:
    world.refuses(AddComment(item_id=world.build.id, text="A phase is no card."), NotFound)


def test_a_user_long_away_is_told_to_read_the_canvas_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.actions.workflow.canvas_changes.MAX_RECORDS", 5)
    since = world.ask(GetCanvas(project_id=world.project.id)).head.seq
    for number in range(5):
        world.task(title=f"Task {number}")
    few = world.ask(GetCanvasChanges(project_id=world.project.id, since=since))
    assert few is not None
    assert (few.read_again, len(few.changed)) == (False, 5)
    world.task(title="One more")
    monkeypatch.setattr(GetCanvasChanges, "_became", lambda *_: pytest.fail("the changes were read"))
    for before in (since, 0, -1):
        many = world.ask(GetCanvasChanges(project_id=world.project.id, since=before))
        assert many is not None
        assert (many.read_again, many.changed, many.gone, many.head.seq) == (True, (), (), since + 6)


@pytest.mark.parametrize("kind", [ReorderCard, SetCardDueDate, ArchiveCard, RestoreCard])
@pytest.mark.parametrize(
    ("samples", "code", "other", "refusal"),
    [
        (messages.COMMANDS, Permission.TASK_MANAGE, Permission.ACTIVITY_MANAGE, "change tasks"),
        (messages.OF_ACTIVITIES, Permission.ACTIVITY_MANAGE, Permission.TASK_MANAGE, "change activities"),
    ],
)
def test_the_permission_goes_by_the_kind_of_the_card(
    world: World, kind: type[Command[Any]], samples: Any, code: Permission, other: Permission, refusal: str
) -> None:
    message = samples[kind](world)
    world.engine.permissions = Without(world.database, code)
    before = content(world.database)
    for refused in (message, BulkUpdate(project_id=world.project.id, commands=(message,), atomic=True)):
        world.refuses(refused, Forbidden, refusal)
    assert content(world.database) == before
    world.engine.permissions = Without(world.database, other)
    world.do(message)
    assert content(world.database) != before
