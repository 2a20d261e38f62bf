"""Connections to a file of SQLite, one for each thread, of which none is closed while its thread uses it.

The threads are those of ``core.server.requests.bounds.fair_queue``, or without a server of ``core.backends.local``.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

from core.storage.sqlite.opened_file import OpenedFile

# trusted_schema stays on: triggers of older versions of SQLite need it to write to FTS5. secure_delete is set, as its
# default is a choice of who built SQLite. ON writes each freed page into the log, so nothing large could be deleted on
# a full disk. FAST overwrites what is deleted in pages that are written anyway; pages that are free as a whole keep
# their text until they are used again, or until VACUUM.
PRAGMAS = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA temp_store = MEMORY",
    "PRAGMA journal_size_limit = 67108864",
    "PRAGMA secure_delete = FAST",
)


class GuardedConnection(sqlite3.Connection):
    """A connection that leaves a file alone that took the place of its own, also when it is closed."""

    file: OpenedFile | None = None

    def leave(self) -> None:
        """Let go of the file, before SQLite closes the connection."""
        file, self.file = self.file, None
        if file is not None:
            file.leave(self)

    def close(self) -> None:
        self.leave()
        super().close()

    def __del__(self) -> None:
        """Python closes a connection that nobody uses any more."""
        self.leave()


_OPEN: weakref.WeakSet[GuardedConnection] = weakref.WeakSet()


@atexit.register
def _leave_all() -> None:
    """Leave all connections while Python is whole, since it closes them when it no longer is."""
    for connection in [*_OPEN]:
        connection.leave()


class ThreadConnections:
    """The open connections. SQLite crashes the process if a statement runs while another thread closes its connection.

    >>> with connections.using() as connection:
    ...     connection.execute("SELECT 1")
    """

    def __init__(self, connection: Callable[[], sqlite3.Connection]) -> None:
        """``connection`` returns the open connection of the calling thread."""
        self._connection = connection
        self._in_use: dict[sqlite3.Connection, threading.RLock] = {}

    def __bool__(self) -> bool:
        return bool(self._in_use)

    def add(self, connection: sqlite3.Connection) -> None:
        """Keep a connection, which the calling thread opened."""
        self._in_use[connection] = threading.RLock()

    def close(self, connection: sqlite3.Connection) -> None:
        """Close the connection of the calling thread."""
        self._in_use.pop(connection, None)
        connection.close()

    def close_all(self) -> None:
        """Close the connections of all threads, each after the transaction that its thread has under way."""
        with contextlib.ExitStack() as idle:  # the first that closes may take the file from all (OpenedFile.leave)
            locked: dict[sqlite3.Connection, threading.RLock] = {}
            while opened := {each: in_use for each, in_use in [*self._in_use.items()] if each not in locked}:
                for in_use in opened.values():
                    idle.enter_context(in_use)
                locked |= opened  # and those that others have opened meanwhile
            for connection in reversed(locked):  # the last folds its log into the file: the oldest has the true one
                with contextlib.suppress(sqlite3.Error):
                    self.close(connection)

    @contextlib.contextmanager
    def using(self) -> Iterator[sqlite3.Connection]:
        """The connection of the calling thread, which other threads do not close until the end.

        Raises sqlite3.ProgrammingError if one closed it before.
        """
        connection = self._connection()
        in_use = self._in_use.get(connection)
        if in_use is not None:
            with in_use:
                if connection in self._in_use:
                    yield connection
                    return
        raise sqlite3.ProgrammingError("Cannot operate on a closed database.")


def connect(path: Path, mode: str, busy_seconds: float) -> GuardedConnection:
    """Return a new connection to a file in autocommit mode; ``mode`` are the parameters of its URI.

    Raises sqlite3.Error.
    """
    made = sqlite3.connect(
        f"{Path(os.path.abspath(path)).as_uri()}?{mode}",
        uri=True,
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
        factory=GuardedConnection,
    )
    _OPEN.add(made)
    return made


def prepare(connection: sqlite3.Connection, synchronous: str) -> None:
    """Set a new connection up. Raises sqlite3.Error."""
    for pragma in (*PRAGMAS, f"PRAGMA synchronous = {synchronous}"):
        connection.execute(pragma)
    connection.execute("PRAGMA user_version").fetchone()  # makes SQLite create its files beside the database
