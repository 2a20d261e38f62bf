"""The stream of changes: server-sent events that say that something happened, never what.

Whoever hears of it asks by an ordinary query, which looks at their rights. So nothing leaks here, and an event that is
lost costs a moment and never a change: each stream begins with one. Of who is here those hear who look at the same
project, and of an inbox only its person: with many listeners, a question of each of them after each change is what
costs. Whoever is let in no longer hears nothing more: it is asked again as soon as people, tokens or enrolments may
have changed, and every few seconds, since tokens also end by the clock.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from core.actions.personal.inbox import Unread, unread_of
from core.domain.model import WORKSPACE, Id
from core.engine.presence import Presence
from core.storage.change_watcher import Watch
from core.storage.database import Database, Tx

KEEP_ALIVE_SECONDS = 15.0
"""How often something is sent all the same: then both ends notice when the other is gone.

Also after how long a listener is asked again whether they are still let in.
"""

CHANGE: Final = b"event: change\ndata: {}\n\n"
INBOX: Final = b"event: inbox\ndata: {}\n\n"
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
        self.events = {CHANGE: None, INBOX: None}
        """In the order in which they came about."""
        self.woken = asyncio.Event()
        self.woken.set()
        self.doubt_at = 0.0
        """When to ask whether they are still let in: at once, since nobody told a stream that was not there yet."""

    @property
    def is_doubted(self) -> bool:
        """Whether they may be let in no longer."""
        return time.monotonic() >= self.doubt_at

    def hear(self, event: bytes) -> None:
        """Wake the stream to send an event, once."""
        self.events[event] = None
        self.woken.set()

    def take(self) -> bytes:
        """All that is to be sent now, if only a sign of life."""
        self.woken.clear()
        sent = b"".join(self.events) or KEEP_ALIVE
        self.events.clear()
        return sent


class EventStream:
    """Wakes every stream after a commit, by this server or by another program on the same file."""

    def __init__(self, database: Database, presence: Presence) -> None:
        self._database = database
        self._presence = presence
        self._streams: set[_Listener] = set()
        self._moved: set[Id] = set()
        """The people who are to hear of somebody's step."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._has_ended = False
        self._last_of_workspace: int | None = None
        """The last change of people, tokens and enrolments that is known of."""
        self._unread: dict[Id, Unread] = {}
        """What the inboxes of the listeners held at the last commit."""
        self._watch = Watch(database, self._commit)

    def start(self) -> None:
        """Begin to watch, in the running loop."""
        self._loop = asyncio.get_running_loop()
        self._watch.start()
        self._deaf = self._presence.listen(lambda concerned: self._call(self._gather, concerned))

    def tell(self) -> None:
        """Say, from any thread, that something was committed. The watch looks at once, so that it is told once."""
        self._watch.look()

    async def stream(self, user_id: Id, is_let_in: Callable[[], Awaitable[bool]]) -> AsyncIterator[bytes]:
        """The events for one listener, as long as they are let in. Commits it was too slow for are one event.

        Whoever's last stream ends is nowhere any more.
        """
        listener = _Listener(user_id)
        self._streams.add(listener)
        try:
            while not self._has_ended:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                        await listener.woken.wait()
                if listener.is_doubted:
                    listener.doubt_at = time.monotonic() + KEEP_ALIVE_SECONDS
                    if not await is_let_in():
                        return
                yield listener.take()
        finally:
            self._streams.discard(listener)
            if all(each.user_id != user_id for each in self._streams):
                self._presence.leave(user_id)

    def streams_of(self, user_id: Id) -> int:
        """How many streams somebody listens to."""
        return sum(each.user_id == user_id for each in self._streams)

    def end(self) -> None:
        """End every stream."""
        self._has_ended = True
        self._wake()

    def close(self) -> None:
        """End every stream, and the watching."""
        self.end()
        self._deaf()
        self._watch.stop()
        self._watch.join()

    def _call(self, step: Callable[..., None], *arguments: object) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop may have ended first
                self._loop.call_soon_threadsafe(step, *arguments)

    def _wake(self) -> None:
        for listener in self._streams:
            listener.hear(CHANGE)

    def _doubt(self) -> None:
        """Have every stream ask whether its listener is still let in."""
        for listener in self._streams:
            listener.doubt_at = 0.0
            listener.woken.set()

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

    def _tell_of_inboxes(self, concerned: frozenset[Id]) -> None:
        for listener in self._streams:
            if listener.user_id in concerned:
                listener.hear(INBOX)

    def _commit(self) -> None:
        """Something was committed, perhaps about an inbox, or about who is let in."""
        self._call(self._wake)
        people = {listener.user_id for listener in list(self._streams)}
        unread = self._database.read(lambda tx: unread_of(tx, people))
        if concerned := frozenset(each for each in people if unread[each] != self._unread.get(each)):
            self._call(self._tell_of_inboxes, concerned)
        self._unread = unread
        before, self._last_of_workspace = self._last_of_workspace, self._database.read(_last_of_workspace)
        if before != self._last_of_workspace:
            self._call(self._doubt)


def _last_of_workspace(tx: Tx) -> int:
    """The last change of the workspace as a whole: those of people, tokens and enrolments are among them."""
    return int(tx.query("SELECT seq FROM feed WHERE id = :id", id=WORKSPACE)[0]["seq"])
