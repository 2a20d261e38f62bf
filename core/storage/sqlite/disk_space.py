"""The space of a database on its disk, and the checkpoints that give space back.

The log (``-wal``) keeps its size after its changes are in the file, and after a rollback. On a disk that is nearly full
it is folded: its changes are written into the file, and it is cut to nothing (SQLite's truncating checkpoint). That
needs as much space as the file grows by, so no transaction is committed to a log that could not be folded afterwards.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

from core.errors import DatabaseFull
from core.storage.database import DiskSpace

SCARCE = 32_000_000
"""Bytes of free space; with less, the log is folded before each transaction."""

SMALL_GROWTH = 256_000
"""Bytes by which a transaction may enlarge the file without a check that the log can be folded after it."""


def room_of(connection: sqlite3.Connection, path: Path) -> DiskSpace:
    """The taken and the free space. Raises sqlite3.Error, OSError."""
    pages, unused, size = (_pragma(connection, name) for name in ("page_count", "freelist_count", "page_size"))
    return DiskSpace(free_room(path.parent) - _growth(connection, path), (pages - unused) * size)


def wants_folding(path: Path) -> bool:
    """Return True if free space is scarce and the log is not empty. Raises OSError."""
    if free_room(path.parent) >= SCARCE:
        return False
    with contextlib.suppress(FileNotFoundError):
        return os.stat(f"{os.path.realpath(path)}-wal").st_size > 0
    return False


def fold(connection: sqlite3.Connection, path: Path) -> None:
    """Write the log into the file and cut it, as far as readers and the free space allow it at once.

    The caller has the write lock, and no transaction open.
    """
    with contextlib.suppress(sqlite3.Error):
        if _growth(connection, path) > free_room(path.parent):
            return
        waits = _pragma(connection, "busy_timeout")
        connection.execute("PRAGMA busy_timeout = 0")
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            connection.execute(f"PRAGMA busy_timeout = {waits}")


def check_foldable(connection: sqlite3.Connection, path: Path, pages: int) -> None:
    """Raise DatabaseFull if committing the open transaction would leave a log that could not be folded.

    ``pages`` are those of the database before the transaction. The added bytes are written twice: to the log, and to
    the file. Raises OSError.
    """
    if (free := free_room(path.parent)) >= SCARCE:
        return
    added = size_of(connection) - pages * _pragma(connection, "page_size")
    if added > SMALL_GROWTH and free < _growth(connection, path) + added:
        raise DatabaseFull(f"No room is left on the disk of {path}. Nothing was changed; make room and retry.")


def size_of(connection: sqlite3.Connection) -> int:
    """The size of the database in bytes, with the log and the open transaction."""
    return pages_of(connection) * _pragma(connection, "page_size")


def pages_of(connection: sqlite3.Connection) -> int:
    """The pages of the database, with the log and the open transaction."""
    return _pragma(connection, "page_count")


def _growth(connection: sqlite3.Connection, path: Path) -> int:
    """The bytes by which the file grows when the log is written into it."""
    return max(0, size_of(connection) - os.stat(path).st_size)


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


MIN_ROOM = 1_000_000
"""Bytes that should be free on the disk; with less, the next changes may fail."""

NO_ROOM = 100_000
"""Bytes of free space; with less, even a change of one card may fail, because its log and index take as much."""


def free_room(folder: Path) -> int:
    """Bytes on the disk of a folder that any account can use."""
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def check_room(path: Path) -> None:
    """Raise DatabaseFull if so little is free on the disk that the next changes may fail."""
    free = free_room(path.parent)
    if NO_ROOM <= free < MIN_ROOM:
        raise DatabaseFull(
            f"Only {free // 1000} kB are free on the disk of {path}, so the next changes may find no room. Make room."
        )
    if free < NO_ROOM:
        raise DatabaseFull(f"No room is left on the disk of {path}. Make room and retry.")
