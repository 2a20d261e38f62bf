"""Workspaces made once in a process and copied for each test, because a copy takes a tenth of the time.

A copy is a file of its own, opened like any other file. All copies have the same ids, in every run, so that the colours
of people, which follow from their ids, are the same in every picture.
"""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, cast
from unittest.mock import patch

from core.actions import load_catalog
from core.engine.engine import Engine
from core.storage import ulids
from core.storage.sqlite.database import SqliteDatabase
from tests.support.postgres_cluster import ON_POSTGRES, Rows, open_at, rows_of
from tests.support.workspace import Clock, People, World, gather, new_database, open_database_of_test


class _Prepared(NamedTuple):
    """The files, and what was made in them."""

    empty: bytes | Rows
    with_people: bytes | Rows
    with_world: bytes | Rows
    people: People
    world: World


FIRST_ID = int(datetime(2026, 3, 2, tzinfo=UTC).timestamp()) * 1_000_000_000
"""The time in the first id of a prepared workspace, in nanoseconds."""


@contextmanager
def same_ids() -> Iterator[None]:
    """New ids are the same in every run, each a millisecond after the one before."""
    made = count()

    def no_chance(size: int) -> bytes:
        return bytes(size)

    with (
        patch.object(ulids, "time_ns", lambda: FIRST_ID + next(made) * 1_000_000),
        patch.object(ulids, "urandom", no_chance),
        patch.object(ulids, "_newest", 0),
    ):
        yield


@cache
def _prepared() -> _Prepared:
    with TemporaryDirectory() as folder, same_ids():
        path = Path(folder) / "podium.db"
        new_database(path).close()
        empty = content_of(path)
        with closing(_engine(open_database_of_test(path))) as engine:
            people = gather(engine)
        with_people = content_of(path)
        with closing(_engine(open_database_of_test(path))) as engine:
            world = World(engine, people)
        return _Prepared(empty, with_people, content_of(path), people, world)


def content_of(path: Path) -> bytes | Rows:
    """All that is in the database of a path, which is closed."""
    return rows_of(path) if ON_POSTGRES else path.read_bytes()


def _engine(database: SqliteDatabase) -> Engine:
    return Engine(database, load_catalog, clock=Clock())


def opened(content: bytes | Rows, path: Path, **options: Any) -> SqliteDatabase:
    """The database of a new path with this content."""
    if not isinstance(content, bytes):
        return cast(SqliteDatabase, open_at(path, content))
    with open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(content)
    return SqliteDatabase(path, **{"synchronous": "OFF", **options})  # a copy need not outlive a loss of power


def empty_database(path: Path) -> SqliteDatabase:
    """A database with its schema and nothing else."""
    return opened(_prepared().empty, path)


def database_with_people(path: Path) -> SqliteDatabase:
    """The database of a founded workspace without projects."""
    return opened(_prepared().with_people, path)


def its_people() -> People:
    """The people of ``database_with_people`` and of ``new_world``."""
    return _prepared().people


def database_with_world(path: Path) -> SqliteDatabase:
    """The database of a founded workspace with one project."""
    return opened(_prepared().with_world, path)


def world_of(engine: Engine) -> World:
    """The world in a ``database_with_world``."""
    world = copy.copy(_prepared().world)
    world.engine, world.database = engine, cast(SqliteDatabase, engine.database)
    return world


def new_world(path: Path) -> World:
    """A founded workspace with one project, in a file of its own, with a clock of its own."""
    return world_of(_engine(database_with_world(path)))
