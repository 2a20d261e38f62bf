"""The files that a program has opened, to notice when other files take their place.

When a database is moved away or removed, SQLite goes on in that file without an error, and what it writes is lost with
the last program that has it open. SQLite also does not notice when another file is copied over the one that it reads.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

from core.errors import StorageError
from core.record import Record
from core.storage.files.second_names import check_single_name

BESIDE = ("-wal", "-shm")
"""The files that SQLite keeps beside an open database; the last program that closes it removes them."""


WITH_A_LOG = (18, b"\2\2")
"""The position and the bytes by which a database says that it has a log (sqlite.org/fileformat.html, section 1.3.3)."""

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
        self._on_disk = self._read()
        self._commits = 0

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

    def _is_of_sqlite(self) -> bool:
        """Return True if the file says that it has a log, as an open database always does and a backup never.

        It is read from the descriptor that SQLite has, if the system shows it; otherwise the answer is True.
        """
        with contextlib.suppress(OSError):
            for name in os.listdir("/dev/fd"):
                with contextlib.suppress(OSError):
                    found = os.fstat(int(name))
                    if (found.st_dev, found.st_ino) == self._file:
                        return os.pread(int(name), 2, WITH_A_LOG[0]) == WITH_A_LOG[1]
        return True


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
