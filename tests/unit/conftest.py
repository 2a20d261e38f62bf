"""Remote sources of permissions, with the stand-in service behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from core.authorization.remote_source import RemotePermissions
from core.storage.sqlite.database import SqliteDatabase
from tests.support.authorization_service.server import Service
from tests.support.remote_source import ACCOUNT, MOVE, VIEW, Watch
from tests.support.workspace import World


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def new(service: Service, watch: Watch) -> Iterator[Callable[..., RemotePermissions]]:
    """Makes sources, which are closed at the end."""
    made: list[RemotePermissions] = []

    def make(**settings: Any) -> RemotePermissions:
        made.append(service.source(**{"clock": watch, **settings}))
        return made[-1]

    yield make
    for source in made:
        source.close()


@pytest.fixture
def source(service: Service, new: Callable[..., RemotePermissions]) -> RemotePermissions:
    """A source of which Bob holds two codes."""
    service.grant("bob", ACCOUNT, VIEW, MOVE)
    return new()


@pytest.fixture
def stored(world: World) -> SqliteDatabase:
    """The database of the world, with its own methods; a test that asks for it runs on SQLite alone."""
    database = world.engine.database
    assert isinstance(database, SqliteDatabase)
    return database
