"""Errors of SQLite and the system as storage errors of Podium, which say what happened and what to do about it."""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from core.errors import (
    DatabaseBusy,
    DatabaseDamaged,
    DatabaseFull,
    DatabaseReadOnly,
    StorageError,
)
from core.storage.database import ConstraintViolation, meanwhile
from core.storage.sqlite.read_only import check_not_read_only, has_what_it_needs

TRIED = 65536
"""Bytes that are written beside a database to find out why SQLite could not write there."""

FILES_OF_SQLITE = 3
"""Files that SQLite opens at a time for one connection: the database, its log, and the shared memory."""


@contextlib.contextmanager
def faults(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and the system into storage errors of Podium."""
    try:
        yield
    except (sqlite3.IntegrityError, ConstraintViolation) as error:
        raise meanwhile() from error
    except UnicodeDecodeError as error:  # the schema is not valid text
        raise make_damaged_error(path) from error
    except sqlite3.Error as error:
        raise explain(path, error) from error
    except OSError as error:
        raise of_system(path, error) from error


@contextlib.contextmanager
def unreadable_rows_named(path: Path, connect: Callable[[], sqlite3.Connection]) -> Iterator[None]:
    """Around a transaction: if it fails unexpectedly, look for damage, such as an unreadable row, and raise that."""
    try:
        yield
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
        sqlite3.Error,
    ) as error:
        if isinstance(error, sqlite3.Error) and "malformed JSON" not in str(error):
            raise
        from core.storage.schema.integrity import damage
        from core.storage.values import check_readable

        check_readable(connect())
        if found := damage(connect()):
            raise make_damaged_error(path, found[0]) from None
        raise


def make_damaged_error(path: Path, finding: str = "") -> DatabaseDamaged:
    """The error for a damaged file; ``finding`` says what is wrong with it."""
    what = f": {finding.rstrip('.')}." if finding else " or not a database."
    return DatabaseDamaged(f"{path} is damaged{what} “podium restore” restores a backup; the file is kept.")


def explain(path: Path, error: sqlite3.Error) -> StorageError:
    """The storage error for an error of SQLite."""
    code = getattr(error, "sqlite_errorcode", 0)
    match code & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return DatabaseBusy(f"Another program is using {path}. Nothing was changed; try again.")
        case sqlite3.SQLITE_FULL:
            return DatabaseFull(f"No room is left on the disk of {path}. Nothing was changed; make room and retry.")
        case (
            sqlite3.SQLITE_IOERR
            | sqlite3.SQLITE_READONLY
            | sqlite3.SQLITE_CANTOPEN
            | sqlite3.SQLITE_PERM
            | sqlite3.SQLITE_AUTH
        ):
            return _of_disk(path, error)
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return make_damaged_error(path)
    if str(error).startswith("Could not decode"):  # a text that is not UTF-8
        return make_damaged_error(path)
    return StorageError(f"The database {path} does not answer: {error}.")


def _of_disk(path: Path, error: sqlite3.Error) -> StorageError:
    """The error for a file that SQLite cannot open, read or write. SQLite gives no reason, so it is looked for here."""
    if "LOCK" in getattr(error, "sqlite_errorname", ""):
        return StorageError(
            f"{path} cannot be locked, so two programs could write it at the same time. Nothing was changed. Move it "
            "to a file system that has locks."
        )
    try:
        _try_to_write(path)
    except StorageError as found:
        return found
    except OSError as found:
        return of_system(path, found)
    if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_IOERR:
        return StorageError(f"{path} cannot be opened or written ({error}). Nothing was changed. Try again.")
    return StorageError(
        f"The disk of {path} reports a fault ({error}). Nothing was changed. Look at the log of this machine "
        "(“dmesg”), and make a backup elsewhere."
    )


def _try_to_write(path: Path) -> None:
    """Raise the OSError or StorageError that prevents a database from being opened and written, if one is found.

    The database itself is not opened, because closing it would drop the locks that SQLite has on it.
    """
    whole = Path(os.path.realpath(path))
    if whole.exists():
        if not whole.is_file():
            raise StorageError(f"{path} is not a file. Name another place for the database.")
        check_not_read_only(path, is_open := has_what_it_needs(path))
        if is_open and not os.access(whole.parent, os.W_OK):
            return
    import tempfile

    # No buffer: closing one writes it again, which fails on a full disk before the file is removed.
    with tempfile.NamedTemporaryFile(dir=whole.parent, prefix=f"{path.name}.", buffering=0) as file:
        left = TRIED
        while left:
            left -= file.write(bytes(left))
        os.fsync(file.fileno())
        with contextlib.ExitStack() as opened:
            for _ in range(FILES_OF_SQLITE):
                opened.callback(os.close, os.open(whole.parent, os.O_RDONLY))


def of_system(path: Path, error: OSError) -> StorageError:
    """The storage error for an error of the system about the file, its folder or its disk."""
    match error.errno:
        case errno.ENOENT | errno.ENOTDIR if not os.path.isdir(folder := os.path.dirname(os.path.realpath(path))):
            return DatabaseReadOnly(f"{path} cannot be created or opened: there is no folder {folder}.")
        case errno.EDQUOT:
            return DatabaseFull(
                f"Your quota on the disk of {path} is used up. Nothing was changed; make room and retry."
            )
        case errno.ENOSPC if _holds_no_more_files(path):
            return DatabaseFull(
                f"The disk of {path} has room, but can hold no more files. Nothing was changed; remove some and retry."
            )
        case errno.ENOSPC:
            return DatabaseFull(f"No room is left on the disk of {path}. Nothing was changed; make room and retry.")
        case errno.EROFS:
            return DatabaseReadOnly(
                f"The disk of {path} is read-only now, as after a fault. Nothing was changed. Look at the log of this "
                "machine (“dmesg”)."
            )
        case errno.EMFILE | errno.ENFILE:
            return StorageError(f"Too many files are open to use {path}. Nothing was changed; raise “ulimit -n”.")
        case errno.EIO:
            return StorageError(
                f"The disk of {path} reports a fault. Nothing was changed. Look at the log of this machine (“dmesg”)."
            )
    return DatabaseReadOnly(f"{path} cannot be created or opened: {error.strerror}.")


def _holds_no_more_files(path: Path) -> bool:
    with contextlib.suppress(OSError):
        disk = os.statvfs(path.parent)
        return disk.f_files > 0 and disk.f_favail == 0
    return False
