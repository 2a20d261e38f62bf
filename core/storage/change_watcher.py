"""Noticing commits, by this process or by another program on the same file."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from core.errors import StorageError
from core.storage.database import Database

POLL_SECONDS = 0.1
"""How often the database is asked whether somebody wrote: 0.3 % of a core, and well below what a person notices."""


class Watch:
    """A thread that calls ``tell`` after commits, of which several may be one call.

    It calls at the start too, for something may have happened before the watch began. A StorageError, of ``tell``
    as well, is let go until the next look: a fault shows in what people do next.
    """

    def __init__(self, database: Database, tell: Callable[[], None]) -> None:
        self._database = database
        self._tell = tell
        self._is_over = False
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._run, name="podium-watch", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def look(self) -> None:
        """Look at once. From any thread."""
        self._woken.set()

    def stop(self) -> None:
        """Watch no longer. From any thread, also twice."""
        self._is_over = True
        self._woken.set()

    def join(self) -> None:
        """Wait for the thread to end: after this it touches the database no more."""
        self._thread.join()

    def _run(self) -> None:
        seen: int | None = None
        while True:
            self._woken.wait(POLL_SECONDS)
            self._woken.clear()
            if self._is_over:
                return
            with contextlib.suppress(StorageError):
                now = self._database.news()
                if now != seen:
                    self._tell()
                seen = now
