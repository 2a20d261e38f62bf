"""Clients that never read what they are answered: they cost a bounded amount of memory, and for a bounded time."""

from __future__ import annotations

import json
import time

import pytest

from core.server.requests.bounds import limits
from tests.support.api.raw import connection, request
from tests.support.api.server import ServerOfTests, token_for
from tests.support.waiting import PATIENCE, wait_until
from tests.support.workspace import World

LARGE = json.dumps({"data": "x" * 2_000_000}).encode()


def _unsent(server: ServerOfTests) -> list[int]:
    """The bytes that wait for each connection."""
    connections = [each for one in server.serving._servers for each in one.server_state.connections]
    return [each.transport.get_write_buffer_size() for each in connections]


def test_a_large_unread_answer_is_dropped(world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "WRITE_SECONDS", 2)
    monkeypatch.setattr("core.server.requests.execution.bytes_of", lambda _: LARGE)
    token = token_for(world, world.maya)
    with connection(server, buffer=2048) as client:
        client.sendall(request("/v1/projects", token) * 10)
        wait_until(lambda: any(_unsent(server)))
        assert max(_unsent(server), default=0) < 5_000_000
        wait_until(lambda: not _unsent(server))


def test_a_last_unread_answer_is_dropped(world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "WRITE_SECONDS", 2)
    monkeypatch.setattr("core.server.requests.execution.bytes_of", lambda _: LARGE)
    with connection(server, buffer=2048) as client:
        client.sendall(request("/v1/projects", token_for(world, world.maya), "Connection: close"))
        wait_until(lambda: any(_unsent(server)))
        wait_until(lambda: not _unsent(server))


def test_an_unread_stream_is_dropped(world: World, server: ServerOfTests, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "WRITE_SECONDS", 2)
    monkeypatch.setattr("core.server.endpoints.event_stream.CHANGE", b"event: change\ndata: {}\n\n" * 5000)
    with connection(server, buffer=2048) as client:
        client.sendall(request("/v1/changes", token_for(world, world.maya)))
        wait_until(lambda: bool(_unsent(server)))
        began = time.monotonic()
        while _unsent(server) and time.monotonic() < began + PATIENCE:
            world.task(f"At {time.monotonic()}")
            assert max(_unsent(server), default=0) < 1_000_000
            time.sleep(0.02)
        assert not _unsent(server)
