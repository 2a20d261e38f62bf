"""Opening and writing of Podium's own files, beside a database or in a folder that others can write to.

Another user with write access to the folder could put a link at a path that Podium is about to open, and so have a
third file read, overwritten or given another mode. Therefore these functions never follow a link, never trust a file
that already existed, and set a mode only on files that the same call has created.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

from core.errors import DatabaseBusy, InvalidInput, UnsafeFile

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

MAX_MODE = 0o660
"""The widest mode of Podium's files: access for the owner and, in a shared folder, for the group."""

AS_ROOT = "PODIUM_AS_ROOT"
"""The environment variable that lets root open a workspace of another account."""

PART = ".podium-part"
"""The ending of a database that is being written and does not have its final name yet."""

RESERVED = ("-wal", "-shm", "-journal", ".lock", ".server", PART, ".podium-failed")
"""Endings of files that SQLite and Podium keep beside a database, and may overwrite or remove."""

MAX_NAME_LENGTH = 239
"""Bytes of a file name: most systems allow 255, and 16 are reserved for endings."""

OF_THE_DAY = re.compile(r"-\d{8}T\d{6}(\.[^.]*)?\Z", re.ASCII)
"""Matches the end of the names of daily backups, with the suffix of their database."""

APPLICATION_ID = 0x506F6469
"""The application id in the header of Podium's databases ("Podi")."""

HEADER = b"SQLite format 3\0"
"""The first bytes of a database (sqlite.org/fileformat.html, section 1.3.1)."""

DUMP_HEADER = b"PGDMP"
"""The first bytes of a backup of PostgreSQL."""

NO_LINK = os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""Flags for opening files that another user may have created: no link is followed, and no pipe waited for."""


def open_own(path: Path, mode: int = 0o600) -> int:
    """Open a file for reading, writing and locking, or create it with this mode, cut to ``MAX_MODE``.

    Returns the descriptor. An existing file keeps its mode. Raises UnsafeFile for a link, a file with several names and
    a special file; else OSError.
    """
    while True:
        try:
            return make_own(path, mode)
        except FileExistsError:
            check_own_file(path)
        try:
            descriptor = os.open(path, os.O_RDWR | NO_LINK)
        except FileNotFoundError:  # removed a moment ago
            continue
        try:
            _refuse(path, os.fstat(descriptor))
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor


def make_own(path: Path, mode: int = 0o600) -> int:
    """Create a file with this mode, whatever the umask, and return its descriptor. Raises OSError if it exists."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_LINK, mode & MAX_MODE)
    os.fchmod(descriptor, mode & MAX_MODE)
    return descriptor


def is_shared(folder: Path) -> bool:
    """Return True for a folder that its group can write to and that gives new files its group (setgid)."""
    return folder.stat().st_mode & 0o2070 == 0o2070


def is_blank(path: Path) -> bool:
    """Return True if a file is empty or of SQLite, which itself takes a short text for an empty database."""
    with path.open("rb") as file:
        return file.read(16) in (b"", b"SQLite format 3\0")


