"""Consent to the end of an approval: one reason for a command or a bulk, and the request of someone who lacks it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from core.actions.cards.activities import CreateActivity
from core.actions.cards.ask import AskForConsent
from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import ArchiveCard, DeleteCard, MoveCard, ReorderCard
from core.actions.cards.tasks import CreateTask
from core.actions.history.history import Undo
from core.actions.projects.members import InviteMember
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase
from core.domain.gate_policy import Deciding, GatePolicy
from core.domain.gates import Decision
from core.domain.model import Gate, Item, ProjectRole, Status
from core.engine.messages import Command
from core.errors import Forbidden, InvalidInput, LapsesApproval, RuleViolation
from tests.support.inbox import inbox
from tests.support.workspace import Clock, World

ENDS = "This ends Maya Okafor's approval of “Launch” of 2 Mar 12:00"


@pytest.fixture
def done(world: World) -> Item:
    """The only card of Launch, which is the last phase and approved: no later phase can lock."""
    task = world.task("Invite", world.launch)
    for phase in (world.discover, world.build):
        world.do(DecideGate(phase_id=phase.id, decision=Decision.PASS))
    world.do(EditPhase(phase_id=world.launch.id, gate=Gate.REVIEW))
    world.complete(task.id)
    world.do(DecideGate(phase_id=world.launch.id, decision=Decision.PASS))
    return task


def adding(world: World, *titles: str) -> tuple[Command[Any], ...]:
    return tuple(CreateTask(phase_id=world.launch.id, title=title) for title in titles)


def state(world: World) -> str:
    return str(world.row("phase", id=world.launch.id)["gate_state"])


def entries(world: World) -> list[tuple[str, str, str]]:
    sql = "SELECT decision, reason, detail FROM gate_record WHERE phase_id = :id ORDER BY at, id"
    return [(row["decision"], row["reason"], row["detail"]) for row in world.rows(sql, id=world.launch.id)]


def ask(world: World, *commands: Command[Any]) -> None:
    world.do(AskForConsent(commands=commands), as_=world.bob)


def test_a_bulk_that_ends_an_approval_is_refused_whole_and_has_one_reason_and_one_undo(
    world: World, done: Item
) -> None:
    changes, titles = len(world.rows("SELECT * FROM change")), ("Print", "Post", "Send")
    with pytest.raises(LapsesApproval, match=ENDS) as refused:
        world.do(BulkUpdate(project_id=world.project.id, commands=adding(world, *titles)))
    assert str(refused.value) == f"{ENDS}: “Print” was added. The same goes for 2 more cards."
    assert (refused.value.phase_ids, refused.value.can_allow) == ((world.launch.id,), True)
    assert len(world.rows("SELECT * FROM change")) == changes
    result = world.do(
        BulkUpdate(project_id=world.project.id, commands=adding(world, *titles), allow_lapse="More guests.")
    )
    assert (result.done, result.refused, state(world)) == (3, (), "NONE")
    lapse = ("LAPSE", "More guests.", "“Print” was added, “Post” was added and “Send” was added")
    assert entries(world)[-1] == lapse
    world.do(Undo(project_id=world.project.id))
    assert state(world) == "PASSED"
    assert lapse in entries(world)
    assert not world.rows("SELECT * FROM item WHERE title = 'Print'")


def test_a_bulk_names_every_approval_that_it_would_end(world: World, done: Item) -> None:
    commands = (*adding(world, "Print"), CreateTask(phase_id=world.discover.id, title="Call"))
    refused = world.refuses(BulkUpdate(project_id=world.project.id, commands=commands), LapsesApproval, as_=world.bob)
    assert refused.phase_ids == (world.discover.id, world.launch.id)
    assert str(refused) == f"{ENDS.replace('Launch', 'Discover')}: “Call” was added. {ENDS}: “Print” was added."
    ask(world, *commands)
    (line,) = inbox(world, world.maya)
    assert (line.target_id, line.words) == (world.discover.id, f"Bob Lind asks you to agree: {str(refused)[:-1]}")


def test_a_contributor_asks_and_each_decider_finds_one_line_with_what_is_wanted(
    world: World, clock: Clock, done: Item
) -> None:
    (wanted,) = adding(world, "Print")
    refused = world.refuses(wanted, LapsesApproval, ENDS, as_=world.bob)
    assert (refused.can_allow, refused.who_can) == (False, ("Maya Okafor",))
    ask(world, wanted)
    (line,) = inbox(world, world.maya)
    assert (line.concern, line.target_kind, line.target_id) == ("CONSENT", "PHASE", world.launch.id)
    assert line.words == f"Bob Lind asks you to agree: {ENDS}: “Print” was added"
    assert json.loads(line.wanted) == [{"message": "CreateTask", "phaseId": world.launch.id, "title": "Print"}]
    assert world.last_change()["summary"].startswith("asked Maya Okafor to agree: this ends Maya Okafor's approval")
    assert state(world) == "PASSED"
    with pytest.raises(RuleViolation, match="You have asked today"):
        ask(world, wanted)
    ask(world, MoveCard(card_id=done.id, status=Status.TO_DO, seen_version=1_000))
    assert [(each.target_id, each.key) for each in inbox(world, world.maya)] == [
        (done.id, "SPR-1"),
        (line.target_id, ""),
    ]
    clock.forward(days=1)
    ask(world, wanted)
    assert len(inbox(world, world.maya)) == 3
    assert inbox(world) == []


def test_an_undo_is_asked_for_without_being_sent_for_somebody_else(world: World, done: Item) -> None:
    extra = world.do(CreateTask(phase_id=world.launch.id, title="Print", allow_lapse="More guests."), as_=world.maya)
    world.complete(extra.id, as_=world.bob)
    world.do(DecideGate(phase_id=world.launch.id, decision=Decision.PASS))
    ask(world, Undo(project_id=world.project.id))
    assert world.last_change()["kind"] == "DO"
    assert [each.wanted for each in inbox(world, world.maya) if each.notification_id] == [""]


@pytest.mark.parametrize(
    ("command", "refused", "words"),
    [
        (lambda world, _: CreateTask(phase_id=world.discover.id, title="Print"), LapsesApproval, None),
        (lambda _, done: ArchiveCard(card_id=done.id), InvalidInput, "ArchiveCard cannot end an approval"),
        (lambda _, done: DeleteCard(card_id=done.id), Forbidden, "You cannot"),
        (lambda world, done: ReorderCard(card_id=done.id, phase_id=world.launch.id), RuleViolation, "ends no approval"),
    ],
)
def test_only_what_ends_an_approval_and_the_sender_may_do_is_asked_for(
    world: World, done: Item, command: Any, refused: type[Exception], words: str | None
) -> None:
    if words is None:  # one that would: beside one that the sender may not do, it is refused as well
        commands: tuple[Command[Any], ...] = (command(world, done), DeleteCard(card_id=done.id))
        refused, words = Forbidden, "You cannot"
    else:
        commands = (command(world, done),)
    with pytest.raises(refused, match=words):
        ask(world, *commands)
    assert inbox(world, world.maya) == []


def test_a_refusal_names_also_those_of_the_panel_who_can_consent(world: World, done: Item) -> None:
    gus, project_id = world.gus.user_id, world.project.id
    world.do(InviteMember(project_id=project_id, user_id=gus, role=ProjectRole.CONTRIBUTOR))
    people: dict[str, Any] = {"deciders": Deciding.PEOPLE, "people": (gus,)}
    world.insert(GatePolicy(project_id=project_id, phase_id=world.launch.id, **people))
    refused = world.refuses(adding(world, "Print")[0], LapsesApproval, ENDS, as_=world.bob)
    assert refused.who_can == ("Maya Okafor", "Gus Roy")


def test_the_only_one_who_can_decide_has_nobody_to_ask(world: World, done: Item) -> None:
    world.refuses(AskForConsent(commands=adding(world, "Print")), RuleViolation, "Nobody else can decide at this gate")
    activity = CreateActivity(phase_id=world.launch.id, title="Party", allow_lapse="More guests.")
    assert world.do(activity).title == "Party"
