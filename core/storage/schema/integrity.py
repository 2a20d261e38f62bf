"""Checks a database for damage."""

from __future__ import annotations

import sqlite3


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
