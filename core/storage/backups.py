"""Backups: checked copies of a whole workspace, one a day in the folder ``backups`` beside the database.

The folder has ``STEM-20261122T081500.db`` for each day that is kept, in UTC. While a backup is made, it also has
``.NAME.db.podium-part``, locked by the process that makes it; after a failure, ``.NAME.db.podium-failed`` with the
reason. All other files in it, such as backups of another workspace, are left alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import stat
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from core.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseLost,
    InvalidInput,
    PodiumError,
    UnsafeFile,
)
from core.files.own_files import (
    MAX_MODE,
    check_folder,
    check_not_database,
    check_not_link,
    check_not_reserved,
    check_own_file,
    is_shared,
    own_folder,
    part_of,
    remove_left,
    unfinished,
    write_whole,
)
from core.storage.copying import is_whole, make_copy, read_back, there_already
from core.text.phrases import shell_command

if TYPE_CHECKING:
    from core.storage.sqlite import SqliteDatabase

KEEP_BACKUPS = 7
"""The number of days whose newest backup is kept; older ones are removed."""

BACKUP_EVERY = timedelta(hours=24)
LATE = timedelta(hours=48)
"""The age from which the newest backup counts as late and is reported."""

AGAIN_AFTER = timedelta(hours=1)
"""Time between two tries to back up a damaged database, because each try reads all of it."""

STAMP = "%Y%m%dT%H%M%S"


class Kept(NamedTuple):
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


class Backups(NamedTuple):
    """The state of a workspace's backups: ``problem`` is a sentence, empty when all is well."""

    kept: list[Kept]
    newest: Kept | None
    problem: str


def folder_of(path: Path) -> Path:
    """The folder of a database's backups."""
    return path.parent / "backups"


def own_backup(database: SqliteDatabase, label: str) -> Path:
    """Make a backup in the folder ``backups``, with ``label`` in its name. Return its path. Raises StorageError."""
    path = database.path
    with _claimed(path) as (part, descriptor):
        return make_copy(database, part, descriptor, folder_of(path) / f"{path.stem}-{label}{path.suffix}")


def backup(database: SqliteDatabase, target: Path, *, replace: bool = False) -> Path:
    """Copy the whole database, while others go on using it, to a checked file that only its owner can read.

    Raises InvalidInput for a reserved name, a link, a missing folder, a workspace, and for an existing file without
    ``replace``; DatabaseBusy while another program makes the same backup; DatabaseDamaged if the copy does not pass its
    check; and another StorageError if it cannot be written.
    """
    from core.storage.faults import faults

    check_not_reserved(target)
    check_folder(target)
    check_not_link(target)
    if target.exists() and target.samefile(database.path):
        raise InvalidInput("file", f"{target} is the workspace itself. Choose another name.")
    check_not_database(target, backups=False)
    part = part_of(target)
    database.read(_nothing)  # raises if the file was replaced
    with faults(target):
        if os.path.lexists(target) and not (replace and target.is_file()):
            raise there_already(target)
        with unfinished(part) as descriptor:
            return make_copy(database, part, descriptor, target, replace=replace)


def rotate(database: SqliteDatabase, now: datetime | None = None) -> Path | None:
    """Make the daily backup if it is due, and remove all except those of the last seven days.

    Return its path; None if it is not due, or another program is making it. Raises StorageError, whose reason is stored
    for ``look``.
    """
    now = now or datetime.now(UTC)
    path = database.path
    sweep(path)
    if _is_fresh(path, now) or _is_hopeless(path, now):
        return None
    try:
        database.read(_nothing)  # raises if the file was replaced
        with contextlib.suppress(sqlite3.Error):  # a killed restore, or “cp” of a backup, left the file without a log
            database.connection.execute("PRAGMA journal_mode = WAL")
        with _claimed(path) as (part, descriptor):
            if _is_fresh(path, now):  # another program was faster
                return None
            target = folder_of(path) / f"{path.stem}-{now:{STAMP}}{path.suffix}"
            made = make_copy(database, part, descriptor, target, at=now)
    except DatabaseBusy:
        return None
    except PodiumError as error:
        with contextlib.suppress(PodiumError, OSError):
            own_folder(folder_of(path))
            write_whole(_failed(path), f"{error.code}\n{error}\n".encode())
        raise
    with contextlib.suppress(OSError):
        _failed(path).unlink(missing_ok=True)
        for old in _too_many(kept(path), now):
            old.path.unlink(missing_ok=True)
    return made


