"""The stream of changes: server-sent events that say that something changed, without its content.

Clients then ask for the content by a query, which checks their permissions, so events reveal nothing. Each stream
begins with an event, so a lost event only delays a client. To save queries, presence events go only to people who look
at the same project, and inbox events only to the owner of the inbox.

A stream ends when its listener is not allowed in any more. That is checked whenever users, tokens or linked accounts
may have changed, and every few seconds, because tokens also expire.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

from core.actions.personal.inbox import UnreadState, unread_of
from core.domain.model import WORKSPACE, Id
from core.engine.engine import Engine
from core.engine.presence_exchange import PresenceExchange
from core.storage.change_watcher import ChangeWatcher
from core.storage.database import Tx

KEEP_ALIVE_SECONDS = 15.0
"""Seconds after which something is sent in any case, so that both ends notice a lost connection.

Also the seconds after which a listener's access is checked again.
"""

CHANGE: Final = b"event: change\ndata: {}\n\n"
INBOX: Final = b"event: inbox\ndata: {}\n\n"
PRESENCE: Final = b"event: presence\ndata: {}\n\n"
KEEP_ALIVE: Final = b": still here\n\n"

GATHER_SECONDS = 0.25
"""Seconds for which presence changes are collected into one event."""

GATHER_SECONDS_EACH = 0.02
"""The same per listener, if there are many: each event makes all of them send a query, and that load must not grow with
the square of their number."""


class _Listener:
    """The events that one stream has to send."""

    def __init__(self, user_id: Id) -> None:
        self.user_id = user_id
        self.events = {CHANGE: None, INBOX: None}
        """The events, in order; each at most once."""
        self.woken = asyncio.Event()
        self.woken.set()
        self.doubt_at = 0.0
        """The time of the next check of access. It starts at once, because changes before the stream were not seen."""

    @property
    def is_doubted(self) -> bool:
        """True if access has to be checked."""
        return time.monotonic() >= self.doubt_at

    def hear(self, event: bytes) -> None:
        """Add an event, and wake the stream."""
        self.events[event] = None
        self.woken.set()

    def take(self) -> bytes:
        """Return all events that are due, or a keep-alive."""
        self.woken.clear()
        sent = b"".join(self.events) or KEEP_ALIVE
        self.events.clear()
        return sent


class EventStream:
    """Sends events to every stream after a commit, by this server or by another program on the same file."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._database = engine.database
        self._presence = engine.presence
        self._streams: set[_Listener] = set()
        self._moved: set[Id] = set()
        """The users whose next presence event is due."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._has_ended = False
        self._last_of_workspace: int | None = None
        """The number of the last known change of the workspace, such as one of a user, token or linked account."""
        self._unread: dict[Id, UnreadState] = {}
        """The inboxes of the listeners at the last commit."""
        self._exchange = PresenceExchange(engine.database, engine.presence, engine.clock)
        self._watch = ChangeWatcher(engine.database, self._commit)

    def start(self) -> None:
        """Start watching the database, in the running loop."""
        self._loop = asyncio.get_running_loop()
        self._watch.start()
        self._exchange.start()
        self._deaf = self._presence.listen(lambda concerned: self._call(self._gather, concerned))

    def notify(self) -> None:
        """Check for commits at once. Any thread may call this."""
        self._watch.check()

    async def stream(self, user_id: Id, is_let_in: Callable[[], Awaitable[bool]]) -> AsyncIterator[bytes]:
        """The events for one listener, for as long as ``is_let_in``. Several commits can be one event.

        When a user's last stream ends, their presence ends.
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

    def count_streams(self) -> int:
        """The number of open streams."""
        return len(self._streams)

    def streams_of(self, user_id: Id) -> int:
        """The number of streams of a user."""
        return sum(each.user_id == user_id for each in self._streams)

    def end(self) -> None:
        """End every stream."""
        self._has_ended = True
        self._wake()

    def close(self) -> None:
        """End every stream, and stop watching."""
        self.end()
        self._deaf()
        self._watch.stop()
        self._exchange.stop()
        self._watch.join()

    def _call(self, step: Callable[..., None], *arguments: object) -> None:
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop may have ended first
                self._loop.call_soon_threadsafe(step, *arguments)

    def _wake(self) -> None:
        for listener in self._streams:
            listener.hear(CHANGE)

    def _doubt(self) -> None:
        """Make every stream check the access of its listener."""
        for listener in self._streams:
            listener.doubt_at = 0.0
            listener.woken.set()

    def _gather(self, concerned: frozenset[Id]) -> None:
        """Plan one presence event for these users, together with those of the next moments."""
        if not self._moved and self._loop is not None:
            self._loop.call_later(max(GATHER_SECONDS, GATHER_SECONDS_EACH * len(self._streams)), self._send_presence)
        self._moved |= concerned

    def _send_presence(self) -> None:
        moved, self._moved = self._moved, set()
        for listener in self._streams:
            if listener.user_id in moved:
                listener.hear(PRESENCE)

    def _send_inboxes(self, concerned: frozenset[Id]) -> None:
        for listener in self._streams:
            if listener.user_id in concerned:
                listener.hear(INBOX)

    def _commit(self) -> None:
        """Send the events of a commit, which may have changed permissions, inboxes, or who is allowed in."""
        self._database.read(self._look)

    def _look(self, tx: Tx) -> None:
        """Look at the snapshot of a commit. Listeners hear of it as soon as no older grant is used any more."""
        self._engine.notice_commit()
        self._call(self._wake)
        people = {listener.user_id for listener in list(self._streams)}
        unread = unread_of(tx, people)
        if concerned := frozenset(each for each in people if unread[each] != self._unread.get(each)):
            self._call(self._send_inboxes, concerned)
        self._unread = unread
        before, self._last_of_workspace = self._last_of_workspace, _last_of_workspace(tx)
        if before != self._last_of_workspace:
            self._call(self._doubt)


def _last_of_workspace(tx: Tx) -> int:
    """The number of the last change of the workspace itself, such as one of a user, token or linked account."""
    return int(tx.query("SELECT seq FROM feed WHERE id = :id", id=WORKSPACE)[0]["seq"])
