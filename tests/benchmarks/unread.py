"""A viewer on all the connections that a user may have, who asks for the largest answers and reads none of them."""

from __future__ import annotations

import contextlib
import socket
import time
from datetime import UTC, datetime
from pathlib import Path

from core.actions import load_catalog
from core.authorization.local_source import LocalPermissions
from core.domain.model import Id
from core.engine.engine import Engine
from core.server.requests.bounds.limits import MAX_PER_OWNER, ROOM_SECONDS
from core.storage.database import Tx
from tests.benchmarks.largest import MIB
from tests.benchmarks.notes import Notes
from tests.support.api.program import ServerProgram
from tests.support.api.server import token_for
from tests.support.sized_worlds import add_project
from tests.support.waiting import wait_until
from tests.support.workspace import World, gather, new_database

CARDS = 20_000
"""Of the project that is asked for."""

DESCRIPTION = "é word " * 200
"""Of each card: the answers have about 40 MB."""

PATHS = ("export", "tasks", "canvas")

BEGUN = b"HTTP/1.1 "


def measure(home: Path, notes: Notes, _: bool) -> None:
    """Note "unread memory" in MiB, "unread wait" of another person's questions in milliseconds, and "unread end"."""
    path = home / "unread.db"
    engine = Engine(new_database(path), load_catalog, clock=lambda: datetime.now(UTC))
    engine.permissions = LocalPermissions(engine.database)
    world = World(engine, gather(engine))
    project = large_project(world)
    viewer, other = token_for(world, world.vera), token_for(world, world.bob)
    engine.close()
    with ServerProgram(path, "--log-level", "error") as program, contextlib.ExitStack() as stack:
        program.client.headers["Authorization"] = f"Bearer {other}"
        program.forget_peak()
        clients = [stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(MAX_PER_OWNER)]
        for number, client in enumerate(clients):
            client.connect(str(program.socket))
            target = f"/v1/projects/{project}/{PATHS[number % len(PATHS)]}"
            client.sendall(f"GET {target} HTTP/1.1\r\nHost: podium\r\nAuthorization: Bearer {viewer}\r\n\r\n".encode())

        def all_answered() -> bool:
            begin = time.perf_counter()
            assert program.client.get("/v1/me").status_code == 200
            notes.add("unread wait", 1000 * (time.perf_counter() - begin))
            return all(map(is_answered, clients))

        wait_until(all_answered, seconds=6 * ROOM_SECONDS)
        notes.add("unread memory", program.peak() / MIB)
        begin = time.perf_counter()
        program.stop()
        notes.add("unread end", time.perf_counter() - begin)


def is_answered(client: socket.socket) -> bool:
    """True if an answer has begun, of which only the first bytes are looked at, or the connection has ended."""
    try:
        return client.recv(len(BEGUN), socket.MSG_PEEK | socket.MSG_DONTWAIT) in (BEGUN, b"")
    except BlockingIOError:
        return False
    except ConnectionError:
        return True


def large_project(world: World) -> Id:
    """A project with long descriptions, which Maya owns."""
    world.database.write_seconds = 60.0  # it is one transaction
    project = add_project(world, phases=20, cards=CARDS, members=[getattr(world, name).user_id for name in PEOPLE])

    def describe(tx: Tx) -> None:
        tx.execute("UPDATE phase SET rank = rank || 'V' WHERE project_id = :project", project=project)
        tx.execute(
            "UPDATE item SET rank = rank || 'V', description = :text WHERE project_id = :project",
            text=DESCRIPTION,
            project=project,
        )

    world.database.write(describe)
    return project


PEOPLE = ("maya", "bob", "vera")
