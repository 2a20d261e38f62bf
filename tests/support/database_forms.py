"""Databases as older Podiums made them: by the migrations of their time, with rows of that time."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from sqlite_utils import Database as SqliteUtilsDatabase

from core.files.own_files import APPLICATION_ID
from core.storage.schema.migrations import FIRST_VERSION, MIGRATIONS

ROWS: Mapping[str, list[dict[str, Any]]] = json.loads(
    Path(__file__).with_name("first_form.json").read_text(encoding="utf-8")
)
"""At least one row for each table of the first schema, whole as its references go. Frozen, as the schema is."""


def number_before(migration: Callable[..., None]) -> int:
    """The number of the schema before a migration."""
    return FIRST_VERSION + list(MIGRATIONS).index(migration) - 1


def make_database(path: Path, number: int, rows: Mapping[str, list[dict[str, Any]]] = ROWS) -> None:
    """A database of the schema with this number. The rows went in after the first one, as in people's files."""
    migrations = list(islice(MIGRATIONS, number - FIRST_VERSION + 1))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        database = SqliteUtilsDatabase(connection, execute_plugins=False)
        for migration in migrations:
            migration(database)
            if migration is migrations[0]:
                fill(connection, rows)
        settle(connection, number, [migration.__name__ for migration in migrations])


def settle(connection: sqlite3.Connection, number: int, names: list[str]) -> None:
    """Write the marks of every Podium database: its migrations and its application id."""
    connection.execute(
        "CREATE TABLE _sqlite_migrations (id INTEGER PRIMARY KEY, migration_set TEXT, name TEXT, applied_at TEXT)"
    )
    for name in names:
        connection.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('podium', ?, '2026-11-21')",
            (name,),
        )
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {number}")
    connection.execute("PRAGMA journal_mode = WAL")


def fill(connection: sqlite3.Connection, rows: Mapping[str, list[dict[str, Any]]]) -> None:
    connection.execute("PRAGMA foreign_keys = OFF")
    for table, of_table in rows.items():
        connection.execute(f"DELETE FROM {table}")
        for row in of_table:
            values = ", ".join(f":{column}" for column in row)
            connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({values})", row)


def rows_of(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of the tables of the first schema."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        found = {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in ROWS}
        return {table: sorted(map(dict, rows), key=repr) for table, rows in found.items()}
