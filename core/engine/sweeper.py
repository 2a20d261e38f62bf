"""The thread that sweeps: it deletes the rows that deleted projects and stopped imports have left."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor

from core.engine.slices import sweep
from core.storage.database import Database
from core.storage.progress import Progress


class Sweeper:
    """One thread for all sweeps of a process, so that no command waits for them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="podium-sweep")
        self._progress = Progress()

    def start(self) -> None:
        """Queue a sweep. After ``close`` this does nothing."""
        with contextlib.suppress(RuntimeError):  # the sweeper is closed
            self._thread.submit(sweep, self._database, self._progress)

    def cancel(self) -> None:
        """Stop the sweep at its next slice."""
        self._progress.cancel()

    def close(self) -> None:
        """Drop the queued sweeps and wait for the running one."""
        self._thread.shutdown(cancel_futures=True)
