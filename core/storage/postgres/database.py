"""PostgreSQL as a Database: serializable transactions that run again after a conflict, and every fault a StorageError.

Writers of one project wait for each other on an advisory lock before their snapshot. That is a hint for speed: without
it the result is the same, and some transactions run more than once. Each commit adds one to a number in
``commit_count``, in a row of its connection. It tells whether a commit whose connection broke was carried out.
"""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections import deque
from collections.abc import Callable
from hashlib import blake2b
from typing import Any, TypeVar

import psycopg
from psycopg.pq import TransactionStatus

from core.errors import ServerUnavailable, StorageError, TookTooLong
from core.record import replace
from core.storage.database import ConstraintViolation, DatabaseHealth, DiskSpace
from core.storage.deadline import READ_SECONDS, WRITE_SECONDS, Deadline
from core.storage.postgres import schema
from core.storage.postgres.capabilities import look_up
from core.storage.postgres.commit_listener import CHANNEL, CommitListener
from core.storage.postgres.connections import WRITERS, Connections, PooledConnection
from core.storage.postgres.faults import faults, is_conflict, is_gone, place_of, read_only, without_rights
from core.storage.postgres.health import health_of
from core.storage.postgres.notes import PostgresNotes
from core.storage.postgres.references import UNLINKED
from core.storage.postgres.transaction import COMMITS, PostgresTx, SnapshotCache
from core.storage.postgres.watchdog import Watchdog
from core.storage.progress import NO_PROGRESS, Progress

T = TypeVar("T")

WRITABLE = (
    "SELECT current_setting('transaction_read_only'), has_table_privilege('token', 'SELECT')"
    " AND has_table_privilege('item', 'INSERT') AND has_table_privilege('commit_count', 'UPDATE')"
)
"""Whether the server and the role allow changes. The role for reports reads all but tokens."""

RETRIES = 40
"""The most times that a transaction runs again after a conflict."""

LONGEST_PAUSE = 0.05
"""The longest pause before a transaction runs again, in seconds. The first is up to a millisecond, each next twice."""

RECONNECT_SECONDS = 5.0
"""Seconds for which a transaction waits for a server that starts again."""

TURN = "BEGIN; SET LOCAL lock_timeout = '1s';"
"""The beginning of a wait for other writers of a project. Who waits longer goes on: the turns are a hint for speed."""

DECIDE_SECONDS = 20.0
"""Seconds for which a commit that broke is asked about."""

READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
WRITING = "BEGIN ISOLATION LEVEL SERIALIZABLE"


class NotCommitted(psycopg.errors.SerializationFailure):
    """The connection broke during a commit that was not carried out, so the transaction can run again."""


