"""Ways round a gate that were found by trying: each is refused, or leaves an entry in the record."""

from __future__ import annotations

from datetime import date

import pytest

from core.actions.cards.tasks import CreateTask
from core.actions.history.history import Redo, Undo
from core.actions.projects.members import SetProjectRole
from core.actions.templates.apply import CreateProjectFromTemplate, MergeTemplate, SaveTemplate
from core.actions.workflow.deliverables import AddDeliverable, Deliver
from core.actions.workflow.gate_record import ListGateDecisions
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase, RemovePhase
from core.diagnostics.seals import check_seals
from core.domain.finding import Verdict
from core.domain.gates import Decision
from core.domain.model import Gate, Phase, ProjectRole
from core.engine.unit_of_work import Actor
from core.errors import CannotUndo, LapsesApproval
from tests.support.workspace import World


@pytest.fixture
def other(world: World) -> Actor:
    """A second owner."""
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    return world.bob


def decide(world: World, phase: Phase, decision: Decision, who: Actor | None = None) -> None:
    world.do(DecideGate(phase_id=phase.id, decision=decision, reason="Because", relock=True), who)


def state_of(world: World, phase: Phase) -> str:
    return str(world.row("phase", id=phase.id)["gate_state"])


def entries(world: World, phase: Phase) -> list[tuple[Decision, bool]]:
    listed = world.ask(ListGateDecisions(project_id=world.project.id))
    return [(each.record.decision, each.record.withdrawn) for each in listed if each.record.phase_id == phase.id]


def test_a_redo_does_not_approve_a_phase_that_is_locked_by_now(world: World, other: Actor) -> None:
    for phase in (world.discover, world.build):
        decide(world, phase, Decision.PASS)
    world.do(Undo(project_id=world.project.id))
    decide(world, world.discover, Decision.SEND_BACK, other)
    world.refuses(Redo(project_id=world.project.id), CannotUndo, "is locked until “Discover” is complete")
    assert state_of(world, world.build) == "NONE"


@pytest.mark.parametrize("later", [(Decision.HOLD,), (Decision.PASS, Decision.SEND_BACK), (Decision.PASS,)])
def test_no_redo_of_an_approval_passes_over_a_later_decision_of_another(
    world: World, other: Actor, later: tuple[Decision, ...]
) -> None:
    decide(world, world.discover, Decision.PASS)
    world.do(Undo(project_id=world.project.id))
    for decision in later:
        decide(world, world.discover, decision, other)
    before = state_of(world, world.discover)
    world.refuses(Redo(project_id=world.project.id, allow_lapse="Mine", relock=True), CannotUndo)
    assert state_of(world, world.discover) == before


def test_no_undo_of_an_old_decision_undoes_a_newer_one(world: World, other: Actor) -> None:
    decide(world, world.discover, Decision.PASS)
    decide(world, world.discover, Decision.SEND_BACK, other)
    decide(world, world.discover, Decision.PASS)
    decide(world, world.discover, Decision.SEND_BACK)
    with pytest.raises(CannotUndo, match="“Discover” was sent back by Maya Okafor since"):
        world.do(Undo(project_id=world.project.id), other)
    assert state_of(world, world.discover) == "SENT_BACK"
    assert not any(withdrawn for _, withdrawn in entries(world, world.discover))


def test_an_approval_of_one_text_is_not_redone_over_the_lapse_of_another(world: World, other: Actor) -> None:
    decide(world, world.discover, Decision.PASS)
    world.do(Undo(project_id=world.project.id))
    world.do(EditPhase(phase_id=world.discover.id, objectives="B"), other)
    decide(world, world.discover, Decision.PASS, other)
    world.do(EditPhase(phase_id=world.discover.id, objectives="C", allow_lapse="No"), other)
    world.do(EditPhase(phase_id=world.discover.id, objectives=""), other)
    with pytest.raises(CannotUndo, match="“Discover” was changed after its approval by Bob Lind since"):
        world.do(Redo(project_id=world.project.id))
    assert state_of(world, world.discover) == "NONE"


