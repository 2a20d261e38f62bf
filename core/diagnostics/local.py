"""The checks of this installation, of a workspace file, of its permission source, and of the terminal."""

from __future__ import annotations

import contextlib
import locale
import os
import shutil
import sqlite3
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

from core import VERSION
from core.authorization.configured_source import configured_source
from core.authorization.local_source import LocalPermissions
from core.config import load
from core.diagnostics.seals import check_seals
from core.diagnostics.sign_in_paths import check_sign_in_paths
from core.domain.finding import Finding, Verdict
from core.domain.grants import CacheControl, PermissionQuery
from core.domain.permissions import ALL_CODES, decided_in_place
from core.engine.counters import list_miscounted, recount_wrong
from core.engine.large_projects import sweep
from core.errors import (
    DatabaseDamaged,
    DatabaseFull,
    DatabaseLost,
    DatabaseReadOnly,
    InvalidInput,
    PodiumError,
    StorageError,
)
from core.files.config_file import HOST_FILE, check_host_file, read_files
from core.files.own_files import check_owner
from core.net.bearer_tokens import PERMISSIONS, find_token
from core.storage.backups import backup_state
from core.storage.database import Database, Tx, placeholders
from core.storage.schema.integrity import damage
from core.storage.schema.migrations import SCHEMA_VERSION
from core.storage.sqlite.backup_folder import check_not_lost
from core.storage.sqlite.copies import read_back, room_wanted
from core.storage.sqlite.database import SqliteDatabase
from core.storage.sqlite.disk_space import NO_ROOM, check_room, free_room
from core.storage.sqlite.faults import faults
from core.storage.sqlite.hard_links import check_single_name
from core.storage.sqlite.read_only import check_not_read_only
from core.storage.sqlite.write_queue import check_locks
from core.storage.values import check_readable
from core.text.phrases import names, shell_command

SAFE_WAL = (3, 51, 3)
"""Older versions of SQLite can, very rarely, damage a file when two checkpoints and a commit coincide."""

SAFE_WAL_BEFORE = ((3, 50, 7), (3, 51, 0))
"""Older versions with the same fix: from the first, below the second."""

MEGABYTE = 1_000_000
"""Bytes."""


def diagnose_local(path: Path) -> tuple[Finding, ...]:
    """Return the findings about this installation, a workspace file and this terminal. Never raises."""
    return (*_programs(), *_sqlite(), *_workspace(path), *_terminal())


def diagnose_client() -> tuple[Finding, ...]:
    """Return the findings about this installation and this terminal, for a workspace on a server."""
    return (*_programs(), *_terminal())


def _programs() -> Iterator[Finding]:
    yield Finding("Podium", VERSION)
    yield Finding("Python", sys.version.split()[0])
    try:
        check_host_file()
    except InvalidInput as error:
        yield Finding(
            "Settings", f"{error} Until then they are skipped, and “podium serve” does not start.", Verdict.BAD
        )
    else:
        yield Finding("Settings", ", ".join(read_files()) or "no file; the defaults")
    with contextlib.suppress(OSError):
        if (found := HOST_FILE.stat()).st_uid != 0 or found.st_mode & 0o022:
            words = f"{HOST_FILE} can be changed by others than root: “chown root”, “chmod 644”."
            yield Finding("Settings", words, Verdict.BAD)


def _sqlite() -> Iterator[Finding]:
    first, end = SAFE_WAL_BEFORE
    version = sqlite3.sqlite_version_info
    if version >= SAFE_WAL or first <= version < end:
        yield Finding("SQLite", sqlite3.sqlite_version)
    else:
        yield Finding(
            "SQLite",
            f"{sqlite3.sqlite_version}; before 3.51.3 it can, rarely, damage a file that several programs write. "
            "Podium lets them write in turn, which avoids that; a newer Python brings a newer SQLite.",
            Verdict.NOTE,
        )


