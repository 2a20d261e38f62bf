"""Strangers on all the connections that they can get: how long a person waits, and what is kept of the strangers.

Also by itself, on a small workspace of its own: ``python -m tests.benchmarks.floods``.
"""

from __future__ import annotations

import asyncio
import socket
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp
import httpx

from core.application import Application
from core.authorization.local import LocalPermissions
from tests.api.program import ServerProgram
from tests.api.refusals import OF_GATEWAY, OF_SERVER, refuse
from tests.api.server import token_for
from tests.api.strangers import KINDS, Strangers
from tests.benchmarks.notes import Notes
from tests.benchmarks.served import connected
from tests.programs import free_port
from tests.web.gateway import GatewayProgram, Visitor
from tests.world import World, gather, new_database

SILENT = ("nothing", "half a head", "a request")
"""What the strangers send before they fall silent."""

TIMES = 30_000
"""Refused requests, of all kinds together."""

MIB = 1024 * 1024


def measure(home: Path, notes: Notes, times: int) -> None:
    """Note "flooded server" and "flooded gateway", their sockets, and what refused requests leave in their memory."""
    path, port = home / "floods.db", free_port()
    application = Application(new_database(path), clock=lambda: datetime.now(UTC))
    application.permissions = LocalPermissions(application.database)
    world = World(application, gather(application))
    token = token_for(world, world.maya)
    application.close()
    with (
        ServerProgram(path, "--port", str(port), "--log-level", "error") as server,
        GatewayProgram(server.address, home, "--log-level", "error") as gateway,
    ):
        for kind in SILENT:
            with Strangers(port, KINDS[kind]):
                for _ in range(times):
                    clocked(notes, "flooded server", partial(asked, f"http://127.0.0.1:{port}/v1/me", token))
                notes.add("flooded server sockets", server.sockets())
            with Strangers(gateway.port, KINDS[kind]):
                for _ in range(times):
                    clocked(notes, "flooded gateway", lambda: asyncio.run(signed_in(gateway, token)))
                notes.add("flooded gateway sockets", gateway.sockets())
        of_gateway = {name: sent.replace(b"{origin}", gateway.url.encode()) for name, sent in OF_GATEWAY.items()}
        address = ("127.0.0.1", gateway.port)
        for number, each in ((400, "warm"), (TIMES, "left")):  # the first loads what is loaded once
            for name, program, connect, kinds in (
                ("server", server, partial(connected, server.socket), OF_SERVER),
                ("gateway", gateway, lambda: socket.create_connection(address, timeout=30), of_gateway),
            ):
                before = program.memory()
                for sent in kinds.values():
                    refuse(connect, sent, number // len(kinds))
                if each == "left":
                    notes.add(f"refused {name}", (program.memory() - before) / MIB)


def clocked(notes: Notes, name: str, work: Callable[[], object]) -> None:
    """Note the milliseconds of some work."""
    begin = time.perf_counter()
    work()
    notes.add(name, (time.perf_counter() - begin) * 1000)


def asked(url: str, token: str) -> None:
    """Ask on a new connection."""
    with httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=30, trust_env=False) as client:
        client.get(url).raise_for_status()


async def signed_in(gateway: GatewayProgram, token: str) -> None:
    """Sign in, and load the page of a terminal."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as http:
        visitor = Visitor(gateway.url, http)
        assert (await visitor.sign_in(token)).status == 303
        assert (await visitor.get("/")).status == 200


def main() -> int:
    from tests.benchmarks.figures import FLOODS, missed, table

    notes = Notes()
    with TemporaryDirectory(prefix="podium-floods-") as folder:
        measure(Path(folder), notes, 20)
    print(table(notes, FLOODS))
    return 1 if missed(notes) else 0


if __name__ == "__main__":
    sys.exit(main())