def test_deleting_the_card_that_is_evidence_of_an_approved_phase_ends_the_approval(world: World) -> None:
    contract = world.do(AddDeliverable(phase_id=world.discover.id, name="Contract"))
    card = world.do(CreateTask(phase_id=world.build.id, title="Sign it"), world.bob)
    world.do(Deliver(deliverable_id=contract.id, card_id=card.id))
    decide(world, world.discover, Decision.PASS)
    with pytest.raises(LapsesApproval, match="“Contract” loses its evidence, the card “Sign it”"):
        world.do(Undo(project_id=world.project.id), world.bob)
    assert world.rows("SELECT title FROM item") == [{"title": "Sign it"}]
    [(body,)] = [tuple(row.values()) for row in world.rows("SELECT body FROM gate_seal")]
    assert "SPR-1 “Sign it”" in body


def test_a_merge_of_a_template_records_another_kind_of_gate_and_completes_no_phase(world: World) -> None:
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.task("Talk", phase=world.discover)
    template = world.do(SaveTemplate(project_id=world.project.id, name="T"))
    made = world.do(CreateProjectFromTemplate(template_id=template.id, name="Second", start=date(2026, 3, 2))).project
    first = world.row("phase", project_id=made.id, name="Discover")
    world.complete(*(task["id"] for task in world.rows("SELECT id FROM item WHERE project_id = :p", p=made.id)))
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.AUTOMATIC))
    world.do(SaveTemplate(project_id=world.project.id, template_id=template.id))
    world.do(MergeTemplate(project_id=made.id, template_id=template.id, relock=True))
    after = world.row("phase", id=first["id"])
    assert (after["gate"], after["gate_state"]) == ("AUTOMATIC", "UNDECIDED")
    [entry] = world.rows("SELECT decision, reason, detail FROM gate_record WHERE project_id = :p", p=made.id)
    assert entry["decision"] == "KIND_CHANGE"
    assert entry["reason"] == "Version 2 of the template “T” has it so."


def test_a_removal_that_is_redone_leaves_one_lapse(world: World) -> None:
    decide(world, world.discover, Decision.PASS)
    world.do(RemovePhase(phase_id=world.discover.id, allow_lapse="Not needed"))
    world.do(Undo(project_id=world.project.id))
    world.do(Redo(project_id=world.project.id, allow_lapse="Really not"))
    assert [decision for decision, _ in entries(world, world.discover)].count(Decision.LAPSE) == 1


def test_a_seal_that_was_changed_in_the_database_holds_for_nothing(world: World) -> None:
    decide(world, world.discover, Decision.PASS)
    world.do(CreateTask(phase_id=world.discover.id, title="More", allow_lapse="Forgotten"))
    world.database.write(lambda tx: tx.execute("UPDATE gate_seal SET body = '{\"x\":1}'"))
    world.refuses(Undo(project_id=world.project.id), CannotUndo, "is not as it was approved any more")


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE deliverable SET name = 'Other'", "“Discover” is not as it was approved."),
        ("DELETE FROM gate_record WHERE decision = 'PASS'", "“Discover” is approved, but its record has no approval."),
        ("UPDATE gate_record SET sha256 = ''", "does not match its hash"),
        ("UPDATE gate_record SET reason = 'Forged'", "does not match its seal"),
    ],
)
def test_doctor_names_what_was_changed_in_the_database(world: World, statement: str, found: str) -> None:
    world.do(AddDeliverable(phase_id=world.discover.id, name="Contract"))
    decide(world, world.discover, Decision.HOLD)
    decide(world, world.discover, Decision.LIFT)
    decide(world, world.discover, Decision.PASS)
    assert check_seals(world.database).verdict is Verdict.GOOD
    world.database.write(lambda tx: tx.execute(statement))
    assert found in check_seals(world.database).found


def test_an_undo_about_a_phase_that_was_removed_since_is_refused_in_a_sentence(world: World, other: Actor) -> None:
    world.do(EditPhase(phase_id=world.launch.id, objectives="B"))
    world.do(RemovePhase(phase_id=world.launch.id), other)
    world.refuses(Undo(project_id=world.project.id), CannotUndo, "Bob Lind has changed it since")