def kept(path: Path) -> list[Kept]:
    """The daily backups of this database, oldest first; none if their folder cannot be read."""
    name = re.compile(rf"{re.escape(path.stem)}-(\d{{8}}T\d{{6}}){re.escape(path.suffix)}", re.ASCII)
    found = []
    for each in _entries(path):
        if (match := name.fullmatch(each.name)) and each.is_file(follow_symlinks=False):
            with contextlib.suppress(ValueError, OSError):  # not a valid time, or removed a moment ago
                written = datetime.fromtimestamp(each.stat(follow_symlinks=False).st_mtime, UTC)
                at = datetime.fromisoformat(match[1]).replace(tzinfo=UTC)
                found.append(Kept(Path(each.path), at, written, is_whole(Path(each.path))))
    return sorted(found, key=lambda each: each.at)


def newest_backup(path: Path) -> Path | None:
    """The newest backup that can be read back: a daily one, else the one from before an upgrade, else None."""
    now = datetime.now(UTC)
    found = sorted(kept(path), key=lambda each: (each.at <= now, each.at), reverse=True)
    for each in (*(one.path for one in found if one.whole), _upgraded(path)):
        if is_whole(each):
            with contextlib.suppress(PodiumError):
                read_back(each)
                return each
    return None


def _upgraded(path: Path) -> Path:
    return folder_of(path) / f"{path.stem}-before-upgrade{path.suffix}"


def check_not_lost(path: Path) -> None:
    """Raise DatabaseLost if a database is missing or empty although there are backups of it, even damaged ones."""
    if newest := newest_backup(path):
        command = shell_command("podium", "restore", str(newest), "--db", str(path))
        way = f"{command} brings back the newest that can be read."
    elif kept(path) or os.path.lexists(_upgraded(path)):
        way = "All of them are damaged."
    else:
        return
    raise DatabaseLost(
        f"{path} is {'empty' if path.exists() else 'missing'}, and there are backups of it. {way} "
        f"For a new workspace, name another file or move {folder_of(path)} away."
    )


def look(path: Path, now: datetime | None = None) -> Backups:
    """The state of a workspace's backups, as far as their headers show it; ``newest`` is the newest whole one."""
    now = now or datetime.now(UTC)
    found = kept(path)
    past = sorted((each for each in found if each.is_past(now)), key=lambda each: each.since)
    newest = next((each for each in reversed(past) if each.whole), None)
    trouble = _folder_trouble(path) or _failure(path) or _incompleteness(past) or _lateness(found, newest, now)
    return Backups(found, newest, trouble)


def sweep(path: Path) -> None:
    """Remove the unfinished files of backups and restores that were killed, also those of an older Podium.

    Files that a program is writing, whole databases and other files stay, and so does a file that cannot be removed.
    """
    for part in (part_of(path), part_of(folder_of(path) / path.name)):
        _remove_part(part, ("-journal", "-wal", "-shm", ".lock"))
    stamped = re.compile(rf"{re.escape(path.stem)}-\d{{8}}T\d{{6}}{re.escape(path.suffix)}\.part", re.ASCII)
    for each in _entries(path):
        if stamped.fullmatch(each.name) and not is_whole(Path(each.path)):
            _remove_part(Path(each.path), ("-journal",))


def _remove_part(part: Path, suffixes: tuple[str, ...]) -> None:
    """Remove an unfinished file, then SQLite's files beside it; do nothing while a program has it locked."""
    with contextlib.suppress(OSError, UnsafeFile):
        if remove_left(part):
            for suffix in suffixes:
                Path(f"{part}{suffix}").unlink(missing_ok=True)


