"""A workspace moves to PostgreSQL, two servers serve it behind nginx, one is killed, and it moves back into a file."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import pytest

from core.actions.cards.tasks import CreateTask
from core.actions.workflow.canvas import GetCanvas
from core.actions.workspace.profile import GetCurrentUser
from core.backends.local import ChangeEvent
from core.backends.remote import RemoteBackend
from core.engine.unit_of_work import Actor
from core.net.server_address import server_address
from core.storage.sqlite.database import SqliteDatabase
from tests.docs.readme import SERVER_GUIDE
from tests.support.api.gateway import Gateway
from tests.support.api.server import token_for
from tests.support.postgres_cluster import cluster
from tests.support.system_programs import free_port, listens
from tests.support.waiting import wait_until
from tests.support.workspace import World

URL = "postgresql://podium@db.example.com/podium"
COMMANDS = 120


def commands(name: str, values: dict[str, str]) -> list[list[str]]:
    """The commands of a block of the page, each as a list of words, with values of this test."""
    (block,) = re.findall(
        rf"<!-- {name} -->\n```console\n(.*?)```\n<!-- /{name} -->", SERVER_GUIDE.read_text(), re.DOTALL
    )
    lines = block.replace("\\\n", " ").strip().splitlines()
    found = []
    for line in lines:
        for old, new in values.items():
            line = line.replace(old, new)
        program, *words = shlex.split(line)
        assert program == "podium"
        found.append([sys.executable, "-m", "tui", *words])
    return found


class Server:
    """A server of the page, with its log."""

    def __init__(self, words: list[str], log: Path) -> None:
        self._log = log
        with log.open("wb") as file:
            self.process = subprocess.Popen(words, stdout=file, stderr=file)
        self.port = int(words[words.index("--port") + 1])
        assert listens(self.port, self.process), log.read_text()

    def served(self, user_id: str) -> int:
        """The number of requests of a user that it has answered."""
        lines = [json.loads(line) for line in self._log.read_text().splitlines()]
        return sum(line.get("user") == user_id for line in lines)

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def rows_of(path: Path, sql: str) -> list[tuple[Any, ...]]:
    database = SqliteDatabase(path)
    try:
        return database.read(lambda tx: tx.tuples(sql))
    finally:
        database.close()


def test_a_studio_moves_to_two_servers_and_back(
    world: World, tmp_path: Path, stack: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = (world.maya, world.bob)
    people = {each.user_id: [token_for(world, each, days=36_500) for _ in range(12)] for each in both}
    world.database.close()
    ports = free_port(), free_port()
    gateway = Gateway(*ports)
    values = {
        "/var/lib/podium": str(tmp_path),
        URL: cluster().url(cluster().new_database()),
        "--host 10.0.0.11 --port 8443": f"--host 127.0.0.1 --port {ports[0]}",
        "--host 10.0.0.12 --port 8443": f"--host 127.0.0.1 --port {ports[1]}",
        "/etc/podium/server.pem": str(gateway.tls.certificate),
        "/etc/podium/server.key": str(gateway.tls.key),
    }
    copy, *serve = commands("several servers", values)
    subprocess.run(copy, check=True, env=os.environ | {"HOME": str(tmp_path)})
    servers = [Server(words, tmp_path / f"log{number}") for number, words in enumerate(serve)]
    for server in servers:
        stack.callback(server.kill)
    stack.enter_context(gateway)
    monkeypatch.setenv("SSL_CERT_FILE", str(gateway.certificate))
    titles = asyncio.run(work(world, gateway, servers, people))
    for server in servers:
        server.kill()
    (back,) = commands("back", values)
    subprocess.run(back, check=True, env=os.environ | {"HOME": str(tmp_path)})
    found = [row[0] for row in rows_of(tmp_path / "back.db", "SELECT title FROM item WHERE title LIKE 'Bob%'")]
    assert sorted(found) == sorted(titles)
    in_order = "SELECT seq FROM change WHERE project_id = (SELECT id FROM project LIMIT 1) ORDER BY seq"
    seqs = [row[0] for row in rows_of(tmp_path / "back.db", in_order)]
    assert seqs == list(range(1, len(seqs) + 1))


async def work(world: World, gateway: Gateway, servers: list[Server], people: dict[str, list[str]]) -> list[str]:
    """Bob adds tasks while his server is killed, and Maya watches from the other. Returns the titles of his tasks."""
    maya, hers = await at_a_server(gateway, world.maya, people[world.maya.user_id], servers, avoiding=None)
    bob, his = await at_a_server(gateway, world.bob, people[world.bob.user_id], servers, avoiding=hers)
    phase, project = world.discover.id, world.project.id
    titles: list[str] = []
    seconds: list[float] = []
    try:
        for number in range(10):
            changes = cast(AsyncGenerator[ChangeEvent, None], maya.changes())
            await anext(changes)
            began = time.monotonic()
            titles.append((await bob.execute(CreateTask(phase_id=phase, title=f"Bob sees {number}"))).title)
            while titles[-1] not in [card.title for card in (await maya.query(GetCanvas(project_id=project))).cards]:
                await anext(changes)
            seconds.append(time.monotonic() - began)
            await changes.aclose()
        print(f"seen at the other server after {statistics.median(seconds) * 1000:.0f} ms (median of 10)")
        for number in range(COMMANDS):
            if number == COMMANDS // 3:
                his.kill()
            made = await bob.execute(CreateTask(phase_id=phase, title=f"Bob adds {number}"))
            titles.append(made.title)
        assert hers.served(world.bob.user_id)
    finally:
        await maya.close()
        await bob.close()
    return titles


async def at_a_server(
    gateway: Gateway, actor: Actor, tokens: list[str], servers: list[Server], avoiding: Server | None
) -> tuple[RemoteBackend, Server]:
    """A backend through nginx with the first token of a user that leads to another server than ``avoiding``."""
    for token in tokens:
        backend = RemoteBackend(server_address(gateway.url), token)
        before = [server.served(actor.user_id) for server in servers]
        await backend.query(GetCurrentUser())
        wait_until(lambda before=before: [server.served(actor.user_id) for server in servers] != before)
        (server,) = (each for each, had in zip(servers, before, strict=True) if each.served(actor.user_id) != had)
        if server is not avoiding:
            return backend, server
        await backend.close()
    raise AssertionError("every token leads to the same server")
