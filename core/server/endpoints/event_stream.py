"""The stream of changes: server-sent events that say that something changed, without its content.

Clients then ask for the content by a query, which checks their permissions. Each stream begins with an event, so a lost
event only delays a client. Presence events go only to people who look at the same project, and inbox events only to the
owner of the inbox.

Whose data a commit changed is seen in the ``Mark`` of each listener, by one statement for all of them. They get an
event at once; the others one every five seconds at most, on the clock and not after the commit, so that nobody sees
when others work on what they cannot see. They need it, since a card can wait for one that they do not see.

A stream ends when its listener is not allowed in any more. That is checked whenever users, tokens or linked accounts
may have changed, and every few seconds, because tokens also expire.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable
from functools import partial
from math import inf
from typing import Final, TypeAlias

from core.actions.personal.inbox import UnreadState, unread_of
from core.domain.model import WORKSPACE, Id
from core.engine.engine import Engine
from core.presence.exchange import PresenceExchange
from core.storage.change_watcher import ChangeWatcher
from core.storage.database import Tx, batches, placeholders

KEEP_ALIVE_SECONDS = 15.0
"""Seconds after which something is sent in any case, so that both ends notice a lost connection.

Also the seconds after which a listener's access is checked again.
"""

CHANGE: Final = b"event: change\ndata: {}\n\n"
INBOX: Final = b"event: inbox\ndata: {}\n\n"
PRESENCE: Final = b"event: presence\ndata: {}\n\n"
KEEP_ALIVE: Final = b": still here\n\n"

OTHERS_SECONDS = 5.0
"""Seconds between two events of changes that concern nothing of the listener's own."""

GATHER_SECONDS = 0.25
"""Seconds for which presence changes are collected into one event."""

GATHER_SECONDS_EACH = 0.02
"""The same per listener, if there are many: each event makes all of them send a query, and that load must not grow with
the square of their number."""


Mark: TypeAlias = tuple[int, int]
"""What a user has of their own, as the number of its records and the sum of their versions: the memberships with the
histories of their projects, the settings, and the history of the workspace, of which guests see only a part."""

MARKS = """SELECT user_id, count(*), sum(total) FROM (
SELECT member.user_id AS user_id,
 feed.seq + coalesce(last_seen.version, 0) + 1000000 * coalesce(active_preset.version, 0) AS total
 FROM member JOIN feed ON feed.id = member.project_id
 LEFT JOIN last_seen ON last_seen.project_id = member.project_id AND last_seen.user_id = member.user_id
 LEFT JOIN active_preset ON active_preset.project_id = member.project_id AND active_preset.user_id = member.user_id
 WHERE member.user_id IN {people}
UNION ALL SELECT user_id, version FROM preference WHERE user_id IN {people}
UNION ALL SELECT user_id, version FROM favourite WHERE user_id IN {people}
UNION ALL SELECT user_id, version FROM saved_filter WHERE user_id IN {people}
UNION ALL SELECT owner_id, version FROM preset WHERE owner_id IN {people}
UNION ALL SELECT app_user.id, version + CASE platform_roles WHEN '[]' THEN 0 ELSE seq END
 FROM app_user JOIN feed ON feed.id = :workspace WHERE app_user.id IN {people}
) AS own GROUP BY user_id"""


class _Listener:
    """The events that one stream has to send."""

    def __init__(self, user_id: Id, events: Iterable[bytes]) -> None:
        self.user_id = user_id
        self.events = dict.fromkeys(events)
        """The events, in order; each at most once."""
        self.is_behind = False
        """True if there was a commit since the last event of a change."""
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
        self.is_behind &= event != CHANGE
        self.events[event] = None
        self.woken.set()

    def take(self) -> bytes:
        """Return all events that are due, or a keep-alive."""
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
        self._marks: dict[Id, Mark] = {}
        self._total: int | None = None
        """The sum of all histories when the others last got an event."""
        self._others_at = inf
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
        is_known = user_id in self._marks
        listener = _Listener(user_id, (CHANGE, INBOX) if is_known else ())  # else they follow the first look
        self._streams.add(listener)
        if not is_known:
            self._watch.call_again(0.0)
        due, clock = 0.0, asyncio.get_running_loop().time
        try:
            while not self._has_ended:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout_at(due):
                        await listener.woken.wait()
                listener.woken.clear()  # first, so that a doubt during the check leads to another one
                if listener.is_doubted:
                    listener.doubt_at = time.monotonic() + KEEP_ALIVE_SECONDS
                    if not await is_let_in():
                        return
                if listener.events or clock() >= due:  # nothing after a mere doubt, which others may have caused
                    due = clock() + KEEP_ALIVE_SECONDS
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
        self._wake(None)

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

    def _wake(self, concerned: Collection[Id] | None, *, others: bool = False) -> None:
        """Send a change to the concerned (None for all), and if ``others`` to those who have had none since."""
        for listener in self._streams:
            if concerned is None or listener.user_id in concerned or (others and listener.is_behind):
                listener.hear(CHANGE)
            else:
                listener.is_behind = True

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
        """Look at the snapshot of a commit. Listeners hear of it when no older grant is used any more."""
        self._engine.authorizer.changes.check()
        people = {listener.user_id for listener in list(self._streams)}
        before_that, self._marks = self._marks, _marks(tx, people)
        touched = {each for each in people if self._marks.get(each) != before_that.get(each)}
        self._call(partial(self._wake, touched, others=self._is_due_for_others(tx)))
        unread = unread_of(tx, people)
        if concerned := frozenset(each for each in people if unread[each] != self._unread.get(each)):
            self._call(self._send_inboxes, concerned)
        self._unread = unread
        before, self._last_of_workspace = self._last_of_workspace, _last_of_workspace(tx)
        if before != self._last_of_workspace:
            self._call(self._doubt)

    def _is_due_for_others(self, tx: Tx) -> bool:
        """True if an event of any change is due, and there was one. Histories are added up no more often than that."""
        before, now = self._total, time.monotonic()
        if before is None or now >= self._others_at:
            self._others_at, self._total = inf, int(tx.tuples("SELECT coalesce(sum(seq), 0) FROM feed")[0][0])
            return before not in (None, self._total)
        self._others_at = min(self._others_at, (now // OTHERS_SECONDS + 1) * OTHERS_SECONDS)
        self._watch.call_again(self._others_at)
        return False


def _marks(tx: Tx, people: Collection[Id]) -> dict[Id, Mark]:
    found: dict[Id, Mark] = {}
    for part in batches(sorted(people)):
        chosen, params = placeholders(part)
        rows = tx.tuples(MARKS.format(people=chosen), workspace=WORKSPACE, **params)
        found |= {user_id: (number, int(total)) for user_id, number, total in rows}
    return found


def _last_of_workspace(tx: Tx) -> int:
    """The number of the last change of the workspace itself, such as one of a user, token or linked account."""
    return int(tx.query("SELECT seq FROM feed WHERE id = :id", id=WORKSPACE)[0]["seq"])
