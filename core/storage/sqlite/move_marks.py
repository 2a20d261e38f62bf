"""Marks in a file: a file whose workspace was moved away is not opened, also not by a program that had it open.

The mark changes ``user_version``, which each transaction reads.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from core.errors import DatabaseMoved, DatabaseTooNew, StorageError
from core.storage.move_mark import MoveMark
from core.storage.schema.migrations import SCHEMA_VERSION

MARKED = 2**31 - 1
"""The ``user_version`` of a marked file, so that every version of Podium takes it for newer than itself."""

_EXISTS = "SELECT 1 FROM sqlite_master WHERE name = '_podium_move'"


def set_mark(connection: sqlite3.Connection, mark: MoveMark | None) -> None:
    """Mark a file, or remove its mark. The caller has a transaction."""
    connection.execute("DROP TABLE IF EXISTS _podium_move")
    if mark is not None:  # the name begins with “_”, so that the table is no part of the schema
        connection.execute("CREATE TABLE _podium_move (move TEXT NOT NULL, sentence TEXT NOT NULL) STRICT")
        connection.execute("INSERT INTO _podium_move VALUES (?, ?)", [mark.move, mark.sentence])
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION if mark is None else MARKED}")


def mark_of(connection: sqlite3.Connection) -> MoveMark | None:
    """The mark of a file, or None."""
    if not connection.execute(_EXISTS).fetchone():
        return None
    move, sentence = connection.execute("SELECT move, sentence FROM _podium_move").fetchone()
    return MoveMark(move, sentence)


def too_new(connection: sqlite3.Connection, path: Path, version: int, *, was_open: bool = False) -> StorageError:
    """The error for a file with a version that this program does not know: it is marked, or of a newer Podium."""
    if mark := mark_of(connection):
        return DatabaseMoved(mark.sentence)
    if was_open:
        return DatabaseTooNew(
            f"{path} was upgraded by a newer Podium while this one had it open. Nothing was changed; quit, and start "
            "the newer Podium."
        )
    return DatabaseTooNew(
        f"{path} was made by a newer Podium (schema {version}, this one knows {SCHEMA_VERSION}). Install the newer "
        "version to open it."
    )
