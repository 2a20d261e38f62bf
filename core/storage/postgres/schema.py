"""The tables of a new database: those of a new SQLite file in PostgreSQL's words, so that there is one text."""

from __future__ import annotations

import re
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from psycopg import errors
from psycopg.rows import dict_row

from core.errors import DatabaseDamaged, DatabaseMissing, DatabaseMoved, DatabaseTooNew, DatabaseTooOld, StorageError
from core.storage.postgres import notes, search
from core.storage.postgres.capabilities import Capabilities
from core.storage.postgres.connections import ADD_UP, LIFETIME_SECONDS, PooledConnection
from core.storage.postgres.faults import NotReplicated, read_only
from core.storage.postgres.references import UNCHECKED, Reference, triggers, without_references
from core.storage.schema.migrations import SCHEMA_VERSION, check_not_too_old, least_program, migrate

OWN_TABLES = (
    # ``least_program`` is the oldest schema whose program can use it. ``move`` and ``moved`` are the mark of a copy.
    "CREATE TABLE podium_schema (version BIGINT NOT NULL, least_program BIGINT, move TEXT, moved TEXT)",
    # A row for each connection that writes. The row '' has the commits of connections that are gone.
    'CREATE TABLE commit_count (slot TEXT COLLATE "C" PRIMARY KEY, n BIGINT NOT NULL) WITH (fillfactor = 20)',
    "INSERT INTO commit_count (slot, n) VALUES ('', 0)",
    notes.TABLE,
)

SLOT_SECONDS = 2 * LIFETIME_SECONDS
"""Seconds after which a connection that began is gone, with all transactions that its row could be asked about. The
rows of programs that were killed stay as long; others end with their connections."""

NOW = "lpad(((extract(epoch FROM clock_timestamp()) - {}) * 1000000000)::bigint::text, 20, '0')"
"""The beginning of a slot that is made so many seconds before now, in nanoseconds."""

TABLES = (
    "SELECT count(*) FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace"
    " AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')"
)
"""The number of tables, without those of extensions."""

_TRIGGER = re.compile(r"CREATE TRIGGER (\w+) (AFTER .+? ON \w+)(?: WHEN (.+))? BEGIN (.+); END")
_MADE_BY_TOOLS = ("sqlite\\_%", "\\_%", "search\\_%")


def prepare(connection: PooledConnection, place: str, capabilities: Capabilities, create: bool) -> None:
    """Check that the database is Podium's and has the schema of this version; with ``create``, make an empty one so."""
    row = connection.execute(
        "SELECT current_setting('transaction_read_only'), current_setting('server_encoding'),"
        f" to_regclass('podium_schema') IS NOT NULL, ({TABLES})"
    ).fetchone()
    assert row is not None
    only_reads, encoding, is_podium, tables = row
    if only_reads == "on":
        raise read_only(place)
    if is_podium:
        _check_version(connection, place)
    elif tables:
        raise _of_another_program(place)
    elif encoding != "UTF8":
        raise StorageError(
            f"The encoding of {place} is {encoding}, which lacks letters. Create it again with “createdb --encoding "
            "UTF8 --template template0”."
        )
    elif not create:
        raise DatabaseMissing(f"There is no workspace in {place} yet. “podium init” makes one in it.")
    else:
        try:
            _make(connection, capabilities)
        except (errors.UniqueViolation, errors.DuplicateTable):  # another program was faster
            connection.execute("ROLLBACK")
            _check_version(connection, place)


def _check_version(connection: PooledConnection, place: str) -> None:
    found = schema_row(connection, place)
    if found.get("moved"):
        raise DatabaseMoved(found["moved"])
    check_not_too_old(found["version"], place)
    if found["least_program"] > SCHEMA_VERSION:
        raise _too_new(found["version"], place)
    if found["version"] < SCHEMA_VERSION:
        raise DatabaseTooOld(
            f"An older Podium made the tables of {place} (schema {found['version']}, this one has {SCHEMA_VERSION}). "
            "Run “podium migrate” with the role that owns them."
        )


def _of_another_program(place: str) -> DatabaseDamaged:
    return DatabaseDamaged(f"The tables in {place} are of another program. Name another database.")


def schema_row(connection: PooledConnection, place: str) -> dict[str, Any]:
    """The row of ``podium_schema``; databases of older Podiums lack some columns. Raises DatabaseDamaged."""
    with connection.cursor(row_factory=dict_row) as cursor:
        found = cursor.execute("SELECT * FROM podium_schema").fetchone()
    if not found or "version" not in found:
        raise _of_another_program(place)
    return found


