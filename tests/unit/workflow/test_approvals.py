"""An approved phase stays as it was approved: what ends an approval, what does not, and what the record says of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypedDict

import pytest

from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import ArchiveCard, DeleteCard, MoveCard, ReorderCard, RestoreCard
from core.actions.cards.tasks import CreateTask, EditTask
from core.actions.history.history import Redo, Undo
from core.actions.projects.members import SetProjectRole
from core.actions.projects.projects import ArchiveProject
from core.actions.workflow.deliverables import AddDeliverable, EditDeliverable, RemoveDeliverable
from core.actions.workflow.gate_record import ListGateDecisions
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase, ListPhases, RemovePhase, SetPhaseDueDate
from core.domain.gates import Decision, Deliverable
from core.domain.model import Gate, GateState, Item, Phase, PhaseState, ProjectRole, Status
from core.engine.messages import Command
from core.errors import CannotUndo, InvalidInput, LapsesApproval, PhaseLocked
from tests.support.deliveries import delivered, delivery, taking_back
from tests.support.workspace import World, content


class Consent(TypedDict, total=False):
    """The consent that a change needs that ends an approval."""

    allow_lapse: str
    relock: bool


WHY: Consent = {"allow_lapse": "The client asked"}


def state_of(world: World, phase: Phase) -> PhaseState:
    lines = world.ask(ListPhases(project_id=phase.project_id))
    return next(line.state for line in lines if line.phase.id == phase.id)


class Approved:
    """Discover, approved on the evidence of two deliverables and on three closed cards, one of them archived."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.phase: Phase = world.do(
            EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, evidence_required=True, objectives="Know them")
        )
        self.contract: Deliverable = delivered(world, self.phase, "Contract")
        self.plan: Deliverable = delivered(world, self.phase, "Plan")
        self.done, self.other, self.tidy = (world.task(title) for title in ("Write", "Ask", "Tidy"))
        world.complete(self.done.id, self.other.id, self.tidy.id)
        world.archive(self.tidy.id)
        self.dropped: Item = world.task("Dropped")
        world.archive(self.dropped.id)
        self.away: Item = world.task("Elsewhere", phase=world.launch)
        world.do(DecideGate(phase_id=self.phase.id, decision=Decision.PASS, reason="Well done"))

    def state(self) -> PhaseState:
        return state_of(self.world, self.phase)

    def entries(self) -> list[tuple[str, bool]]:
        lines = self.world.ask(ListGateDecisions(project_id=self.world.project.id))
        return [(line.record.decision.value, line.record.withdrawn) for line in lines]


Change = Callable[[Approved, Consent], Command[Any]]

