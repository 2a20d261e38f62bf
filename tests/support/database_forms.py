"""Databases as older Podiums made them: by the migrations of their time, with rows of that time."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from sqlite_utils import Database as SqliteUtilsDatabase

from core.files.own_files import APPLICATION_ID
from core.storage.full_text import search_schema
from core.storage.schema.migrations import MIGRATIONS
from core.storage.schema.tables import FIRST_SCHEMA

ROWS: Mapping[str, list[dict[str, Any]]] = json.loads(
    Path(__file__).with_name("first_form.json").read_text(encoding="utf-8")
)
"""At least one row for each table of the first schema, whole as its references go. Frozen, as the schema is."""


def make_database(path: Path, number: int) -> None:
    """A database with the first ``number`` migrations. The rows went in after the first one, as in people's files."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        database = SqliteUtilsDatabase(connection, execute_plugins=False)
        for position, migration in enumerate(islice(MIGRATIONS, number)):
            migration(database)
            if position == 0:
                fill(connection)
        settle(connection, number, [migration.__name__ for migration in islice(MIGRATIONS, number)])


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


def fill(connection: sqlite3.Connection) -> None:
    """Put the rows in, those columns of them that are there."""
    connection.execute("PRAGMA foreign_keys = OFF")
    for table, rows in ROWS.items():
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        for row in rows if columns else ():
            given = [column for column in row if column in columns]
            values = ", ".join(f":{column}" for column in given)
            connection.execute(f"INSERT OR REPLACE INTO {table} ({', '.join(given)}) VALUES ({values})", row)


def rows_of(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of the tables of the first schema, by the names that tables and columns have there."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        there = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        return {
            table: sorted(
                (
                    {BEFORE.get(column) or column: value for column, value in dict(row).items()}
                    for row in connection.execute(f"SELECT * FROM {table if table in there else NOW[table]}")
                ),
                key=repr,
            )
            for table in ROWS
        }


NOW = {
    "enrolment": "linked_account",
    "node": "hierarchy_node",
    "notice": "notification",
    "preset_choice": "active_preset",
    "star": "favourite",
    "visit": "last_seen",
}
"""Tables that have another name since the first schema."""

BEFORE = {"gate_state": "verdict"}
"""Columns that had another name in it."""


CASCADING = ["member", "phase", "deliverable", "item", "gate_record", "star"]


def forms_before_the_first() -> Iterator[list[str]]:
    """The statements of each form that carried the number 1 before the first schema was settled, the newest first."""
    tables = [statement.strip() for statement in FIRST_SCHEMA.split(";\n") if statement.strip()]
    tables = _without_column(tables, "change", "permissions TEXT NOT NULL, ")
    yield [*tables, *search_schema()]
    tables = _without(tables, "INDEX member_inviter")
    yield [*tables, *search_schema()]
    tables = _without(tables, "token", "enrolment", "receipt")
    yield [*tables, *search_schema()]
    tables = _without(tables, "INDEX origin_template")
    yield [*tables, *search_schema()]
    yield tables
    tables = _without(
        tables,
        *["notice", "template", "template_version", "preset", "preset_choice", "saved_filter", "origin", "visit"],
    )
    tables = _without_column(tables, "project", "start TEXT, ")
    tables = _without_column(tables, "phase", "evidence_required INTEGER NOT NULL, ")
    yield tables
    tables = _without(
        tables,
        *["meta_role", "application_role", "application", "member_meta_role", "launch", "product", "role_mapping"],
    )
    tables = _without_column(tables, "node", "auth_id TEXT NOT NULL UNIQUE,")
    tables = _without_column(tables, "workspace", "auth_id TEXT NOT NULL UNIQUE, ")
    yield tables
    tables = [_cascading(statement) for statement in tables]
    yield tables
    tables = _without_column(tables, "item", "archived_with TEXT,")
    tables = _without_column(tables, "gate_record", "withdrawn INTEGER NOT NULL, ")
    yield tables


def _without(statements: list[str], *names: str) -> list[str]:
    """Without these tables and their indexes, or without one "INDEX name"."""
    pattern = "|".join(rf"CREATE TABLE {name} |CREATE .*INDEX \w+ ON {name}\(|CREATE {name} " for name in names)
    return [statement for statement in statements if not re.match(pattern, statement)]


def _without_column(statements: list[str], table: str, column: str) -> list[str]:
    return [each.replace(column, "", 1) if each.startswith(f"CREATE TABLE {table} ") else each for each in statements]


def _cascading(statement: str) -> str:
    """References to projects and phases took their rows along then."""
    table = statement.removeprefix("CREATE TABLE ").split(" ")[0]
    if table not in CASCADING:
        return statement
    if table == "deliverable":
        return statement.replace("phase(project_id, id)", "phase(project_id, id) ON DELETE CASCADE")
    return statement.replace("REFERENCES project(id)", "REFERENCES project(id) ON DELETE CASCADE")
