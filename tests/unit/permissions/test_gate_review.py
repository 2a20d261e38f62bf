"""The review of gates: who can decide now, where that depends on one person, and what the permission source says."""

from __future__ import annotations

from typing import Any

import pytest

from core.actions import load_catalog
from core.actions.permissions import gate_review
from core.actions.permissions.gate_review import GateReview, PermissionReview, ReviewGates
from core.actions.projects.members import RemoveMember, SetProjectRole
from core.actions.projects.projects import ArchiveProject
from core.actions.workflow.gate_votes import CastVote
from core.actions.workflow.gates import DecideGate
from core.domain.gate_policy import Deciding, GatePolicy, Vote
from core.domain.gates import Decision
from core.domain.grants import FaultKind, ServiceFailure
from core.domain.model import Gate, Phase, ProjectRole
from core.domain.permissions import ADDED_CODES, Permission
from core.engine.engine import Engine
from core.engine.unit_of_work import Actor
from tests.support.authorization_service.server import Service
from tests.support.workspace import Clock, World
from tests.unit.permissions.test_authorization import SINCE, Elsewhere
from tests.unit.permissions.test_authorization import decided_by as answer_from

BOTH = "If one of Bob Lind and Maya Okafor is absent, the 2 votes cannot be reached."


@pytest.fixture
def concept(world: World) -> Phase:
    """A phase of its own project, with a review gate and no policy; Maya is owner, Bob contributor, Vera viewer."""
    return world.phase("Concept", gate=Gate.REVIEW)


def ask(world: World) -> PermissionReview:
    return world.ask(ReviewGates(project_id=world.project.id), as_=world.vera)


def the_gate(world: World) -> GateReview:
    [gate] = ask(world).gates
    return gate


def add_policy(world: World, phase: Phase, *people: Actor, **named: Any) -> None:
    """People who decide at a gate, past all rules."""
    ids = tuple(each.user_id for each in people)
    policy = GatePolicy(
        project_id=phase.project_id, phase_id=phase.id, **{"deciders": Deciding.PEOPLE, "people": ids} | named
    )
    world.insert(policy)


def refusals(gate: GateReview) -> dict[str, str]:
    return {each.name: each.why_not for each in gate.deciders}


def test_only_gates_that_people_have_yet_to_decide_are_reviewed(world: World, concept: Phase) -> None:
    gate = the_gate(world)
    assert (gate.phase_id, gate.number, gate.needed, gate.policy) == (concept.id, 4, 1, "an owner")
    assert refusals(gate) == {"Maya Okafor": ""}
    assert gate.findings == ("If Maya Okafor is absent, no owner can decide.",)
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    assert the_gate(world).findings == ()
    world.do(ArchiveProject(project_id=world.project.id))
    assert ask(world).gates == ()


def test_people_who_are_gone_are_named_and_an_absence_can_make_the_number_unreachable(
    world: World, concept: Phase
) -> None:
    add_policy(world, concept, world.bob, world.maya, world.gus, needed=2)
    gate = the_gate(world)
    assert refusals(gate) == {"Bob Lind": "", "Maya Okafor": "", "Gus Roy": "left the project"}
    assert gate.votes == "0 of 2 votes go"
    assert gate.findings == (BOTH,)
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    assert the_gate(world).findings == ("A decision takes 2 votes, and only Maya Okafor can vote.",)


def test_without_four_eyes_people_could_approve_their_own_work_and_with_them_they_cannot(
    world: World, concept: Phase
) -> None:
    world.do(DecideGate(phase_id=concept.id, decision=Decision.OVERRIDE, reason="It is urgent."))
    world.complete(world.task(phase=concept).id, as_=world.bob)
    add_policy(world, concept, world.bob, world.maya, needed=1)
    gate = the_gate(world)
    assert [each.worked for each in gate.deciders] == ["completed a card", ""]
    assert gate.findings == ("Bob Lind could approve their own work: they completed a card in this round.",)
    execute(world, "UPDATE gate_policy SET four_eyes = 1")
    gate = the_gate(world)
    assert refusals(gate)["Bob Lind"].startswith("completed a card of it in this round")
    assert gate.findings == ("If Maya Okafor is absent, no one can decide.",)
    execute(world, "UPDATE item SET completed_by = NULL")
    assert the_gate(world).findings == ("It is not known who did 1 piece of the work, which bars no one.",)