def make_database(path: Path) -> None:
    """Create an empty file for SQLite: private, or writable by the group in a shared folder.

    SQLite would create it with mode 0644, and it gives the -wal and -shm files the mode of the database. Raises
    OSError, and InvalidInput for a reserved name.
    """
    check_not_reserved(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(make_own(path, MAX_MODE if is_shared(path.parent) else 0o600))


def part_of(target: Path) -> Path:
    """Return the temporary path at which a database is written; ``check_not_reserved`` reserves it."""
    return target.with_name(f".{target.name}{PART}")


def check_not_reserved(target: Path) -> None:
    """Raise InvalidInput for a file name that users cannot choose.

    The name is missing or too long, or SQLite or Podium would overwrite or remove the file.
    """
    check_file_name(target)
    if OF_THE_DAY.search(target.name) and os.path.basename(os.path.realpath(target.parent)) == "backups":
        raise InvalidInput(
            "file", f"{target} is named like a daily backup, which Podium removes after a week. Choose another name."
        )
    if ending := next((each for each in RESERVED if target.name.endswith(each)), ""):
        raise InvalidInput(
            "file", f"{target} ends in {ending}, which is reserved for files beside a database. Choose another name."
        )


def check_file_name(target: Path, field: str = "file") -> None:
    """Raise InvalidInput for a path without a file name, or with one that is too long."""
    if target.name in ("", ".."):
        raise InvalidInput(field, f"“{target}” is a folder. Add a file name.")
    if (size := len(os.fsencode(target.name))) > MAX_NAME_LENGTH:
        raise InvalidInput(
            field, f"A file name can have at most {MAX_NAME_LENGTH} bytes; this one has {size}. Choose a shorter one."
        )


def check_not_link(target: Path) -> None:
    """Raise InvalidInput for a link: the target, as of /dev/stdout, would be written or the link replaced."""
    if os.path.islink(target):
        raise InvalidInput(
            "file",
            f"{target} is a link to {os.readlink(target)}. Podium does not write through links or replace them. "
            "Choose another name.",
        )


def check_folder(target: Path) -> None:
    """Raise InvalidInput if the folder of a file does not exist, since the path is probably mistyped."""
    if not os.path.isdir(target.parent):
        raise InvalidInput("file", f"There is no folder {target.parent}. Create it first, or choose another name.")


def check_not_database(target: Path, *, backups: bool = True) -> None:
    """Raise InvalidInput for a workspace, which no other file replaces; with ``backups``, also for a copy of one.

    A database with a write-ahead log is a workspace, since copies have none (bytes 18 and 19 of the header,
    sqlite.org/fileformat.html, section 1.3.3). The application id is read through SQLite, because closing a database
    file that was opened directly would drop SQLite's locks on it.
    """
    if not target.is_file():  # reading a pipe would block
        return
    try:
        with contextlib.closing(
            sqlite3.connect(f"{target.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        ) as found:
            is_ours = found.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    except sqlite3.Error:
        return
    if is_ours and (backups or _has_log(target)):
        raise InvalidInput("file", f"{target} is a database of Podium and is not replaced. Choose another name.")


def _has_log(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(20)[18:] == b"\2\2"


def check_own_file(path: Path) -> None:
    """Raise UnsafeFile if ``open_own`` would, for files that SQLite opens by name. Can raise OSError."""
    with contextlib.suppress(FileNotFoundError):
        _refuse(path, os.lstat(path))


def check_files_beside(database: Path) -> None:
    """Raise UnsafeFile if SQLite would follow a link, or use a special file, in place of a file beside the database."""
    whole = os.path.realpath(database)  # SQLite follows links to the database and puts them beside the file itself
    for suffix in ("-wal", "-shm", "-journal"):
        check_own_file(Path(whole + suffix))


def check_owner(path: Path) -> None:
    """Raise UnsafeFile for root, whom no file mode restricts, if the file belongs to another account.

    The owner could replace the files beside it by links at any moment. ``PODIUM_AS_ROOT=1`` allows it, for containers
    whose only account is root.
    """
    if os.name != "posix" or os.geteuid() != 0 or os.environ.get(AS_ROOT) == "1":
        return
    owner = os.stat(path).st_uid
    if owner != 0:
        name = account_name(owner)
        raise UnsafeFile(
            f"{path} belongs to {name}, and root opens only its own workspaces. Run “sudo -u {name} podium …”, or set "
            f"{AS_ROOT}=1 where that account is trusted with this machine."
        )


def account_name(uid: int) -> str:
    """Return the name of an account of this machine; ``#1007``, as sudo takes it, for one without a name."""
    try:
        import pwd

        return pwd.getpwuid(uid).pw_name
    except (ImportError, KeyError):
        return f"#{uid}"


def own_folder(path: Path, mode: int = 0o700) -> Path:
    """Return the folder, created with this mode if it is missing. Raises OSError, or UnsafeFile if it is no folder."""
    try:
        path.mkdir(mode=mode)
    except FileExistsError:
        found = os.lstat(path)
        if not stat.S_ISDIR(found.st_mode):
            raise UnsafeFile(f"{path} is {_kind(found)}, not a folder, so Podium does not use it. Remove it.") from None
        return path
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | NO_LINK)
    try:
        os.fchmod(descriptor, mode)  # mkdir applies the umask
    finally:
        os.close(descriptor)
    return path


def is_same(path: Path, descriptor: int) -> bool:
    """Return True if the open file is the one at the path, without following a link."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False
    return os.path.samestat(found, os.fstat(descriptor))


def is_locked(descriptor: int) -> bool:
    """Return True if another program has locked this file, by flock or lockf; else lock it until it is closed."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # some network file systems raise the latter
        return True
    return False


@contextlib.contextmanager
def open_unfinished(part: Path, mode: int = 0o600) -> Iterator[int]:
    """Create a temporary file whose writer gives it its final name by ``put``. Yields its descriptor.

    The name is fixed and the file is locked while it is written, so that only one of several programs writes it at a
    time, and the next one removes the file of a program that was killed. Raises DatabaseBusy while another program
    writes it, UnsafeFile, and OSError.
    """
    descriptor = _claim_file(part, mode)
    try:
        yield descriptor
    finally:
        if is_same(part, descriptor):
            part.unlink()
        os.close(descriptor)


def _claim_file(part: Path, mode: int) -> int:
    while True:
        try:
            descriptor = make_own(part, mode)
        except FileExistsError:
            if not remove_left(part):
                raise DatabaseBusy(f"Another program is writing {part} now. Wait until it is done.") from None
            continue
        if not is_locked(descriptor) and is_same(part, descriptor):
            return descriptor
        os.close(descriptor)  # another program found it before it was locked, and removed it


def remove_left(path: Path) -> bool:
    """Remove the unfinished file of a program that was killed; return False while a program has it locked.

    A link is removed and not followed, and so is one of several names of a file. Raises OSError, and UnsafeFile for a
    special file and for a file that is not the beginning of a database.
    """
    try:
        if stat.S_ISLNK(found := os.lstat(path).st_mode):
            path.unlink()
            return True
        if not stat.S_ISREG(found):
            check_own_file(path)
        descriptor = os.open(path, os.O_RDWR | NO_LINK)
    except FileNotFoundError:
        return True
    try:
        if is_locked(descriptor):
            return False
        if is_same(path, descriptor):
            _refuse_others(path, descriptor)
            path.unlink()
        return True
    finally:
        os.close(descriptor)


def _refuse_others(path: Path, descriptor: int) -> None:
    """Raise UnsafeFile for a file that cannot be the beginning of a database.

    Such a beginning is empty, or has the header of a database or a backup, or zeros if nothing was written there yet.
    """
    start = os.pread(descriptor, len(HEADER), 0)
    is_own = start == HEADER or start.startswith(DUMP_HEADER)
    if start.strip(b"\0") and not is_own and os.fstat(descriptor).st_nlink == 1:
        raise UnsafeFile(f"{path} is not a file of Podium, so it stays. Move it away, and try again.")


def write_whole(path: Path, data: bytes, *, replace: bool = True) -> None:
    """Write a private file atomically and durably. Raises OSError as ``put`` does."""
    import tempfile

    descriptor, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.", suffix=".part")
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        put(Path(part), path, replace=replace)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)


def put(part: Path, path: Path, *, replace: bool) -> None:
    """Rename the finished temporary file ``part`` to ``path``, durably.

    A link at ``path`` is replaced and not followed; for a name that a user chose, call ``check_not_link`` first. Raises
    OSError: FileExistsError if the path exists and ``replace`` is False, or if it is a device, a pipe or a folder.
    """
    if replace:
        with contextlib.suppress(FileNotFoundError):
            if not stat.S_ISREG(mode := os.lstat(path).st_mode) and not stat.S_ISLNK(mode):
                raise FileExistsError(errno.EEXIST, "It is not a regular file", str(path))
        os.replace(part, path)
    else:
        try:
            os.link(part, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, "It exists already", str(path)) from None
            os.replace(part, path)
        else:
            os.unlink(part)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable, if the system can do that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _refuse(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
        raise UnsafeFile(f"{path} is {_kind(found)}, so Podium does not open it. Remove it, and try again.")


def _kind(found: os.stat_result) -> str:
    if stat.S_ISLNK(found.st_mode):
        return "a link"
    if stat.S_ISREG(found.st_mode):
        return "a file with a second name" if found.st_nlink > 1 else "a file"
    return "not a file"
