"""Backups: checked copies of a whole workspace, one a day in the folder ``backups`` beside the database.

After a failure the folder has ``.NAME.db.podium-failed`` with the reason. Files that are not of this workspace, such as
backups of another one, are left alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from core.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    PodiumError,
    UnsafeFile,
)
from core.files.own_files import (
    check_own_file,
    open_unfinished,
    own_folder,
    part_of,
    remove_left,
    write_whole,
)
from core.storage.sqlite.backup_folder import DailyBackup, claim_file, entries, folder_of, list_daily_backups
from core.storage.sqlite.copies import check_target, is_whole, make_copy
from core.storage.sqlite.database import SqliteDatabase
from core.storage.sqlite.faults import faults

KEEP_BACKUPS = 7
"""The number of days whose newest backup is kept; older ones are removed."""

BACKUP_EVERY = timedelta(hours=24)
LATE = timedelta(hours=48)
"""The age from which the newest backup counts as late and is reported."""

AGAIN_AFTER = timedelta(hours=1)
"""Time between two tries to back up a damaged database, because each try reads all of it."""

STAMP = "%Y%m%dT%H%M%S"


class BackupState(NamedTuple):
    """The state of a workspace's backups: ``problem`` is a sentence, empty when all is well."""

    kept: list[DailyBackup]
    newest: DailyBackup | None
    problem: str


def backup(database: SqliteDatabase, target: Path, *, replace: bool = False) -> Path:
    """Copy the whole database, while others go on using it, to a checked file that only its owner can read.

    Raises InvalidInput for a reserved name, a link, a missing folder, a workspace, and for an existing file without
    ``replace``; DatabaseBusy while another program makes the same backup; DatabaseDamaged if the copy does not pass its
    check; and another StorageError if it cannot be written.
    """
    check_target(target, replace=replace, workspace=database.path)
    part = part_of(target)
    database.read(_nothing)  # raises if the file was replaced
    with faults(target), open_unfinished(part) as descriptor:
        return make_copy(database.path, database.connection, part, descriptor, target, replace=replace)


def rotate(database: SqliteDatabase, now: datetime | None = None) -> Path | None:
    """Make the daily backup if it is due, and remove all except those of the last seven days.

    Return its path; None if it is not due, or another program is making it. Raises StorageError, whose reason is stored
    for ``backup_state``.
    """
    now = now or datetime.now(UTC)
    path = database.path
    sweep(path)
    if _is_fresh(path, now) or _is_hopeless(path, now):
        return None
    try:
        database.read(_nothing)  # raises if the file was replaced
        with claim_file(path) as (part, descriptor):
            if _is_fresh(path, now):  # another program was faster
                return None
            target = folder_of(path) / f"{path.stem}-{now:{STAMP}}{path.suffix}"
            made = make_copy(path, database.connection, part, descriptor, target, at=now)
    except DatabaseBusy:
        return None
    except PodiumError as error:
        with contextlib.suppress(PodiumError, OSError):
            own_folder(folder_of(path))
            write_whole(_failure_path(path), f"{error.code}\n{error}\n".encode())
        raise
    with contextlib.suppress(OSError):
        _failure_path(path).unlink(missing_ok=True)
        for old in _too_many(list_daily_backups(path), now):
            old.path.unlink(missing_ok=True)
    return made


def backup_state(path: Path, now: datetime | None = None) -> BackupState:
    """The state of a workspace's backups, as far as their headers show it; ``newest`` is the newest whole one."""
    now = now or datetime.now(UTC)
    found = list_daily_backups(path)
    past = sorted((each for each in found if each.is_past(now)), key=lambda each: each.since)
    newest = next((each for each in reversed(past) if each.whole), None)
    trouble = _folder_problem(path) or _failure(path) or _incompleteness(past) or _lateness(found, newest, now)
    return BackupState(found, newest, trouble)


def sweep(path: Path) -> None:
    """Remove the unfinished files of backups and restores that were killed, also those of an older Podium.

    Files that a program is writing, whole databases and other files stay, and so does a file that cannot be removed.
    """
    for part in (part_of(path), part_of(folder_of(path) / path.name)):
        _remove_part(part, ("-journal", "-wal", "-shm", ".lock"))
    stamped = re.compile(rf"{re.escape(path.stem)}-\d{{8}}T\d{{6}}{re.escape(path.suffix)}\.part", re.ASCII)
    for each in entries(path):
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
    return any(
        each.whole and each.is_past(now) and now - each.since < BACKUP_EVERY for each in list_daily_backups(path)
    )


def _too_many(found: list[DailyBackup], now: datetime) -> list[DailyBackup]:
    """The backups to remove: all except the newest whole one of each of the last KEEP_BACKUPS days.

    Damaged backups count as the oldest, then those that are dated in the future.
    """
    of_days = {each.at.date(): each for each in found if each.whole and each.at <= now}
    ahead = [each for each in found if each.whole and each.at > now]
    stay = [*(each for each in found if not each.whole), *ahead, *of_days.values()][-KEEP_BACKUPS:]
    return [each for each in found if each not in stay]


def _failure_path(path: Path) -> Path:
    return folder_of(path) / f".{path.name}.podium-failed"


def _failure(path: Path) -> str:
    """The last failed attempt as a sentence; "" if the last attempt did not fail."""
    try:
        text = _said_of_failure(path)
        at = datetime.fromtimestamp(_failure_path(path).stat().st_mtime, UTC)
    except (OSError, UnsafeFile):
        return ""
    return f"The last one failed at {at:%Y-%m-%d %H:%M} UTC. {text.partition(chr(10))[2].strip()}"


def _said_of_failure(path: Path) -> str:
    """The stored reason of the last failure. Raises OSError, and UnsafeFile if it is not a plain file of this user."""
    check_own_file(_failure_path(path))
    return _failure_path(path).read_text("utf-8", "replace")[:1000]


def _is_hopeless(path: Path, now: datetime) -> bool:
    """Return True if the database was found to be damaged less than AGAIN_AFTER ago."""
    try:
        age = now - datetime.fromtimestamp(_failure_path(path).lstat().st_mtime, UTC)
        return timedelta(0) <= age < AGAIN_AFTER and _said_of_failure(path).startswith(DatabaseDamaged.code)
    except (OSError, UnsafeFile):
        return False


def _folder_problem(path: Path) -> str:
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


def _incompleteness(past: list[DailyBackup]) -> str:
    if not past or past[-1].whole:
        return ""
    words = "cannot be read back: it is empty, a part of a database, or none. The next change makes another."
    return f"The newest, {past[-1].path.name}, {words}"


def _lateness(found: list[DailyBackup], newest: DailyBackup | None, now: datetime) -> str:
    if newest is not None and (age := now - newest.since) > LATE:
        old = f"The newest, {newest.path.name}, is {age.days} days old."
        return f"{old} The next change makes one, or says why it cannot."
    if found and newest is None:
        return f"All are dated in the future, the first {found[0].path.name}. Look at the clock of this machine."
    return ""


def _nothing(_: object) -> None:
    """Read nothing: the read only makes the database check its file."""
