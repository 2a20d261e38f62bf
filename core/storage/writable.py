"""Whether the file of a workspace could be written now, as far as that is seen without writing."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from core.errors import DatabaseFull, DatabaseReadOnly

LEAST_ROOM = 1_000_000
"""Bytes that have to be free on the disk; with less, the next changes may find no room (decided here)."""


def refuse_read_only(path: Path) -> None:
    """Raises DatabaseReadOnly when the database, what SQLite keeps beside it, or their folder may not be written."""
    beside = [each for each in (Path(f"{path}-wal"), Path(f"{path}-shm")) if each.exists()]
    for each in (path, *beside, path.parent):
        if not os.access(each, os.W_OK):
            raise DatabaseReadOnly(
                f"{each} may not be written by you, so nothing could be changed. Look at its owner and its rights."
            )


def free_room(folder: Path) -> int:
    """Bytes that are free for everybody on the disk of a folder."""
    return shutil.disk_usage(folder).free


def refuse_full(path: Path) -> None:
    """Raises DatabaseFull when next to nothing is free on the disk."""
    if free_room(path.parent) < LEAST_ROOM:
        raise DatabaseFull(f"No room is left on the disk of {path}. Make room and retry.")
