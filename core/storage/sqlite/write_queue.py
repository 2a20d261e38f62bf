"""Locks on files beside a database. The system releases them when the process ends, even if it is killed.

``DB.lock`` is the write lock: it keeps commits and checkpoints of several processes apart, and each wait short.
``DB.server`` is locked by the one server of a workspace while it runs.
"""

from __future__ import annotations

import contextlib
import errno
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from pathlib import Path

from core.errors import DatabaseBusy, StorageError, UnsafeFile
from core.files.own_files import check_owner, make_own, open_own
from core.storage.sqlite.faults import faults
from core.storage.sqlite.hard_links import check_single_name

try:
    import fcntl
except ImportError:  # not a POSIX system: the busy time-out of SQLite alone orders the writers there
    fcntl = None  # type: ignore[assignment]

HELD = (errno.EWOULDBLOCK, errno.EACCES)
"""Errors for a lock that another process has (flock(2); EACCES where it is emulated by fcntl)."""


UNWRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS)

SHORT_WAITS = (0.001, 0.002, 0.003, 0.004)
"""Seconds between the first looks at a lock: most commits end within them, and then no thread has to wait."""


@contextlib.contextmanager
def turn(path: Path, seconds: float) -> Iterator[None]:
    """Hold the write lock of the database at this path.

    Raises DatabaseBusy after ``seconds`` of waiting, UnsafeFile if the lock file is a link or not a plain file, and
    StorageError if the file system has no locks.
    """
    handle = None if fcntl is None else _open_lock_file(path, ".lock")
    if handle is None:
        yield
        return
    try:
        _check_locks_of_sqlite(handle, path)  # first: where NFS makes both locks from one, this one would end the other
        _wait_for(handle, path, seconds)
        yield
    finally:
        os.close(handle)


@contextlib.contextmanager
def only_server(path: Path, *, also: bool = False) -> Iterator[None]:
    """Be the only server of the database at this path, or with ``also`` one of several.

    Each server knows only the people who are connected to it, so people on two servers do not see each other's
    presence. Raises DatabaseBusy while another server runs; UnsafeFile for a lock file that is a link, and for a
    database of another account or with a second name; StorageError if the file system has no locks. A missing database
    is not locked.
    """
    with faults(path):
        there = path.exists()
        if there:
            check_owner(path)
            check_single_name(path)
        handle = _open_lock_file(path, ".server") if there and fcntl is not None else None
    if handle is None:
        yield
        return
    try:
        try:
            _wait_for(handle, path, 0)
        except DatabaseBusy:
            if not also:
                raise DatabaseBusy(
                    f"Another “podium serve” runs on {path}. Stop it first. With --also it runs beside the other, "
                    "and people of one do not see who is online on the other."
                ) from None
        yield
    finally:
        os.close(handle)


def check_locks(path: Path) -> None:
    """Raise StorageError if the file system has no locks, as ``turn`` does, but without waiting for a lock."""
    with contextlib.suppress(DatabaseBusy), turn(path, 0):
        pass


def check_lockable(path: Path) -> None:
    """Raise StorageError if SQLite could not lock the database. Not known where no lock file can be made."""
    handle = None
    with contextlib.suppress(OSError, UnsafeFile):
        handle = None if fcntl is None else _open_lock_file(path, ".lock")
    if handle is not None:
        try:
            _check_locks_of_sqlite(handle, path)
        finally:
            os.close(handle)


def _open_lock_file(path: Path, suffix: str) -> int | None:
    """The opened lock file with this suffix; None if the folder is not writable: writing the database then fails too.

    A new file has the permissions of the database, whatever the umask, so that a group can share it.
    """
    beside = Path(f"{os.path.realpath(path)}{suffix}")
    database = os.stat(path)
    try:
        handle = make_own(beside, database.st_mode)
    except FileExistsError:
        try:
            return open_own(beside, database.st_mode)
        except OSError as error:
            if error.errno in UNWRITABLE:
                return None
            raise
    except OSError as error:
        if error.errno in UNWRITABLE:
            return None
        raise
    if os.geteuid() == 0:
        os.fchown(handle, database.st_uid, database.st_gid)
    return handle


def _check_locks_of_sqlite(handle: int, path: Path) -> None:
    """Raise StorageError if the file system has no locks by ``fcntl``, which SQLite would call busy, and wait for.

    Called before the lock of ``flock``, because NFS makes both from the same (nfs(5), “local_lock”).
    """
    try:
        fcntl.lockf(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        fcntl.lockf(handle, fcntl.LOCK_UN)
    except OSError as error:
        if error.errno not in HELD:
            raise _no_locks(path, error) from error


def _no_locks(path: Path, error: OSError) -> StorageError:
    return StorageError(
        f"{path} cannot be locked ({os.strerror(error.errno or 0)}), so two programs could write it at the same time. "
        "Nothing was changed. Move it to a file system that has locks, or turn them on there (for NFS: lockd)."
    )


def _wait_for(handle: int, path: Path, seconds: float) -> None:
    """Lock an opened file. Raises DatabaseBusy after ``seconds``, and StorageError if the file system has no locks."""
    deadline = time.monotonic() + seconds
    try:
        is_locked = _look_again(handle, SHORT_WAITS, deadline) or (seconds > 0 and _wait_in_line(handle, deadline))
    except OSError as error:
        raise _no_locks(path, error) from error
    if not is_locked:
        raise DatabaseBusy(
            f"Another program has held {path} for {seconds:.0f} seconds. Nothing was changed; try again."
        )


def _look_again(handle: int, pauses: Iterable[float], deadline: float) -> bool:
    """Lock an opened file at once or after one of these pauses; False if another program has it until the end."""
    if _lock_now(handle):
        return True
    for pause in pauses:
        if time.monotonic() + pause > deadline:
            break
        time.sleep(pause)
        if _lock_now(handle):
            return True
    return False


def _lock_now(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in HELD:
            raise
        return False
    return True


def _wait_in_line(handle: int, deadline: float) -> bool:
    """Lock an opened file when all who waited before had it; False at the deadline.

    The system keeps the line, so many programs neither wake each other nor overtake one that waits for long. A call
    for the lock has no time-out, so a thread makes it, with a descriptor of its own for the same open file. Both
    descriptors hold the lock. After the deadline the caller closes the first, and the thread closes the second as soon
    as the lock is its own, which frees it for the next.
    """
    ended = threading.Event()
    refused: list[OSError] = []

    def lock(own: int) -> None:
        try:
            fcntl.flock(own, fcntl.LOCK_EX)
        except OSError as error:
            refused.append(error)
        finally:
            os.close(own)
            ended.set()

    if not _start_with_copy(lock, handle):
        return _look_again(handle, repeat(SHORT_WAITS[-1]), deadline)
    if not ended.wait(max(deadline - time.monotonic(), 0)):
        return False
    if refused:
        raise refused[0]
    return True


def _start_with_copy(run: Callable[[int], None], handle: int) -> bool:
    """Start a thread with a descriptor of its own; False where this account can have no more of one of the two."""
    try:
        own = os.dup(handle)
    except OSError:
        return False
    try:
        threading.Thread(target=run, args=[own], name="write lock", daemon=True).start()
    except RuntimeError:
        os.close(own)
        return False
    return True
