"""Presence: which user has which project open, and on which card. It is kept in memory, and is no part of a workspace.

Front ends report their place whenever it changes, and again from time to time; an entry that is not renewed expires.
With a local database file only the terminals of this one process are known, because a file would have to be written at
each step of a cursor. Servers of one database know those of all users (``presence_exchange.py``).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta

from core.domain.model import Id
from core.record import Record, replace

FORGOTTEN_AFTER = timedelta(seconds=30)
"""The age at which an entry expires that is not renewed."""

RENEWED_AFTER = timedelta(seconds=10)
"""The age at which other servers are told again of an entry that has not changed."""

MAX_TERMINALS = 8
"""The maximum number of terminals of one user. Beyond it, the entry that was not renewed for longest is dropped."""

Terminal = tuple[Id, str]
"""A user, and one of their terminals."""

Listener = Callable[[frozenset[Id]], None]
"""A listener. It is called, in any thread, with the ids of the users who see a change of presence."""


class PresenceLocation(Record, kw_only=False):
    """The location of a terminal: a project, and maybe a card or a phase of it."""

    project_id: Id
    card_id: Id | None = None
    phase_id: Id | None = None


class PresenceEntry(Record, kw_only=False):
    """One user in one terminal at one location."""

    user_id: Id
    place: PresenceLocation
    via: str
    since: datetime
    """The moment the user opened the project."""
    moved: datetime
    heard: datetime
    server: str = ""
    """The server that it was reported to; empty for this one."""


class Presence:
    """The register of presence entries. It is thread-safe."""

    def __init__(self) -> None:
        self._entries: dict[Id, dict[str, PresenceEntry]] = {}
        """By user and terminal; each user's entries are in the order of their last renewal."""
        self._listeners: list[Listener] = []
        self._lock = threading.Lock()
        self._share: Callable[[], None] | None = None
        self._unsent: dict[Terminal, PresenceEntry | None] = {}
        """The entries of this server that the others do not know yet; None for those that have ended."""
        self._sent_at: dict[Terminal, datetime] = {}

    def report(self, user_id: Id, terminal: str, place: PresenceLocation, via: str, now: datetime) -> None:
        """Record the place of a terminal, or renew its entry."""
        with self._lock:
            before = _in_time(self._entries.get(user_id, {}).get(terminal), now)
            if before is None or before.place.project_id != place.project_id:
                after = PresenceEntry(user_id=user_id, place=place, via=via, since=now, moved=now, heard=now)
            else:
                moved = before.moved if before.place == place else now
                after = replace(before, place=place, via=via, moved=moved, heard=now, server="")
            is_change = before is None or before.place != place or before.server
            if is_change or now - self._sent_at.get((user_id, terminal), now) >= RENEWED_AFTER:
                self._send(user_id, terminal, after)
            concerned = self._put(terminal, after, before)
        self._notify(concerned)

    def receive(self, user_id: Id, terminal: str, entry: PresenceEntry | None, server: str, noted_at: datetime) -> None:
        """Take in an entry of another server, or its end if ``entry`` is None, unless a newer one is known."""
        with self._lock:
            before = _in_time(self._entries.get(user_id, {}).get(terminal), noted_at)
            if before and before.server != server and before.heard > noted_at:
                return
            if entry is None:
                concerned = self._around(user_id, self._drop(user_id, terminal))
            else:
                concerned = self._put(terminal, entry, before)
        self._notify(concerned)

    def leave(self, user_id: Id, terminal: str | None = None) -> None:
        """Remove the entry of one terminal of a user, or all that this server has of them if ``terminal`` is None."""
        with self._lock:
            mine = self._entries.get(user_id, {})
            ending = [each for each in mine if each == terminal or (terminal is None and not mine[each].server)]
            for each in ending:
                self._send(user_id, each, None)
            concerned = self._around(user_id, *[self._drop(user_id, each) for each in ending])
        self._notify(concerned)

    def share(self, notify: Callable[[], None]) -> None:
        """Collect the changes of this server for ``take`` from now on, and call ``notify`` with each."""
        with self._lock:
            self._share = notify
            for user_id, mine in self._entries.items():
                for terminal, entry in mine.items():
                    if not entry.server:
                        self._send(user_id, terminal, entry)

    def take(self) -> dict[Terminal, PresenceEntry | None]:
        """Return the changes since the last call."""
        with self._lock:
            untold, self._unsent = self._unsent, {}
            return untold

    def leave_all(self) -> None:
        """Remove the entries of this server."""
        with self._lock:
            people = list(self._entries)
        for user_id in people:
            self.leave(user_id)

    def count(self) -> int:
        """Return the number of people who are online, those of other servers included."""
        return len(self._entries)

    def others(self, user_id: Id, project_id: Id, now: datetime) -> tuple[PresenceEntry, ...]:
        """Return the other users on a project. Each has one entry: of several terminals, the last to move."""
        return tuple(entry for entry in self.on({project_id}, now) if entry.user_id != user_id)

    def on(self, projects: Collection[Id], now: datetime) -> tuple[PresenceEntry, ...]:
        """Return the users on these projects. On each, a user has one entry: of several terminals, the last to move."""
        with self._lock:
            found: dict[tuple[Id, Id], PresenceEntry] = {}
            for entry in self._on(projects):
                key = (entry.user_id, entry.place.project_id)
                if _in_time(entry, now) and entry.moved >= found.get(key, entry).moved:
                    found[key] = entry
            return tuple(found.values())

    def notify_all(self) -> None:
        """Tell all users that presence may have changed for them: with permissions, the people they can see change."""
        with self._lock:
            concerned = frozenset(self._entries)
        self._notify(concerned)

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` with each change. Returns a function that removes the listener."""
        with self._lock:
            self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def _put(self, terminal: str, entry: PresenceEntry, before: PresenceEntry | None) -> frozenset[Id]:
        """Put an entry in place of ``before``. Return the ids of the users who see a difference."""
        mine = self._entries.setdefault(entry.user_id, {})
        mine.pop(terminal, None)
        mine[terminal] = entry
        for oldest in list(mine)[:-MAX_TERMINALS]:
            if not mine[oldest].server:
                self._send(entry.user_id, oldest, None)
            self._drop(entry.user_id, oldest)
        if before is None or before.place != entry.place:
            return self._around(entry.user_id, before, entry)
        return frozenset()

    def _drop(self, user_id: Id, terminal: str) -> PresenceEntry | None:
        """Remove an entry and return it."""
        mine = self._entries.get(user_id, {})
        dropped = mine.pop(terminal, None)
        self._sent_at.pop((user_id, terminal), None)
        if not mine:
            self._entries.pop(user_id, None)
        return dropped

    def _send(self, user_id: Id, terminal: str, entry: PresenceEntry | None) -> None:
        """Note a change for the other servers, if there are some."""
        if self._share:
            self._unsent[user_id, terminal] = entry
            if entry:
                self._sent_at[user_id, terminal] = entry.heard
            self._share()

    def _on(self, projects: Collection[Id]) -> Iterator[PresenceEntry]:
        every = (entry for mine in self._entries.values() for entry in mine.values())
        return (entry for entry in every if entry.place.project_id in projects)

    def _around(self, user_id: Id, *entries: PresenceEntry | None) -> frozenset[Id]:
        """The ids of the other users on the projects of these entries."""
        projects = {entry.place.project_id for entry in entries if entry}
        return frozenset(entry.user_id for entry in self._on(projects)) - {user_id}

    def _notify(self, concerned: frozenset[Id]) -> None:
        if concerned:
            for listener in tuple(self._listeners):
                listener(concerned)


def _in_time(entry: PresenceEntry | None, now: datetime) -> PresenceEntry | None:
    """The entry, unless it has expired."""
    return entry if entry and now - entry.heard < FORGOTTEN_AFTER else None
