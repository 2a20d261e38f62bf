"""The OpenAPI document is valid, lists every route, and says of each request and answer what it really is."""

from __future__ import annotations

import json
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.routing import Route

from core.actions.catalog import MESSAGES
from core.engine.messages import Command, Message
from core.server.app import PathRouter, make_app
from core.server.openapi.document import document
from core.wire.routes import request_of, route_of
from tests.support.api.server import ServerOfTests
from tests.support.workspace import World


@cache
def strict() -> dict[str, Any]:
    """The document, with objects that have no further members: what is not written there must not be answered."""
    text = json.loads(json.dumps(document()))
    for schema in text["components"]["schemas"].values():
        if schema.get("type") == "object":
            schema.setdefault("additionalProperties", False)
    return dict(text)


def check_fits(value: Any, schema: dict[str, Any]) -> None:
    """Fail unless a value is what a schema of the document says."""
    import jsonschema  # type: ignore[import-untyped]  # a fifth of the time of collecting all tests

    whole = {**schema, "components": strict()["components"]}
    checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
    jsonschema.Draft202012Validator(whole, format_checker=checker).validate(value)


def operation_of(kind: type[Message[Any]]) -> dict[str, Any]:
    route = route_of(kind)
    return dict(strict()["paths"][route.path][route.method.lower()])


def test_the_document_is_valid() -> None:
    from openapi_spec_validator import validate

    validate(document())


def test_the_server_gives_it_to_everybody(server: ServerOfTests) -> None:
    answer = server.stranger().get("/v1/openapi.json")
    assert (answer.status_code, answer.json()) == (200, json.loads(json.dumps(document())))


def test_every_route_is_in_it_and_nothing_else(world: World) -> None:
    routes: list[Route] = []
    for each in make_app(world.engine).routes:
        found = each.routes if isinstance(each, PathRouter) else [each]
        routes += [route for route in found if isinstance(route, Route)]
    served = {(route.path, method) for route in routes for method in (route.methods or set()) - {"HEAD"}}
    written = {(path, method.upper()) for path, operations in document()["paths"].items() for method in operations}
    assert served == written
    assert len({each["operationId"] for ways in document()["paths"].values() for each in ways.values()}) == len(written)


def refuse_undocumented(message: Message[Any], client: httpx.Client) -> None:
    """Send a message, which succeeds; fail unless the request and its answer are as the document says."""
    operation, (method, target, body) = operation_of(type(message)), request_of(message)
    if body:
        check_fits(json.loads(body), operation["requestBody"]["content"]["application/json"]["schema"])
    named = {each["name"] for each in operation["parameters"] if each.get("in") == "query"}
    assert {pair.partition("=")[0] for pair in urlsplit(target).query.split("&") if pair} <= named
    headers = {"Content-Type": "application/json"} if body else {}
    answer = client.request(method, target, content=body or None, headers=headers)
    expected = operation["responses"][str(answer.status_code)]
    assert answer.status_code == (204 if "content" not in expected else 201 if _creates(type(message)) else 200)
    if "content" in expected:
        check_fits(answer.json(), expected["content"]["application/json"]["schema"])
    else:
        assert answer.content == b""


def _creates(kind: type[Message[Any]]) -> bool:
    return issubclass(kind, Command) and kind.creates


@pytest.mark.parametrize(
    ("path", "status"),
    [("/v1/projects/nowhere", 404), ("/v1/me?x=1", 400), ("/v1/projects/%00/tasks", 400), ("/v1/nowhere", 404)],
)
def test_errors_are_as_it_says(server: ServerOfTests, path: str, status: int) -> None:
    answer = server.client().get(path)
    assert answer.status_code == status
    name = {400: "BadRequest", 404: "NotFound"}[status]
    check_fits(answer.json(), strict()["components"]["responses"][name]["content"]["application/json"]["schema"])


def test_every_message_needs_an_identity_and_says_its_permission() -> None:
    for kind in MESSAGES:
        operation = operation_of(kind)
        assert "security" not in operation
        assert operation["description"].endswith(f"Needs the permission `{kind.permission.value}`.")
        assert issubclass(kind, Command) == (
            {"$ref": "#/components/parameters/IdempotencyKey"} in operation["parameters"]
        )
