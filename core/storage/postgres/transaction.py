"""One transaction on a connection to PostgreSQL."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any, TypeVar, cast

import psycopg
from psycopg.rows import dict_row, tuple_row

from core.storage.database import ConstraintViolation, Row, Statement
from core.storage.deadline import Deadline
from core.storage.postgres.statements import number_parameters
from core.storage.sqlite.transaction import RepeatedReads

T = TypeVar("T")

MAX_KEPT = 64
"""Results that a process keeps for its next transactions."""

COMMITS = "SELECT coalesce(sum(n), 0) FROM commit_count"
"""The number of all commits. It is the same in two snapshots only if nothing was committed between them."""


class SnapshotCache:
    """The results of ``Tx.find_cached`` for the newest snapshot that asked, for all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._commits = -1
        self._found: dict[Hashable, Any] = {}

    def of(self, commits: int) -> dict[Hashable, Any]:
        """The results for a snapshot with this number of commits; those of an older snapshot are dropped."""
        with self._lock:
            if commits < self._commits:
                return {}
            if commits > self._commits or len(self._found) > MAX_KEPT:
                self._commits, self._found = commits, {}
            return self._found


class PostgresTx:
    """One transaction on one connection."""

    def __init__(
        self,
        connection: psycopg.Connection[Any],
        deadline: Deadline,
        findings: SnapshotCache | None = None,
        begin: str = "",
    ) -> None:
        """``findings`` are the kept results of the process; None for a transaction that writes.

        ``begin`` is sent together with the first statement, which saves a round trip; "" if it has begun. With it goes
        the question for the number of commits, which ``find_cached`` needs.
        """
        self._begin = begin
        self._commits = connection.cursor(row_factory=tuple_row)
        self._mappings = connection.cursor(row_factory=dict_row)
        self._tuples = connection.cursor(row_factory=tuple_row)
        self._deadline = deadline
        self._findings = findings
        self._found: dict[Hashable, Any] | None = None
        self._reads = RepeatedReads(deadline)

    def query(self, sql: str, **params: object) -> list[Row]:
        if not sql.startswith("SELECT"):
            self._reads.forget()
        return cast(list[Row], self._rows(self._mappings, sql, params))

    def tuples(self, sql: str, **params: object) -> list[tuple[Any, ...]]:
        return self._reads.tuples(sql, params, lambda: self._rows(self._tuples, sql, params))

    def tuples_all(self, statements: Sequence[Statement]) -> list[list[tuple[Any, ...]]]:
        cursors = []
        with self._tuples.connection.pipeline():
            for sql, params in statements:
                cursors.append(self._tuples.connection.cursor(row_factory=tuple_row))
                self._send(cursors[-1], sql, params)
        return [cursor.fetchall() for cursor in cursors]

    def execute(self, sql: str, **params: object) -> int:
        self._reads.forget()
        self._run(self._tuples, sql, params)
        return self._tuples.rowcount

    def execute_all(self, statements: Sequence[Statement]) -> list[int]:
        self._reads.forget()
        cursors = [self._tuples.connection.cursor(row_factory=tuple_row) for _ in statements]
        try:
            with self._tuples.connection.pipeline():
                for cursor, (sql, params) in zip(cursors, statements, strict=True):
                    self._send(cursor, sql, params, prepare=False)  # an error would leave it half prepared
        except psycopg.IntegrityError as error:
            raise ConstraintViolation from error
        return [cursor.rowcount for cursor in cursors]

    def search(self, words: Sequence[str], scopes: Collection[str], most: int, member: str = "") -> list[Row]:
        from core.storage.postgres import search

        def query(sql: str, **params: object) -> list[Row]:
            return cast(list[Row], self._rows(self._mappings, sql, params, prepare=False))

        return self._reads.search(search.find, query, words, scopes, most, member)

    def find_cached(self, key: Hashable, find: Callable[[], T]) -> T:
        if self._findings is None:
            return find()
        if self._found is None:
            if self._commits.description is None:
                self._run(self._commits, COMMITS, {})
            self._found = self._findings.of(self._commits.fetchall()[0][0])
        if key not in self._found:
            self._found[key] = find()
        return cast(T, self._found[key])

    def savepoint(self, work: Callable[[], T]) -> T:
        self._tuples.execute("SAVEPOINT step")
        try:
            result = work()
        except BaseException:
            self._reads.forget()
            if not self._tuples.connection.closed:
                self._tuples.execute("ROLLBACK TO step; RELEASE step")
            raise
        self._tuples.execute("RELEASE step")
        return result

    def _rows(
        self, cursor: psycopg.Cursor[Any], sql: str, params: Mapping[str, object], prepare: bool | None = None
    ) -> list[Any]:
        self._run(cursor, sql, params, prepare=prepare)
        return cursor.fetchall() if cursor.description else []

    def _run(
        self, cursor: psycopg.Cursor[Any], sql: str, params: Mapping[str, object], prepare: bool | None = None
    ) -> None:
        """Run a statement. One that is not prepared is planned for its parameters."""
        try:
            with cursor.connection.pipeline() if self._begin else contextlib.nullcontext():
                self._send(cursor, sql, params, prepare=prepare)
        except psycopg.IntegrityError as error:
            raise ConstraintViolation from error

    def _send(
        self, cursor: psycopg.Cursor[Any], sql: str, params: Mapping[str, object], prepare: bool | None = None
    ) -> None:
        """Run a statement, in a pipeline if the transaction has not begun."""
        self._deadline.check()
        statement = number_parameters(sql)
        begin, self._begin = self._begin, ""
        if begin:
            cursor.connection.execute(begin)
            if self._findings is not None and cursor is not self._commits:
                self._commits.execute(COMMITS)
        cursor.execute(statement.text, [params[name] for name in statement.names], prepare=prepare)
