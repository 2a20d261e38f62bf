"""Two servers on one database of PostgreSQL, each with connections, notifications and an engine of its own."""

from __future__ import annotations

import copy
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, cast

import httpx
import pytest

from core.actions import load_catalog
from core.engine.engine import Engine
from core.record import fields
from core.storage.postgres.capabilities import Capabilities
from core.storage.postgres.database import PostgresDatabase
from core.storage.sqlite.database import SqliteDatabase
from tests.support import postgres_cluster
from tests.support.api.server import ServerOfTests
from tests.support.waiting import PATIENCE
from tests.support.workspace import Clock, World, gather

NOTICES = {
    "with NOTIFY": frozenset[str](),
    "by polling": frozenset({"listen"}),
    "without any ability": frozenset(fields(Capabilities)),
}
"""The capabilities that are turned off, by the way in which servers hear of each other's commits."""

each_notice = pytest.mark.parametrize("without", NOTICES.values(), ids=NOTICES.keys())

ROUNDS = 12
WARM_UP = 2
"""Rounds that are not counted, in which connections are opened and statements prepared."""


class Stream:
    """A stream of changes, which a thread follows until the server ends it."""

    def __init__(self, server: ServerOfTests, token: str) -> None:
        self.heard: list[str] = []
        self.ended = threading.Event()
        self._begun = threading.Event()
        self._client = httpx.Client(transport=httpx.HTTPTransport(uds=str(server.path)), base_url="http://podium")
        self._headers = {"Authorization": f"Bearer {token}"}
        threading.Thread(target=self._follow, daemon=True).start()
        assert self._begun.wait(PATIENCE)

    def _follow(self) -> None:
        with self._client, self._client.stream("GET", "/v1/changes", headers=self._headers, timeout=60) as stream:
            for line in stream.iter_lines():
                self.heard.append(line)
                self._begun.set()
        self.ended.set()


def printed(what: str, without: frozenset[str], seconds: list[float]) -> None:
    """Print a figure: ``pytest -s`` shows it."""
    counted = seconds[WARM_UP:]
    p50, p95 = statistics.median(counted), statistics.quantiles(counted, n=20, method="inclusive")[-1]
    how = next(name for name, each in NOTICES.items() if each == without)
    print(f"\n{what}, {how}: p50 {p50 * 1000:.1f} ms, p95 {p95 * 1000:.1f} ms, of {len(counted)}")


def waited(true: Callable[..., object]) -> float:
    """The seconds until something holds."""
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < PATIENCE
    return time.monotonic() - began


class TwoServers(NamedTuple):
    """The servers, and the workspace, which acts through the engine of the first one."""

    first: ServerOfTests
    second: ServerOfTests

    @property
    def world(self) -> World:
        return self.first.world


MakeServers = Callable[..., TwoServers]


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[MakeServers]:
    """Starts two servers on a new workspace. ``skew`` is the seconds by which the clock of the second is ahead."""
    path = tmp_path / "podium.db"
    postgres_cluster.open_at(path).close()
    url = postgres_cluster.url_of(path)
    with ExitStack() as stack:

        def start(without: frozenset[str] = frozenset(), skew: float = 0) -> TwoServers:
            clock, ahead = Clock(), Clock()
            ahead.forward(seconds=skew)
            engines = [
                Engine(PostgresDatabase(url, without=without), load_catalog, clock=each) for each in (clock, ahead)
            ]
            for engine in engines:
                stack.callback(engine.close)
            world = World(engines[0], gather(engines[0]))
            there = copy.copy(world)
            there.engine, there.database = engines[1], cast(SqliteDatabase, engines[1].database)
            return TwoServers(*(stack.enter_context(ServerOfTests(each)) for each in (world, there)))

        yield start
    postgres_cluster.let_go(tmp_path)
