"""The room for bodies: strangers take none of it, no user takes all of it, and a body that pauses gives it back."""

from __future__ import annotations

import contextlib
import io
import json
import socket
import time

import pytest

from core.engine.unit_of_work import Actor
from core.server.transport.http_protocol import Protocol
from tests.api.test_bad_clients import shortened
from tests.support.api.raw import answer, connection, ended, exchange, request
from tests.support.api.server import ServerOfTests, token_for
from tests.support.waiting import wait_until
from tests.support.workspace import World


def held_by(server: ServerOfTests) -> int:
    every = [each for one in server.serving._servers for each in one.server_state.connections]
    return sum(each.held for each in every if isinstance(each, Protocol))


def test_bodies_of_strangers_are_thrown_away_and_take_no_room_from_others(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch, lines: io.StringIO
) -> None:
    shortened(monkeypatch, MAX_BODIES=2**20)
    start = request("/v1/projects/import/preview", "", "Content-Length: 49000000", method="POST")
    with contextlib.ExitStack() as stack:
        strangers = [stack.enter_context(connection(server)) for _ in range(3)]
        for each in strangers:
            each.sendall(start + bytes(600_000))
        wait_until(lambda: held_by(server) == 1_800_000)
        body = b'{"name": "Long", "description": "%s"}' % (b"x" * 20_000)
        long = request("/v1/projects", token_for(world, world.maya), method="POST", body=body)
        assert exchange(server, long).status == 201
        strangers[0].close()
        wait_until(lambda: '"reason": "UNAUTHENTICATED"' in lines.getvalue())
        assert [answer(each).status for each in strangers[1:]] == [401, 401]
        assert all(ended(each) for each in strangers[1:])
    said = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [each["status"] for each in said if each.get("reason") == "UNAUTHENTICATED"] == [401, 401, 401]


def test_of_a_refused_body_a_little_is_read(server: ServerOfTests, monkeypatch: pytest.MonkeyPatch) -> None:
    shortened(monkeypatch, MAX_THROWN=2**20, LINGER_SECONDS=30.0)
    with connection(server) as client:
        client.sendall(request("/v1/projects/import", "", "Content-Length: 49000000", method="POST") + bytes(2**21))
        assert answer(client).status == 401


def test_one_user_holds_half_of_the_room_for_bodies_or_one_longer_body(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    shortened(monkeypatch, MAX_BODIES=2**20, MAX_BULK=2**17)
    bulk = f"/v1/projects/{world.project.id}/bulk"

    def begin(actor: Actor, size: int) -> socket.socket:
        token = token_for(world, actor)
        client = stack.enter_context(connection(server))
        client.sendall(request("/v1/me", token))
        assert answer(client).status == 200
        client.sendall(request(bulk, token, "Content-Length: 900000", method="POST") + bytes(size))
        return client

    with contextlib.ExitStack() as stack:
        begin(world.maya, 600_000)
        wait_until(lambda: held_by(server) == 600_000)
        begin(world.maya, 100_000)
        wait_until(lambda: held_by(server) == 700_000)
        assert answer(begin(world.maya, 200_000)).status == 503
        begin(world.bob, 200_000)
        wait_until(lambda: held_by(server) == 900_000)


def test_a_long_body_that_pauses_is_refused_and_one_that_goes_on_is_not(
    world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch
) -> None:
    shortened(monkeypatch, BODY_SECONDS=0.5, SLOWEST=10_000)
    start = request("/v1/projects/import", token_for(world, world.maya), "Content-Length: 400000", method="POST")
    with connection(server) as pausing, connection(server) as steady:
        pausing.sendall(start + bytes(100_000))
        steady.sendall(start)
        for _ in range(10):
            steady.sendall(bytes(40_000))
            time.sleep(0.1)
        assert "in time" in answer(pausing).said
        assert "in time" not in answer(steady).said
