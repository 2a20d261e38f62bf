"""Files of Podium beside a database, or in a folder that others may write: how they are opened and written.

Who may write in a folder can put a link there, under a name that Podium is about to open, and so have a file of
another person read, written or given another mode. So nothing here goes through a link, nothing is believed of a file
that was there before, and a mode is set only on what the same call has made.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from core.errors import DatabaseBusy, InvalidInput, UnsafeFile

try:
    import fcntl
except ImportError:  # not a POSIX system
    fcntl = None  # type: ignore[assignment]

MAX_MODE = 0o660
"""The most that a file of Podium may permit: its owner and, in a shared folder, the group."""

AS_ROOT = "PODIUM_AS_ROOT"
"""The environment variable that lets root open a workspace of another account."""

PART = ".podium-part"
"""Ending of a database that is being written, until it has its name."""

RESERVED = ("-wal", "-shm", "-journal", ".lock", ".server", PART, ".podium-failed")
"""Endings of the files that SQLite and Podium keep beside a database, and overwrite and remove."""

MAX_NAME_LENGTH = 239
"""Bytes of a file's name: most systems allow 255, and 16 are left for what is added to it."""

OF_THE_DAY = re.compile(r"-\d{8}T\d{6}(\.[^.]*)?\Z", re.ASCII)
"""How the names of the backups of the day end, with the ending of their database."""

APPLICATION_ID = 0x506F6469
"""Marks a database as Podium's ("Podi")."""

HEADER = b"SQLite format 3\0"
"""The first bytes of a database (sqlite.org/fileformat.html, section 1.3.1)."""

NO_LINK = os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""Flags for every file that may have been put there by another person; a pipe is not waited for."""


def open_own(path: Path, mode: int = 0o600) -> int:
    """Open a file to read, write and lock it, or make it with this mode, cut to ``MAX_MODE``; its descriptor.

    One that is there keeps its mode. Raises UnsafeFile for a link, a file with a second name and whatever is no file,
    else OSError.
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
    """Make a file that is not there, with this mode whatever the umask; its descriptor. Raises OSError."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_LINK, mode & MAX_MODE)
    os.fchmod(descriptor, mode & MAX_MODE)
    return descriptor


def is_shared(folder: Path) -> bool:
    """Whether a folder is set up so that what is made in it is its group's to write."""
    return folder.stat().st_mode & 0o2070 == 0o2070


def make_database(path: Path) -> None:
    """Make an empty file before SQLite does: private, or the group's in a folder that is set up for sharing.

    SQLite gives the -wal and -shm files the mode of the database, and creates it 0644 by itself. Raises OSError, and
    InvalidInput for a reserved name.
    """
    check_not_reserved(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.close(make_own(path, MAX_MODE if is_shared(path.parent) else 0o600))


def part_of(target: Path) -> Path:
    """The path at which a database is written before it gets its name; ``check_not_reserved`` keeps it free."""
    return target.with_name(f".{target.name}{PART}")


def check_not_reserved(target: Path) -> None:
    """Raise InvalidInput for a name that a file of a person cannot have.

    It is none, it is too long, or SQLite or Podium would overwrite or remove the file.
    """
    check_file_name(target)
    if OF_THE_DAY.search(target.name) and os.path.basename(os.path.realpath(target.parent)) == "backups":
        raise InvalidInput(
            "file", f"{target} has a name of the daily backups, which Podium removes after a week. Choose another name."
        )
    if ending := next((each for each in RESERVED if target.name.endswith(each)), ""):
        raise InvalidInput(
            "file", f"{target} ends in {ending}, as files do that are kept beside a database. Choose another name."
        )


def check_file_name(target: Path, field: str = "file") -> None:
    """Raise InvalidInput for a path that ends in no name of a file, or in one that is too long."""
    if target.name in ("", ".."):
        raise InvalidInput(field, f"“{target}” is a folder. Add the name of a file.")
    if (size := len(os.fsencode(target.name))) > MAX_NAME_LENGTH:
        raise InvalidInput(
            field, f"The name of the file has {size} bytes, and {MAX_NAME_LENGTH} is the most. Choose a shorter one."
        )


def check_not_link(target: Path) -> None:
    """Raise InvalidInput for a link: others reach by it what it leads to, as by /dev/stdout."""
    if os.path.islink(target):
        raise InvalidInput(
            "file",
            f"{target} is a link to {os.readlink(target)}. No file is written through a link, and no link is replaced. "
            "Choose another name.",
        )


def check_folder(target: Path) -> None:
    """Raise InvalidInput where the folder of a file is not there: it is more often a slip than meant, as with cp."""
    if not os.path.isdir(target.parent):
        raise InvalidInput("file", f"There is no folder {target.parent}. Make it first, or choose another name.")


def check_not_database(target: Path, *, backups: bool = True) -> None:
    """Raise InvalidInput where a workspace stands, which no other file replaces; or, with ``backups``, a copy of one.

    What has a log (bytes 18 and 19, sqlite.org/fileformat.html, section 1.3.3) is a workspace, as no copy has one. It
    is read through SQLite, since to open and close a database oneself drops the locks that SQLite has on it.
    """
    if not target.is_file():  # a pipe would be waited for
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
    """Raise UnsafeFile where ``open_own`` would; for what SQLite opens by its name. OSError where it cannot be seen."""
    with contextlib.suppress(FileNotFoundError):
        _refuse(path, os.lstat(path))


def check_files_beside(database: Path) -> None:
    """Raise UnsafeFile where SQLite would follow a link, or the like, that has the name of one of its own files."""
    whole = os.path.realpath(database)  # SQLite too puts them beside the file, not beside a link to it
    for suffix in ("-wal", "-shm", "-journal"):
        check_own_file(Path(whole + suffix))


def check_owner(path: Path) -> None:
    """Raise UnsafeFile for root, who goes through every right, where a file belongs to another account.

    Its owner can put links in the place of what stands beside it at any moment. ``PODIUM_AS_ROOT=1`` allows it, for
    containers whose only account is root.
    """
    if os.name != "posix" or os.geteuid() != 0 or os.environ.get(AS_ROOT) == "1":
        return
    owner = os.stat(path).st_uid
    if owner != 0:
        import pwd

        try:
            name = pwd.getpwuid(owner).pw_name
        except KeyError:
            name = f"#{owner}"
        raise UnsafeFile(
            f"{path} belongs to {name}, and root opens only its own workspaces. Say “sudo -u {name} podium …”, or set "
            f"{AS_ROOT}=1 where that account is trusted with this machine."
        )


def own_folder(path: Path, mode: int = 0o700) -> Path:
    """The folder, made with this mode where there is none. Raises OSError, and UnsafeFile for what is no folder."""
    try:
        path.mkdir(mode=mode)
    except FileExistsError:
        found = os.lstat(path)
        if not stat.S_ISDIR(found.st_mode):
            raise UnsafeFile(f"{path} is {_kind(found)} and no folder, so Podium does not use it. Remove it.") from None
        return path
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | NO_LINK)
    try:
        os.fchmod(descriptor, mode)  # whatever the umask
    finally:
        os.close(descriptor)
    return path


