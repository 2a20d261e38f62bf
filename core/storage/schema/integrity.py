"""Around the data: the schema, through sqlite-utils, and the check for damage."""

from __future__ import annotations

import sqlite3


def migrate(connection: sqlite3.Connection, application_id: int) -> None:
    """Create or upgrade the schema under the write lock, so that programs starting together do it once."""
    from sqlite_utils import Database as SqliteUtilsDatabase

    from core.storage.schema.migrations import migrate as run_migrations

    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("BEGIN IMMEDIATE")
    try:
        run_migrations(SqliteUtilsDatabase(connection, execute_plugins=False))
        connection.execute(f"PRAGMA application_id = {application_id}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


def damage(connection: sqlite3.Connection) -> list[str]:
    """What SQLite's quick check and its check of references find wrong; empty when all is well."""
    found = [str(row[0]) for row in connection.execute("PRAGMA quick_check") if row[0] != "ok"]
    dangling = connection.execute("PRAGMA foreign_key_check").fetchall()
    if dangling and _has_unfinished(connection):  # of a project that comes in these rows are the last
        dangling = [row for row in dangling if row[2] not in ("project", "member")]
    return found + [f"a row of {row[0]} refers to a missing row of {row[2]}" for row in dangling]


def _has_unfinished(connection: sqlite3.Connection) -> bool:
    """Whether some rows of a project are there already (``core.engine.slices``)."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'unfinished'").fetchone():
        return False  # it is of an older form
    return connection.execute("SELECT 1 FROM unfinished").fetchone() is not None
