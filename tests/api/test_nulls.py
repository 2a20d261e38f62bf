"""PATCH with null clears the field, or is refused in a sentence; it is never left as it is."""

from __future__ import annotations

from typing import Any, cast

import pytest

from core.actions.catalog import MESSAGES
from core.codec.encoding import camel, to_json
from core.codec.type_hints import field_types, required_fields
from core.engine.messages import Command
from core.errors import InvalidInput
from core.wire.routes import message_of, route_of
from tests.support.api.server import ServerOfTests
from tests.support.message_examples import messages
from tests.support.workspace import World

EDITS = [kind for kind in MESSAGES if route_of(kind).method == "PATCH"]
NAMED = [kind for kind in EDITS if "name" in required_fields(kind)]
CLEARED = {
    "EditActivity": {"description", "link"},
    "EditPhase": {"objectives", "outcomes", "due"},
    "EditProduct": {"description", "command", "requiredContext", "permissionCodes"},
    "EditApplicationRole": {"permissionCodes", "metaRoleIds"},
    "EditProject": {"description"},
    "EditTask": {"description"},
    "EditTemplate": {"description", "tags"},
    "EditUser": {"city", "lastName"},
}


def test_every_edit_is_looked_at() -> None:
    assert {"EditTask", "EditPhase", "EditUser", "EditProject", "EditTemplate"} <= {each.__name__ for each in EDITS}


@pytest.mark.parametrize("kind", EDITS, ids=lambda kind: kind.__name__)
def test_null_clears_a_field_or_is_refused_by_its_name(world: World, kind: type[Command[Any]]) -> None:
    sample: Any = messages.ALL[kind](world)
    path = {name: getattr(sample, name) for name in route_of(kind).in_path}
    given = {name: getattr(sample, name) for name in ("name",) if kind in NAMED}
    cleared, refused = set(), list[str]()
    for field in field_types(kind).keys() - path.keys() - {"seen_version"}:
        name = camel(field)
        try:
            message = message_of(kind, path, [], {**given, name: None})
            result = to_json(world.do(cast(Command[Any], message)))
        except InvalidInput as error:
            refused.append(str(error))
            continue
        assert result[name] in (None, "", []), name
        cleared.add(name)
    assert all(each.endswith(".") for each in refused)
    assert cleared == CLEARED.get(kind.__name__, set())


def test_null_in_a_request_clears_a_text_or_is_refused(world: World, server: ServerOfTests) -> None:
    client, task = server.client(), world.task("Brief", description="Long text")
    assert client.patch(f"/v1/tasks/{task.id}", json={"description": None}).json()["description"] == ""
    assert world.row("item", id=task.id)["description"] == ""
    refused = client.patch(f"/v1/tasks/{task.id}", json={"title": None})
    assert (refused.status_code, world.row("item", id=task.id)["title"]) == (400, "Brief")
    assert refused.json()["details"]["field"] == "title"


@pytest.mark.parametrize("given", [{"seenVersion": None, "title": "New"}, {"title": "New"}])
def test_no_version_that_was_seen_may_be_null(world: World, server: ServerOfTests, given: dict[str, object]) -> None:
    answer = server.client().patch(f"/v1/tasks/{world.task().id}", json=given)
    assert answer.json()["title"] == "New"
