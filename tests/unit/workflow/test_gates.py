"""Gates: the check, the decisions of one person, and that their records stay."""

from __future__ import annotations

import pytest

from core.actions.cards.tasks import CreateTask
from core.actions.history.history import Redo, Undo
from core.actions.projects.members import SetProjectRole
from core.actions.workflow.deliverables import AddDeliverable, Deliver, TakeBack
from core.actions.workflow.gate_record import ListGateDecisions
from core.actions.workflow.gates import CheckGate, DecideGate
from core.actions.workflow.phases import EditPhase, RemovePhase
from core.domain.gates import Decision, GateRecord
from core.domain.model import Gate, Phase, PhaseState, ProjectRole
from core.engine.unit_of_work import Actor
from core.errors import CannotUndo, InvalidInput, RuleViolation, WouldRelockPhases
from tests.support.workspace import World


def decide(world: World, phase: Phase, decision: Decision, reason: str = "", relock: bool = False) -> GateRecord:
    return world.do(DecideGate(phase_id=phase.id, decision=decision, reason=reason, relock=relock))


def state(world: World, phase: Phase) -> PhaseState:
    return world.ask(CheckGate(phase_id=phase.id)).phase_state


def complete(world: World, phase: Phase) -> None:
    world.complete(world.task(phase=phase).id)


def test_an_empty_phase_is_complete_by_a_pass(world: World) -> None:
    check = world.ask(CheckGate(phase_id=world.discover.id))
    assert (check.phase_state, check.can_approve) == (PhaseState.OPEN, True)
    record = decide(world, world.discover, Decision.PASS)
    assert state(world, world.discover) is PhaseState.COMPLETE
    assert state(world, world.build) is PhaseState.OPEN
    row = world.row("gate_record", id=record.id)
    assert (row["decision"], row["by_id"], row["completed"], row["total"]) == ("PASS", world.maya.user_id, 0, 0)
    assert row["at"] == "2026-03-02T12:00:00.000+00:00"


