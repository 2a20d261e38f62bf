"""The stream of changes: server-sent events that say that something happened, never what.

Whoever hears of it asks by an ordinary query, which looks at their rights. So nothing leaks here, and an event that is
lost costs a moment and never a change: each stream begins with one. Of who is here those hear who look at the same
project.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable
from typing import Final

from core.errors import StorageError
from core.model import Id
from core.presence import Presence
from core.storage.database import Database

POLL_SECONDS = 0.1
"""How often the database is asked whether another program wrote."""

KEEP_ALIVE_SECONDS = 15.0
"""How often something is sent all the same: then both ends notice when the other is gone."""

CHANGE: Final = b"event: change\ndata: {}\n\n"
PRESENCE: Final = b"event: presence\ndata: {}\n\n"
KEEP_ALIVE: Final = b": still here\n\n"

GATHER_SECONDS = 0.25
"""How long steps of people are gathered into one event."""

GATHER_SECONDS_EACH = 0.02
"""The same where there are many listeners: each event has all of them ask, which is a load that must not grow with
their number squared."""


class _Listener:
    """What one stream has not been told yet."""

    def __init__(self, user_id: Id) -> None:
        self.user_id = user_id
        self.events = {CHANGE: None}
        """In the order in which they came about."""
        self.woken = asyncio.Event()
        self.woken.set()

    def hear(self, event: bytes) -> None:
        """Wake the stream to send an event, once."""
        self.events[event] = None
        self.woken.set()

    def take(self) -> bytes:
        """All that is to be sent now."""
        self.woken.clear()
        sent = b"".join(self.events)
        self.events.clear()
        return sent


class Feed:
    """Wakes every stream after a commit, by this server or by another program on the same file."""

    def __init__(self, database: Database, presence: Presence) -> None:
        self._database = database
        self._presence = presence
        self._streams: set[_Listener] = set()
        self._moved: set[Id] = set()
        """The people who are to hear of somebody's step."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="podium-watch", daemon=True)

    def start(self) -> None:
        """Begin to watch, in the running loop."""
        self._loop = asyncio.get_running_loop()
        self._watcher.start()
        self._deaf = self._presence.listen(lambda concerned: self._call(self._gather, concerned))

    def tell(self) -> None:
        """Say, from any thread, that something was committed."""
        self._call(self._wake)

    async def stream(self, user_id: Id) -> AsyncIterator[bytes]:
        """The events for one listener. Several commits that it was too slow for are one event.

        Whoever's last stream ends is nowhere any more.
        """
        listener = _Listener(user_id)
        self._streams.add(listener)
        try:
            while not self._stop.is_set():
                try:
                    await asyncio.wait_for(listener.woken.wait(), KEEP_ALIVE_SECONDS)
                except TimeoutError:
                    yield KEEP_ALIVE
                else:
                    yield listener.take()
        finally:
            self._streams.discard(listener)
            if all(each.user_id != user_id for each in self._streams):
                self._presence.leave(user_id)

    def end(self) -> None:
        """End every stream."""
        self._stop.set()
        self._wake()

    def close(self) -> None:
        """End every stream, and the watching."""
        self.end()
        self._deaf()
        self._watcher.join()

    def _call(self, step: Callable[..., None], *arguments: object) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop may have ended first
                self._loop.call_soon_threadsafe(step, *arguments)

    def _wake(self) -> None:
        for listener in self._streams:
            listener.hear(CHANGE)

    def _gather(self, concerned: frozenset[Id]) -> None:
        """Have people hear of a step in a moment, together with those that follow it."""
        if not self._moved and self._loop is not None:
            self._loop.call_later(max(GATHER_SECONDS, GATHER_SECONDS_EACH * len(self._streams)), self._tell_of_steps)
        self._moved |= concerned

    def _tell_of_steps(self) -> None:
        moved, self._moved = self._moved, set()
        for listener in self._streams:
            if listener.user_id in moved:
                listener.hear(PRESENCE)

    def _watch(self) -> None:
        seen = None
        while not self._stop.wait(POLL_SECONDS):
            with contextlib.suppress(StorageError):  # a fault shows in what people do next
                now = self._database.news()
                if seen not in (None, now):
                    self.tell()
                seen = now