ENDS: dict[str, tuple[Change, str]] = {
    "change the evidence": (
        lambda it, why: delivery(it.contract.id, "https://files.example/2", **why),
        "the deliverable “Contract” has other evidence",
    ),
    "take a deliverable back": (
        lambda it, why: taking_back(it.contract.id, **why),
        "the deliverable “Contract” was taken back",
    ),
    "rename a deliverable": (
        lambda it, why: EditDeliverable(deliverable_id=it.plan.id, name="Schedule", **why),
        "the deliverable “Plan” was renamed",
    ),
    "add a deliverable": (
        lambda it, why: AddDeliverable(phase_id=it.phase.id, name="Budget", **why),
        "the deliverable “Budget” was added",
    ),
    "remove a deliverable": (
        lambda it, why: RemoveDeliverable(deliverable_id=it.plan.id, **why),
        "the deliverable “Plan” was removed",
    ),
    "add a card": (lambda it, why: CreateTask(phase_id=it.phase.id, title="More", **why), "“More” was added"),
    "reopen a card": (
        lambda it, why: MoveCard(card_id=it.done.id, status=Status.TO_DO, **why),
        "“Write” was reopened",
    ),
    "restore an open card": (lambda it, why: RestoreCard(card_id=it.dropped.id, **why), "“Dropped” was restored"),
    "delete a card for good": (
        lambda it, why: DeleteCard(card_id=it.dropped.id, **why),
        "“Dropped” was deleted for good",
    ),
    "move a card in": (
        lambda it, why: ReorderCard(card_id=it.away.id, phase_id=it.phase.id, **why),
        "“Elsewhere” was moved in",
    ),
    "move a card out": (
        lambda it, why: ReorderCard(card_id=it.dropped.id, phase_id=it.world.launch.id, **why),
        "“Dropped” was moved out",
    ),
    "change the objectives": (
        lambda it, why: EditPhase(phase_id=it.phase.id, objectives="Other", **why),
        "the objectives changed",
    ),
    "change the outcomes": (
        lambda it, why: EditPhase(phase_id=it.phase.id, outcomes="Other", **why),
        "the outcomes changed",
    ),
    "ask for no evidence": (
        lambda it, why: EditPhase(phase_id=it.phase.id, evidence_required=False, reason="Simpler", **why),
        "the kind of the gate changed",
    ),
    "make the gate automatic": (
        lambda it, why: EditPhase(phase_id=it.phase.id, gate=Gate.AUTOMATIC, reason="Simpler", **why),
        "the kind of the gate changed",
    ),
    "add a card in bulk": (
        lambda it, why: BulkUpdate(
            project_id=it.world.project.id,
            commands=(CreateTask(phase_id=it.phase.id, title="More", **why),),
            atomic=True,
        ),
        "“More” was added",
    ),
}


@pytest.mark.parametrize(("change", "what"), ENDS.values(), ids=ENDS)
def test_an_approval_ends_with_a_change_of_what_it_holds_for_by_consent_alone(
    world: World, change: Change, what: str
) -> None:
    it = Approved(world)
    before, untouched = content(world.database), content(world.database, versions=False)
    sentence = f"This ends Maya Okafor's approval of “Discover” of 2 Mar 12:00: {what}."
    consents: tuple[Consent, ...] = ({}, {"relock": True})
    for consent in consents:
        refused = world.refuses(change(it, consent), LapsesApproval)
        assert str(refused).startswith(sentence)
        assert refused.phase_ids == (it.phase.id,)
        assert content(world.database) == before
    command = change(it, WHY)
    world.do(command)
    assert it.state() is PhaseState.OPEN
    assert ("PASS", False) in it.entries()
    lapse, approval = (world.row("gate_record", decision=decision) for decision in ("LAPSE", "PASS"))
    assert (lapse["by_id"], lapse["reason"], lapse["detail"], lapse["of_id"], lapse["phase_name"]) == (
        world.maya.user_id,
        "The client asked",
        what,
        approval["id"],
        "Discover",
    )
    if not command.undoable:
        return
    world.do(Undo(project_id=world.project.id))
    assert it.state() is PhaseState.COMPLETE
    assert ("LAPSE", True) in it.entries()
    assert it.entries()[-1] == ("WITHDRAWAL", False)
    undone = content(world.database, versions=False)
    assert undone | {"gate_record": []} == untouched | {"gate_record": []}
    world.do(Redo(project_id=world.project.id, **WHY))
    assert it.state() is PhaseState.OPEN
    assert ("LAPSE", False) in it.entries()
    assert it.entries()[-1] == ("RESTORATION", False)


KEEPS: dict[str, Change] = {
    "rename the phase": lambda it, _: EditPhase(phase_id=it.phase.id, name="Found out"),
    "date the phase": lambda it, _: SetPhaseDueDate(phase_id=it.phase.id, due=it.world.engine.clock().date()),
    "rename a card": lambda it, _: EditTask(task_id=it.done.id, title="Written"),
    "archive a completed card": lambda it, _: ArchiveCard(card_id=it.done.id),
    "restore a completed card": lambda it, _: RestoreCard(card_id=it.tidy.id),
    "put a card elsewhere in its phase": lambda it, _: ReorderCard(
        card_id=it.other.id, phase_id=it.phase.id, before_id=it.done.id
    ),
    "archive the project": lambda it, _: ArchiveProject(project_id=it.world.project.id),
}