def test_a_review_gate_waits_for_a_pass_after_the_last_card(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    complete(world, world.discover)
    check = world.ask(CheckGate(phase_id=world.discover.id))
    assert (check.phase_state, check.can_approve) == (PhaseState.OPEN, True)
    assert "you can approve it now" in check.reason
    decide(world, world.discover, Decision.PASS)
    assert state(world, world.discover) is PhaseState.COMPLETE


def test_a_phase_with_open_cards_does_not_pass_and_the_check_says_the_same(world: World) -> None:
    task = world.task()
    with pytest.raises(RuleViolation, match="one card is still open") as refused:
        decide(world, world.discover, Decision.PASS)
    check = world.ask(CheckGate(phase_id=world.discover.id))
    assert (check.can_approve, check.reason) == (False, str(refused.value))
    assert check.blockers == refused.value.blockers
    assert [blocker.id for blocker in check.blockers] == [task.id]
    assert world.rows("SELECT 1 FROM gate_record") == []


def test_a_locked_phase_neither_passes_nor_goes_back(world: World) -> None:
    world.task()
    with pytest.raises(RuleViolation, match="locked until “Discover”"):
        decide(world, world.build, Decision.PASS)
    with pytest.raises(RuleViolation, match="locked"):
        decide(world, world.build, Decision.SEND_BACK, "Not good")
    check = world.ask(CheckGate(phase_id=world.build.id))
    assert (check.phase_state, check.can_approve) == (PhaseState.LOCKED, False)
    assert check.who_can == ("Maya Okafor",)


def test_sending_back_and_overriding_take_a_reason(world: World) -> None:
    for phase, decision in ((world.discover, Decision.SEND_BACK), (world.build, Decision.OVERRIDE)):
        for reason in ("", "  \n"):
            with pytest.raises(InvalidInput) as refused:
                decide(world, phase, decision, reason)
            assert refused.value.field == "reason"
    assert world.rows("SELECT 1 FROM gate_record") == []


def test_sent_back_a_phase_is_open_until_it_passes(world: World) -> None:
    complete(world, world.discover)
    with pytest.raises(WouldRelockPhases):
        decide(world, world.discover, Decision.SEND_BACK, "Ask again")
    decide(world, world.discover, Decision.SEND_BACK, "Ask again", relock=True)
    assert state(world, world.discover) is PhaseState.OPEN
    assert state(world, world.build) is PhaseState.LOCKED
    assert "is ready again: you can" in world.ask(CheckGate(phase_id=world.discover.id)).reason
    decide(world, world.discover, Decision.PASS)
    assert state(world, world.discover) is PhaseState.COMPLETE


def test_an_override_opens_one_locked_phase_and_stays_visible(world: World) -> None:
    world.task()
    decide(world, world.build, Decision.OVERRIDE, "The client is in a hurry")
    assert [state(world, phase) for phase in (world.discover, world.build, world.launch)] == ["OPEN", "OPEN", "LOCKED"]
    assert world.row("phase", id=world.build.id)["overridden"] == 1
    task = world.task(phase=world.build)
    world.start(task.id)
    with pytest.raises(RuleViolation, match="nothing to override"):
        decide(world, world.build, Decision.OVERRIDE, "Again")


def test_a_hold_is_on_record_and_refuses_approvals_until_it_is_lifted(world: World) -> None:
    decide(world, world.discover, Decision.HOLD, "Wait for legal.")
    assert state(world, world.discover) is PhaseState.OPEN
    assert world.row("gate_record", phase_id=world.discover.id)["reason"] == "Wait for legal."
    with pytest.raises(RuleViolation, match=r"it is held by Maya Okafor since 2 Mar: Wait for legal\.$"):
        decide(world, world.discover, Decision.PASS)
    decide(world, world.discover, Decision.LIFT, "Legal is in")
    decide(world, world.discover, Decision.PASS)
    with pytest.raises(RuleViolation, match="already approved"):
        decide(world, world.discover, Decision.HOLD)


def test_an_approved_phase_is_not_approved_again_until_it_was_sent_back(world: World) -> None:
    decide(world, world.discover, Decision.PASS)
    with pytest.raises(RuleViolation, match="already approved"):
        decide(world, world.discover, Decision.PASS)
    assert len(world.rows("SELECT id FROM gate_record")) == 1
    decide(world, world.discover, Decision.SEND_BACK, "Not yet", relock=True)
    decide(world, world.discover, Decision.PASS)
    assert state(world, world.discover) is PhaseState.COMPLETE


def test_a_decision_that_is_taken_back_stays_on_record_as_withdrawn(world: World) -> None:
    record = decide(world, world.discover, Decision.PASS)
    world.do(Undo(project_id=world.project.id))
    assert world.row("gate_record", id=record.id)["withdrawn"] == 1
    assert state(world, world.discover) is PhaseState.OPEN


def test_gate_records_stay_when_their_phase_is_gone(world: World) -> None:
    from core.actions.workflow.phases import RemovePhase

    decide(world, world.discover, Decision.HOLD)
    world.do(RemovePhase(phase_id=world.discover.id))
    assert len(world.rows("SELECT 1 FROM gate_record")) == 1


def needs_evidence(world: World) -> Phase:
    """Discover, all of it done, at a review gate that requires evidence."""
    phase = world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, evidence_required=True))
    complete(world, phase)
    return phase


def test_a_gate_that_requires_evidence_passes_when_all_is_delivered_and_shown(world: World) -> None:
    phase = needs_evidence(world)
    report, slides, plan = (
        world.do(AddDeliverable(phase_id=phase.id, name=name)) for name in ("Report", "Deck", "Plan")
    )
    world.do(Deliver(deliverable_id=slides.id))
    world.do(Deliver(deliverable_id=plan.id, link="https://files.example/plan.pdf"))
    world.do(TakeBack(deliverable_id=plan.id))
    with pytest.raises(
        RuleViolation, match="3 deliverables must be done and have a link, a file or a card first"
    ) as refused:
        decide(world, phase, Decision.PASS)
    check = world.ask(CheckGate(phase_id=phase.id))
    assert (check.can_approve, check.reason, check.blockers) == (False, str(refused.value), refused.value.blockers)
    assert [(each.id, each.kind, each.title) for each in check.blockers] == [
        (report.id, "DELIVERABLE", "“Report” is not done and has no evidence"),
        (slides.id, "DELIVERABLE", "“Deck” has no evidence"),
        (plan.id, "DELIVERABLE", "“Plan” is not done"),
    ]
    assert world.rows("SELECT 1 FROM gate_record WHERE decision = 'PASS'") == []
    for each in (report, slides, plan):
        world.do(Deliver(deliverable_id=each.id, link="https://files.example/1"))
    decide(world, phase, Decision.PASS)
    assert state(world, phase) is PhaseState.COMPLETE


