"""Read-only access: finds out whether a database can be written, by its permissions, its disk and the files beside it.

If there is a log (the file -wal), SQLite reads it with locks, as always. Without one, SQLite would have to create it;
so the database is then opened without locks (``immutable=1``), and Podium checks whether another program wrote to it.
"""

from __future__ import annotations

import os
from pathlib import Path

from core.errors import DatabaseReadOnly, StorageError
from core.record import Record


class FileState(Record, kw_only=False):
    """The identity, size and time of a database and the size of its log, which change when it is written."""

    file: tuple[int, int, int, int]
    log: int


def state_of(path: Path) -> FileState:
    """The state of a database now. Raises OSError."""
    found = os.stat(path)
    return FileState((found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns), max(0, size_beside(path, "-wal")))


def has_log(path: Path) -> bool:
    """Return True if the database has a log that is not empty, or the journal of a change that was not finished."""
    return size_beside(path, "-wal") > 0 or size_beside(path, "-journal") > 0


def why_unwritable(path: Path) -> StorageError | None:
    """The reason why this account cannot write the database now, as far as that can be seen without writing, or None.

    The folder need not be writable while a program has the database open, because SQLite's files are there then.
    """
    if not path.exists():
        return None
    try:
        check_not_read_only(path, has_what_it_needs(path))
    except StorageError as error:
        return error
    return None


def has_what_it_needs(path: Path) -> bool:
    """Return True if the files that SQLite keeps beside an open database are there."""
    return min(size_beside(path, "-wal"), size_beside(path, "-shm")) >= 0


def size_beside(path: Path, suffix: str) -> int:
    """The size of a file beside the database in bytes; -1 if there is no such file."""
    try:
        return os.stat(os.path.realpath(path) + suffix).st_size
    except OSError:
        return -1


def check_not_read_only(path: Path, is_open: bool = False) -> None:
    """Raise DatabaseReadOnly if this account cannot write the database, SQLite's files beside it, or their folder.

    The folder is not checked if ``is_open``, because SQLite's files are there then.
    """
    whole = Path(os.path.realpath(path))
    beside = [each for each in (Path(f"{whole}-wal"), Path(f"{whole}-shm")) if each.exists()]
    for each in (whole, *beside, *([] if is_open else [whole.parent])):
        if not os.access(each, os.W_OK) and each.exists():  # SQLite may have removed it meanwhile
            if os.statvfs(each).f_flag & os.ST_RDONLY:
                raise DatabaseReadOnly(f"The disk of {path} is read-only, so nothing can be changed.")
            raise DatabaseReadOnly(
                f"You cannot write to {path if each == whole else each}, so nothing can be changed. Check its owner "
                "and permissions."
            )
