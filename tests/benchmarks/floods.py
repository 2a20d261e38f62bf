"""Strangers on all the connections that they can get: how long a person waits, and what is kept of the strangers."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import aiohttp
import httpx

from core.actions import load_catalog
from core.authorization.local_source import LocalPermissions
from core.engine.engine import Engine
from tests.benchmarks.notes import Notes
from tests.benchmarks.served import connected
from tests.support.api.program import ServerProgram
from tests.support.api.refusals import BROKEN, OF_GATEWAY, OF_SERVER, break_off, refuse
from tests.support.api.server import token_for
from tests.support.api.strangers import KINDS, Strangers
from tests.support.system_programs import free_port
from tests.support.web.gateway import GatewayProgram, Visitor
from tests.support.workspace import World, gather, new_database

SILENT = ("nothing", "half a head", "a request")
"""What the strangers send before they fall silent."""

WARM = 400
"""Refused requests of each kind, until all that is loaded once is loaded."""

LOST = (httpx.HTTPError, aiohttp.ClientError, TimeoutError)
"""What a request ends with that was refused or not answered."""

MIB = 1024 * 1024


@dataclass(frozen=True)
class Programs:
    """A server, with a port too, and a gateway before it, on a small workspace of their own."""

    server: ServerProgram
    port: int
    gateway: GatewayProgram
    token: str
    """Of a person."""
    guest: str
    """A token of a guest."""


@contextlib.contextmanager
def programs(home: Path, name: str) -> Iterator[Programs]:
    path, port = home / f"{name}.db", free_port()
    engine = Engine(new_database(path), load_catalog, clock=lambda: datetime.now(UTC))
    engine.permissions = LocalPermissions(engine.database)
    world = World(engine, gather(engine))
    token, guest = token_for(world, world.maya), token_for(world, world.gus)
    engine.close()
    with (
        ServerProgram(path, "--port", str(port), "--log-level", "error") as server,
        GatewayProgram(server.address, home, "--log-level", "error") as gateway,
    ):
        yield Programs(server, port, gateway, token, guest)


def strangers(home: Path, notes: Notes, times: int) -> None:
    """Note "flooded server" and "flooded gateway" for so many requests of a person, how many of them were "lost", and
    the open sockets, while strangers hold all the connections that they can get."""
    with programs(home, "strangers") as there:
        for number, kind in enumerate(SILENT):
            each = times // len(SILENT) + (number < times % len(SILENT))
            with Strangers(there.port, KINDS[kind]):
                for _ in range(each):
                    clocked(notes, "flooded server", lambda: asked(f"http://127.0.0.1:{there.port}/v1/me", there.token))
                notes.add("flooded server sockets", there.server.sockets())
            with Strangers(there.gateway.port, KINDS[kind]):
                for _ in range(each):
                    clocked(notes, "flooded gateway", lambda: asyncio.run(signed_in(there.gateway, there.token)))
                notes.add("flooded gateway sockets", there.gateway.sockets())


def tokens(home: Path, notes: Notes, times: int) -> None:
    """Note how many "tokens of a guest" there are after they asked for so many, and the "token flood" of a person: how
    long their requests take meanwhile."""
    with programs(home, "tokens") as there:
        api = f"http://127.0.0.1:{there.port}/v1"

        def ask_for_tokens() -> None:
            headers = {"Authorization": f"Bearer {there.guest}"}
            with httpx.Client(headers=headers, timeout=30, trust_env=False) as client:
                for number in range(times):
                    client.post(f"{api}/tokens", json={"label": f"Token {number}"})
                made = client.get(f"{api}/tokens").raise_for_status().json()["data"]
            notes.add("tokens of a guest", len(made))

        asking = threading.Thread(target=ask_for_tokens)
        asking.start()
        while asking.is_alive():
            clocked(notes, "token flood", lambda: asked(f"{api}/me", there.token))
        asking.join()


def refusals(home: Path, notes: Notes, times: int) -> None:
    """Note "refused server" and "refused gateway", by kind: the MiB that so many refused requests leave in memory."""
    with programs(home, "refusals") as there:
        of_gateway = {n: sent.replace(b"{origin}", there.gateway.url.encode()) for n, sent in OF_GATEWAY.items()}
        address = ("127.0.0.1", there.gateway.port)
        for name, program, connect, kinds in (
            ("server", there.server, partial(connected, there.server.socket), OF_SERVER),
            ("gateway", there.gateway, lambda: socket.create_connection(address, timeout=30), of_gateway),
        ):
            sent_by = dict.fromkeys(kinds, refuse) | dict.fromkeys(BROKEN, break_off)
            sent = {**kinds, **BROKEN}
            for kind, send in sent_by.items():  # first what is loaded once
                send(connect, sent[kind], WARM)
            begin = program.memory()
            for kind, send in sent_by.items():
                before = program.memory()
                send(connect, sent[kind], times)
                notes.add_named(f"refused {name}", (program.memory() - before) / MIB, f"{times:,} × {kind}")
            notes.add(f"refused {name} in all", (program.memory() - begin) / MIB)


def clocked(notes: Notes, name: str, work: Callable[[], object]) -> None:
    """Note the milliseconds of some work, and whether it was in vain."""
    begin, lost = time.perf_counter(), 0
    try:
        work()
    except LOST:
        lost = 1
    notes.add(name, (time.perf_counter() - begin) * 1000)
    notes.add(f"{name} lost", lost)


def asked(url: str, token: str) -> None:
    """Ask on a new connection."""
    with httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=30, trust_env=False) as client:
        client.get(url).raise_for_status()


async def signed_in(gateway: GatewayProgram, token: str) -> None:
    """Sign in, and load the page of a terminal."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as http:
        visitor = Visitor(gateway.url, http)
        (await visitor.sign_in(token)).raise_for_status()
        page = await visitor.get("/")
        page.raise_for_status()
        if page.status != 200:
            raise aiohttp.ClientError(f"It was not signed in: {page.status}")
