"""Whether a database can only be looked at: its rights, its disk, and what stands beside it.

With a log (the file -wal), SQLite reads it with locks, as always. Without one SQLite would have to make one; so it
takes no locks then (``immutable=1``), and it is seen here whether another program has written meanwhile.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from core.errors import DatabaseReadOnly, StorageError


class State(NamedTuple):
    """A database and its log, so that one that was written differs from how it was before."""

    file: tuple[int, int, int, int]
    log: int


def state_of(path: Path) -> State:
    """Raises OSError."""
    found = os.stat(path)
    return State((found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns), max(0, _size(path, "-wal")))


def has_log(path: Path) -> bool:
    """Whether something may stand in the log of the database, or in the journal of a change that was not finished."""
    return _size(path, "-wal") > 0 or _size(path, "-journal") > 0


def why_unwritable(path: Path) -> StorageError | None:
    """Why this account cannot write the database now, as far as that is seen without writing; None where it can.

    The folder need not be writable where a program has the database open, and made there what SQLite needs.
    """
    if not path.exists():
        return None
    try:
        check_not_read_only(path, has_what_it_needs(path))
    except StorageError as error:
        return error
    return None


def has_what_it_needs(path: Path) -> bool:
    """Whether what SQLite keeps beside an open database is there."""
    return min(_size(path, "-wal"), _size(path, "-shm")) >= 0


def _size(path: Path, suffix: str) -> int:
    """Bytes; -1 where there is no such file."""
    try:
        return os.stat(os.path.realpath(path) + suffix).st_size
    except OSError:
        return -1


def check_not_read_only(path: Path, is_open: bool = False) -> None:
    """Raises DatabaseReadOnly when the database, what SQLite keeps beside it, or their folder may not be written.

    The folder is not looked at where ``is_open`` says that all of that is there.
    """
    whole = Path(os.path.realpath(path))
    beside = [each for each in (Path(f"{whole}-wal"), Path(f"{whole}-shm")) if each.exists()]
    for each in (whole, *beside, *([] if is_open else [whole.parent])):
        if not os.access(each, os.W_OK):
            if os.statvfs(each).f_flag & os.ST_RDONLY:
                raise DatabaseReadOnly(f"The disk of {path} is read-only, so nothing can be changed.")
            raise DatabaseReadOnly(
                f"{path if each == whole else each} may not be written by you, so nothing can be changed. Look at its "
                "owner and its rights."
            )