class PostgresDatabase:
    """A workspace in a database of PostgreSQL. Every fault is raised as a StorageError with a sentence."""

    def __init__(self, url: str, *, create: bool = False, without: frozenset[str] = frozenset()) -> None:
        """Open the database of a URL, or with ``create`` make its tables. ``without`` names capabilities not to use."""
        self.place = place_of(url)
        self.write_seconds, self.read_seconds = WRITE_SECONDS, READ_SECONDS
        self.reconnect_seconds = RECONNECT_SECONDS
        self._connections = Connections(url)
        self._commit_listener = CommitListener(self._connections)
        self._findings = SnapshotCache()
        self._watchdog = Watchdog()
        self._local = threading.local()
        self._retried_at: deque[float] = deque(maxlen=10_000)
        self.retries = {"conflict": 0, "connection": 0}
        self._unknown = 0
        with faults(self.place), contextlib.closing(self._connections.single()) as connection:
            self.capabilities = replace(look_up(connection), **dict.fromkeys(without, False))
            self._connections.capabilities = self.capabilities
            schema.prepare(connection, self.place, self.capabilities, create)

    writers = WRITERS
    unwritable = None
    """A server that only reads is refused when the database is opened."""

    def read(self, work: Callable[[PostgresTx], T], progress: Progress = NO_PROGRESS) -> T:
        """Run ``work`` on a snapshot. Further reads of this thread within ``work`` see the same snapshot."""
        if reading := getattr(self._local, "reading", None):
            return work(reading)
        deadline = Deadline(self.read_seconds, progress)
        return self._repeat(lambda: self._read(work, deadline), deadline)

    def _read(self, work: Callable[[PostgresTx], T], deadline: Deadline) -> T:
        with self._connections.lend() as connection, self._watchdog.watching(connection, deadline):
            begin = READING if self.capabilities.session else ""
            if not begin:
                connection.execute(READING + self._connections.settings)
            try:
                tx = self._local.reading = PostgresTx(connection, deadline, self._findings, begin)
                return deadline.limit(lambda: work(tx))
            finally:
                self._local.reading = None
                if deadline.was_interrupted:
                    connection.close()
                _end(connection, "ROLLBACK")

    def write(
        self,
        work: Callable[[PostgresTx], T],
        progress: Progress = NO_PROGRESS,
        *,
        linked: bool = True,
        scope: str = "",
    ) -> T:
        deadline = Deadline(self.write_seconds, progress)
        return self._repeat(lambda: self._write(work, deadline, linked, scope), deadline)

    def _write(self, work: Callable[[PostgresTx], T], deadline: Deadline, linked: bool, scope: str) -> T:
        with self._connections.lend() as connection, self._watchdog.watching(connection, deadline) as watched:
            if not connection.slot:
                schema.add_slot(connection)
            unlock = self._begin(connection, scope, "" if linked else f"; {UNLINKED}")
            try:
                tx = PostgresTx(connection, deadline)
                result = deadline.limit(lambda: work(tx))
                deadline.check()
                watched.begin_commit()
            except BaseException:
                if deadline.was_interrupted:  # in the midst of a statement, possibly
                    connection.close()
                _end(connection, "ROLLBACK")
                _end(connection, unlock)
                raise
            self._commit(connection, unlock)
            return result

    def _begin(self, connection: PooledConnection, scope: str, more: str) -> str:
        """Begin a transaction, after other writers of a project. Returns the statement that ends its turn, or ""."""
        begin = f"{WRITING}{self._connections.settings}{more}"
        if not scope or not self.capabilities.advisory_locks:
            connection.execute(begin)
            return ""
        key = key_of(scope)
        unlock = f"SELECT pg_advisory_unlock({key})"
        try:
            connection.execute(f"{TURN} SELECT pg_advisory_lock({key}); COMMIT; {begin}")
        except psycopg.errors.LockNotAvailable:
            connection.execute(f"ROLLBACK; {begin}")
            return ""
        except BaseException:
            _end(connection, "ROLLBACK")
            _end(connection, unlock)
            raise
        return unlock

    def _commit(self, connection: PooledConnection, unlock: str) -> None:
        """Commit, and tell other connections after it. NOTIFY within a transaction would make all commits queue.

        An answer of which a synchronous standby may know nothing is asked about as if the connection had broken.
        """
        count = f"UPDATE commit_count SET n = n + 1 WHERE slot = '{connection.slot}'"
        notify = f"NOTIFY {CHANNEL}" if self.capabilities.listen else ""
        commits, is_counted = 0, True
        try:
            done = connection.execute("; ".join(each for each in (count, "COMMIT", unlock, notify, COMMITS) if each))
            is_counted = done.rowcount == 1
            ((commits,),) = last_rows(done)
        except psycopg.Error as error:
            is_open = connection.info.transaction_status == TransactionStatus.INERROR  # COMMIT was not reached
            _end(connection, "ROLLBACK")
            _end(connection, unlock)
            if is_conflict(error) or is_open:
                raise
            connection.abandon()  # the next one has a row of its own
            if not (commits := self._commits_with(connection)):
                raise (NotCommitted(str(error)) if is_gone(error) else error) from error
        except BaseException:  # of the program; the turn ends with the connection
            connection.close()
            raise
        if is_counted:
            connection.commits += 1
        else:
            commits = self._count_in_new_row(connection)
        self._commit_listener.add(commits)

    def _count_in_new_row(self, connection: PooledConnection) -> int:
        """Count a commit whose row was removed, because the connection seemed to be gone: its machine was asleep.

        Returns the number of all commits.
        """
        try:
            schema.add_slot(connection)
            count = f"UPDATE commit_count SET n = n + 1 WHERE slot = '{connection.slot}'"
            connection.execute(f"{count}; NOTIFY {CHANNEL}" if self.capabilities.listen else count)
            ((commits,),) = connection.execute(COMMITS).fetchall()
        except psycopg.Error as error:  # the work must not run again
            raise self._not_known() from error
        connection.commits = 1
        return int(commits)

    def _commits_with(self, connection: PooledConnection) -> int:
        """Return the number of all commits if the last transaction of a connection is one, else 0.

        Raises ServerUnavailable.

        The update changes no value. It waits for a transaction that is still ending, and makes one fail that has not
        counted itself yet. Its own commit waits for the synchronous standby, which then has that transaction too.
        """
        asked = f"UPDATE commit_count SET n = n WHERE slot = '{connection.slot}' RETURNING n"

        def ask() -> int:
            with (
                contextlib.closing(self._connections.single()) as other,
                self._watchdog.watching(other, deadline) as watched,
            ):
                watched.begin_commit()
                row = other.execute(asked).fetchone()
                if row is None:
                    raise StorageError("The row of the connection was removed.")
                return int(other.execute(COMMITS).fetchall()[0][0]) if row[0] > connection.commits else 0

        deadline = Deadline(self.read_seconds, NO_PROGRESS)
        try:
            return self._repeat(ask, deadline, DECIDE_SECONDS)
        except (StorageError, TookTooLong) as error:
            raise self._not_known() from error

    def _not_known(self) -> ServerUnavailable:
        self._unknown += 1
        return ServerUnavailable(
            f"Whether your change was saved is not known: {self.place} did not answer to the end. Look whether your "
            "change was made before you repeat it."
        )

    def _repeat(self, attempt: Callable[[], T], deadline: Deadline, seconds: float = 0) -> T:
        """Run a transaction until it meets no conflict and no broken connection, for ``seconds`` without a server."""
        retries, start = 0, time.monotonic()
        with faults(self.place):
            while True:
                try:
                    return attempt()
                except (psycopg.Error, ConstraintViolation) as error:
                    without = time.monotonic() - max(start, self._connections.used_at)
                    has_gone = isinstance(error, psycopg.Error) and is_gone(error)
                    if is_away := has_gone and without < (seconds or self.reconnect_seconds):
                        self._connections.close(is_away=True)
                    elif not is_conflict(error) or retries == RETRIES:
                        raise
                    self.retries["connection" if has_gone else "conflict"] += 1
                    retries += 1
                    self._retried_at.append(time.monotonic())
                    time.sleep(random.uniform(0, min(LONGEST_PAUSE, 0.001 * 2**retries)))  # noqa: S311
                    if is_away and deadline.is_over() and not deadline.is_cancelled:
                        raise  # behind a pooler connections open all the time, with no server behind them
                deadline.check()

    def data_version(self) -> int:
        """The number of commits that this process knows of. Those of others are known when the server tells of them."""
        with faults(self.place):
            return self._commit_listener.commits()

    def last_commit(self) -> int:
        return 0

    def newest_commit(self) -> int:
        return 0

    def commits_seen(self, at_least: int = 0) -> int:
        with faults(self.place):
            return self._commit_listener.count_commits(at_least)

    def on_commit(self, notify: Callable[[], None]) -> Callable[[], None]:
        return self._commit_listener.on_commit(notify)

    def notes(self) -> PostgresNotes:
        return PostgresNotes(self._connections, self._commit_listener, self.place)

    def check_writable(self) -> None:
        def check() -> None:
            with self._connections.lend() as connection:
                only_reads, can_write = connection.execute(WRITABLE).fetchone() or (None, None)
                if only_reads == "on":
                    raise read_only(self.place)
                if not can_write:
                    raise without_rights(self.place, "it may not write the tables")

        self._repeat(check, Deadline(self.read_seconds, NO_PROGRESS))

    def health(self) -> DatabaseHealth:
        def ask() -> DatabaseHealth:
            with self._connections.lend() as connection:
                looked_at = self._commit_listener.looked_at
                return health_of(connection, self._connections, looked_at, self._recent_retries(), self._unknown)

        return self._repeat(ask, Deadline(self.read_seconds, NO_PROGRESS))

    def _recent_retries(self) -> int:
        """The number of retries in the last minute."""
        since = time.monotonic() - 60
        return sum(at > since for at in tuple(self._retried_at))

    def room(self) -> DiskSpace:
        """The space of the database. PostgreSQL does not tell how much is free, so it counts as endless."""
        (taken,) = self.read(lambda tx: tx.tuples("SELECT pg_database_size(current_database())"))[0]
        return DiskSpace(free=1 << 60, taken=taken)

    def hand_over(self) -> None:
        """Do nothing: threads share the connections."""

    def close(self) -> None:
        self._commit_listener.stop()
        self._watchdog.stop()
        self._connections.close()
        self._findings = SnapshotCache()


def key_of(scope: str) -> int:
    """The key of the advisory lock with which writers of a project take turns."""
    return int.from_bytes(blake2b(scope.encode(), digest_size=8).digest(), signed=True)


def last_rows(cursor: psycopg.Cursor[Any]) -> list[tuple[Any, ...]]:
    """The rows of the last of several statements."""
    while cursor.nextset():
        pass
    return cursor.fetchall()


def _end(connection: PooledConnection, statement: str) -> None:
    """Run a statement that ends a transaction or a lock. A connection that has ended has ended both."""
    with contextlib.suppress(psycopg.Error):
        if statement and not connection.closed:
            connection.execute(statement)
