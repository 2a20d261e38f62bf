"""A file of SQLite as the source or the target of a copy."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from core.files.own_files import check_files_beside, check_folder, check_not_reserved, check_owner
from core.storage.move_mark import MoveMark
from core.storage.schema.copied_tables import CopiedTable
from core.storage.sqlite import move_marks
from core.storage.sqlite.database import BUSY_SECONDS, SqliteDatabase
from core.storage.sqlite.faults import faults
from core.storage.sqlite.hard_links import check_single_name
from core.storage.sqlite.write_queue import only_server, turn

ROWS_AT_ONCE = 1000
"""Rows that are read from the file at a time."""


class SqliteStore:
    """A file. What a target gets is written through to the disk at its commit."""

    def __init__(self, path: Path) -> None:
        self.place = os.path.realpath(path)
        self._path = path
        self._kept = contextlib.ExitStack()
        self._triggers: list[str] = []
        self._is_new = False
        self._opened: sqlite3.Connection | None = None

    def mark(self) -> MoveMark | None:
        if not self._path.exists():
            return None
        with faults(self._path):
            return move_marks.mark_of(self._connection)

    def prepare(self, *, is_source: bool) -> None:
        self._let_go()
        if not is_source:
            check_not_reserved(self._path)
            check_folder(self._path)
            self._is_new = not self._path.exists()
        SqliteDatabase(self._path, create=not is_source).close()

    def begin(self, *, is_source: bool) -> None:
        with faults(self._path):
            if is_source:
                self._kept.enter_context(only_server(self._path))
            self._kept.enter_context(turn(self._path, BUSY_SECONDS))
            self._connection.execute("PRAGMA foreign_keys = OFF")
            self._connection.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        with faults(self._path):
            self._connection.execute("COMMIT")
        self._is_new = False
        self._let_go()

    def count(self, table: str) -> int:
        with faults(self._path):
            return int(self._connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])

    def rows(self, table: CopiedTable) -> Iterator[tuple[Any, ...]]:
        with faults(self._path):
            cursor = self._connection.execute(table.all_rows)
            while rows := cursor.fetchmany(ROWS_AT_ONCE):
                yield from rows

    def clear(self, tables: Sequence[CopiedTable]) -> None:
        with faults(self._path):
            made = self._connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for name, sql in made:
                self._connection.execute(f"DROP TRIGGER {name}")
                self._triggers.append(sql)
            for table in tables:
                self._connection.execute(f"DELETE FROM {table.name}")

    def add(self, table: CopiedTable, rows: Iterable[tuple[Any, ...]]) -> None:
        values = ", ".join("?" * len(table.columns))
        with faults(self._path):
            self._connection.executemany(
                f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES ({values})", rows
            )

    def complete(self, tables: Sequence[CopiedTable]) -> None:
        with faults(self._path):
            self._connection.execute("INSERT INTO search_text (search_text) VALUES ('rebuild')")
            while self._triggers:
                self._connection.execute(self._triggers.pop(0))

    def set_mark(self, mark: MoveMark | None) -> None:
        with faults(self._path):
            move_marks.set_mark(self._connection, mark)

    def close(self) -> None:
        """Undo the transaction, and remove a new file without a workspace."""
        if self._is_new and self._opened is not None and self._opened.in_transaction:
            self._opened.execute("ROLLBACK")
            if not self.count("workspace"):
                for suffix in ("", "-wal", "-shm", ".lock"):
                    Path(f"{self._path}{suffix}").unlink(missing_ok=True)
        self._let_go()

    def _let_go(self) -> None:
        self._kept.close()

    @property
    def _connection(self) -> sqlite3.Connection:
        """The connection to the file, which must exist; opened when needed."""
        if self._opened is None:
            check_owner(self._path)
            check_files_beside(self._path)
            check_single_name(self._path)
            uri = f"{self._path.absolute().as_uri()}?mode=rw"
            self._opened = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=BUSY_SECONDS)
            self._kept.callback(self._close)
            self._opened.execute("PRAGMA synchronous = FULL")
        return self._opened

    def _close(self) -> None:
        if self._opened is not None:
            self._opened.close()
        self._opened = None