def check_same_version(connection: PooledConnection, place: str) -> None:
    """Raise DatabaseTooNew for a schema that has more than this program knows, although it could use it."""
    if (version := schema_row(connection, place)["version"]) > SCHEMA_VERSION:
        raise _too_new(version, place)


def _too_new(version: int, place: str) -> DatabaseTooNew:
    return DatabaseTooNew(
        f"A newer Podium made the tables of {place} (schema {version}, this one knows {SCHEMA_VERSION}). Install "
        "the newer version to open it."
    )


def _make(connection: PooledConnection, capabilities: Capabilities) -> None:
    """Make the tables in one transaction. The first table makes a second program wait, and then fail."""
    connection.execute("BEGIN")
    for statement in statements(capabilities):
        connection.execute(statement)
    connection.execute(
        f"INSERT INTO podium_schema (version, least_program) VALUES ({SCHEMA_VERSION}, {least_program()})"
    )
    connection.execute("COMMIT")


def statements(capabilities: Capabilities) -> Iterator[str]:
    """The statements that make all tables, indexes, functions and triggers, and the first rows."""
    yield from OWN_TABLES
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
        migrate(model, 0)
        yield from map(translate, list_statements(model, "table").values())
        yield from list_statements(model, "index").values()
        for reference in checked_by_triggers(model):
            yield from triggers(reference)
        for name, seq in model.execute("SELECT id, seq FROM feed").fetchall():
            yield f"INSERT INTO feed (id, seq) VALUES ('{name}', {seq})"
        yield from list_triggers(model)
    yield from search.schema(capabilities)


def translate(table: str) -> str:
    """A CREATE TABLE statement of SQLite in PostgreSQL's words. Text is compared byte by byte, as in SQLite."""
    table = re.sub(r"\)\s*(STRICT|WITHOUT ROWID)(,\s*WITHOUT ROWID)?\s*$", ")", without_references(table))
    table = re.sub(r"\bTEXT\b", 'TEXT COLLATE "C"', table)
    return re.sub(r"\bINTEGER\b", "BIGINT", table)


def list_statements(model: sqlite3.Connection, kind: str) -> dict[str, str]:
    """The statements of all tables, indexes or triggers by name, in the order of their creation, without those of
    search."""
    wanted = "".join(
        f" AND {name} NOT LIKE '{pattern}' ESCAPE '\\'" for pattern in _MADE_BY_TOOLS for name in ("name", "tbl_name")
    )
    sql = f"SELECT name, sql FROM sqlite_master WHERE type = ? AND sql IS NOT NULL{wanted} ORDER BY rowid"
    return dict(model.execute(sql, [kind]).fetchall())


def list_triggers(model: sqlite3.Connection) -> Iterator[str]:
    """The functions and triggers that do what those of the model do, without those of search."""
    for statement in list_statements(model, "trigger").values():
        found = _TRIGGER.fullmatch(statement)
        assert found, statement
        name, event, condition, body = found.groups()
        when = f" WHEN ({condition})" if condition else ""
        yield f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body}; RETURN NULL; END $$"
        yield f"CREATE TRIGGER {name} {event} FOR EACH ROW{when} EXECUTE FUNCTION {name}()"


def checked_by_triggers(model: sqlite3.Connection) -> Iterator[Reference]:
    """The references of all tables that are no foreign keys in PostgreSQL."""
    for table in list_statements(model, "table"):
        found: dict[int, list[tuple[str, str, str]]] = {}
        for number, _, other, column, key, *_ in model.execute(f"PRAGMA foreign_key_list({table})"):
            found.setdefault(number, []).append((other, column, key))
        for parts in found.values():
            if (other := parts[0][0]) in UNCHECKED:
                yield Reference(table, tuple(part[1] for part in parts), other, tuple(part[2] for part in parts))


def add_slot(connection: PooledConnection) -> None:
    """Give a connection its row of ``commit_count``, and add up the rows of connections that are gone.

    It has its own transaction, since a row that a broken transaction inserts tells nothing. The clock is that of the
    database, because those of the servers can differ. Raises OperationalError if no standby takes it in time.
    """
    connection.execute("BEGIN")
    connection.execute(ADD_UP.format(f"slot > '' AND slot < {NOW.format(SLOT_SECONDS)}"))
    new = f"{NOW.format(0)} || '-{secrets.token_hex(4)}'"
    row = connection.execute(f"INSERT INTO commit_count (slot, n) VALUES ({new}, 0) RETURNING slot").fetchone()
    try:
        connection.execute("COMMIT")
    except NotReplicated as error:  # the work has not begun, so what became of it is known
        connection.close()
        raise errors.OperationalError("the synchronous standby does not answer") from error
    assert row is not None
    connection.slot, connection.commits = row[0], 0
