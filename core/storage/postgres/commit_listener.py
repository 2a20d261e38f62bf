"""Commits of other connections: one thread and one connection for each process that follow ``commit_count``.

With LISTEN the thread looks as soon as the server tells of a commit, else ten times a second.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
import time
from collections.abc import Callable

import psycopg

from core.storage.postgres.connections import Connections, PooledConnection
from core.storage.postgres.transaction import COMMITS

CHANNEL = "podium"

NOTES = "podium_notes"
"""The channel of notes: the payload is the program that put some."""

LOOK_SECONDS = 0.5
"""Seconds between two looks at most, because a notification can be lost with its connection."""

POLL_SECONDS = 0.1
"""Seconds between two looks without LISTEN."""

MAX_AGE = 2.5
"""Seconds after the last look from which the number of commits counts as unknown."""


class CommitListener:
    """The number of commits of all connections, kept in memory, and the functions to call when it grows."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._lock = threading.Lock()
        self._looking = threading.Lock()
        self._thread: threading.Thread | None = None
        self._looked = 0
        """The number of all commits at the last look."""
        self._own = 0
        """The number of all just after the newest commit of this process; 0 if the last look began later."""
        self.looked_at = 0.0
        """The time of the last look at the commits of all connections; 0 before the first."""
        self._newest = 0
        """The number of all commits at the newest commit of this process, or look."""
        self._notify: list[Callable[[], None]] = []
        self._on_note: list[Callable[[str], None]] = []

    def commits(self) -> int:
        """The number of commits as far as known; own ones are known at once. Raises psycopg.Error."""
        self._start()
        if time.monotonic() - self.looked_at > MAX_AGE:
            with contextlib.closing(self._connections.single()) as connection:
                self._look(connection)
        return self._sum()

    def add(self, newest: int) -> None:
        """Count a commit of this process, before the server tells of it. ``newest`` is the number of all just after."""
        with self._lock:
            self._own = max(newest, self._own)
            self._newest = max(newest, self._newest)

    def count_commits(self, at_least: int) -> int:
        """Return ``commits_seen`` of the protocol. Raises psycopg.Error.

        Commits of this process count as looks, since each counts those of others before it.
        """
        if self._sum() < at_least:
            with self._connections.lend() as connection:
                self._look(connection)
        return self._newest

    def on_commit(self, notify: Callable[[], None]) -> Callable[[], None]:
        """Call ``notify`` in a thread of its own after commits. Return the function that ends this."""
        self._notify.append(notify)
        self._start()
        return lambda: self._notify.remove(notify) if notify in self._notify else None

    def on_note(self, notify: Callable[[str], None]) -> Callable[[], None]:
        """Call ``notify`` with the program that put notes. Return the function that ends this."""
        self._on_note.append(notify)
        self._start()
        return lambda: self._on_note.remove(notify) if notify in self._on_note else None

    def stop(self) -> None:
        """End the thread. ``commits`` and ``on_commit`` start another one."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._stop.close()
            thread.join()
        self.looked_at = 0.0  # the thread may just have looked

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._stop, stopped = socket.socketpair()
                self._thread = threading.Thread(target=self._run, args=(stopped,), name="podium-commits", daemon=True)
                self._thread.start()

    def _run(self, stopped: socket.socket) -> None:
        """Follow the commits until the other end of ``stopped`` is closed, on a new connection after a broken one."""
        with stopped:
            while not _is_stopped(stopped, POLL_SECONDS):
                with contextlib.suppress(psycopg.Error), contextlib.closing(self._connections.single()) as connection:
                    self._follow(connection, stopped)
                    return

    def _follow(self, connection: PooledConnection, stopped: socket.socket) -> None:
        notified, seconds, known = threading.Event(), POLL_SECONDS, self._sum()

        def on_notice(notice: psycopg.Notify) -> None:
            notified.set()
            for notify in tuple(self._on_note) if notice.channel == NOTES else ():
                notify(notice.payload)

        connection.add_notify_handler(on_notice)
        if self._connections.capabilities.listen:
            connection.execute(f"LISTEN {CHANNEL}; LISTEN {NOTES}")
            seconds = LOOK_SECONDS
        while True:
            notified.clear()
            self._look(connection)
            before, known = known, self._sum()
            if known != before:
                for notify in tuple(self._notify):
                    notify()
            if _is_stopped(stopped, 0 if notified.is_set() else seconds, connection):
                return

    def _look(self, connection: PooledConnection) -> None:
        with self._looking:  # so that no older look replaces a newer one
            own = self._own
            ((looked,),) = connection.execute(COMMITS).fetchall()
            with self._lock:
                self._looked, self.looked_at = looked, time.monotonic()
                self._newest = max(looked, self._newest)
                if self._own == own:
                    self._own = 0

    def _sum(self) -> int:
        with self._lock:
            return max(self._looked, self._own)


def _is_stopped(stopped: socket.socket, seconds: float, connection: PooledConnection | None = None) -> bool:
    """Wait until the server sends something. Return True if the other end of ``stopped`` was closed."""
    with selectors.DefaultSelector() as waiting:
        waiting.register(stopped, selectors.EVENT_READ)
        if connection is not None:
            waiting.register(connection.fileno(), selectors.EVENT_READ)
        return any(key.fileobj is stopped for key, _ in waiting.select(seconds))
