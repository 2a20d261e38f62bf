"""Every route refuses unknown users and users who lack the permission; ``test_every_message.py`` tries all messages.

Made from the catalog and from the routes of the server: a route without a test here fails.
"""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest

from core.actions.catalog import MESSAGES
from core.engine.messages import Message
from core.engine.unit_of_work import Actor
from core.server.app import make_app
from core.wire.routes import request_of, route_of
from tests.support.api.server import ServerOfTests
from tests.support.expected_rights import CODE_OF, holders, is_of_project
from tests.support.workspace import World, content

ROLES = {"maya": {"owner", "workspace admin"}, "bob": {"contributor", "guest"}, "vera": {"viewer", "guest"}}
ROLES["gus"] = {"guest"}
"""Who is what, on the project and on the platform."""

FOR_EVERYBODY = {
    ("GET", "/health"),
    ("GET", "/ready"),
    ("GET", "/metrics"),  # on the Unix socket; tests/api/test_monitoring.py has it over the network
    ("GET", "/v1/openapi.json"),
    ("GET", "/v1/errors"),
    ("GET", "/v1/errors/{code}"),
    ("GET", "/v1/launches/{code}"),
}
"""Routes without sign-in: they say nothing of the workspace; the last one does, to programs that have the code."""

OTHERS = {
    ("GET", "/v1/changes"),
    ("POST", "/api/v20/users/permissions/query"),
    ("POST", "/api/v20/users/query"),
    ("GET", "/v1/under-way/{key}"),
    ("DELETE", "/v1/under-way/{key}"),
    ("POST", "/v1/sessions"),
    ("POST", "/v1/sessions/keep"),
}
"""Routes that are no messages and are refused to unknown users."""


def lacking(world: World, kind: type[Message[Any]]) -> Actor | None:
    """A user who is not allowed to send this, or None; the one with most permissions first."""
    allowed = holders(CODE_OF[kind.__name__])
    names = [name for name in ("vera", "bob", "gus") if not ROLES[name] & allowed]
    return getattr(world, names[0]) if names else None


def send(client: httpx.Client, message: Message[Any]) -> httpx.Response:
    method, target, body = request_of(message)
    return client.request(method, target, content=body, headers={"Content-Type": "application/json"} if body else {})


def code_of(answer: httpx.Response) -> tuple[int, str]:
    """The status, and the code in form A, with its link to a page that is there."""
    (error,) = answer.json()["errors"]
    assert error.keys() == {"errorCode", "errorMessage", "correlationId", "link"}
    assert answer.headers["X-Correlation-Id"] == error["correlationId"]
    assert (answer.headers.get("WWW-Authenticate") == "Bearer") == (answer.status_code == 401)
    assert re.fullmatch(r"http://[^/]+/v1/errors/" + error["errorCode"], error["link"])
    return answer.status_code, error["errorCode"]


def refuse_unless_denied(world: World, server: ServerOfTests, message: Message[Any]) -> None:
    """Fail unless a message is refused to strangers, products, gateways and those who lack the right, and nothing is
    written."""
    actor = lacking(world, type(message))
    product = server.as_product(world.product("A product that asks"))
    clients = [(server.stranger(), (401, "UNAUTHENTICATED")), (product, (403, "FORBIDDEN"))]
    clients.append((server.as_gateway(), (403, "FORBIDDEN")))
    if actor:
        of_project = is_of_project(CODE_OF[type(message).__name__])
        is_unseen = actor == world.gus and of_project  # what he cannot see is not there
        clients.append((server.client(actor), (404, "NOT_FOUND") if is_unseen else (403, "FORBIDDEN")))
    before = content(world.database), world.rows("SELECT * FROM receipt")
    for client, expected in clients:
        client.headers["Idempotency-Key"] = "once"
        assert code_of(send(client, message)) == expected
    assert (content(world.database), world.rows("SELECT * FROM receipt")) == before


def test_messages_that_every_role_may_send_are_open_to_every_guest() -> None:
    of_all = {kind.__name__ for kind in MESSAGES if holders(CODE_OF[kind.__name__]) >= {"guest", "viewer"}}
    assert of_all == {name for name, code in CODE_OF.items() if code == "WORKSPACE_VIEW"}


def test_a_viewer_s_command_is_refused_like_by_key_and_nothing_is_written(world: World, server: ServerOfTests) -> None:
    task = world.task()
    vera = server.client(world.vera)
    before = content(world.database)
    for body in ({"status": "IN_PROGRESS"}, {"status": "IN_PROGRESS", "seenVersion": task.version}):
        answer = vera.post(f"/v1/items/{task.id}/move", json=body)
        assert code_of(answer) == (403, "FORBIDDEN")
        assert answer.json()["errors"][0]["errorMessage"].endswith("; you are a viewer.")
        assert answer.json()["details"]["whoCan"] == ["Maya Okafor"]
    assert content(world.database) == before


def test_every_route_of_the_server_has_a_denial_test(world: World) -> None:
    routes: set[tuple[str, str]] = set()
    for each in make_app(world.engine).routes:
        for route in getattr(each, "routes", None) or [each]:
            routes |= {(method, route.path) for method in route.methods - {"HEAD"}}
    assert routes == FOR_EVERYBODY | OTHERS | {route_of(kind)[:2] for kind in MESSAGES}


@pytest.mark.parametrize(("method", "path"), sorted(OTHERS))
def test_the_other_routes_are_refused_to_strangers(server: ServerOfTests, method: str, path: str) -> None:
    for client in (server.stranger(), server.as_account()):
        body = {"filters": {"permission_codes": ["TASK_MOVE"]}} if method == "POST" else None
        answer = client.request(method, path, json=body)
        assert answer.status_code == 401
        (error,) = answer.json()["errors"]
        assert error.get("errorCode", error.get("status_code")) in ("UNAUTHENTICATED", 401)


@pytest.mark.parametrize(("method", "path"), sorted(OTHERS))
def test_the_other_routes_are_refused_to_a_product_that_may_not_ask_this(
    world: World, server: ServerOfTests, method: str, path: str
) -> None:
    body = {"filters": {"permission_codes": ["TASK_MOVE"]}} if method == "POST" else None
    answer = server.as_product(world.product()).request(method, path, json=body)
    assert answer.status_code == 403
    assert not any(name in answer.text for name in ("Studio North", "Okafor", "Spring launch", "Asset library"))


@pytest.mark.parametrize(("method", "path"), sorted(FOR_EVERYBODY))
def test_what_is_for_everybody_tells_nothing_of_the_workspace(
    world: World, server: ServerOfTests, method: str, path: str
) -> None:
    for client in (server.stranger(), server.as_account()):
        answer = client.request(method, path.replace("{code}", "NOT_FOUND"))
        assert answer.status_code == (404 if "launches" in path else 200)
        assert not any(text in answer.text for text in ("Studio North", "Okafor", "Spring launch", world.project.id))
