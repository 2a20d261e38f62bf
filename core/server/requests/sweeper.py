"""The thread that deletes the rows which deleted projects and stopped imports have left."""

from __future__ import annotations

import contextlib
from concurrent.futures import ThreadPoolExecutor

from core.engine.slices import sweep
from core.server.requests.running_commands import unreported_progress
from core.storage.database import Database


class Sweeper:
    """One thread, which sweeps once when the server starts and after each command that leaves rows."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="podium-sweep")
        self._progress = unreported_progress()

    def start(self) -> None:
        """Begin a sweep, after those that were begun before."""
        with contextlib.suppress(RuntimeError):  # it is being closed
            self._thread.submit(sweep, self._database, self._progress)

    def cancel(self) -> None:
        """Stop the sweep at its next slice."""
        self._progress.cancel()

    def close(self) -> None:
        """Wait for the thread; sweeps that have not begun never do."""
        self._thread.shutdown(cancel_futures=True)
