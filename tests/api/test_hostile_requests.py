"""Every field of every message gets what a hostile program sends: each answer is in the table, none a failure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from core.codec.encoding import camel
from core.codec.type_hints import field_types
from core.engine.messages import Message
from core.wire.routes import BODILESS, Request, request_of, route_of
from tests.support.api import hostile
from tests.support.api.database_snapshot import Rewind
from tests.support.api.raw import IN_THE_TABLE, Answer, answer, connection, request
from tests.support.api.server import ServerOfTests, token_for
from tests.support.message_examples import messages
from tests.support.workspace import World

OUR_OWN_FAULT = {500, 502, 503, 504}
TRACE = re.compile(rb'Traceback|File \\?"|\.py\b|sqlite3|line \d+, in ')


def expected(found: Answer, about: object, *, unread: bool = False) -> None:
    """It is an answer that may be: in the table, no fault of ours, in one of the two forms, and without a trace.

    ``unread``: it is of a request by HEAD, so that there is no body.
    """
    assert found.status in IN_THE_TABLE - OUR_OWN_FAULT, (about, found)
    assert "x-injected" not in found.headers, about
    if unread:
        return
    if found.status >= 400:
        assert found.said, about
        assert not TRACE.search(found.body), (about, found.body)
    elif found.status != 204:
        assert found.headers["content-type"] == "application/json", about
        assert isinstance(found.json, dict), about


def with_hostile_fields(kind: type[Message[Any]], valid: Request) -> Iterator[tuple[str, str, bytes]]:
    """Requests that are valid except for one part: a label of the hostile part, the target and the body."""
    route = route_of(kind)
    path, _, query = valid.target.partition("?")
    for name in route.in_path:
        place = route.path.split("/").index(f"{{{name}}}") if f"{{{name}}}" in route.path.split("/") else None
        if place is None:
            continue
        for what, part in hostile.PARTS.items():
            parts = path.split("/")
            parts[place] = part
            yield f"{name}: {what}", "/".join(parts) + (f"?{query}" if query else ""), valid.body
    others = [name for name in field_types(kind) if name not in route.in_path]
    if route.method in BODILESS:
        for name in [*others, "no_such_field"]:
            kept = "&".join(pair for pair in query.split("&") if pair and not pair.startswith(f"{name}="))
            for what, word in hostile.WORDS.items():
                yield f"{name}: {what}", f"{path}?{kept}&{name}={word}", b""
            yield f"{name}: twice", f"{path}?{kept}&{name}=a&{name}=b", b""
        return
    body = json.loads(valid.body) if valid.body else {}
    for name in [*map(camel, others), "noSuchField"]:
        left = {key: value for key, value in body.items() if key != name}
        for what, text in hostile.VALUES.items():
            members = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in left.items()]
            yield f"{name}: {what}", path, ("{" + ", ".join([*members, f'"{name}": {text}']) + "}").encode()


def try_all(world: World, server: ServerOfTests, step: int) -> int:
    """Send each ``step``th of all those requests, each message in the same world. How many were sent."""
    token, sent = token_for(world, world.maya), 0
    rewind = Rewind(world)
    with connection(server) as client:
        for start, (kind, sample) in enumerate(messages.ALL.items()):
            rewind()
            valid = request_of(sample(world))
            for what, target, body in islice(with_hostile_fields(kind, valid), start % step, None, step):
                client.sendall(request(target, token, method=valid.method, body=body))
                expected(answer(client), (kind.__name__, what))
                sent += 1
    rewind.close()
    return sent


def test_hostile_fields_are_refused_or_kept_as_text(world: World, server: ServerOfTests) -> None:
    assert try_all(world, server, 29) > 500


@pytest.mark.slow
def test_all_hostile_fields_are_refused_or_kept_as_text(world: World, server: ServerOfTests) -> None:
    assert try_all(world, server, 1) > 10_000


@pytest.mark.parametrize("method", hostile.METHODS)
def test_strange_addresses_and_methods_lead_nowhere(world: World, server: ServerOfTests, method: str) -> None:
    token = token_for(world, world.maya)
    for target in [*hostile.TARGETS, "/v1/me", "/v1/projects", "/v1/changes/x"]:
        with connection(server) as client:
            client.sendall(request(target, token, "Connection: close", method=method))
            expected(answer(client, bodiless=method == "HEAD"), (method, target), unread=method == "HEAD")


@pytest.mark.parametrize("media_type", hostile.MEDIA_TYPES)
def test_a_body_that_is_not_said_to_be_json_is_refused(world: World, server: ServerOfTests, media_type: str) -> None:
    sent = request("/v1/projects", token_for(world, world.maya), method="POST", body=b'{"name": "Odd"}')
    declared = b"Content-Type: " + media_type.encode("latin-1")
    with connection(server) as client:
        client.sendall(sent.replace(b"Content-Type: application/json", declared))
        refused = answer(client)
    expected(refused, media_type)
    assert refused.status == 415
    assert not world.rows("SELECT id FROM project WHERE name = 'Odd'")


@pytest.mark.parametrize("body", hostile.BODIES, ids=range(len(hostile.BODIES)))
def test_a_body_that_is_no_object_of_json_is_refused(world: World, server: ServerOfTests, body: bytes) -> None:
    token, before = token_for(world, world.maya), len(world.rows("SELECT id FROM project"))
    for method, target in (("POST", "/v1/projects"), ("POST", f"/v1/projects/{world.project.id}/phases")):
        with connection(server) as client:
            client.sendall(request(target, token, method=method, body=body))
            refused = answer(client)
        expected(refused, (target, body[:40]))
        assert refused.status == 400
    assert len(world.rows("SELECT id FROM project")) == before


@pytest.mark.parametrize(
    "header",
    [
        "Authorization: Bearer",
        "Authorization: Basic bWF5YTp4",
        "Authorization: Bearer " + "x" * 20_000,
        "Authorization: Bearer \u00e9".encode().decode("latin-1"),
        "Authorization: Bearer a\r\nAuthorization: Bearer b",
        "Host: \r\nHost: other",
        'Host: evil.example.com/"><script>',
        "X-Correlation-Id: " + "x" * 5000,
        "X-Correlation-Id: a\r\nX-Correlation-Id: b",
        "Idempotency-Key: a\r\nIdempotency-Key: b",
        "Accept: text/html",
        "Accept-Encoding: br;q=x, *",
        "Content-Encoding: gzip",
        "Range: bytes=0-0,-1",
        "If-None-Match: *\r\nIf-Modified-Since: yesterday",
        "Cookie: " + "a=b; " * 2000,
        "X-Forwarded-For: 127.0.0.1\r\nX-Forwarded-User: maya\r\nForwarded: for=::1",
        "X-HTTP-Method-Override: DELETE",
        "\r\n".join(f"X-{number}: y" for number in range(1500)),
    ],
    ids=lambda header: header[:24].strip(),
)
def test_strange_headers_change_nothing(world: World, server: ServerOfTests, header: str) -> None:
    for token in ("", token_for(world, world.maya)):
        with connection(server) as client:
            first, _, rest = request("/v1/me", token).partition(b"\r\n")
            client.sendall(first + b"\r\n" + header.encode("latin-1") + b"\r\n" + rest)
            found = answer(client)
        expected(found, header)
        if not token:
            assert found.status in (400, 401)
