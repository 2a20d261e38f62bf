"""The stream of changes: server-sent events that say that something happened, never what.

Whoever hears of it asks by an ordinary query, which looks at their rights. So nothing leaks here, and an event that is
lost costs a moment and never a change: each stream begins with one.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator
from typing import Final

from core.errors import StorageError
from core.storage.database import Database

POLL_SECONDS = 0.1
"""How often the database is asked whether another program wrote."""

KEEP_ALIVE_SECONDS = 15.0
"""How often something is sent all the same: then both ends notice when the other is gone."""

CHANGE: Final = b"event: change\ndata: {}\n\n"
KEEP_ALIVE: Final = b": still here\n\n"


class Feed:
    """Wakes every stream after a commit, by this server or by another program on the same file."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._streams: set[asyncio.Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="podium-watch", daemon=True)

    def start(self) -> None:
        """Begin to watch, in the running loop."""
        self._loop = asyncio.get_running_loop()
        self._watcher.start()

    def tell(self) -> None:
        """Say, from any thread, that something was committed."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop may have ended first
                self._loop.call_soon_threadsafe(self._wake)

    async def stream(self) -> AsyncIterator[bytes]:
        """The events for one listener. Several commits that it was too slow for are one event."""
        woken = asyncio.Event()
        woken.set()
        self._streams.add(woken)
        try:
            while not self._stop.is_set():
                try:
                    await asyncio.wait_for(woken.wait(), KEEP_ALIVE_SECONDS)
                except TimeoutError:
                    yield KEEP_ALIVE
                else:
                    woken.clear()
                    yield CHANGE
        finally:
            self._streams.discard(woken)

    def end(self) -> None:
        """End every stream."""
        self._stop.set()
        self._wake()

    def close(self) -> None:
        """End every stream, and the watching."""
        self.end()
        self._watcher.join()

    def _wake(self) -> None:
        for woken in self._streams:
            woken.set()

    def _watch(self) -> None:
        seen = None
        while not self._stop.wait(POLL_SECONDS):
            with contextlib.suppress(StorageError):  # a fault shows in what people do next
                now = self._database.news()
                if seen not in (None, now):
                    self.tell()
                seen = now
