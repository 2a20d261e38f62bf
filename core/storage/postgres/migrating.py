"""``podium migrate``: brings the tables of an older Podium forward, with the role that owns them.

Servers of the version before go on meanwhile if all new migrations are in ``COMPATIBLE``. So no statement waits long
for a lock, because others wait behind it, and indexes are made while rows are written.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import chain, count, islice
from typing import Any, cast

import psycopg

from core.errors import DatabaseMoved
from core.storage.full_text import SOURCES
from core.storage.postgres import notes, references, search
from core.storage.postgres.capabilities import Capabilities, look_up
from core.storage.postgres.connections import WITHOUT_LIMITS, Connections, PooledConnection, check_alone
from core.storage.postgres.database import PostgresDatabase
from core.storage.postgres.faults import faults, is_conflict, place_of
from core.storage.postgres.schema import (
    check_same_version,
    checked_by_triggers,
    list_statements,
    list_triggers,
    schema_row,
    translate,
)
from core.storage.schema.migrations import (
    FIRST_VERSION,
    MIGRATIONS,
    SCHEMA_VERSION,
    check_not_too_old,
    least_program,
    migrate,
    search_folds_letters,
)

RETRIES = 20
"""The most times that the migrations begin again after a lock that they did not get."""

PAUSE_SECONDS = 1.0
"""Seconds before they begin again, in which others write."""

BEGIN = "BEGIN; SET LOCAL lock_timeout = '3s'; LOCK TABLE podium_schema IN ACCESS EXCLUSIVE MODE"
"""Programs that open the database wait for the lock."""

_LATER = ("CREATE INDEX", "CREATE TRIGGER", "DROP TRIGGER", "DROP INDEX")
"""Beginnings of statements that are not run, since missing indexes and triggers are made at the end. An index that is
not wanted any more goes after them, so that servers that go on never lack both."""

_OF_FTS5 = ("DROP TABLE search_text", "CREATE VIEW search_words", "CREATE VIRTUAL TABLE", "INSERT INTO search_text")
"""Beginnings of statements that are for the index of SQLite alone."""

_PARAMETER = re.compile(r"'(?:[^']|'')*'|\?")


class MigratedDatabase:
    """The database as a migration sees it, whose statements are written for SQLite."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def execute(self, sql: str, parameters: Sequence[object] = ()) -> psycopg.Cursor[Any]:
        """Run a statement with ``?`` for its parameters. The cursor has its rows."""
        if sql.startswith((*_LATER, *_OF_FTS5)):
            return self._connection.cursor()
        if sql.startswith(("CREATE", "ALTER")):
            sql = translate(sql)
        numbers = count(1)
        sql = _PARAMETER.sub(lambda part: f"${next(numbers)}" if part[0] == "?" else part[0], sql)
        return self._connection.execute(sql.encode(), parameters)


def migrate_database(url: str) -> int:
    """Make the tables of a database, or bring them forward. Returns the number of migrations. Raises StorageError."""
    place = place_of(url)
    with faults(place), closing(Connections(url).single()) as connection:
        if connection.execute("SELECT to_regclass('podium_schema')").fetchone() == (None,):
            PostgresDatabase(url, create=True).close()
            return len(MIGRATIONS)
        connection.execute(WITHOUT_LIMITS)
        check_same_version(connection, place)
        capabilities = look_up(connection)
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
            dropped: list[str] = []
            model.set_trace_callback(lambda sql: dropped.append(sql) if sql.startswith("DROP INDEX") else None)
            migrate(model, 0)
            model.set_trace_callback(None)
            number = _repeat(lambda: _bring_forward(connection, place, model, capabilities), connection)
            indexes = list_statements(model, "index") | search.INDEXES
            _replace_indexes(connection, indexes, [*(sql.split()[-1] for sql in dropped), *search.OLD_INDEXES])
        return number


def _repeat(run: Callable[[], int], connection: PooledConnection) -> int:
    """Run a transaction again while others have its locks."""
    for attempt in count():
        try:
            return run()
        except psycopg.Error as error:
            connection.execute("ROLLBACK")
            if attempt == RETRIES or not (isinstance(error, psycopg.errors.LockNotAvailable) or is_conflict(error)):
                raise
        time.sleep(PAUSE_SECONDS)
    raise AssertionError


def _bring_forward(
    connection: PooledConnection, place: str, model: sqlite3.Connection, capabilities: Capabilities
) -> int:
    """Run the missing migrations in one transaction. Returns their number."""
    connection.execute(BEGIN)
    found = schema_row(connection, place)
    check_not_too_old(found["version"], place)
    if found["moved"]:
        raise DatabaseMoved(found["moved"])
    if least_program() > found["version"]:
        check_alone(connection, place)
    connection.execute(notes.TABLE)
    missing = tuple(islice(MIGRATIONS, found["version"] - FIRST_VERSION + 1, None))
    for migration in missing:
        migration(cast(Any, MigratedDatabase(connection)))
    if search_folds_letters in missing:
        for statement in search.folding_schema(capabilities):
            connection.execute(statement)
    for name, function, trigger in _triggers(model):
        if connection.execute("SELECT FROM pg_trigger WHERE tgname = $1", [name]).fetchone() is None:
            connection.execute(f"DROP FUNCTION IF EXISTS {name} CASCADE")
            connection.execute(function)
            connection.execute(trigger)
    connection.execute(f"UPDATE podium_schema SET version = {SCHEMA_VERSION}, least_program = {least_program()}")
    connection.execute("UPDATE commit_count SET n = n + 1 WHERE slot = ''")
    connection.execute("COMMIT")
    return len(missing)


def _triggers(model: sqlite3.Connection) -> Iterator[tuple[str, str, str]]:
    """All triggers: the name of each, which is also the name of its function, and the statements that make both."""
    of_references = (each for reference in checked_by_triggers(model) for each in references.triggers(reference))
    of_search = (each for source in SOURCES for each in search.triggers(source))
    statements = chain(of_references, of_search, list_triggers(model))
    for function, trigger in zip(statements, statements, strict=True):
        yield trigger.split()[2], function, trigger


def _replace_indexes(connection: PooledConnection, indexes: dict[str, str], dropped: Sequence[str]) -> None:
    """Make missing indexes, and those that an interrupted migration left unfinished, without stopping writers.

    Then those that a migration has dropped go. One that changes its columns has to change its name too.
    """
    connection.execute("SET lock_timeout = 0")
    valid = "SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid"
    found = dict(connection.execute(valid).fetchall())
    for name, statement in indexes.items():
        if not found.get(name):
            connection.execute(f"DROP INDEX IF EXISTS {name}")
            connection.execute(statement.replace(" INDEX ", " INDEX CONCURRENTLY ", 1).encode())
    for name in dropped:
        if name not in indexes and name in found:
            connection.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
