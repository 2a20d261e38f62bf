"""The files that a program has opened, to notice when other files take their place.

When a database is moved away or removed, SQLite goes on in that file without an error, and what it writes is lost with
the last program that has it open. SQLite also does not notice when another file is copied over the one that it reads.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from core.errors import StorageError
from core.record import Record
from core.storage.sqlite.hard_links import check_single_name
from core.storage.sqlite.read_only import has_log

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

BESIDE = ("-wal", "-shm")
"""The files that SQLite keeps beside an open database; the last program that closes it removes them."""


WITH_A_LOG = (18, b"\2\2")
"""The position and the bytes by which a database says that it has a log (sqlite.org/fileformat.html, section 1.3.3)."""

LOCKED_BYTES = (512, 0x40000000)
"""Number and position of the bytes that SQLite locks in an open database: a program that has locked all of them is the
only one that has it open (sqlite.org/fileformat.html, section 1.3.2)."""

FLOCK = "hhqqi"
"""The layout of ``struct flock`` on Linux: type, whence, start, length, process."""

OPENING_SECONDS = 1.0
"""The longest time between the lock of a program that opens a database and its files beside it."""

COUNT_COMMIT = (
    "INSERT INTO feed (id, seq) VALUES ('commits', 1) ON CONFLICT (id) DO UPDATE SET seq = seq + 1 RETURNING seq"
)
"""Numbers the commits that change something: 1, 2, 3 …"""

NEWEST_COMMIT = "SELECT seq FROM feed WHERE id = 'commits'"
"""The number of the newest commit; no row before the first."""


class FileMarks(Record, kw_only=False):
    """A number that only grows in a database, and an id that never changes."""

    commits: int = 0
    workspace: str = ""
    """The id of the workspace; empty before the workspace is created."""


class OpenedFile:
    """The database at a path as it was when it was opened."""

    def __init__(self, path: Path) -> None:
        """Record the state of the file at ``path``. Raises OSError."""
        self._path = path
        self._file = file_identity(path)
        self._real = os.path.realpath(path)
        self._beside: dict[str, tuple[int, int]] = {}
        self._state = self._now()
        self._on_disk: FileMarks | None = None
        self._commits = 0

    def take_marks(self, connection: sqlite3.Connection) -> None:
        """Record the marks in the file. A connection that has been opened shows them, as long as the log is empty."""
        with contextlib.suppress(sqlite3.Error, UnicodeDecodeError):
            self._on_disk = _of(connection)
        if has_log(self._path):
            self._on_disk = self._read()

    def learn(self) -> None:
        """Record the files beside the database, once SQLite has opened it."""
        for suffix in BESIDE:
            if suffix not in self._beside:
                with contextlib.suppress(OSError):
                    self._beside[suffix] = file_identity(self._real + suffix)

    def check_not_replaced(self, *, to_write: bool = False) -> None:
        """Raise StorageError if the database or its log was removed, or if another file has its name.

        With ``to_write``, also raise UnsafeFile if the file has got a second name since it was opened.
        """
        found = os.stat(self._path)
        if _which(found) != self._file:
            self._move_log_aside()
            raise StorageError(
                f"Another file stands at {self._path} since it was opened. Nothing was changed; quit, and start Podium "
                "again."
            )
        if to_write and found.st_nlink > 1:
            check_single_name(self._path)
        for suffix, known in tuple(self._beside.items()):  # another thread may learn of a file meanwhile
            try:
                beside = file_identity(self._real + suffix)
            except FileNotFoundError:
                beside = None
            if beside != known:
                raise StorageError(
                    f"{self._real}{suffix} was removed or replaced while the database was open. Nothing was changed. "
                    "Quit every Podium that has it open, then see whether your last changes are there."
                )

    def check_log_not_removed(self) -> None:
        """Raise StorageError if another program has the database open, and the files that it keeps beside are gone.

        What is saved now would be lost: that program goes on with its own log, and folds it into the file when it ends.
        Called before SQLite makes new files. The system must show descriptors, and be Linux for its ``struct flock``.
        """
        give_up = time.monotonic() + OPENING_SECONDS  # a program that opens the database has the lock before the files
        while missing := next((each for each in BESIDE if not os.path.exists(self._real + each)), None):
            if not (self._is_of_sqlite(otherwise=False) and self._is_read_elsewhere()):
                return
            if time.monotonic() > give_up:
                raise StorageError(
                    f"{self._real}{missing} was removed while another program has the database open. Nothing was "
                    "changed. End every Podium that has it open: the last one writes what it has saved into the file."
                )
            time.sleep(0.005)

    def leave(self, connection: sqlite3.Connection) -> None:
        """Before a connection is closed, keep SQLite from writing its log into a file that is no longer its own.

        SQLite writes the log into the file when the last connection is closed, and then removes the files beside it by
        their names, without a look at whose they are.
        """
        try:
            if _which(os.stat(self._path)) == self._file:
                for suffix, known in self._beside.items():  # one that is gone does no harm: nobody opened the file
                    with contextlib.suppress(FileNotFoundError):
                        if file_identity(self._real + suffix) != known:
                            raise StorageError(f"{self._real}{suffix} was replaced.")
                if not connection.in_transaction and self._now() != self._state:
                    connection.execute("BEGIN")
                    self.check_not_overwritten(connection)
                    connection.execute("ROLLBACK")
                return
            self._move_log_aside()
        except (OSError, sqlite3.Error, UnicodeDecodeError, StorageError):
            pass
        nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)  # only for reading, so SQLite cannot lock or write it
        for number in self._descriptors():
            os.dup2(nothing, number, inheritable=False)
        os.close(nothing)

    def _move_log_aside(self) -> None:
        """Take the log away from another file that has the name of the database, which SQLite would write it into."""
        now = time.time_ns() // 1000  # datetime would import a module, which a process that ends cannot do
        aside = f"{self._real}.replaced-{time.strftime('%Y%m%dT%H%M%S', time.gmtime(now // 10**6))}{now % 10**6:06}"
        for suffix, known in self._beside.items():
            with contextlib.suppress(OSError):
                if file_identity(self._real + suffix) == known:
                    os.rename(self._real + suffix, aside + suffix)

    def check_not_overwritten(self, connection: sqlite3.Connection) -> None:
        """Raise StorageError if anything other than SQLite has written to the file. The caller has a transaction open.

        Without the write lock, another program may be writing at this moment, so the caller repeats a failed check
        with the lock.
        """
        if (state := self._now()) == self._state:
            return
        disk, now = self._read(), _of(connection)
        since = self._on_disk or FileMarks()
        if disk is None and state[0] >= self._state[0] and self._is_of_sqlite():
            disk = since  # during a checkpoint the file alone is not consistent: it lacks pages that are in the log
        if not (
            disk
            and self._is_of_sqlite()
            and disk.workspace in (since.workspace, now.workspace)
            and since.commits <= disk.commits <= now.commits
            and self._commits <= now.commits
        ):
            raise StorageError(
                f"{self._path} was overwritten while it was open. Nothing was changed. Quit every Podium that has it "
                "open; then “podium restore” restores a backup."
            )
        self._state, self._on_disk = state, disk

    def settle(self, commits: int) -> None:
        """Record a commit of this connection, which may have written the file. The caller has the write lock."""
        self._commits = commits
        with contextlib.suppress(OSError):  # the next check notices if the file is gone
            if (state := self._now()) != self._state:
                self._state, self._on_disk = state, self._read() or self._on_disk

    def _now(self) -> tuple[int, int]:
        found = os.stat(self._real)
        return found.st_size, found.st_mtime_ns

    def _read(self) -> FileMarks | None:
        """The marks in the file itself, without its log; None if they cannot be read.

        SQLite reads them, because opening and closing the file here would drop the locks that SQLite has on it.
        """
        try:
            uri = f"{Path(self._real).as_uri()}?mode=ro&immutable=1"
            with contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
                return _of(connection)
        except (sqlite3.Error, UnicodeDecodeError):
            return None

    def _is_of_sqlite(self, *, otherwise: bool = True) -> bool:
        """Return True if the file says that it has a log, as an open database always does and a backup never.

        It is read from the descriptor that SQLite has; ``otherwise`` is the answer if the system does not show it.
        """
        for number in self._descriptors():
            with contextlib.suppress(OSError):
                return os.pread(number, 2, WITH_A_LOG[0]) == WITH_A_LOG[1]
        return otherwise

    def _is_read_elsewhere(self) -> bool:
        """Return True if another process has the database open."""
        if fcntl is not None and sys.platform == "linux":
            length, start = LOCKED_BYTES
            wanted = struct.pack(FLOCK, fcntl.F_WRLCK, os.SEEK_SET, start, length, 0)
            for number in self._descriptors():
                with contextlib.suppress(OSError):
                    found = fcntl.fcntl(number, fcntl.F_GETLK, wanted)
                    return bool(struct.unpack(FLOCK, found)[0] == fcntl.F_RDLCK)
        return False

    def _descriptors(self) -> Iterator[int]:
        """The descriptors that SQLite has of the file in this process, if the system shows them."""
        with contextlib.suppress(OSError):
            for name in os.listdir("/dev/fd"):
                with contextlib.suppress(OSError):
                    if _which(os.fstat(int(name))) == self._file:
                        yield int(name)


def _of(connection: sqlite3.Connection) -> FileMarks:
    if not connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():  # a new database is all in its log
        return FileMarks()
    rows = connection.execute(NEWEST_COMMIT).fetchall()
    names = connection.execute("SELECT id FROM workspace").fetchall()
    return FileMarks(rows[0][0] if rows else 0, names[0][0] if names else "")


def file_identity(path: Path | str) -> tuple[int, int]:
    """Device and inode, which tell a file from any other file, also from one with the same name. Raises OSError."""
    return _which(os.stat(path))


def _which(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino
