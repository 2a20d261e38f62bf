"""The end of statements that run longer than their transaction may, or that are cancelled.

One thread looks at all transactions of a database. It asks the server to stop a statement that is late, and closes the
socket if the server does not answer, as when its process hangs.
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

CHECK_SECONDS = 0.1
"""Seconds between two looks at all transactions."""

ANSWER_SECONDS = 5.0
"""Seconds in which the server has to stop a statement."""


@dataclass
class _Watched:
    connection: PooledConnection
    deadline: Deadline
    asked_at: float = 0.0
    """The time at which the server was asked to stop the statement; 0 before."""


class Watchdog:
    """Stops the statements of transactions at their deadlines."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._watched: dict[int, _Watched] = {}
        self._thread: threading.Thread | None = None
        self._is_needed = threading.Event()

    @contextlib.contextmanager
    def watching(self, connection: PooledConnection, deadline: Deadline) -> Iterator[None]:
        """Around a transaction. Raises Cancelled or TookTooLong where its statement was stopped."""
        watched = _Watched(connection, deadline)
        with self._lock:
            self._watched[id(watched)] = watched
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, name="podium-deadlines", daemon=True)
                self._thread.start()
        self._is_needed.set()
        try:
            yield
        except psycopg.OperationalError:
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
                late = [each for each in self._watched.values() if each.deadline.is_over_by_clock()]
                new = [each for each in late if not each.asked_at]
                for each in new:
                    each.asked_at = time.monotonic()
            for each in new:  # in threads of their own, since a server that hangs answers none of them
                threading.Thread(target=_cancel, args=[each.connection], daemon=True).start()
            for each in late:
                if time.monotonic() - each.asked_at > ANSWER_SECONDS:
                    _close_socket(each.connection)


def _cancel(connection: PooledConnection) -> None:
    """Ask the server to stop the statement of a connection."""
    with contextlib.suppress(psycopg.Error):
        connection.cancel_safe(timeout=ANSWER_SECONDS)


def _close_socket(connection: PooledConnection) -> None:
    """Make the thread that waits for the server go on, with the error of a broken connection."""
    with contextlib.suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(connection.fileno())) as copy:
        copy.shutdown(socket.SHUT_RDWR)
