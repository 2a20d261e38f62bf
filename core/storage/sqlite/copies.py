"""Copies a database while others go on using it: in one transaction, with a check for free space, and read back."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from core.errors import DatabaseDamaged, DatabaseFull, InvalidInput, StorageError, UnsafeFile
from core.files.own_files import (
    APPLICATION_ID,
    HEADER,
    NO_LINK,
    check_folder,
    check_not_database,
    check_not_link,
    check_not_reserved,
    is_same,
    put,
)
from core.storage.schema.integrity import damage, has_unfinished
from core.storage.sqlite.disk_space import MIN_ROOM, free_room
from core.storage.sqlite.faults import faults

AT_ONCE = 2048
"""Pages that are copied between two checks of the free space: 8 MB with pages of the usual size."""

ROLLBACK_JOURNAL = b"\1\1"
"""Bytes 18 and 19 of a database without a log (sqlite.org/fileformat.html, section 1.3.3)."""


def make_copy(
    path: Path,
    source: sqlite3.Connection,
    part: Path,
    descriptor: int,
    target: Path,
    *,
    replace: bool = True,
    at: datetime | None = None,
) -> Path:
    """Copy the database at ``path`` into the open, unfinished file ``part``, read it back, and rename it to ``target``.

    ``at`` becomes the time of the file. Raises StorageError, and InvalidInput if ``target`` exists and not ``replace``.
    """
    expected = _copy_database(path, source, part, descriptor)
    os.pwrite(descriptor, ROLLBACK_JOURNAL, 18)
    os.fsync(descriptor)
    with contextlib.suppress(AttributeError, OSError):  # drops it from memory, so that it is read from the disk
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    try:
        found = read_back(part)
    except DatabaseDamaged as error:
        reason = str(error).removeprefix(f"{part} is damaged: ")
        raise DatabaseDamaged(f"The backup was not kept, because {path} is damaged: {reason}") from error
    if found != expected or not is_same(part, descriptor):
        raise StorageError(f"The backup was not kept: {part} does not hold what {path} does. Try again.")
    if at is not None:
        os.utime(descriptor, (at.timestamp(), at.timestamp()))
    try:
        put(part, target, replace=replace)
    except FileExistsError:
        raise there_already(target) from None
    return target


def is_whole(path: Path) -> bool:
    """Return True if a file is a database of Podium with all of its pages, judged by its header and size alone.

    ``read_back`` reads the pages. Bytes 16 and 17 are the size of a page, 28 to 31 the number of pages, and 68 to 71
    the application (sqlite.org/fileformat.html, section 1.3).
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | NO_LINK)
        try:
            header, size = os.pread(descriptor, 100, 0), os.fstat(descriptor).st_size
        finally:
            os.close(descriptor)
    except OSError:
        return False
    page, pages, application = (int.from_bytes(header[at:end], "big") for at, end in ((16, 18), (28, 32), (68, 72)))
    enough = (1 << 16 if page == 1 else page) * pages  # 1 stands for 65,536
    return header.startswith(HEADER) and application == APPLICATION_ID and 0 < enough <= size


def read_back(path: Path) -> dict[str, object]:
    """Check a backup without changing it. Return its inventory: the SQL of its tables, and their numbers of rows.

    Raises DatabaseDamaged.
    """
    place = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        with contextlib.closing(sqlite3.connect(place, uri=True)) as copy:
            if broken := damage(copy):
                raise DatabaseDamaged(f"{path} is damaged: {broken[0]}.")
            return _inventory(copy)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise DatabaseDamaged(f"{path} is damaged: {error}.") from error


def room_wanted(size: int) -> int:
    """The free bytes that a copy of ``size`` bytes needs, with a reserve for what others write meanwhile."""
    return size + size // 10 + MIN_ROOM


