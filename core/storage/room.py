"""The room that a database takes on its disk, and what its log gives back.

The log (``-wal``) keeps its size after its changes are in the file, and after a transaction that was rolled back. On a
disk that is nearly full it is folded: its changes are written to the file, and it is cut to nothing. That takes as much
room as the file grows by, so nothing is committed to the log that could not be folded.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from pathlib import Path

from core.errors import DatabaseFull
from core.storage.database import Room

SCARCE = 32_000_000
"""Bytes. With less free the log is folded before each transaction."""

SMALL_GROWTH = 256_000
"""Bytes by which a transaction may let the file grow without a look at whether the log can be folded after it."""


def room_of(connection: sqlite3.Connection, path: Path) -> Room:
    """What the database takes, and what is free on its disk. Raises sqlite3.Error, OSError."""
    pages, unused, size = (_pragma(connection, name) for name in ("page_count", "freelist_count", "page_size"))
    return Room(free_room(path.parent) - _growth(connection, path), (pages - unused) * size)


def wants_folding(path: Path) -> bool:
    """Whether the disk has little room and the log takes some of it. Raises OSError."""
    if free_room(path.parent) >= SCARCE:
        return False
    with contextlib.suppress(FileNotFoundError):
        return os.stat(f"{os.path.realpath(path)}-wal").st_size > 0
    return False


def fold(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the log into the file and cut it, as far as others who read and the disk let us; wait for nobody.

    In the turn to write, outside of a transaction.
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


def check_foldable(connection: sqlite3.Connection, path: Path, taken: int) -> None:
    """Raise DatabaseFull where a transaction, which is about to be committed, would leave a log that nothing can fold.

    What it adds to the so many bytes ``taken`` before it is written twice, to the log and to the file. Raises OSError.
    """
    if (free := free_room(path.parent)) >= SCARCE:
        return
    added = size_of(connection) - taken
    if added > SMALL_GROWTH and free < _growth(connection, path) + added:
        raise DatabaseFull(f"No room is left on the disk of {path}. Nothing was changed; make room and retry.")


def size_of(connection: sqlite3.Connection) -> int:
    """Bytes of the database with what is only in the log, and in the open transaction."""
    return _pragma(connection, "page_count") * _pragma(connection, "page_size")


def _growth(connection: sqlite3.Connection, path: Path) -> int:
    """Bytes by which the file grows when the log is brought into it."""
    return max(0, size_of(connection) - os.stat(path).st_size)


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


MIN_ROOM = 1_000_000
"""Bytes that have to be free on the disk; with less, the next changes may find no room."""

NO_ROOM = 100_000
"""Bytes; with less free, a change of one card may find no room: its log and the index of that take as much."""


def free_room(folder: Path) -> int:
    """Bytes that are free for everybody on the disk of a folder."""
    return shutil.disk_usage(folder).free


def check_room(path: Path) -> None:
    """Raises DatabaseFull when next to nothing is free on the disk, or so little that it soon may not suffice."""
    free = free_room(path.parent)
    if NO_ROOM <= free < MIN_ROOM:
        raise DatabaseFull(
            f"Only {free // 1000} kB are free on the disk of {path}, so the next changes may find no room. Make room."
        )
    if free < NO_ROOM:
        raise DatabaseFull(f"No room is left on the disk of {path}. Make room and retry.")
