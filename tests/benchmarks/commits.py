"""The time at which another process committed to the database: the last write to its log, seen by inotify.

A picture can appear before the change is on disk; "durable" ends after both.
"""

from __future__ import annotations

import ctypes
import os
import select
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

IN_MODIFY = 0x2


class CommitWatch:
    """Watches the write-ahead log of a database from a thread. A context manager; Linux only."""

    def __init__(self, database: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._handle = libc.inotify_init1(os.O_CLOEXEC)
        if libc.inotify_add_watch(self._handle, os.fsencode(f"{database}-wal"), IN_MODIFY) < 0:
            raise OSError(ctypes.get_errno(), f"{database}-wal cannot be watched")
        self.last = 0.0
        """The time of the last write, by ``time.perf_counter``."""
        self._ended = False
        self._thread = threading.Thread(target=self._read, name="commits", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended = True
        self._thread.join()
        os.close(self._handle)

    def wait(self, timeout: float = 10.0) -> bool:
        """Wait for the first write; whether there was one."""
        deadline = time.perf_counter() + timeout
        while not self.last and time.perf_counter() < deadline:
            time.sleep(0.001)
        return bool(self.last)

    def _read(self) -> None:
        while not self._ended:
            if select.select([self._handle], [], [], 0.1)[0]:
                self.last = time.perf_counter()
                os.read(self._handle, 4096)
