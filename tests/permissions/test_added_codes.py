"""The newer codes, with authorization services that know them and that do not."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import pytest

from core.actions import load_catalog
from core.actions.history.history import Undo
from core.actions.permissions.permissions import ExplainPermission, GetMyPermissions, QueryPermissions
from core.actions.workflow.gates import DecideGate
from core.domain.gates import Decision, GateRecord
from core.domain.permissions import ADDED_CODES, Permission
from core.engine.engine import Engine
from core.errors import AuthorizationInvalid, Forbidden
from core.wire.routes import head_of
from tests.support.authorization_service.server import Service
from tests.support.workspace import Clock, World

MANAGE, DECIDE, DELIVER = Permission.WORKFLOW_MANAGE, Permission.GATE_DECIDE, Permission.DELIVER
OLD = frozenset(Permission) - ADDED_CODES

Decides = Callable[..., World]


@pytest.fixture
def decided_by(world: World, service: Service) -> Decides:
    """The world whose permissions the service decides: what Maya holds there, and what Podium knows it to know."""

    def decided_by(held: Collection[str], *named: str, refuses: Collection[str] = ()) -> World:
        for table in ("workspace", "project"):
            service.grant(world.maya.user_id, world.rows(f"SELECT auth_id FROM {table}")[0]["auth_id"], *held)
        service.refused_codes = frozenset(refuses)
        world.engine = Engine(world.database, load_catalog, service.source(codes=named, max_age=0), Clock())
        return world

    return decided_by


def decide(world: World, decision: Decision = Decision.HOLD) -> GateRecord:
    phase = world.build if decision is Decision.OVERRIDE else world.discover
    return world.do(DecideGate(phase_id=phase.id, decision=decision, reason="We wait."))


def reason(world: World, code: str) -> str:
    return world.ask(ExplainPermission(project_id=world.project.id, user_id=world.maya.user_id, action=code)).reason


def codes_asked(service: Service) -> set[str]:
    return {code for request in service.requests for code in request.filters["permission_codes"]}


@pytest.mark.parametrize("refuses", [ADDED_CODES, ()], ids=["answers 400 to unknown codes", "drops unknown codes"])
def test_a_service_that_does_not_know_the_codes_decides_by_the_code_that_they_were_part_of(
    refuses: Collection[str], decided_by: Decides, service: Service
) -> None:
    world = decided_by(OLD, refuses=refuses)
    assert decide(world).decision is Decision.HOLD
    rights = world.ask(GetMyPermissions(project_id=world.project.id))
    assert rights.held == set(Permission)
    assert rights.authority.unnamed == ADDED_CODES
    account = world.row("project", id=world.project.id)["auth_id"]
    page = world.ask(QueryPermissions(permission_codes=(DECIDE, "ASSET_VIEW"), account_id=account))
    assert page.data[0].permissions == (DECIDE,)
    assert service.requests[-1].filters["permission_codes"] == ["ASSET_VIEW", MANAGE]
    assert codes_asked(service) == OLD | {"ASSET_VIEW"}
    assert reason(world, "DecideGate").endswith(
        "says so. GATE_DECIDE is decided by WORKFLOW_MANAGE, since auth_codes does not name it."
    )
    assert "auth_codes" not in reason(world, MANAGE)


def test_without_the_code_that_they_were_part_of_none_of_them_is_held(decided_by: Decides) -> None:
    world = decided_by(frozenset(Permission) - {MANAGE})
    with pytest.raises(Forbidden, match=r"does not let you approve, hold or send back phases \(WORKFLOW_MANAGE\)\.$"):
        decide(world)
    assert not world.ask(GetMyPermissions(project_id=world.project.id)).held & {MANAGE, DECIDE, DELIVER}


def test_once_a_code_is_named_its_absence_is_a_no(decided_by: Decides, service: Service) -> None:
    world = decided_by(OLD, DECIDE)
    for decision in (Decision.PASS, Decision.HOLD, Decision.SEND_BACK):
        with pytest.raises(Forbidden, match=r"approve, hold or send back phases \(GATE_DECIDE\)\.$"):
            decide(world, decision)
    world.task(phase=world.discover)  # locks “Build”
    assert decide(world, Decision.OVERRIDE).decision is Decision.OVERRIDE
    rights = world.ask(GetMyPermissions(project_id=world.project.id))
    assert rights.held == OLD | ADDED_CODES - {DECIDE}, "the others are not named"
    assert rights.authority.unnamed == ADDED_CODES - {DECIDE}
    assert codes_asked(service) == OLD | {DECIDE}
    assert "auth_codes" not in reason(world, DECIDE)


def test_a_service_that_knows_the_codes_and_grants_them_needs_no_other(decided_by: Decides) -> None:
    world = decided_by(frozenset(Permission) - {MANAGE}, *ADDED_CODES)
    assert decide(world).decision is Decision.HOLD
    with pytest.raises(Forbidden, match=r"\(WORKFLOW_MANAGE\)\.$"):
        decide(world, Decision.OVERRIDE)


def test_a_code_that_is_named_to_a_service_that_refuses_it_is_a_fault_and_no_permission(decided_by: Decides) -> None:
    world = decided_by(OLD, DECIDE, refuses=ADDED_CODES)
    with pytest.raises(AuthorizationInvalid, match="did not accept the question"):
        decide(world)


@pytest.mark.parametrize(("code", "passes"), [(MANAGE, True), (DECIDE, True), (DELIVER, False)])
def test_a_decision_is_admitted_before_its_body_with_either_code_that_it_can_need(
    code: Permission, passes: bool, decided_by: Decides
) -> None:
    world = decided_by({code}, *ADDED_CODES)
    head: Any = head_of(DecideGate, {"phase_id": world.discover.id})
    if passes:
        assert world.engine.authorizer.admit(head, world.maya) == world.project.id
    else:
        with pytest.raises(Forbidden, match=r"\(GATE_DECIDE\)"):
            world.engine.authorizer.admit(head, world.maya)


def test_undo_of_a_decision_from_before_the_codes_needs_what_the_decision_needed(
    decided_by: Decides, service: Service
) -> None:
    world = decided_by(Permission, *ADDED_CODES)
    decide(world)
    assert world.last_change()["permissions"] == DECIDE
    service.revoke(world.maya.user_id, world.row("project", id=world.project.id)["auth_id"], DECIDE)
    with pytest.raises(Forbidden, match=r"\(GATE_DECIDE\)\.$"):
        world.do(Undo(project_id=world.project.id))
    world.database.write(lambda tx: tx.execute("UPDATE change SET permissions = :code", code=str(MANAGE)))
    world.do(Undo(project_id=world.project.id))
    assert world.rows("SELECT decision, withdrawn FROM gate_record ORDER BY seq") == [
        {"decision": "HOLD", "withdrawn": 1},
        {"decision": "WITHDRAWAL", "withdrawn": 0},
    ]
