"""Wrong values at a gate with a policy are refused by the field that the request names."""

from __future__ import annotations

from typing import Any

from core.actions.fields.custom_fields import AddField
from core.actions.workflow.gate_policy import SetGatePolicy
from core.actions.workflow.gates import DecideGate
from core.domain.fields import FieldKind
from core.domain.gates import Decision
from tests.support.api.server import ServerOfTests
from tests.support.message_examples.daily_work import waiting_condition
from tests.support.message_examples.gate_votes import recorded
from tests.support.workspace import World, content

GO_IF = {"vote": "GO_IF", "condition": "Name cleared", "personId": "{bob}", "due": "2026-03-20"}
SUM = {"text": "In budget", "kind": "SUM", "filter": "type:task", "field": "cost", "amount": "9"}
CASES: dict[str, list[tuple[dict[str, Any], str]]] = {
    "PUT /v1/phases/{phase}/gate-policy": [
        ({"needed": 0}, "needed"),
        ({"needed": 2}, "needed"),
        ({"needed": "all"}, "needed"),
        ({"deciders": "KINGS"}, "deciders"),
        ({"deciders": "META_ROLE"}, "metaRoleId"),
        ({"deciders": "PEOPLE", "people": ["nobody"]}, "people"),
        ({"deciders": "PEOPLE", "people": ["{vera}"]}, "people"),
        ({"people": ["{bob}"]}, "people"),
        ({"decideBy": "2026-03-01"}, "decideBy"),
        ({"secretaryId": "nobody"}, "secretaryId"),
    ],
    "POST /v1/phases/{phase}/votes": [
        ({}, "vote"),
        ({"vote": "PERHAPS"}, "vote"),
        ({"vote": "NO"}, "reason"),
        ({"vote": "STOP"}, "reason"),
        ({"vote": "GO", "condition": "Name cleared"}, "condition"),
        (GO_IF | {"condition": ""}, "condition"),
        (GO_IF | {"personId": None}, "personId"),
        (GO_IF | {"personId": "nobody"}, "personId"),
        (GO_IF | {"due": None}, "due"),
        (GO_IF | {"due": "2026-03-01"}, "due"),
    ],
    "POST /v1/phases/{phase}/meetings": [
        ({"day": "2026-03-03", "votes": []}, "day"),
        ({"day": "2026-03-01", "votes": [{"userId": "{bob}", "vote": "GO"}]}, "votes"),
        ({"day": "2026-03-01", "votes": [{"userId": "{maya}", "vote": "GO"}] * 2}, "votes"),
        ({"day": "2026-03-01", "votes": [{"userId": "{maya}", "vote": "NO"}]}, "reason"),
    ],
    "POST /v1/phases/{phase}/criteria": [
        ({"text": "", "kind": "CLOSED", "filter": "type:task"}, "text"),
        ({"text": "All", "kind": "OPEN"}, "kind"),
        ({"text": "All", "kind": "CLOSED"}, "filter"),
        ({"text": "All", "kind": "CLOSED", "filter": "due:soonish"}, "filter"),
        ({"text": "All", "kind": "CLOSED", "filter": "assignee:me"}, "filter"),
        ({"text": "All", "kind": "HAND"}, "personId"),
        ({"text": "All", "kind": "HAND", "personId": "nobody"}, "personId"),
        (SUM | {"field": "colour"}, "field"),
        (SUM | {"amount": "-1"}, "amount"),
        (SUM | {"amount": "few"}, "amount"),
    ],
    "POST /v1/phases/{phase}/gate": [({"decision": "LIFT"}, "reason"), ({"decision": "VOTE_GO"}, "decision")],
    "POST /v1/conditions/{condition}/waiver": [({"reason": " "}, "reason")],
    "POST /v1/gate-records/{record}/contradiction": [({"reason": ""}, "reason")],
}


def _fill(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _fill(each, ids) for name, each in value.items()}
    if isinstance(value, list):
        return [_fill(each, ids) for each in value]
    return value.format(**ids) if isinstance(value, str) else value


def test_each_wrong_value_is_refused_with_a_sentence_and_its_field(world: World, server: ServerOfTests) -> None:
    world.do(AddField(project_id=world.project.id, name="Cost", kind=FieldKind.NUMBER))
    ids = {name: getattr(world, name).user_id for name in ("maya", "bob", "vera")}
    ids |= {"record": recorded(world).id, "condition": waiting_condition(world).id, "phase": world.discover.id}
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.SEND_BACK, reason="Once more", relock=True))
    secretary = world.maya.user_id
    world.do(SetGatePolicy(phase_id=world.discover.id, needed=1, secretary_id=secretary, reason="Maya writes"))
    before, maya, found = content(world.database), server.client(), []
    for route, cases in CASES.items():
        method, target = route.format(**ids).split(" ")
        for body, field in cases:
            answer = maya.request(method, target, json=_fill(body, ids))
            details, said = answer.json().get("details", {}), answer.text
            if (answer.status_code, details.get("field")) != (400, field) or said.count('"errors"') != 1:
                found.append((route, body, said))
    assert found == []
    assert content(world.database) == before