def test_a_vote_that_is_in_makes_an_absence_harmless_and_a_hold_is_named(world: World, concept: Phase) -> None:
    world.do(DecideGate(phase_id=concept.id, decision=Decision.OVERRIDE, reason="It is urgent."))
    world.complete(world.task(phase=concept).id)
    add_policy(world, concept, world.bob, world.maya, needed=2, four_eyes=False)
    world.do(CastVote(phase_id=concept.id, vote=Vote.NO, reason="Not yet"), as_=world.bob)
    assert the_gate(world).findings[0] == BOTH
    world.do(CastVote(phase_id=concept.id, vote=Vote.GO), as_=world.bob)
    gate = the_gate(world)
    assert [each.counts is Vote.GO for each in gate.deciders] == [True, False]
    assert gate.findings[0] == "If Maya Okafor is absent, the 2 votes cannot be reached."
    world.do(DecideGate(phase_id=concept.id, decision=Decision.HOLD, reason="We wait."))
    assert the_gate(world).findings[0] == "It is on hold: no one approves it before a decider lifts that."


def execute(world: World, sql: str) -> None:
    world.database.write(lambda tx: tx.execute(sql))


def decided_by(world: World, service: Service, held: dict[Actor, set[Permission]], *codes: str) -> None:
    """The world whose permissions a service decides."""
    account = world.row("project", id=world.project.id)["auth_id"]
    for actor, named in held.items():
        service.grant(actor.user_id, account, Permission.PROJECT_VIEW, *named)
    world.engine = Engine(world.database, load_catalog, service.source(codes=codes, max_age=0), Clock())


def test_an_authorization_service_is_asked_about_each_who_is_left(
    world: World, concept: Phase, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_policy(world, concept, world.bob, world.maya, world.gus, needed=1)
    decided_by(world, service, {world.maya: {Permission.WORKFLOW_MANAGE}, world.vera: set()})
    answer = ask(world)
    assert answer.source == (
        "The permission service decides who holds GATE_DECIDE, beside the panel of each gate."
        " GATE_DECIDE is decided by WORKFLOW_MANAGE, since auth_codes does not name it."
    )
    assert refusals(answer.gates[0]) == {
        "Bob Lind": "the permission service does not let them",
        "Maya Okafor": "",
        "Gus Roy": "left the project",
    }
    assert answer.gates[0].findings == ("If Maya Okafor is absent, no one can decide.",)
    asked = [request.filters["user_id"] for request in service.requests]
    assert world.gus.user_id not in asked, "whom the panel does not let"
    monkeypatch.setattr(gate_review, "MOST_ASKED", 1)
    assert refusals(the_gate(world))["Maya Okafor"] == "the permission service was not asked about them"


def test_a_service_that_knows_the_code_decides_by_it_and_may_let_others(
    world: World, concept: Phase, service: Service
) -> None:
    decided_by(world, service, {world.maya: {Permission.WORKFLOW_MANAGE}, world.vera: set()}, *ADDED_CODES)
    answer = ask(world)
    assert "auth_codes" not in answer.source
    assert answer.source.endswith("can decide; it was asked about the owners.")
    assert answer.gates[0].findings == ("No owner can decide now.",)


def test_a_service_without_an_answer_lets_no_one(world: World, concept: Phase) -> None:
    fault = ServiceFailure("The permission service does not answer.", "c-1", SINCE, FaultKind.AWAY)
    answer = ask(answer_from(world, Elsewhere(frozenset({"PROJECT_VIEW"}), age=60, fault=fault)))
    assert answer.source.endswith("The permission service does not answer.")
    assert refusals(answer.gates[0]) == {"Maya Okafor": "the permission service gave no answer"}