def _workspace(path: Path) -> Iterator[Finding]:
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        yield _none_yet(path)
        return
    except OSError as error:
        words = f"{path}: {error.strerror}. Where a server has it, name that: “--server unix:/path”."
        yield Finding("Workspace", words, Verdict.BAD)
        return
    yield Finding("Workspace", str(path))
    yield from _rights(path)
    yield _room(path, size)
    is_whole = True
    try:
        database = SqliteDatabase(path)
        try:
            yield from check_unfinished(database)
            is_damaged = False
            for finding in _contents(database):
                is_damaged = is_damaged or finding.verdict is Verdict.BAD
                yield finding
            yield check_item_counts(database, is_damaged=is_damaged)
            yield check_seals(database)
            yield check_permissions(database)
            yield from check_sign_in_paths(database)
        finally:
            database.close()
    except (PodiumError, sqlite3.Error, UnicodeDecodeError) as error:
        yield Finding("Database", str(error), Verdict.BAD)
        is_whole = False
    yield _backups(path, is_whole=is_whole)


def _none_yet(path: Path) -> Finding:
    try:
        check_not_lost(path)
    except DatabaseLost as error:
        return Finding("Workspace", str(error), Verdict.BAD)
    return Finding("Workspace", f"none at {path} yet; create one with “podium init”", Verdict.NOTE)


def _backups(path: Path, *, is_whole: bool) -> Finding:
    """Check the daily backups: their number, the newest, and that it can be read back."""
    kept, newest, problem = backup_state(path)
    said = f"{len(kept)}, the newest {newest.path.name}" if newest else "none yet"
    try:
        if not load().daily_backup:
            return Finding("Backups", f"{said}; no more are made: the setting “daily_backup” is off", Verdict.NOTE)
    except InvalidInput:  # another finding reports it
        pass
    if newest and not problem:
        try:
            read_back(newest.path)
        except PodiumError as error:
            problem = f"The newest, {newest.path.name}, cannot be read back: {error}"
    if problem:
        return Finding("Backups", f"{len(kept)}. {problem}", Verdict.BAD)
    if newest:
        return Finding("Backups", said)
    return Finding("Backups", f"{said}; the next change makes one", Verdict.NOTE if is_whole else Verdict.BAD)


def _rights(path: Path) -> Iterator[Finding]:
    for name in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        if not name.exists():
            continue
        mode = stat.S_IMODE(name.stat().st_mode)
        others = mode & 0o007
        yield Finding(
            f"Access to {name.name}",
            f"{mode:04o}" + (f"; open to others: run {shell_command('chmod', 'o=', str(name))}" if others else ""),
            Verdict.BAD if others else Verdict.GOOD,
        )
    try:
        check_not_read_only(path)
        check_owner(path)
        check_single_name(path)
        with faults(path):
            check_locks(path)
        check_room(path)
    except StorageError as error:
        if isinstance(error, DatabaseFull) and free_room(path.parent) >= NO_ROOM:
            yield Finding("Writing", str(error), Verdict.NOTE)
            return
        words = f"read only: {error}" if isinstance(error, DatabaseReadOnly | DatabaseFull) else str(error)
        yield Finding("Writing", words, Verdict.BAD)


def _room(path: Path, size: int) -> Finding:
    """Check that a backup, which is a copy of the workspace, fits on the disk."""
    free = free_room(path.parent)
    said = f"{free // MEGABYTE:,} MB free on its disk"
    if free < room_wanted(size):
        return Finding("Disk space", f"{said}, too little for a backup: free some space", Verdict.BAD)
    return Finding("Disk space", said)


def _contents(database: SqliteDatabase) -> Iterator[Finding]:
    connection = database.connection
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    yield Finding("Schema", f"{version} of {SCHEMA_VERSION}")
    mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    yield Finding("Journal", mode, Verdict.GOOD if mode == "wal" else Verdict.NOTE)
    try:
        if not (broken := damage(connection)):
            check_readable(connection)
    except (sqlite3.Error, UnicodeDecodeError, PodiumError) as error:
        broken = [str(error)]
    yield Finding("Quick check", broken[0] if broken else "ok", Verdict.BAD if broken else Verdict.GOOD)


def check_unfinished(database: Database) -> Iterator[Finding]:
    """Remove what killed imports and deletions left; a finding where that cannot be done."""
    sweep(database)
    if database.unwritable and database.read(lambda tx: tx.tuples("SELECT 1 FROM unfinished LIMIT 1")):
        words = "An import or a deletion was killed. Nobody sees its rows; they go once the workspace can be written"
        yield Finding("Unfinished", words, Verdict.NOTE)


