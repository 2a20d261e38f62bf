"""Puts a backup in the place of a database, so that there is a whole workspace at every moment."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from core.errors import DatabaseBusy, DatabaseDamaged, DatabaseReadOnly, InvalidInput, StorageError
from core.files.own_files import (
    MAX_MODE,
    check_files_beside,
    check_not_reserved,
    check_owner,
    is_shared,
    make_own,
    open_unfinished,
    part_of,
    put,
    sync_folder,
)
from core.storage.move_mark import MoveMark
from core.storage.schema.integrity import damage
from core.storage.sqlite.copies import check_room_for
from core.storage.sqlite.database import SqliteDatabase
from core.storage.sqlite.faults import faults
from core.storage.sqlite.hard_links import is_aside, names_beside
from core.storage.sqlite.move_marks import mark_of
from core.storage.sqlite.opened_file import LOCKED_BYTES

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

BESIDE = ("-wal", "-journal")
"""Files beside a database that hold a part of its content."""

PIECE = 1 << 20
"""Bytes copied at a time."""


def restore(source: Path, target: Path) -> list[Path]:
    """Put a backup in the place of a database. What was there is kept beside it: the new paths of the file and its log.

    The backup is only read: a copy is upgraded and checked, before anything is moved. Raises InvalidInput if the source
    is missing or the name of the target is reserved, DatabaseDamaged if the source is not a whole Podium database,
    DatabaseBusy while another program has the target open or writes the source, and DatabaseFull without free space.
    """
    if not os.path.isfile(source):
        raise InvalidInput("file", f"There is no backup at “{source}”.")
    target = Path(os.path.realpath(target))
    check_not_reserved(target)
    if os.path.lexists(target) and not target.is_file():
        raise InvalidInput("db", f"{target} is not a file, so nothing is restored there. Choose another name.")
    part = part_of(target)
    with faults(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        _ask(target, "PRAGMA locking_mode = EXCLUSIVE", "BEGIN IMMEDIATE")  # fails early if the target is in use
        with open_unfinished(part, _mode(target)) as descriptor:
            try:
                _copy(source, part, descriptor)
                _check(source, part)
                os.fsync(descriptor)
                _take_owner(target, descriptor)
                return _put_in_place(part, target)
            finally:
                _remove_beside(part)


def mark_at(target: Path) -> MoveMark | None:
    """The mark of a file whose workspace was moved away; None for another file, a damaged one and a missing one."""
    if not os.path.isfile(target):  # SQLite would wait for the other end of a pipe
        return None
    place = f"{Path(os.path.abspath(target)).as_uri()}?mode=ro"
    with (
        contextlib.suppress(sqlite3.Error, UnicodeDecodeError, ValueError),
        contextlib.closing(sqlite3.connect(place, uri=True)) as file,
    ):
        return mark_of(file)
    return None


def _copy(source: Path, part: Path, descriptor: int) -> None:
    """Copy the bytes of a database and its log. Raises DatabaseBusy if another program changes them meanwhile."""
    files = [(source, descriptor)]
    with contextlib.ExitStack() as opened:
        _remove_beside(part)
        for suffix in BESIDE:
            if (beside := Path(f"{source}{suffix}")).is_file():
                log = make_own(Path(f"{part}{suffix}"))
                opened.callback(os.close, log)
                files.append((beside, log))
        before = [_state(each) for each, _ in files]
        check_room_for(part.parent, sum(size for size, _ in before))
        for each, copy in files:
            with each.open("rb") as file:
                while piece := file.read(PIECE):
                    _write(copy, piece)
        if before != [_state(each) for each, _ in files]:
            raise DatabaseBusy(f"{source} is written by another program now. Make a backup of it with “podium backup”.")


def _state(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _check(source: Path, part: Path) -> None:
    """Upgrade the copy and check it for damage. Raises StorageError that names the source."""
    if not source.stat().st_size:
        raise DatabaseDamaged(f"{source} is empty, so it is no backup. Choose another.")
    try:
        with contextlib.closing(SqliteDatabase(part, is_copy=True)) as copy:
            findings = damage(copy.connection)
            copy.connection.execute("PRAGMA journal_mode = WAL")
    except StorageError as error:
        raise type(error)(str(error).replace(str(part), str(source))) from error
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise DatabaseDamaged(f"{source} is damaged itself: {error}. Choose another backup.") from error
    if findings:
        raise DatabaseDamaged(f"{source} is damaged itself: {findings[0]}. Choose another backup.")


def _mode(target: Path) -> int:
    """The permissions of the replaced database; without one, the group's in a shared folder, else the owner's alone."""
    with contextlib.suppress(FileNotFoundError):
        return target.stat().st_mode & MAX_MODE | 0o600
    with contextlib.suppress(FileNotFoundError):
        return MAX_MODE if is_shared(target.parent) else 0o600
    return 0o600


def _take_owner(target: Path, descriptor: int) -> None:
    """Give the copy the owner of the database, because an administrator also restores for the server's account."""
    with contextlib.suppress(FileNotFoundError):
        wanted, found = target.stat(), os.fstat(descriptor)
        if (wanted.st_uid, wanted.st_gid) != (found.st_uid, found.st_gid):
            try:
                os.fchown(descriptor, wanted.st_uid, wanted.st_gid)
            except PermissionError:
                if wanted.st_uid != found.st_uid and not wanted.st_mode & 0o020:
                    raise DatabaseReadOnly(
                        f"{target} belongs to another account, which could not open the restored file. Restore it as "
                        "that account."
                    ) from None


