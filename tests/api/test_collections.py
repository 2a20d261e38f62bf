"""Every collection of the HTTP API is ``{"data": [...]}``; what else it tells is beside that (source document, 4.2)."""

from __future__ import annotations

from typing import Any, get_args, get_origin

import pytest

from core.actions.catalog import MESSAGES, QUERIES
from core.codec.encoding import key_of, text_of
from core.codec.type_hints import field_types, is_record, unwrap_optional
from core.engine.messages import Message
from core.record import fields
from core.server.openapi.document import document
from core.wire.result_decoder import read, result_type
from core.wire.routes import request_of
from tests.support.api.server import ServerOfTests
from tests.support.message_examples import messages
from tests.support.workspace import World

ONE_THING = {
    "TemplateMerge",
    "Canvas",
    "CanvasChanges",
    "CardDetail",
    "ApplicationDetail",
    "ApprovalPreview",
    "GateCheck",
    "ImportIntoPlan",
    "ImportPlan",
    "PermissionPage",
    "PhaseDetail",
    "ProductDetail",
    "ProjectDigest",
    "ProjectDocument",
    "ProjectReport",
    "ProjectSummary",
    "Reschedule",
    "SealComparison",
    "SealDetail",
    "TemplateDetail",
    "UserDetail",
}
"""Answers that have lists of records and are no collections: one thing with its parts, or the page of the permission
query, whose form is another section's. Of a new answer this is decided here."""


def answer_type(kind: type[Message[Any]]) -> Any:
    return unwrap_optional(result_type(kind))[0]


def listed(record: Any) -> list[str]:
    """The fields of a record that are lists of records."""
    return [
        name
        for name, hint in field_types(record).items()
        if get_origin(hint) in (tuple, frozenset) and is_record(get_args(hint)[0])
    ]


def is_collection(kind: type[Message[Any]]) -> bool:
    answer = answer_type(kind)
    if is_record(answer):
        return bool(listed(answer)) and answer.__name__ not in ONE_THING
    return get_origin(answer) in (tuple, frozenset)


COLLECTIONS = [kind for kind in QUERIES if is_collection(kind)]


@pytest.mark.parametrize("kind", COLLECTIONS, ids=lambda kind: kind.__name__)
def test_a_collection_is_under_data_in_the_answer_and_in_its_description(
    world: World, server: ServerOfTests, kind: type[Message[Any]]
) -> None:
    message = messages.ALL[kind](world)
    method, target, body = request_of(message)
    headers = {"Content-Type": "application/json"} if body else {}
    answer = server.client().request(method, target, content=body or None, headers=headers)
    assert answer.status_code == 200
    assert isinstance(answer.json()["data"], list)
    assert schema_of(kind)["properties"]["data"]["type"] == "array"
    assert "data" in schema_of(kind)["required"]


def schema_of(kind: type[Message[Any]]) -> dict[str, Any]:
    """The schema of the answer in the OpenAPI document."""
    method, path = kind.route.split(" ")
    answer = document()["paths"][path][method.lower()]["responses"]["200"]["content"]["application/json"]["schema"]
    name = answer.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = document()["components"]["schemas"][name] if name else answer
    return found


@pytest.mark.parametrize(
    "record",
    [answer_type(kind) for kind in COLLECTIONS if is_record(answer_type(kind))],
    ids=lambda record: record.__name__,
)
def test_what_a_collection_tells_besides_stands_beside_its_list(record: Any) -> None:
    """A client takes an object that has nothing but ``data`` for a plain list, so there is something beside it."""
    assert [key_of(record, name) for name in listed(record)].count("data") == 1
    assert len(fields(record)) > 1
    assert "data" not in fields(record)


def test_no_other_answer_has_data_beside_its_fields() -> None:
    others = {answer_type(kind) for kind in MESSAGES if kind not in COLLECTIONS}
    records = [answer for answer in others if is_record(answer) and answer.__name__ != "PermissionPage"]
    assert len(records) > 10
    keys = {answer.__name__: [key_of(answer, name) for name in fields(answer)] for answer in records}
    assert [name for name, found in keys.items() if "data" in found] == []


@pytest.mark.parametrize("kind", COLLECTIONS, ids=lambda kind: kind.__name__)
def test_a_collection_is_read_back_as_it_was(world: World, kind: type[Message[Any]]) -> None:
    message = messages.ALL[kind](world)
    found: Any = world.send(message)
    assert read(message, text_of(found).encode()) == found
