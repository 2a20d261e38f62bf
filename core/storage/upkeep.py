"""Everything around the data, through sqlite-utils: the schema, backups, restoring, the check for damage."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import DatabaseBusy, DatabaseDamaged, InvalidInput

if TYPE_CHECKING:
    from core.storage.sqlite import SqliteDatabase

KEEP_BACKUPS = 7
"""How many rotating backups stay; older ones are removed."""

BACKUP_EVERY = timedelta(hours=24)


def migrate(connection: sqlite3.Connection, application_id: int) -> None:
    """Create or upgrade the schema under the write lock, so that programs starting together do it once."""
    from sqlite_utils import Database as SqliteUtilsDatabase

    from core.storage.migrations import migrate as run_migrations

    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("BEGIN IMMEDIATE")
    try:
        run_migrations(SqliteUtilsDatabase(connection, execute_plugins=False))
        connection.execute(f"PRAGMA application_id = {application_id}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    finally:
        connection.execute("PRAGMA foreign_keys = ON")


def backup_path(path: Path, label: str) -> Path:
    """Where a backup with this label goes: the folder ``backups`` beside the database."""
    return path.parent / "backups" / f"{path.stem}-{label}{path.suffix or '.db'}"


def backup(database: SqliteDatabase, target: Path) -> Path:
    """Copy the whole database, while others go on using it, to a checked file that only its owner can read.

    Raises DatabaseDamaged when the copy does not pass its check, another StorageError when it cannot be written.
    """
    from core.storage.sqlite import faults

    unfinished = target.with_name(target.name + ".part")
    with faults(target):
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        unfinished.unlink(missing_ok=True)
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        try:
            findings = _copy(database.connection, unfinished, "DELETE")
            if findings:
                raise DatabaseDamaged(f"The backup was not kept, because the database is damaged: {findings[0]}.")
            os.replace(unfinished, target)
        finally:
            unfinished.unlink(missing_ok=True)
    return target


def _copy(source: sqlite3.Connection, target: Path, journal_mode: str) -> list[str]:
    """Copy everything into a file; what a check of the copy finds wrong."""
    with contextlib.closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
        copy.execute(f"PRAGMA journal_mode = {journal_mode}")
        return damage(copy)


def rotate(database: SqliteDatabase, now: datetime | None = None) -> Path | None:
    """Make the backup of the day when the newest is older than that, and drop the oldest; None when not due."""
    now = now or datetime.now(UTC)
    kept = sorted(
        backup_path(database.path, "x").parent.glob(f"{database.path.stem}-2*{database.path.suffix or '.db'}")
    )
    if kept and now - datetime.fromtimestamp(kept[-1].stat().st_mtime, UTC) < BACKUP_EVERY:
        return None
    made = backup(database, backup_path(database.path, f"{now:%Y%m%dT%H%M%S}"))
    for old in kept[: max(0, len(kept) + 1 - KEEP_BACKUPS)]:
        old.unlink(missing_ok=True)
    return made


def restore(source: Path, target: Path) -> Path | None:
    """Put a backup in the place of a database. What stood there is kept beside it; its new name is returned.

    The copy is whole and checked before anything is moved. Raises InvalidInput when the source is missing,
    DatabaseDamaged when it is not a whole Podium database, DatabaseBusy while anybody has the target open.
    """
    from core.storage.sqlite import SqliteDatabase, faults, make_file

    if not source.is_file():
        raise InvalidInput("file", f"There is no backup at {source}.")
    unfinished = target.with_name(target.name + ".part")
    with contextlib.closing(SqliteDatabase(source)) as checked, faults(target):
        try:
            unfinished.unlink(missing_ok=True)
            make_file(unfinished)
            findings = _copy(checked.connection, unfinished, "WAL")
            if findings:
                raise DatabaseDamaged(f"{source} is damaged itself: {findings[0]}. Choose another backup.")
            replaced = _set_aside(target)
            os.replace(unfinished, target)
        finally:
            unfinished.unlink(missing_ok=True)
    return replaced


def damage(connection: sqlite3.Connection) -> list[str]:
    """What SQLite's quick check and its check of references find wrong; empty when all is well."""
    found = [str(row[0]) for row in connection.execute("PRAGMA quick_check") if row[0] != "ok"]
    dangling = connection.execute("PRAGMA foreign_key_check").fetchall()
    return found + [f"a row of {row[0]} refers to a missing row of {row[2]}" for row in dangling]


def _set_aside(target: Path) -> Path | None:
    """Move an existing database out of the way, after folding its log into it.

    That takes nobody else to have it open: a server would go on in the file that was moved away, and what it writes
    there would be lost. Raises DatabaseBusy.
    """
    if not target.exists():
        return None
    try:
        with contextlib.closing(sqlite3.connect(target, timeout=0)) as old:
            old.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.Error as error:  # else it is damaged, which is why it is replaced
        if (getattr(error, "sqlite_errorcode", 0) & 0xFF) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise DatabaseBusy(
                f"{target} is in use. Stop its server, and quit every Podium that has it open; then restore it."
            ) from error
    aside = target.with_name(f"{target.name}.replaced-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
    os.replace(target, aside)
    for suffix in ("-wal", "-shm"):
        target.with_name(target.name + suffix).unlink(missing_ok=True)
    return aside
