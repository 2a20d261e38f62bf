"""Two servers on one database of PostgreSQL, each with connections, notifications and an engine of its own."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import pytest

from core.actions import load_catalog
from core.engine.engine import Engine
from core.storage.postgres.database import PostgresDatabase
from tests.support import postgres_cluster
from tests.support.api.server import ServerOfTests
from tests.support.workspace import Clock, World, gather

NOTICES = {"with NOTIFY": frozenset[str](), "by polling": frozenset({"listen"})}
"""The capabilities that are turned off, by the way in which servers hear of each other's commits."""


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
            there.engine, there.database = engines[1], engines[1].database
            return TwoServers(*(stack.enter_context(ServerOfTests(each)) for each in (world, there)))

        yield start
    postgres_cluster.let_go(tmp_path)