def is_same(path: Path, descriptor: int) -> bool:
    """Whether the open file is what stands at the path, and not behind a link."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False
    return os.path.samestat(found, os.fstat(descriptor))


def is_locked(descriptor: int) -> bool:
    """Whether a program has this file locked, by either kind of lock; else it is locked for us until it is closed."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # the latter where a network file system says it so
        return True
    return False


@contextlib.contextmanager
def unfinished(part: Path, mode: int = 0o600) -> Iterator[int]:
    """A new file to write something into that is ``put`` in its place when it is whole; its descriptor.

    It has a fixed name and is locked while it is written, so that programs that make the same at the same time make it
    once, and what one of them leaves that was killed is removed by the next. Raises DatabaseBusy while another program
    writes it, UnsafeFile, and OSError.
    """
    descriptor = _claimed(part, mode)
    try:
        yield descriptor
    finally:
        if is_same(part, descriptor):
            part.unlink()
        os.close(descriptor)


def _claimed(part: Path, mode: int) -> int:
    while True:
        try:
            descriptor = make_own(part, mode)
        except FileExistsError:
            if not remove_left(part):
                raise DatabaseBusy(f"Another program is writing {part} now. Wait until it is done.") from None
            continue
        if not is_locked(descriptor) and is_same(part, descriptor):
            return descriptor
        os.close(descriptor)  # another program took it for one that was left


def remove_left(path: Path) -> bool:
    """Remove an unfinished file that a program left when it was killed; False while one has it locked.

    A link, or one of several names of a file, is removed and not followed. Raises UnsafeFile for what is no file and
    for a file that is not the beginning of a database, and OSError.
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
    """Raise UnsafeFile for a file that no program left when it was killed while it wrote a database.

    Such a file is empty, or begins as a database does, or with zeros where the first page was not written yet.
    """
    start = os.pread(descriptor, len(HEADER), 0)
    if start.strip(b"\0") and start != HEADER and os.fstat(descriptor).st_nlink == 1:
        raise UnsafeFile(f"{path} is not a file of Podium, so it stays. Move it away, and try again.")


def write_whole(path: Path, data: bytes, *, replace: bool = True) -> None:
    """Write a private file, whole or not at all, so that it is on the disk afterwards.

    Raises OSError as ``put`` does.
    """
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
    """Give a finished file, which is on the disk, its name, and have the name on the disk too.

    A link that has the name is replaced and not followed; where a person gave the name, ``check_not_link`` comes first.
    Raises OSError: FileExistsError where something is there and ``replace`` is not said, and where it is a device, a
    pipe or a folder.
    """
    if replace:
        with contextlib.suppress(FileNotFoundError):
            if not stat.S_ISREG(mode := os.lstat(path).st_mode) and not stat.S_ISLNK(mode):
                raise FileExistsError(errno.EEXIST, "It is no file", str(path))
        os.replace(part, path)
    else:
        try:
            os.link(part, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without second names
            if os.path.lexists(path):
                raise FileExistsError(errno.EEXIST, "It is there already", str(path)) from None
            os.replace(part, path)
        else:
            os.unlink(part)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk. Where a system cannot do that, it is left to it."""
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
