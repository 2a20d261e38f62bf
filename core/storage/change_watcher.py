"""Noticing commits, by this process or by another program on the same file."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from math import inf

from core.errors import StorageError
from core.storage.database import Database

POLL_SECONDS = 0.1
"""Seconds between two checks for commits: 0.3 % of a core, and a delay that people do not notice."""

MOST_REST_SECONDS = 0.1
"""The longest rest after a call."""


class ChangeWatcher:
    """A thread that calls ``notify`` after commits; one call can stand for several.

    After a call it rests for as long as the call took. With many listeners a call takes long, and without a rest each
    server would ask the database for its own listeners all the time, as often as all people together commit.

    It also calls ``notify`` at the start, because there may have been commits before. A StorageError, also one of
    ``notify``, is ignored until the next check, because the next message reports the fault.
    """

    def __init__(self, database: Database, notify: Callable[[], None]) -> None:
        self._database = database
        self._notify = notify
        self._is_over = False
        self._again_at = inf
        """The monotonic time of the next call without a commit."""
        self._asking = threading.Lock()
        self._woken = threading.Event()
        self._thread = threading.Thread(target=self._run, name="podium-watch", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def check(self) -> None:
        """Check for commits at once. Any thread may call this."""
        self._woken.set()

    def call_again(self, at: float) -> None:
        """Call ``notify`` at a monotonic time also without a commit. Any thread may call this.

        The earliest time counts, so that a listener who comes during a call is not put off by what that call asks for.
        """
        with self._asking:
            self._again_at = min(self._again_at, at)

    def stop(self) -> None:
        """Stop watching. Any thread may call this, more than once."""
        self._is_over = True
        self._woken.set()

    def join(self) -> None:
        """Wait for the thread to end; after this it does not use the database."""
        self._thread.join()

    def _run(self) -> None:
        end = self._database.on_commit(self.check)
        try:
            self._watch()
        finally:
            end()

    def _watch(self) -> None:
        seen: int | None = None
        while True:
            self._woken.wait(POLL_SECONDS)
            self._woken.clear()
            if self._is_over:
                return
            with contextlib.suppress(StorageError):
                now = self._database.data_version()
                if now != seen or time.monotonic() >= self._again_at:
                    seen = None  # a call that fails is made again
                    with self._asking:
                        self._again_at = inf
                    began = time.monotonic()
                    self._notify()
                    time.sleep(min(time.monotonic() - began, MOST_REST_SECONDS))
                seen = now