def test_an_approval_of_other_evidence_is_not_brought_back(world: World) -> None:
    phase = needs_evidence(world)
    report = world.do(AddDeliverable(phase_id=phase.id, name="Report"))
    world.do(Deliver(deliverable_id=report.id, link="https://files.example/1"))
    other = invited_owner(world)
    decide(world, phase, Decision.PASS)
    decide(world, phase, Decision.SEND_BACK, "Look again", relock=True)
    changed = world.do(Deliver(deliverable_id=report.id, link="https://files.example/2"), other)
    world.refuses(Undo(project_id=world.project.id), CannotUndo, "“Discover” is not as it was approved any more")
    assert world.row("phase", id=phase.id)["gate_state"] == "SENT_BACK"
    assert changed.done
    world.do(Undo(project_id=world.project.id), other)
    world.do(Undo(project_id=world.project.id))
    assert world.row("phase", id=phase.id)["gate_state"] == "PASSED"


def invited_owner(world: World) -> Actor:
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    return world.bob


def test_a_pass_is_not_redone_when_something_was_opened_meanwhile(world: World) -> None:
    phase = world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    complete(world, phase)
    decide(world, phase, Decision.PASS)
    world.do(Undo(project_id=world.project.id))
    world.do(CreateTask(phase_id=phase.id, title="One more"), world.bob)
    world.refuses(Redo(project_id=world.project.id), CannotUndo, "one card is still open")
    assert world.row("phase", id=phase.id)["gate_state"] == "NONE"


def test_only_a_review_gate_requires_evidence_and_an_override_asks_for_none(world: World) -> None:
    refused = world.refuses(EditPhase(phase_id=world.discover.id, evidence_required=True), InvalidInput)
    assert refused.field == "evidence_required"
    with pytest.raises(InvalidInput):
        world.phase("Review", evidence_required=True)
    added = world.phase("Review", gate=Gate.REVIEW, evidence_required=True)
    assert world.row("phase", id=added.id)["evidence_required"] == 1
    world.do(EditPhase(phase_id=added.id, gate=Gate.AUTOMATIC))
    assert world.row("phase", id=added.id)["evidence_required"] == 0
    world.do(EditPhase(phase_id=added.id, gate=Gate.REVIEW, evidence_required=True))
    world.do(AddDeliverable(phase_id=added.id, name="Report"))
    world.task()
    decide(world, added, Decision.OVERRIDE, "Needed now")
    assert state(world, added) is PhaseState.OPEN


def test_undo_leaves_no_automatic_gate_that_requires_evidence(world: World) -> None:
    other = invited_owner(world)
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.do(EditPhase(phase_id=world.discover.id, evidence_required=True), other)
    world.refuses(Undo(project_id=world.project.id), CannotUndo, "Only a review gate")
    row = world.row("phase", id=world.discover.id)
    assert (row["gate"], row["evidence_required"]) == ("REVIEW", 1)


def test_the_gate_record_lists_every_decision_with_its_phase_and_who_took_it(world: World) -> None:
    decide(world, world.discover, Decision.HOLD, "Wait for Ada")
    decide(world, world.discover, Decision.LIFT, "Ada is back")
    decide(world, world.discover, Decision.PASS)
    world.do(Undo(project_id=world.project.id))
    decide(world, world.build, Decision.OVERRIDE, "Needed now")
    world.do(RemovePhase(phase_id=world.build.id))
    lines = world.ask(ListGateDecisions(project_id=world.project.id), world.vera)
    assert [(line.number, line.phase, line.by, line.record.decision, line.record.withdrawn) for line in lines] == [
        (1, "Discover", "Maya Okafor", Decision.HOLD, False),
        (1, "Discover", "Maya Okafor", Decision.LIFT, False),
        (1, "Discover", "Maya Okafor", Decision.PASS, True),
        (1, "Discover", "Maya Okafor", Decision.WITHDRAWAL, False),
        (0, "Build", "Maya Okafor", Decision.OVERRIDE, False),
    ]
    assert lines[3].record.of_id == lines[2].record.id
    assert lines[4].record.reason == "Needed now"
