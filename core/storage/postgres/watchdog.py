"""The end of statements that run longer than their transaction may, or that are cancelled.

One thread looks at all transactions of a database. It asks the server to stop a statement that is late, and closes the
socket if the server does not answer, as when its process hangs. A commit is never stopped: with synchronous replication
PostgreSQL would then call it done although no standby has it. Its socket is closed, and a new connection asks about it.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg

from core.storage.deadline import Deadline
from core.storage.postgres.connections import PooledConnection
from core.storage.postgres.faults import is_gone

CHECK_SECONDS = 0.1
"""Seconds between two looks at all transactions."""

ANSWER_SECONDS = 5.0
"""Seconds in which the server has to stop a statement."""

COMMIT_SECONDS = 10.0
"""Seconds for which a commit waits, as for a synchronous standby. Asking what became of it takes as long again, and the
sender of a request still learns the answer."""


@dataclass
class Watched:
    """A transaction under watch."""

    connection: PooledConnection
    deadline: Deadline
    lock: threading.Lock
    asked_at: float = 0.0
    """The time at which the server was asked to stop the statement; 0 before."""
    commit_ends: float = 0.0
    """The time at which the socket is closed under a commit; 0 before the commit."""

    def begin_commit(self) -> None:
        """Let nothing stop what follows. Raises Cancelled or TookTooLong if a request to stop is on its way already."""
        with self.lock:
            if not self.asked_at:
                self.commit_ends = time.monotonic() + COMMIT_SECONDS
        if not self.commit_ends:
            self.deadline.check()

    def is_late(self) -> bool:
        """Return True if the statement or the commit has lasted too long, or the statement is not needed any more."""
        return time.monotonic() > self.commit_ends if self.commit_ends else self.deadline.is_over_by_clock()


class Watchdog:
    """Stops the statements of transactions at their deadlines."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: dict[int, Watched] = {}
        self._thread: threading.Thread | None = None
        self._is_needed = threading.Event()

    @contextlib.contextmanager
    def watching(self, connection: PooledConnection, deadline: Deadline) -> Iterator[Watched]:
        """Around a transaction. Raises Cancelled or TookTooLong where its statement was stopped."""
        watched = Watched(connection, deadline, self._lock)
        with self._lock:
            self._watched[id(watched)] = watched
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="podium-deadlines", daemon=True)
                self._thread.start()
        self._is_needed.set()
        try:
            yield watched
        except psycopg.OperationalError as error:
            if is_gone(error) and not deadline.is_cancelled:  # the server did not stop it: nobody answers there
                raise
            deadline.check()
            raise
        finally:
            with self._lock:
                del self._watched[id(watched)]
            if watched.asked_at:
                connection.close()  # the request to stop may arrive later

    def stop(self) -> None:
        """End the thread. The next transaction starts another one."""
        with self._lock:
            self._thread = None
        self._is_needed.set()

    def _watch(self) -> None:
        while self._is_needed.wait():
            time.sleep(CHECK_SECONDS)
            with self._lock:
                if self._thread is not threading.current_thread():
                    return
                if not self._watched:
                    self._is_needed.clear()
                late = [each for each in self._watched.values() if each.is_late()]
                new = [each for each in late if not each.asked_at]
                for each in new:
                    each.asked_at = time.monotonic()
            for each in new:  # in threads of their own, since a server that hangs answers none of them
                if each.commit_ends:
                    continue
                threading.Thread(target=_cancel, args=[each.connection], daemon=True).start()
            for each in late:
                if each.commit_ends or time.monotonic() - each.asked_at > ANSWER_SECONDS:
                    _close_socket(each.connection)


def _cancel(connection: PooledConnection) -> None:
    """Ask the server to stop the statement of a connection."""
    with contextlib.suppress(psycopg.Error):
        connection.cancel_safe(timeout=ANSWER_SECONDS)


def _close_socket(connection: PooledConnection) -> None:
    """Make the thread that waits for the server go on, with the error of a broken connection."""
    with contextlib.suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(connection.fileno())) as copy:
        copy.shutdown(socket.SHUT_RDWR)
