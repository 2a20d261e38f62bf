"""One transaction on a connection to SQLite, the deadline of its statements, and the repeated reads of any engine."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

from core.errors import StorageError
from core.storage import deadline as deadlines
from core.storage.database import ConstraintViolation, Row, Statement
from core.storage.deadline import Deadline
from core.storage.progress import Progress

T = TypeVar("T")

MAX_KEPT = 16
"""Results that a thread keeps for its next transactions. There are few between two commits; the limit keeps a client
that asks for the changes of a large project since many points in time from filling the memory."""


class ReadCache(threading.local):
    """The results of ``Tx.find_cached`` of one thread, for one version of the database."""

    version: object = None
    found: dict[Hashable, Any]

    def of(self, version: object) -> dict[Hashable, Any]:
        """The results for this version of the database; those of another version are dropped."""
        if version != self.version or len(self.found) > MAX_KEPT:
            self.version, self.found = version, {}
        return self.found


MAX_REPEATED = 60_000
"""The most values of all results together that are kept for the same statements: thousands of short rows, such as the
projects of a user, or some of long ones."""


class RepeatedReads:
    """The results of the statements of one transaction: until it writes, a statement returns the same rows again."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._rows: dict[Hashable, list[tuple[Any, ...]]] = {}
        self._kept = 0

    def tuples(
        self, sql: str, params: Mapping[str, object], read: Callable[[], list[tuple[Any, ...]]]
    ) -> list[tuple[Any, ...]]:
        """Return the rows of a statement, which ``read`` carries out the first time."""
        self._deadline.check()
        key = (sql, *params.items())
        if (known := self._rows.get(key)) is not None:
            return known.copy()
        rows = read()
        values = 1 + (len(rows) * len(rows[0]) if rows else 0)
        if self._kept + values <= MAX_REPEATED:
            self._kept += values
            self._rows[key] = rows.copy()
        return rows

    def search(
        self,
        find: Callable[..., list[Mapping[str, Any]]],
        query: Callable[..., list[Row]],
        words: Sequence[str],
        scopes: Collection[str],
        most: int,
        member: str,
    ) -> list[Row]:
        """Return what ``find`` of an engine finds with ``query``; see ``Tx.search``."""
        params = {"words": tuple(words), "scopes": tuple(scopes), "most": most, "member": member}
        rows = self.tuples("search", params, lambda: cast(Any, find(query, words, scopes, most, member)))
        return cast(list[Row], rows)

    def forget(self) -> None:
        """Forget the results, because the transaction writes."""
        if self._rows:
            self._rows, self._kept = {}, 0


CANNOT_WRITE = "A transaction that reads cannot write."
"""SQLite itself could refuse it (“PRAGMA query_only”), but prepares all statements again after each such setting."""


class SqliteTx:
    """One transaction on one connection."""

    def __init__(self, connection: sqlite3.Connection, deadline: Deadline, findings: ReadCache | None = None) -> None:
        """``findings`` are the kept results of the thread; None for a transaction that writes."""
        self.connection = connection
        self._deadline = deadline
        self._findings = findings
        self._found: dict[Hashable, Any] | None = None
        self._reads = RepeatedReads(deadline)

    def find_cached(self, key: Hashable, find: Callable[[], T]) -> T:
        if self._findings is None:
            return find()
        if self._found is None:
            self._found = self._findings.of(self.connection.execute("PRAGMA data_version").fetchone()[0])
        if key not in self._found:
            self._found[key] = find()
        return cast(T, self._found[key])

    def query(self, sql: str, **params: object) -> list[Row]:
        self._deadline.check()
        if not sql.startswith("SELECT"):
            self._reads.forget()
        cursor = self.connection.cursor()
        cursor.row_factory = sqlite3.Row
        return cast(list[Row], cursor.execute(sql, params).fetchall())

    def tuples(self, sql: str, **params: object) -> list[tuple[Any, ...]]:
        return self._reads.tuples(sql, params, lambda: self._tuples(sql, params))

    def _tuples(self, sql: str, params: Mapping[str, object]) -> list[tuple[Any, ...]]:
        self._deadline.check()
        return self.connection.execute(sql, params).fetchall()

    def tuples_all(self, statements: Sequence[Statement]) -> list[list[tuple[Any, ...]]]:
        return [self.tuples(sql, **params) for sql, params in statements]

    def _prepare_to_write(self) -> None:
        """Raise StorageError in a transaction that reads."""
        if self._findings is not None:
            raise StorageError(CANNOT_WRITE)
        self._deadline.check()  # where it is over, SQLite goes on
        self._reads.forget()

    def execute(self, sql: str, **params: object) -> int:
        self._prepare_to_write()
        try:
            return self.connection.execute(sql, params).rowcount
        except sqlite3.IntegrityError as error:
            raise ConstraintViolation from error

    def execute_all(self, statements: Sequence[Statement]) -> list[int]:
        self._prepare_to_write()
        cursor = self.connection.cursor()
        try:
            return [cursor.execute(sql, params).rowcount for sql, params in statements]
        except sqlite3.IntegrityError as error:
            raise ConstraintViolation from error

    def search(self, words: Sequence[str], scopes: Collection[str], most: int, member: str = "") -> list[Row]:
        from core.storage import full_text

        return self._reads.search(full_text.find, self.query, words, scopes, most, member)

    def savepoint(self, work: Callable[[], T]) -> T:
        self.connection.execute("SAVEPOINT step")
        try:
            result = work()
        except BaseException:
            self._reads.forget()
            if self.connection.in_transaction:  # SQLite has rolled back everything already if the disk is full
                self.connection.execute("ROLLBACK TO step")
                self.connection.execute("RELEASE step")
            raise
        self.connection.execute("RELEASE step")
        return result


@contextlib.contextmanager
def linked_rows(connection: sqlite3.Connection, linked: bool) -> Iterator[None]:
    """Around a transaction: with ``linked=False``, turn off SQLite's check of references."""
    if linked:
        yield
        return
    connection.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


@contextlib.contextmanager
def bound_statements(connection: sqlite3.Connection, seconds: float, progress: Progress) -> Iterator[Deadline]:
    """Around the statements of a transaction: stop them at their deadline. Raises as ``Deadline.check`` does."""
    deadline = Deadline(seconds, progress)
    connection.set_progress_handler(deadline.is_over, deadlines.CHECK_EVERY)
    try:
        yield deadline
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_INTERRUPT:
            deadline.check()
        raise
    finally:
        connection.set_progress_handler(None, deadlines.CHECK_EVERY)
