"""A database of PostgreSQL for each test, and a workspace in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.actions import load_catalog
from core.engine.engine import Engine
from core.storage.postgres.database import PostgresDatabase
from tests.support import postgres_cluster
from tests.support.postgres_cluster import cluster
from tests.support.workspace import Clock, World, gather


@pytest.fixture
def empty_url() -> str:
    """The URL of a new database without tables."""
    return cluster().url(cluster().new_database())


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """The URL of a database with the tables of Podium."""
    postgres_cluster.open_at(tmp_path / "podium.db").close()
    yield postgres_cluster.url_of(tmp_path / "podium.db")
    postgres_cluster.let_go(tmp_path)


@pytest.fixture
def in_database(url: str) -> Callable[[str], list[tuple[Any, ...]]]:
    """Runs statements as the superuser in the database of ``url``. Other tests use the cluster at the same time."""
    return lambda sql: cluster().execute(sql, url.split("/")[3].split("?")[0])


@pytest.fixture
def connect(url: str) -> Iterator[Callable[..., PostgresDatabase]]:
    """Opens the database of ``url``. It is closed at the end."""
    opened: list[PostgresDatabase] = []

    def open_it(*, without: frozenset[str] = frozenset()) -> PostgresDatabase:
        opened.append(PostgresDatabase(url, without=without))
        return opened[-1]

    yield open_it
    for each in opened:
        each.close()


@pytest.fixture
def postgres(connect: Callable[..., PostgresDatabase]) -> PostgresDatabase:
    """The database of ``url``."""
    return connect()


@pytest.fixture
def studio(postgres: PostgresDatabase) -> World:
    """The workspace of ``tests.support.workspace`` in PostgreSQL."""
    return studio_in(postgres)


def studio_in(database: PostgresDatabase) -> World:
    engine = Engine(database, load_catalog, clock=Clock())
    return World(engine, gather(engine))
