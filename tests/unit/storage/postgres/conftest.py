"""A database of PostgreSQL for each test, and a workspace in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from core.actions import load_catalog
from core.engine.engine import Engine
from core.storage.postgres.database import PostgresDatabase
from tests.support.postgres_cluster import cluster
from tests.support.workspace import Clock, World, gather


@pytest.fixture
def url() -> Iterator[str]:
    """The URL of an empty database."""
    name = cluster().new_database()
    yield cluster().url(name)
    cluster().run(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def connect(url: str) -> Iterator[Callable[..., PostgresDatabase]]:
    """Opens the database of ``url``, and makes its tables. It is closed at the end."""
    opened: list[PostgresDatabase] = []

    def open_it(*, without: frozenset[str] = frozenset()) -> PostgresDatabase:
        opened.append(PostgresDatabase(url, create=True, without=without))
        return opened[-1]

    yield open_it
    for each in opened:
        each.close()


@pytest.fixture
def postgres(connect: Callable[..., PostgresDatabase]) -> PostgresDatabase:
    """A database with the tables of Podium."""
    return connect()


@pytest.fixture
def studio(postgres: PostgresDatabase) -> World:
    """The workspace of ``tests.support.workspace`` in PostgreSQL."""
    return studio_in(postgres)


def studio_in(database: PostgresDatabase) -> World:
    engine = Engine(database, load_catalog, clock=Clock())
    return World(engine, gather(engine))
