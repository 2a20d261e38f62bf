"""A database of PostgreSQL for each test, and a workspace in it."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from core.actions import load_catalog
from core.demo import make_demo
from core.engine.engine import Engine
from core.net.database_url import DatabasePlace, DatabaseUrl
from core.storage.postgres.database import PostgresDatabase
from tests.support import postgres_cluster
from tests.support.copied_workspaces import copy
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


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    make_demo(path, login="robin")
    return path


@pytest.fixture
def new(tmp_path: Path) -> Callable[[str], DatabasePlace]:
    """Names a new place of a kind."""
    numbers = itertools.count()

    def name(kind: str) -> DatabasePlace:
        if kind == "database":
            return DatabaseUrl(cluster().url(cluster().new_database()).replace("podium@", "podium:s3cret@"))
        return tmp_path / f"{next(numbers)}.db"

    return name


@pytest.fixture
def filled(new: Callable[[str], DatabasePlace], demo: Path, tmp_path: Path) -> Callable[[str], DatabasePlace]:
    """Names a place of a kind with the workspace of the demo."""

    def name(kind: str) -> DatabasePlace:
        path = Path(shutil.copy(demo, tmp_path / "work.db"))
        if kind == "file":
            return path
        url = new(kind)
        copy(path, url)
        return url

    return name
