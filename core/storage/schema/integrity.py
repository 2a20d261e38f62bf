"""Runs the migrations of the schema through sqlite-utils, and checks a database for damage."""

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
    """The findings of SQLite's quick check and of its check of references; empty when all is well."""
    found = [str(row[0]) for row in connection.execute("PRAGMA quick_check") if row[0] != "ok"]
    dangling = connection.execute("PRAGMA foreign_key_check").fetchall()
    if dangling and has_unfinished(connection):  # while a project is imported, its own row and its members come last
        dangling = [row for row in dangling if row[2] not in ("project", "member")]
    return found + [f"a row of {row[0]} refers to a missing row of {row[2]}" for row in dangling]


def has_unfinished(connection: sqlite3.Connection) -> bool:
    """Return True while an import is adding the rows of a project (``core.engine.large_projects``)."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'unfinished'").fetchone():
        return False  # an older schema
    return connection.execute("SELECT 1 FROM unfinished").fetchone() is not None
