"""Presence: which user has which project open, and on which card. It is kept in memory and never stored.

Front ends report their place whenever it changes, and again from time to time; an entry that is not renewed expires.
With a local database file only the terminals of this one process are known; behind a server those of all users. A
file would have to be written at each step of a cursor.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta

from core.domain.model import Id
from core.record import Record, replace

FORGOTTEN_AFTER = timedelta(seconds=30)
"""The age at which an entry expires that is not renewed."""

MAX_TERMINALS = 8
"""The maximum number of terminals of one user. Beyond it, the entry that was not renewed for longest is dropped."""

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


class Presence:
    """The register of presence entries. It is thread-safe."""

    def __init__(self) -> None:
        self._entries: dict[Id, dict[str, PresenceEntry]] = {}
        """By user and terminal; each user's entries are in the order of their last renewal."""
        self._listeners: list[Listener] = []
        self._lock = threading.Lock()

    def report(self, user_id: Id, terminal: str, place: PresenceLocation, via: str, now: datetime) -> None:
        """Record the place of a terminal, or renew its entry."""
        with self._lock:
            mine = self._entries.setdefault(user_id, {})
            before = _in_time(mine.pop(terminal, None), now)
            if before is None or before.place.project_id != place.project_id:
                after = PresenceEntry(user_id=user_id, place=place, via=via, since=now, moved=now, heard=now)
            elif before.place != place:
                after = replace(before, place=place, via=via, moved=now, heard=now)
            else:
                after = replace(before, via=via, heard=now)
            mine[terminal] = after
            for oldest in list(mine)[:-MAX_TERMINALS]:
                del mine[oldest]
            concerned = self._around(user_id, before, after) if before is None or before.place != place else frozenset()
        self._notify(concerned)

    def leave(self, user_id: Id, terminal: str | None = None) -> None:
        """Remove the entry of one terminal of a user, or of all of them if ``terminal`` is None."""
        with self._lock:
            mine = self._entries.get(user_id, {})
            left = [mine.pop(each) for each in ([*mine] if terminal is None else [terminal]) if each in mine]
            if not mine:
                self._entries.pop(user_id, None)
            concerned = self._around(user_id, *left)
        self._notify(concerned)

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
