"""Whether the file of a workspace could be written now, as far as that is seen without writing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from core.errors import DatabaseFull, DatabaseReadOnly

LEAST_ROOM = 1_000_000
"""Bytes that have to be free on the disk; with less, the next changes may find no room (decided here)."""

NO_ROOM = 100_000
"""Bytes; with less free, a change of one card may find no room: its log and the index of that take as much."""


def refuse_read_only(path: Path, is_open: bool = False) -> None:
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


def free_room(folder: Path) -> int:
    """Bytes that are free for everybody on the disk of a folder."""
    return shutil.disk_usage(folder).free


def refuse_full(path: Path) -> None:
    """Raises DatabaseFull when next to nothing is free on the disk, or so little that it soon may not suffice."""
    free = free_room(path.parent)
    if NO_ROOM <= free < LEAST_ROOM:
        raise DatabaseFull(
            f"Only {free // 1000} kB are free on the disk of {path}, so the next changes may find no room. Make room."
        )
    if free < NO_ROOM:
        raise DatabaseFull(f"No room is left on the disk of {path}. Make room and retry.")
