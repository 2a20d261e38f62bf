"""The folder ``backups`` beside a database: the backups in it, and how a copy is added.

The folder has ``STEM-20261122T081500.db`` for each day that is kept, in UTC, and ``STEM-before-upgrade.db``. While a
backup is made, it also has ``.NAME.db.podium-part``, locked by the process that makes it.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from core.errors import DatabaseLost, PodiumError
from core.files.own_files import MAX_MODE, is_shared, open_unfinished, own_folder, part_of
from core.record import Record
from core.storage.sqlite.copies import is_whole, make_copy, read_back
from core.storage.sqlite.faults import faults
from core.storage.sqlite.read_only import size_beside
from core.text.phrases import names, shell_command


class DailyBackup(Record, kw_only=False):
    """A daily backup, the time in its name, and the time at which its file was written.

    A wrong clock, or a copy of the folder, can have changed either time. ``whole`` is False if the header or the size
    shows that a part of the file is missing.
    """

    path: Path
    at: datetime
    written: datetime
    whole: bool

    @property
    def since(self) -> datetime:
        """The earlier of both times, because the backup is at least as old as that."""
        return min(self.at, self.written)

    def is_past(self, now: datetime) -> bool:
        """Return True if neither time is in the future."""
        return max(self.at, self.written) <= now


def folder_of(path: Path) -> Path:
    """The folder of a database's backups."""
    return path.parent / "backups"


def own_backup(path: Path, connection: sqlite3.Connection, label: str) -> Path:
    """Back up a database, with ``label`` in the name of the backup. Return its path. Raises StorageError."""
    with claim_file(path) as (part, descriptor):
        return make_copy(path, connection, part, descriptor, folder_of(path) / f"{path.stem}-{label}{path.suffix}")


def list_daily_backups(path: Path) -> list[DailyBackup]:
    """The daily backups of this database, oldest first; none if their folder cannot be read."""
    name = re.compile(rf"{re.escape(path.stem)}-(\d{{8}}T\d{{6}}){re.escape(path.suffix)}", re.ASCII)
    found = []
    for each in entries(path):
        if (match := name.fullmatch(each.name)) and each.is_file(follow_symlinks=False):
            with contextlib.suppress(ValueError, OSError):  # not a valid time, or removed a moment ago
                written = datetime.fromtimestamp(each.stat(follow_symlinks=False).st_mtime, UTC)
                at = datetime.fromisoformat(match[1]).replace(tzinfo=UTC)
                found.append(DailyBackup(Path(each.path), at, written, is_whole(Path(each.path))))
    return sorted(found, key=lambda each: each.at)


def newest_backup(path: Path) -> Path | None:
    """The newest backup that can be read back: a daily one, else the one from before an upgrade, else None."""
    now = datetime.now(UTC)
    found = sorted(list_daily_backups(path), key=lambda each: (each.at <= now, each.at), reverse=True)
    for each in (*(one.path for one in found if one.whole), _upgrade_path(path)):
        if is_whole(each):
            with contextlib.suppress(PodiumError):
                read_back(each)
                return each
    return None


def _upgrade_path(path: Path) -> Path:
    return folder_of(path) / f"{path.stem}-before-upgrade{path.suffix}"


def check_not_lost(path: Path) -> None:
    """Raise DatabaseLost if a database is missing or empty although there are backups of it, even damaged ones.

    Also if it is missing and its log is not: SQLite would remove that, and a file that was moved away lacks it.
    """
    log = f"{os.path.realpath(path)}-wal" if not path.exists() and size_beside(path, "-wal") > 0 else ""
    if newest := newest_backup(path):
        command = shell_command("podium", "restore", str(newest), "--db", str(path))
        way = f"there are backups of it. {command} brings back the newest that can be read."
    elif list_daily_backups(path) or os.path.lexists(_upgrade_path(path)):
        way = "there are backups of it. All of them are damaged."
    elif log:
        way = "there are no backups of it."
    else:
        return
    lost = f"{path} is {'empty' if path.exists() else 'missing'}, and "
    if log:
        lost += (
            f"its newest changes are in {log}. If the file was moved away, first put it back to this place: nothing "
            "is lost then. If it is gone, "
        )
    away = names([each for each in (str(folder_of(path)), log) if os.path.lexists(each)])
    raise DatabaseLost(f"{lost}{way} For a new workspace, name another file or move {away} away.")


def entries(path: Path) -> list[os.DirEntry[str]]:
    """The files in the folder of the backups; none if it is a link or cannot be read."""
    folder = folder_of(path)
    try:
        return [] if folder.is_symlink() else list(os.scandir(folder))
    except OSError:
        return []


@contextlib.contextmanager
def claim_file(path: Path) -> Iterator[tuple[Path, int]]:
    """The unfinished file in the folder of the backups. The folder is private, or shared if the workspace's is."""
    folder = folder_of(path)
    with faults(folder):
        own_folder(folder, 0o2770 if is_shared(path.parent) else 0o700)
        mode = MAX_MODE if is_shared(folder) else 0o600
        with open_unfinished(part := part_of(folder / path.name), mode) as descriptor:
            yield part, descriptor