def _is_fresh(path: Path, now: datetime) -> bool:
    """Return True if a whole backup was made within BACKUP_EVERY."""
    return any(each.whole and each.is_past(now) and now - each.since < BACKUP_EVERY for each in kept(path))


def _too_many(found: list[Kept], now: datetime) -> list[Kept]:
    """The backups to remove: all except the newest whole one of each of the last KEEP_BACKUPS days.

    Damaged backups count as the oldest, then those that are dated in the future.
    """
    of_days = {each.at.date(): each for each in found if each.whole and each.at <= now}
    ahead = [each for each in found if each.whole and each.at > now]
    stay = [*(each for each in found if not each.whole), *ahead, *of_days.values()][-KEEP_BACKUPS:]
    return [each for each in found if each not in stay]


def _entries(path: Path) -> list[os.DirEntry[str]]:
    """The files in the folder of the backups; none if it is a link or cannot be read."""
    folder = folder_of(path)
    try:
        return [] if folder.is_symlink() else list(os.scandir(folder))
    except OSError:
        return []


def _failed(path: Path) -> Path:
    return folder_of(path) / f".{path.name}.podium-failed"


def _failure(path: Path) -> str:
    """The last failed attempt as a sentence; "" if the last attempt did not fail."""
    try:
        text = _said_of_failure(path)
        at = datetime.fromtimestamp(_failed(path).stat().st_mtime, UTC)
    except (OSError, UnsafeFile):
        return ""
    return f"The last one failed at {at:%Y-%m-%d %H:%M} UTC. {text.partition(chr(10))[2].strip()}"


def _said_of_failure(path: Path) -> str:
    """The stored reason of the last failure. Raises OSError, and UnsafeFile if it is not a plain file of this user."""
    check_own_file(_failed(path))
    return _failed(path).read_text("utf-8", "replace")[:1000]


def _is_hopeless(path: Path, now: datetime) -> bool:
    """Return True if the database was found to be damaged less than AGAIN_AFTER ago."""
    try:
        age = now - datetime.fromtimestamp(_failed(path).lstat().st_mtime, UTC)
        return timedelta(0) <= age < AGAIN_AFTER and _said_of_failure(path).startswith(DatabaseDamaged.code)
    except (OSError, UnsafeFile):
        return False


def _folder_trouble(path: Path) -> str:
    folder = folder_of(path)
    try:
        mode = os.lstat(folder).st_mode
    except FileNotFoundError:
        return "" if os.access(path.parent, os.W_OK) else f"You cannot write to {path.parent}."
    except OSError as error:
        return f"{folder} cannot be read: {error.strerror}."
    if not stat.S_ISDIR(mode):
        return f"{folder} is {'a link' if stat.S_ISLNK(mode) else 'a file'}, not a folder. Remove it."
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return f"You cannot write to {folder}. Check its owner and permissions."
    return ""


def _incompleteness(past: list[Kept]) -> str:
    if not past or past[-1].whole:
        return ""
    words = "cannot be read back: it is empty, a part of a database, or none. The next change makes another."
    return f"The newest, {past[-1].path.name}, {words}"


def _lateness(found: list[Kept], newest: Kept | None, now: datetime) -> str:
    if newest is not None and (age := now - newest.since) > LATE:
        old = f"The newest, {newest.path.name}, is {age.days} days old."
        return f"{old} The next change makes one, or says why it cannot."
    if found and newest is None:
        return f"All are dated in the future, the first {found[0].path.name}. Look at the clock of this machine."
    return ""


@contextlib.contextmanager
def _claimed(path: Path) -> Iterator[tuple[Path, int]]:
    """The unfinished file in the folder of the backups. The folder is private, or shared if the workspace's is."""
    from core.storage.faults import faults

    folder = folder_of(path)
    with faults(folder):
        own_folder(folder, 0o2770 if is_shared(path.parent) else 0o700)
        mode = MAX_MODE if is_shared(folder) else 0o600
        with unfinished(part := part_of(folder / path.name), mode) as descriptor:
            yield part, descriptor


def _nothing(_: object) -> None:
    """Read nothing: the read only makes the database check its file."""