def check_room_for(folder: Path, size: int) -> None:
    """Raise DatabaseFull unless a copy of ``size`` bytes fits into the folder."""
    wanted = room_wanted(size)
    if (free := free_room(folder)) < wanted:
        raise DatabaseFull(
            f"No room for a copy on the disk of {folder}: it takes {wanted:,} bytes with a reserve, and {free:,} are "
            "free. Make room and retry."
        )


def check_target(target: Path, *, replace: bool, workspace: Path | None = None) -> None:
    """Raise InvalidInput for a reserved name, a link, a missing folder, a workspace, and an existing file.

    With ``replace``, an existing file is accepted. ``workspace`` is the file that is copied.
    """
    check_not_reserved(target)
    check_folder(target)
    check_not_link(target)
    if workspace is not None and target.exists() and target.samefile(workspace):
        raise InvalidInput("file", f"{target} is the workspace itself. Choose another name.")
    check_not_database(target, backups=False)
    with faults(target):
        if os.path.lexists(target) and not (replace and target.is_file()):
            raise there_already(target)


def there_already(target: Path) -> InvalidInput:
    """The error for a target that exists: a file needs --force, a folder or a device is never replaced."""
    if not target.is_file():
        return InvalidInput("file", f"{target} is there already and cannot be replaced. Choose another name.")
    return InvalidInput("file", f"{target} is there already. Choose another name, or add --force.")


def _copy_database(path: Path, source: sqlite3.Connection, part: Path, descriptor: int) -> dict[str, object]:
    """Copy a database in one transaction, and return its inventory. The copy has no journal, because an unfinished copy
    is removed."""
    with faults(path):
        source.execute("BEGIN")  # the inventory and the copy are of the same state
        try:
            pages, size = (source.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
            check_room_for(part.parent, pages * size)
            expected = _inventory(source)
            with faults(part), contextlib.closing(sqlite3.connect(part, isolation_level=None)) as copy:
                copy.execute("PRAGMA journal_mode = OFF")
                copy.execute("PRAGMA synchronous = OFF")
                if not is_same(part, descriptor):
                    raise UnsafeFile(f"Another file was put in the place of {part}. Nothing was written; try again.")
                source.backup(copy, pages=AT_ONCE, progress=partial(_refuse_filling, part.parent, pages * size))
                if _leave_out_unfinished(copy):
                    expected = _inventory(copy)
        finally:
            source.execute("ROLLBACK")
    return expected


def _leave_out_unfinished(copy: sqlite3.Connection) -> bool:
    """Delete the rows of projects whose import or deletion is not finished, or was killed. Returns False if none is."""
    if not has_unfinished(copy):
        return False
    of_projects = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND EXISTS"
        " (SELECT 1 FROM pragma_table_info(sqlite_master.name) AS of_table WHERE of_table.name = 'project_id')"
    )
    tables = [name for (name,) in copy.execute(of_projects) if name != "unfinished"]
    for table in (*tables, "unfinished"):
        copy.execute(f"DELETE FROM {table} WHERE project_id IN (SELECT project_id FROM unfinished)")
    return True


def _refuse_filling(folder: Path, size: int, _: int, remaining: int, __: int) -> None:
    """Raise DatabaseFull when other programs have taken so much space that half of the reserve is gone."""
    if remaining and free_room(folder) < (room_wanted(size) - size) // 2:
        raise DatabaseFull(
            f"No room is left for the copy on the disk of {folder}. It was given up; make room and retry."
        )


def _inventory(connection: sqlite3.Connection) -> dict[str, object]:
    """The SQL of each table and index, and the number of rows of each table that stores rows itself."""
    forms: list[Any] = connection.execute("SELECT type, name, rootpage > 0, sql FROM sqlite_master").fetchall()
    found: dict[str, object] = {f"{kind} {name}": sql for kind, name, _, sql in forms}
    for kind, name, has_rows, _ in forms:
        if kind == "table" and has_rows:
            quoted = name.replace('"', '""')
            found[f"rows of {name}"] = connection.execute(f'SELECT count(*) FROM "{quoted}"').fetchone()[0]
    return found