@pytest.mark.parametrize("change", KEEPS.values(), ids=KEEPS)
def test_an_approval_stays_with_a_change_of_anything_else(world: World, change: Change) -> None:
    it = Approved(world)
    before = content(world.database)
    world.do(change(it, {}))
    assert it.state() is PhaseState.COMPLETE
    assert it.entries() == [("KIND_CHANGE", False), ("PASS", False)]
    assert content(world.database) != before


def test_an_approved_phase_is_removed_with_a_reason_and_keeps_its_record_under_its_name(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, name="Brief"))
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS))
    with pytest.raises(LapsesApproval, match=r"approval of “Brief” of 2 Mar 12:00: the phase was removed\."):
        world.do(RemovePhase(phase_id=world.discover.id, relock=True))
    world.do(RemovePhase(phase_id=world.discover.id, **WHY))
    lines = world.ask(ListGateDecisions(project_id=world.project.id))
    assert [(line.number, line.phase, line.record.decision.value) for line in lines] == [
        (0, "Brief", "KIND_CHANGE"),
        (0, "Brief", "PASS"),
        (0, "Brief", "LAPSE"),
    ]
    world.do(Undo(project_id=world.project.id))
    assert state_of(world, world.discover) is PhaseState.COMPLETE


def test_a_review_that_nobody_decided_becomes_automatic_without_completing_its_phase(world: World) -> None:
    phase = world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, evidence_required=True))
    world.complete(world.task().id)
    with pytest.raises(InvalidInput, match="Why does the gate of “Discover” change") as refused:
        world.do(EditPhase(phase_id=phase.id, gate=Gate.AUTOMATIC))
    assert refused.value.field == "reason"
    world.do(EditPhase(phase_id=phase.id, gate=Gate.AUTOMATIC, reason="No committee"))
    states = [state_of(world, each) for each in (world.discover, world.build)]
    assert states == [PhaseState.OPEN, PhaseState.LOCKED]
    lines = world.ask(ListPhases(project_id=world.project.id))
    assert [line.phase.gate_now for line in lines[:2]] == ["automatic, waits for an approval", "automatic"]
    entry = world.row("gate_record", reason="No committee")
    assert (entry["decision"], entry["detail"]) == ("KIND_CHANGE", "from “review with evidence” to “automatic”")
    world.do(DecideGate(phase_id=phase.id, decision=Decision.PASS))
    assert state_of(world, phase) is PhaseState.COMPLETE


def test_going_back_to_an_automatic_gate_completes_nothing_that_was_done_since(world: World) -> None:
    task = world.task()
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(task.id, as_=world.bob)
    world.do(Undo(project_id=world.project.id))
    row = world.row("phase", id=world.discover.id)
    assert (row["gate"], row["gate_state"]) == ("AUTOMATIC", GateState.UNDECIDED)
    world.do(Redo(project_id=world.project.id))
    row = world.row("phase", id=world.discover.id)
    assert (row["gate"], row["gate_state"]) == ("REVIEW", GateState.NONE)


def test_a_phase_that_was_sent_back_stays_so_with_an_automatic_gate(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(world.task().id)
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.SEND_BACK, reason="Too thin"))
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.AUTOMATIC, reason="No committee"))
    assert world.row("phase", id=world.discover.id)["gate_state"] == "SENT_BACK"


def test_who_may_not_decide_ends_no_approval_by_a_reason(world: World) -> None:
    it = Approved(world)
    before = content(world.database)
    for command in (
        CreateTask(phase_id=it.phase.id, title="More", **WHY),
        MoveCard(card_id=it.done.id, status=Status.TO_DO, **WHY),
    ):
        refused = world.refuses(command, LapsesApproval, as_=world.bob)
        assert refused.who_can == ("Maya Okafor",)
    assert content(world.database) == before


