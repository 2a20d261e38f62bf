"""An approval seals what was shown, and the record keeps each reason."""

from __future__ import annotations

import pytest

from core.actions.cards.tasks import CreateTask
from core.actions.history.history import Redo, Undo
from core.actions.workflow.deliverables import AddDeliverable, Deliver
from core.actions.workflow.gate_record import ListGateDecisions, PreviewApproval
from core.actions.workflow.gates import DecideGate
from core.domain.gates import Decision
from core.errors import LapsesApproval, RuleViolation
from tests.support.workspace import World


def test_an_approval_of_what_changed_since_it_was_shown_is_refused(world: World) -> None:
    contract = world.do(AddDeliverable(phase_id=world.discover.id, name="Contract"))
    world.do(Deliver(deliverable_id=contract.id, link="https://files.example/1"))
    shown = world.ask(PreviewApproval(phase_id=world.discover.id)).ground
    world.do(Deliver(deliverable_id=contract.id, link="https://files.example/2"), world.bob)
    with pytest.raises(RuleViolation, match="“Discover” has changed since you looked at it"):
        world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS, seen_ground=shown))
    assert world.rows("SELECT 1 FROM gate_record") == []
    shown = world.ask(PreviewApproval(phase_id=world.discover.id)).ground
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS, seen_ground=shown))
    assert world.row("phase", id=world.discover.id)["gate_state"] == "PASSED"


def test_a_redo_that_ends_an_approval_again_asks_once_and_keeps_its_reason(world: World) -> None:
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS))
    world.do(CreateTask(phase_id=world.discover.id, title="Call them", allow_lapse="Forgotten"))
    world.do(Undo(project_id=world.project.id))
    refused = world.refuses(Redo(project_id=world.project.id), LapsesApproval)
    assert str(refused).count("This ends Maya Okafor's approval") == 1
    world.do(Redo(project_id=world.project.id, allow_lapse="Still forgotten"))
    entries = world.ask(ListGateDecisions(project_id=world.project.id))
    assert [(each.record.decision, each.record.reason) for each in entries] == [
        (Decision.PASS, ""),
        (Decision.LAPSE, "Forgotten"),
        (Decision.WITHDRAWAL, ""),
        (Decision.RESTORATION, "Still forgotten"),
    ]
