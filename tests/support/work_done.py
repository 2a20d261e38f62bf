"""Counts the work of a database: statements, rows, and the steps of SQLite's virtual machine.

These are the same in each run and on each machine, so a test can compare them at two sizes, where times would mislead.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from core.storage import deadline
from core.storage.database import Database
from core.storage.sqlite.connections import ThreadConnections
from core.storage.sqlite.database import SqliteDatabase


@dataclass
class Work:
    """The work that all threads of this process have a database do, but the one that follows commits in PostgreSQL.

    That one looks when the server tells of a commit, which can be during any message.
    """

    sent: list[str] = field(default_factory=list)
    """The statements in order, with BEGIN, COMMIT and the like; not those that a trigger runs."""
    rows: int = 0
    """The rows that the statements returned."""
    steps: int = 0
    """The steps of SQLite's virtual machine within transactions, with those of triggers. 0 in PostgreSQL."""

    @property
    def statements(self) -> int:
        return len(self.sent)


@contextmanager
def work_done(database: Database) -> Iterator[Work]:
    """Count the work that is done meanwhile. No transaction may be open before.

    >>> with work_done(world.database) as work:
    ...     world.ask(ListProjects())
    >>> assert work.statements < 20
    """
    work = Work()
    counted = _in_sqlite(work) if isinstance(database, SqliteDatabase) else _in_postgres(work)
    with counted:
        yield work


class _Cursor:
    """A cursor that counts the rows that it hands out."""

    def __init__(self, cursor: Any, work: Work) -> None:
        object.__setattr__(self, "_cursor", cursor)
        object.__setattr__(self, "_work", work)

    def execute(self, sql: str, *params: Any) -> _Cursor:
        self._work.sent.append(sql)
        self._cursor.execute(sql, *params)
        return self

    def fetchall(self) -> list[Any]:
        rows: list[Any] = self._cursor.fetchall()
        self._work.rows += len(rows)
        return rows

    def fetchone(self) -> Any:
        row = self._cursor.fetchone()
        self._work.rows += row is not None
        return row

    def __iter__(self) -> Iterator[Any]:
        return iter(self.fetchall())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._cursor, name, value)


class _Connection:
    """A connection to SQLite whose statements are counted."""

    def __init__(self, connection: Any, work: Work) -> None:
        self._connection = connection
        self._work = work

    def cursor(self) -> _Cursor:
        return _Cursor(self._connection.cursor(), self._work)

    def execute(self, sql: str, *params: Any) -> _Cursor:
        return self.cursor().execute(sql, *params)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@contextmanager
def _in_sqlite(work: Work) -> Iterator[None]:
    using = ThreadConnections.using

    @contextmanager
    def counted(connections: ThreadConnections) -> Iterator[Any]:
        with using(connections) as connection:
            yield _Connection(connection, work)

    def step(_: deadline.Deadline) -> bool:
        work.steps += 1
        return False

    with (
        patch.object(ThreadConnections, "using", counted),
        patch.object(deadline, "CHECK_EVERY", 1),
        patch.object(deadline.Deadline, "is_over", step),
    ):
        yield


@contextmanager
def _in_postgres(work: Work) -> Iterator[None]:
    import psycopg

    def counted(cursor: Any, sql: Any, *params: Any, **options: Any) -> Any:
        work.sent += [str(sql)] if counts() else []
        return execute(cursor, sql, *params, **options)

    def fetched(cursor: Any) -> list[Any]:
        rows = fetchall(cursor)
        work.rows += len(rows) if counts() else 0
        return rows

    def counts() -> bool:
        return threading.current_thread().name != "podium-commits"

    execute, fetchall = psycopg.Cursor.execute, psycopg.Cursor.fetchall
    with patch.object(psycopg.Cursor, "execute", counted), patch.object(psycopg.Cursor, "fetchall", fetched):
        yield