def check_item_counts(database: Database, *, is_damaged: bool = False) -> Finding:
    """Check that the kept numbers of items are those of the items, and count the items again where they are not.

    Nothing is written to a database that ``is_damaged``.
    """
    wrong = database.read(_list_miscounted)
    if not wrong:
        return Finding("Item counts", "ok")
    try:
        if is_damaged:
            raise DatabaseDamaged("The database is damaged.")
        database.write(recount_wrong)
    except StorageError as error:
        words = f"wrong in {names(wrong)}, and the items cannot be counted again: {error}"
        return Finding("Item counts", words, Verdict.BAD)
    words = f"were wrong in {names(wrong)}, and the items have been counted again. This is a bug; please report it"
    return Finding("Item counts", words, Verdict.NOTE)


def _list_miscounted(tx: Tx) -> list[str]:
    """The names of the projects with wrong numbers of items."""
    chosen, params = placeholders(list_miscounted(tx))
    rows = tx.tuples(f"SELECT name FROM project WHERE id IN {chosen} ORDER BY name", **params)
    return [f"“{name}”" for (name,) in rows]


def check_permissions(database: Database) -> Finding:
    """Check the permission source: its token, and that it answers now. The token itself is never shown."""
    try:
        config = load()
        source = configured_source(config, database)
        if isinstance(source, LocalPermissions):
            return Finding("Permissions", "local: decided by the roles in this database")
        url = config.auth_url or config.auth_stage_url
        token = find_token(PERMISSIONS, url, config.auth_token_file)
    except InvalidInput as error:
        return Finding("Permissions", str(error), Verdict.BAD)
    question = _probe(database)
    try:
        authority = source.grant(
            question, CacheControl.NO_CACHE
        ).authority  # imports and connects, so it is not measured
        began = time.monotonic()
        if authority.fault is None:
            authority = source.grant(question, CacheControl.NO_CACHE).authority
    finally:
        source.close()
    asked = f"{authority.source}: {url}, with the token from {token.source}"
    if fault := authority.fault:
        return Finding("Permissions", f"{asked}. {fault.reason} (Correlation id {fault.correlation_id})", Verdict.BAD)
    answered = f"{asked}; it answered in {(time.monotonic() - began) * 1000:.0f} ms"
    in_place = decided_in_place(authority.unnamed).removesuffix(".")
    return Finding("Permissions", ". ".join(filter(None, (answered, in_place))))


def _probe(database: Database) -> PermissionQuery:
    """Return a permission query for any active user on the workspace."""
    sql = "SELECT auth_id, app_user.id FROM workspace, app_user WHERE active = 1 ORDER BY app_user.id LIMIT 1"
    rows = database.read(lambda tx: tx.query(sql))
    user, account = (rows[0]["id"], rows[0]["auth_id"]) if rows else ("", str(UUID(int=0)))
    return PermissionQuery(user, account, ALL_CODES)


def _terminal() -> Iterator[Finding]:
    term = os.environ.get("TERM", "")
    yield Finding("TERM", term or "not set", Verdict.GOOD if term not in ("", "dumb") else Verdict.NOTE)
    yield Finding("COLORTERM", os.environ.get("COLORTERM", "") or "not set: 256 colours or fewer")
    if os.environ.get("NO_COLOR"):
        yield Finding("NO_COLOR", "set: Podium draws without colours")
    encoding = locale.getpreferredencoding(False)
    utf8 = encoding.lower().replace("-", "") == "utf8"
    yield Finding(
        "Locale",
        encoding if utf8 else f"{encoding}; choose plain ASCII signs in Settings, or a UTF-8 locale",
        Verdict.GOOD if utf8 else Verdict.NOTE,
    )
    ttys = [name for name, stream in (("stdin", sys.stdin), ("stdout", sys.stdout)) if stream and stream.isatty()]
    yield Finding(
        "Terminal", " and ".join(ttys) or "none: the screens need one", Verdict.GOOD if ttys else Verdict.NOTE
    )
    if ttys:
        size = shutil.get_terminal_size()
        yield Finding("Size", f"{size.columns} by {size.lines}")
