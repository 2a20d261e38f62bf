"""The cost of a server: one command over its socket, beside the same in this process, and one Canvas among many."""

from __future__ import annotations

import asyncio
import random
import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from core.actions import load_catalog
from core.actions.cards.cards import MoveCard
from core.actions.workflow.canvas import GetCanvas
from core.backends.local import Backend, LocalBackend
from core.backends.remote import RemoteBackend
from core.domain.model import Status
from core.engine.engine import Engine
from core.sign_in.local import sign_on
from core.storage.sqlite.database import SqliteDatabase
from core.wire.routes import request_of
from tests.benchmarks import workspace
from tests.benchmarks.notes import Notes
from tests.benchmarks.served import Server, connected, served, token_of

CARDS = 100
MANY_CARDS = 1_000
CONNECTIONS = 8
"""That are asked at one time, so that the server never waits for the one that asks."""

EACH = 25
"""Requests on each of them for one figure."""

FULL = {"PODIUM_SYNCHRONOUS": "FULL"}
"""Each commit is on the disk when it is answered, in both processes."""


def measure(database: Path, home: Path, notes: Notes, times: int) -> None:
    """Note "socket command" beside "own command", and the Canvases of both sizes."""
    with served(database, home, FULL) as server:
        asyncio.run(_commands(database, server, notes, times * 3))
        _canvases(server, CARDS, "served canvas", notes, times)
        _canvases(server, MANY_CARDS, f"served canvas of {MANY_CARDS}", notes, max(2, times // 10))


async def _commands(database: Path, server: Server, notes: Notes, times: int) -> None:
    """A card there and back, through the server and here in turn."""
    engine = Engine(SqliteDatabase(database, synchronous="FULL"), load_catalog)
    backends: dict[str, Backend] = {
        "own command": LocalBackend(engine, sign_on(engine, workspace.LOGIN)),
        "socket command": RemoteBackend(server.address, token_of(0)),
    }
    for number in range(times + 1):
        for name in random.sample(list(backends), len(backends)):
            for status in (Status.IN_PROGRESS, Status.TO_DO):
                command = MoveCard(card_id=workspace.card_id(CARDS, 0, 2), status=status)
                begin = time.perf_counter()
                await backends[name].execute(command)
                if number:  # the first connects
                    notes.add(name, (time.perf_counter() - begin) * 1000)
    for backend in backends.values():
        await backend.close()


def _canvases(server: Server, cards: int, name: str, notes: Notes, times: int) -> None:
    """The milliseconds of one request for a Canvas, among many that all read it again."""
    request = request_of(GetCanvas(project_id=workspace.project_id(cards)))
    lines = f"GET {request.target} HTTP/1.1\r\nHost: podium\r\nAuthorization: Bearer {token_of(0)}\r\n\r\n".encode()
    assert server.address.socket is not None
    with _connections(server.address.socket) as connections:
        _clocked(connections, lines)  # the first requests connect
        for _ in range(times):
            notes.add(name, _clocked(connections, lines))


@contextmanager
def _connections(path: Path) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(connected(path)) for _ in range(CONNECTIONS)]


def _clocked(connections: list[socket.socket], lines: bytes) -> float:
    """Milliseconds for one request, of many on several connections."""
    begin = time.perf_counter()
    left = dict.fromkeys(connections, EACH)
    for connection in connections:
        connection.sendall(lines)
    while left:
        for connection in select.select([*left], [], [])[0]:  # a user has few turns for large answers: read what comes
            _answer(connection)
            left[connection] -= 1
            if left[connection]:
                connection.sendall(lines)
            else:
                del left[connection]
    return (time.perf_counter() - begin) * 1000 / (EACH * len(connections))


def _answer(connection: socket.socket) -> bytes:
    """The body of the next answer, which must be a 200 with its length."""
    received = connection.recv(256 * 1024)
    head, _, body = received.partition(b"\r\n\r\n")
    status, *headers = head.lower().split(b"\r\n")
    assert status == b"http/1.1 200 ok", received
    length = next(int(line.split(b":")[1]) for line in headers if line.startswith(b"content-length:"))
    pieces, missing = [body], length - len(body)
    while missing:
        pieces.append(connection.recv(256 * 1024))
        missing -= len(pieces[-1])
    return b"".join(pieces)
