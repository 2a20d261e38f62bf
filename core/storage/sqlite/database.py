"""SQLite as a Database: one connection per thread, one writer at a time, every fault as a StorageError.

The connection is plain ``sqlite3`` in autocommit mode with explicit BEGIN. A deferred BEGIN that first reads and then
writes fails at once under contention, whatever the time-out, so writes use BEGIN IMMEDIATE. sqlite-utils wraps the same
connection for migrations (``schema/migrations.py``) and is imported only there.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from core.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseFull,
    DatabaseMissing,
    DatabaseMoved,
    DatabaseReadOnly,
    DatabaseTooNew,
    StorageError,
    UnsafeFile,
)
from core.files.own_files import APPLICATION_ID, check_files_beside, check_owner, is_blank, make_database
from core.storage.database import DatabaseInFile, DiskSpace
from core.storage.deadline import READ_SECONDS, WRITE_SECONDS
from core.storage.progress import NO_PROGRESS, Progress
from core.storage.schema.migrations import FIRST_VERSION, FORMS, SCHEMA_VERSION, check_not_too_old, form_of, migrate
from core.storage.sqlite.connections import ThreadConnections, connect, prepare
from core.storage.sqlite.disk_space import check_foldable, check_room, fold, pages_of, room_of, wants_folding
from core.storage.sqlite.faults import explain, faults, unreadable_rows_named
from core.storage.sqlite.hard_links import check_single_name
from core.storage.sqlite.move_marks import too_new
from core.storage.sqlite.opened_file import COUNT_COMMIT, NEWEST_COMMIT, OpenedFile
from core.storage.sqlite.read_only import FileState, check_not_read_only, has_log, state_of, why_unwritable
from core.storage.sqlite.transaction import CANNOT_WRITE, ReadCache, SqliteTx, bound_statements, linked_rows
from core.storage.sqlite.write_queue import check_lockable, turn

T = TypeVar("T")

OLDEST_SQLITE = (3, 37, 0)
"""The first version of SQLite with STRICT tables."""

BUSY_SECONDS = 10.0
"""Seconds that a writer waits for the write lock before it raises DatabaseBusy."""

RETRY_SECONDS = 30.0
"""Seconds for which the database counts as not writable after a failed write, unless a write succeeds meanwhile."""

LASTING = (StorageError, DatabaseFull, DatabaseReadOnly, DatabaseMoved, DatabaseTooNew, UnsafeFile)
"""Faults of a write that the next write will most likely meet too."""


class SqliteDatabase(DatabaseInFile):
    """A workspace in one SQLite file. Every fault of the file is raised as a StorageError with a sentence."""

    def __init__(self, path: Path, *, create: bool = False, synchronous: str = "NORMAL", is_copy: bool = False) -> None:
        """Open the file, or with ``create`` make it. ``is_copy`` upgrades an old file without a backup of it first."""
        self.path, self.synchronous = path, synchronous
        self.busy_seconds, self.retry_seconds = BUSY_SECONDS, RETRY_SECONDS
        self._fault: tuple[StorageError, float] | None = None
        self.write_seconds, self.read_seconds = WRITE_SECONDS, READ_SECONDS
        self._local, self._findings = threading.local(), ReadCache()
        self._connections = ThreadConnections(lambda: self.connection)
        self._spare: deque[sqlite3.Connection] = deque()
        """Connections that a thread has handed over, and no other has taken."""
        self.unwritable: StorageError | None = None
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            raise StorageError(
                f"This Python brings SQLite {sqlite3.sqlite_version}. Podium needs 3.37; a newer Python brings it."
            )
        try:
            with faults(path):
                self._open(create, is_copy)
        except BaseException:
            self.close()
            raise

    def read(self, work: Callable[[SqliteTx], T], progress: Progress = NO_PROGRESS) -> T:
        """Run ``work`` on a snapshot. Further reads of this thread within ``work``, or within a write, see the same."""
        if reading := getattr(self._local, "reading", None):
            return work(reading)
        with (
            faults(self.path),
            unreadable_rows_named(self.path, lambda: self.connection),
            self._check_unchanged(),
            self._connections.using() as connection,
        ):
            self._file.check_not_replaced()
            connection.execute("BEGIN")
            changes = connection.total_changes
            try:
                self._refuse_upgraded()
                if self._seen is None:
                    self._file.learn()
                self._refuse_overwritten()
                with bound_statements(connection, self.read_seconds, progress) as deadline:
                    tx = self._local.reading = SqliteTx(connection, deadline, self._findings)
                    result = deadline.limit(lambda: work(tx))
                    if connection.total_changes != changes:
                        raise StorageError(CANNOT_WRITE)
                    return result
            finally:
                self._local.reading = None
                connection.execute("ROLLBACK")

    def write(
        self, work: Callable[[SqliteTx], T], progress: Progress = NO_PROGRESS, *, linked: bool = True, scope: str = ""
    ) -> T:
        try:
            result = self._write(work, progress, linked)
        except StorageError as error:
            if type(error) in LASTING:
                self._fault = error, time.monotonic()
            if isinstance(error, DatabaseFull):
                with contextlib.suppress(StorageError):
                    self.room()
            raise
        self._fault = None
        return result

    def _write(self, work: Callable[[SqliteTx], T], progress: Progress, linked: bool) -> T:
        self._refuse_unwritable_now()
        with (
            faults(self.path),
            unreadable_rows_named(self.path, lambda: self.connection),
            turn(self.path, self.busy_seconds),  # before the connection, so that closing it waits for no turn
            self._connections.using() as connection,
            linked_rows(connection, linked),  # before BEGIN: within a transaction, SQLite ignores the setting
        ):
            self._file.check_not_replaced(to_write=True)  # before the log is cut, which writes into the file
            if wants_folding(self.path):
                self._fold(connection)  # before BEGIN: an open transaction keeps the log from being cut
            connection.execute("PRAGMA journal_mode = WAL")  # “cp” of a backup, or a killed restore, has no log
            connection.execute("BEGIN IMMEDIATE")
            try:
                self._refuse_upgraded()  # in the transaction: another program may have upgraded the file until now
                self._file.check_not_overwritten(connection)
                self._file.learn()  # the log exists only from BEGIN on
                self._local.last_commit = 0
                changes, commits, pages = connection.total_changes, None, pages_of(connection)
                with bound_statements(connection, self.write_seconds, progress) as deadline:
                    tx = self._local.reading = SqliteTx(connection, deadline)
                    result = deadline.limit(lambda: work(tx))
                    deadline.check()  # the last statement may have been the one that took too long
                if connection.total_changes != changes:  # counted after the work, which may have changed nothing
                    commits = connection.execute(COUNT_COMMIT).fetchone()[0]
                self._file.check_not_replaced(to_write=True)  # again: the work may have taken seconds
                self._file.check_not_overwritten(connection)
                check_foldable(connection, self.path, pages)  # after all that is written, before it is too late
                connection.execute("COMMIT")
                self._findings.version = None  # data_version ignores the commits of its own connection
                if commits is not None:
                    self._local.last_commit = commits
                    self._file.settle(commits)
            except BaseException:
                if connection.in_transaction:  # SQLite has rolled back already if the disk is full
                    connection.execute("ROLLBACK")
                raise
            finally:
                self._local.reading = None
            return result

    def data_version(self) -> int:
        """A number from ``PRAGMA data_version``, which only commits of other connections change."""
        with faults(self.path), self._connections.using() as connection:
            version = connection.execute("PRAGMA data_version").fetchone()[0]
            return int(version) if self._seen is None else hash((version, self._seen))

    def last_commit(self) -> int:
        return getattr(self._local, "last_commit", 0)

    def newest_commit(self) -> int:
        with faults(self.path), self._connections.using() as connection:
            return int((connection.execute(NEWEST_COMMIT).fetchone() or (0,))[0])

    def check_writable(self) -> None:
        with faults(self.path):
            check_single_name(self.path)
            check_not_read_only(self.path)
            check_room(self.path)
        if self._fault:
            error, at = self._fault
            if time.monotonic() - at < self.retry_seconds:
                raise error
            self.write(lambda tx: tx.execute("UPDATE feed SET seq = seq WHERE id = 'workspace'"))

    def room(self) -> DiskSpace:
        with faults(self.path), turn(self.path, self.busy_seconds), self._connections.using() as connection:
            self._fold(connection)
            return room_of(connection, self.path)

    def _fold(self, connection: sqlite3.Connection) -> None:
        """Cut the log, unless another file was written over the database. The caller has the write lock."""
        self._file.check_not_replaced()
        connection.execute("BEGIN")
        try:
            self._file.check_not_overwritten(connection)
        finally:
            connection.execute("ROLLBACK")
        fold(connection, self.path)

    def hand_over(self) -> None:
        if getattr(self._local, "connection", None) is not None and self._seen is None:
            self._spare.append(self._local.connection)
            self._local.connection = self._findings.version = None  # data_version counts for one connection

    def close(self) -> None:
        self._connections.close_all()
        self._spare.clear()
        self._local, self._findings = threading.local(), ReadCache()

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection of this thread, opened on first use."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is not None and self._is_changed():
            self._let_go()
            connection = None
        if connection is None:
            try:
                connection = self._spare.pop()
            except IndexError:
                connection = self._connect()
            self._local.connection = connection
        return connection

    @property
    def _seen(self) -> FileState | None:
        """The state of the files when this thread opened them without locks; None if SQLite locks them."""
        seen: FileState | None = getattr(self._local, "seen", None)
        return seen

    def _is_changed(self) -> bool:
        """Return True if files that this thread reads without locks were written since. Costs nothing with locks."""
        return self._seen is not None and self._seen != state_of(self.path)

    def _let_go(self) -> None:
        """Close this thread's connection, so that the next one sees the current files."""
        connection = self._local.connection
        self._local.connection = self._local.seen = self._findings.version = None
        self._connections.close(connection)

    @contextlib.contextmanager
    def _check_unchanged(self) -> Iterator[None]:
        """Raise DatabaseBusy if a program wrote the database while it was read without locks."""
        try:
            yield
        except Exception:
            self._refuse_changed()
            raise
        self._refuse_changed()

    def _refuse_changed(self) -> None:
        if self._is_changed():
            raise DatabaseBusy(f"Another program wrote {self.path} while it was read. Try again.") from None

    def _refuse_unwritable_now(self) -> None:
        """Raise the reason why the database is open read-only, unless it can be written by now."""
        if self.unwritable:
            with faults(self.path):
                if getattr(self._local, "connection", None) is not None:
                    self._let_go()
                self.unwritable = None
                self._local.connection = self._connect()
        if self.unwritable:
            raise self.unwritable

    def _connect(self) -> sqlite3.Connection:
        """Open the database, read-only if it cannot be written."""
        check_files_beside(self.path)
        if cause := self.unwritable or why_unwritable(self.path):
            return self._open_read_only(cause)
        check_lockable(self.path)
        try:
            return self._open_connection("mode=rw")  # SQLite must not create a file, possibly at the end of a link
        except sqlite3.OperationalError as error:
            cause = explain(self.path, error)
            if not isinstance(cause, DatabaseFull | DatabaseReadOnly):
                raise
            return self._open_read_only(cause)

    def _open_read_only(self, cause: StorageError) -> sqlite3.Connection:
        """Open the database without writing anything beside it. Raises DatabaseReadOnly if its log is not empty and
        cannot be read."""
        seen = None if has_log(self.path) else state_of(self.path)
        try:
            connection = self._open_connection("mode=ro" if seen is None else "mode=ro&immutable=1")
        except sqlite3.OperationalError as error:
            unreadable = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
            if seen is not None or error.sqlite_errorcode & 0xFF not in unreadable:
                raise
            raise DatabaseReadOnly(
                f"The last changes of {self.path} stand in {self.path}-wal, which cannot be read where nothing can be "
                "written. Copy both to a folder of your own, and open the copy there."
            ) from error
        self.unwritable, self._local.seen = cause, seen
        return connection

    def _open_connection(self, mode: str) -> sqlite3.Connection:
        connection = connect(self.path, mode, self.busy_seconds)
        try:
            if is_first := not self._connections:
                self._file = OpenedFile(self.path)
                self._file.check_log_not_removed()
            else:
                self._file.check_not_replaced()  # before SQLite makes a new log in place of one that was removed
            prepare(connection, self.synchronous)
            if is_first:
                self._file.take_marks(connection)
        except BaseException:
            connection.close()
            raise
        connection.file = None if "immutable" in mode else self._file
        self._connections.add(connection)
        return connection

    def _open(self, create: bool, is_copy: bool) -> None:
        if not (there := self.path.exists()) or not self.path.stat().st_size:
            from core.storage.sqlite.backup_folder import check_not_lost

            check_not_lost(self.path)
        if not there:
            if not create:
                raise DatabaseMissing(f"{self.path} does not exist. “podium init” makes it.")
            with contextlib.suppress(FileExistsError):  # another program was faster, and may also create the schema
                make_database(self.path)
        check_owner(self.path)
        check_single_name(self.path)
        version = self._version()
        if version > SCHEMA_VERSION:
            raise too_new(self.connection, self.path, version)
        if not self._is_current(version):
            if self.unwritable and version:
                raise DatabaseReadOnly(
                    f"{self.path} has the form of an older Podium, and cannot be brought to the form of today: "
                    f"{self.unwritable} A copy of it in a folder of your own can be opened."
                )
            if self.unwritable:
                raise self.unwritable
            with turn(self.path, self.busy_seconds):
                self._upgrade(create, is_copy)

    def _refuse_overwritten(self) -> None:
        """Raise as ``OpenedFile.check_not_overwritten`` does, after a second check with the write lock."""
        try:
            self._file.check_not_overwritten(self.connection)
        except StorageError:
            with turn(self.path, self.busy_seconds):
                self._file.check_not_overwritten(self.connection)

    def _refuse_upgraded(self) -> None:
        """Raise StorageError if another program has migrated or moved the file since it was opened."""
        if (version := self._version()) != SCHEMA_VERSION:
            raise too_new(self.connection, self.path, version, was_open=True)

    def _version(self) -> int:
        return int(self.connection.execute("PRAGMA user_version").fetchone()[0])

    def _is_current(self, version: int) -> bool:
        """Return True if the schema is current. Raises DatabaseTooOld or DatabaseDamaged if it cannot be made so."""
        if not version:
            return False
        if self.connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise DatabaseDamaged(f"{self.path} is a database, but not one of Podium's. Name another file.")
        check_not_too_old(version, self.path)
        if form_of(self.connection) == FORMS[version - FIRST_VERSION]:
            return version == SCHEMA_VERSION
        raise DatabaseDamaged(
            f"The tables of {self.path} are not those of Podium's schema {version}: another program, or an unreleased "
            "Podium, changed them. “podium restore” restores a backup; or export the projects with the Podium that "
            "made it, and import them into a new workspace."
        )

    def _upgrade(self, create: bool, is_copy: bool) -> None:
        """Create or upgrade the schema. The caller has the write lock, so programs that start together do it once."""
        from core.storage.sqlite.backup_folder import own_backup

        version = self._version()
        tables = self.connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if version:
            if self._is_current(version):
                return
            if not is_copy:
                own_backup(self.path, self.connection, "before-upgrade")
        elif tables or not is_blank(self.path):
            raise DatabaseDamaged(f"{self.path} is not a database of Podium. Name another file.")
        elif not create:
            raise DatabaseMissing(f"{self.path} is empty. “podium init” makes a workspace in it.")
        migrate(self.connection, APPLICATION_ID)