def test_an_undo_by_who_may_not_decide_ends_no_approval_either(world: World) -> None:
    task = world.task()
    world.complete(task.id, as_=world.bob)
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.SEND_BACK, reason="Look", relock=True))
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS))
    consents: tuple[Consent, ...] = ({}, WHY)
    for consent in consents:
        with pytest.raises(LapsesApproval, match="“Write the brief” was reopened") as refused:
            world.do(Undo(project_id=world.project.id, **consent), world.bob)
        assert refused.value.who_can == ("Maya Okafor",)
    assert world.status(task) == "COMPLETED"


def test_an_approval_does_not_come_back_for_what_others_changed_since(world: World) -> None:
    it = Approved(world)
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    world.do(EditPhase(phase_id=it.phase.id, objectives="Other", **WHY), world.bob)
    world.do(AddDeliverable(phase_id=it.phase.id, name="Budget"))
    world.refuses(Undo(project_id=world.project.id), CannotUndo, "is not done", as_=world.bob)
    world.do(Undo(project_id=world.project.id))
    world.do(Undo(project_id=world.project.id), world.bob)
    assert it.state() is PhaseState.COMPLETE


def test_an_imported_approval_does_not_come_back_for_what_others_changed_since(world: World) -> None:
    it = Approved(world)
    world.database.write(lambda tx: tx.execute("DELETE FROM gate_seal"))
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    world.do(EditPhase(phase_id=it.phase.id, objectives="Other", **WHY), world.bob)
    world.do(EditPhase(phase_id=it.phase.id, outcomes="All else"))
    with pytest.raises(CannotUndo, match="“Discover” is not as it was approved any more"):
        world.do(Undo(project_id=world.project.id), world.bob)
    assert it.state() is PhaseState.OPEN


def test_an_activity_with_tasks_between_two_approved_phases_ends_both_approvals(world: World) -> None:
    activity = world.activity()
    task = world.task(activity_id=activity.id)
    world.complete(task.id)
    world.archive(activity.id)
    for phase in (world.discover, world.build):
        world.do(DecideGate(phase_id=phase.id, decision=Decision.SEND_BACK, reason="Look", relock=True))
        world.do(DecideGate(phase_id=phase.id, decision=Decision.PASS))
    refused = world.refuses(ReorderCard(card_id=activity.id, phase_id=world.build.id), LapsesApproval)
    assert set(refused.phase_ids) == {world.discover.id, world.build.id}
    assert "“Interviews” was moved out and “Write the brief” was moved out" in str(refused)
    world.refuses(RestoreCard(card_id=activity.id), LapsesApproval, "“Interviews” was restored")


def test_a_dry_run_names_the_approval_that_would_end_and_ends_none(world: World) -> None:
    it = Approved(world)
    with pytest.raises(LapsesApproval, match="This ends Maya Okafor's approval"):
        world.engine.dry_run(CreateTask(phase_id=it.phase.id, title="More"), world.maya)
    foreseen = world.engine.dry_run(CreateTask(phase_id=it.phase.id, title="More", **WHY), world.maya)
    assert {each.entity for each in foreseen.changes} == {"item", "phase", "gate_record"}
    assert it.state() is PhaseState.COMPLETE


def test_a_completed_card_does_not_enter_a_phase_that_its_leaving_locks(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    stays, goes = world.task("Stays"), world.task("Goes")
    world.task("Later", phase=world.build)
    world.complete(stays.id, goes.id)
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS))
    with pytest.raises(PhaseLocked, match="“Goes” cannot be completed: “Build” is locked until “Discover” is complete"):
        world.do(ReorderCard(card_id=goes.id, phase_id=world.build.id, **WHY))
    assert world.row("item", id=goes.id)["phase_id"] == world.discover.id