def _put_in_place(part: Path, target: Path) -> list[Path]:
    """Put the copy in the place of the database. Return the new paths of the replaced file, if any, and its log."""
    aside = target.with_name(f"{target.name}.replaced-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
    if not target.exists():
        logs = _move_beside(target, aside)
        put(part, target, replace=False)
        return logs
    _ask(target, "PRAGMA journal_mode = DELETE")  # moves all of it into one file
    with _lock_exclusively(target):
        _second_name(target, aside)
        logs = _move_beside(target, aside)
        put(part, target, replace=True)
    return [aside, *logs]


def _ask(target: Path, *statements: str) -> None:
    """Run statements that need the database for themselves; a damaged one is left as it is. Raises DatabaseBusy."""
    if not target.exists():
        return
    check_owner(target)
    check_files_beside(target)
    try:
        with contextlib.closing(sqlite3.connect(target, timeout=0, isolation_level=None)) as old:
            for statement in statements:
                old.execute(statement)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # a damaged database, which can be replaced all the same
        if (getattr(error, "sqlite_errorcode", 0) & 0xFF) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise _in_use(target) from error


@contextlib.contextmanager
def _lock_exclusively(target: Path) -> Iterator[None]:
    """Lock the database exclusively: a server that opens it now would go on in the file that is moved away."""
    if fcntl is None:
        yield
        return
    descriptor = os.open(target, os.O_RDWR | os.O_CLOEXEC)
    try:
        try:
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, *LOCKED_BYTES)
        except OSError as error:
            raise _in_use(target) from error
        yield
    finally:
        os.close(descriptor)


def _second_name(target: Path, aside: Path) -> None:
    """Give the database a second name, and remove such names of killed restores."""
    for each in names_beside(target):
        if is_aside(each.name, target.name):
            each.unlink()
    try:
        os.link(target, aside)
    except OSError:  # a file system without hard links
        os.replace(target, aside)
    sync_folder(target.parent)


def _move_beside(target: Path, aside: Path) -> list[Path]:
    """Move the log of the replaced database away with it, because SQLite would read it as a part of the new one.

    Returns its new path, if there was one with content.
    """
    kept = []
    for suffix in BESIDE:
        with contextlib.suppress(FileNotFoundError):
            if Path(f"{target}{suffix}").lstat().st_size:
                os.rename(f"{target}{suffix}", f"{aside}{suffix}")
                kept.append(Path(f"{aside}{suffix}"))
            else:
                os.unlink(f"{target}{suffix}")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(f"{target}-shm")
    return kept


def _remove_beside(part: Path) -> None:
    for suffix in (*BESIDE, "-shm", ".lock"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{part}{suffix}")


def _in_use(target: Path) -> DatabaseBusy:
    return DatabaseBusy(
        f"{target} is in use. Stop its server, and quit every Podium that has it open; then restore it."
    )
