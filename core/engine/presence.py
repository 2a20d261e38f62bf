"""Who is here: who has which project open, and on which card; kept in the memory of the process that owns the data.

Nothing of it is stored. Front ends say where they are whenever that changes, and again from time to time; whoever is
not heard of any more is gone after a while. With a file of one's own only the terminals of this one process are known,
behind a server everybody's (decided here: a file that others look at just so would have to be written for every step
of a cursor).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from core.domain.model import Id

FORGOTTEN_AFTER = timedelta(seconds=30)
"""Without a word."""

MAX_TERMINALS = 8
"""Of one person: of more, those that were not heard of the longest are forgotten."""

Told = Callable[[frozenset[Id]], None]
"""Called, in any thread, with the people for whom who is here has changed."""


class Place(NamedTuple):
    """Where somebody is; the card, or else the phase, may be none."""

    project_id: Id
    card_id: Id | None = None
    phase_id: Id | None = None


class PresenceEntry(NamedTuple):
    """One person in one terminal at one place."""

    user_id: Id
    place: Place
    via: str
    since: datetime
    """When the person came to the project."""
    moved: datetime
    heard: datetime


class Presence:
    """The register. Safe to use from any thread."""

    def __init__(self) -> None:
        self._stays: dict[Id, dict[str, PresenceEntry]] = {}
        """By person and terminal; of a person the one that was heard of last is the last."""
        self._listeners: list[Told] = []
        self._lock = threading.Lock()

    def stay(self, user_id: Id, terminal: str, place: Place, via: str, now: datetime) -> None:
        """Somebody says where they are."""
        with self._lock:
            mine = self._stays.setdefault(user_id, {})
            before = _in_time(mine.pop(terminal, None), now)
            if before is None or before.place.project_id != place.project_id:
                after = PresenceEntry(user_id=user_id, place=place, via=via, since=now, moved=now, heard=now)
            elif before.place != place:
                after = before._replace(place=place, via=via, moved=now, heard=now)
            else:
                after = before._replace(via=via, heard=now)
            mine[terminal] = after
            for oldest in list(mine)[:-MAX_TERMINALS]:
                del mine[oldest]
            concerned = self._around(user_id, before, after) if before is None or before.place != place else frozenset()
        self._tell(concerned)

    def leave(self, user_id: Id, terminal: str | None = None) -> None:
        """Somebody is gone from one of their terminals, or from all of them."""
        with self._lock:
            mine = self._stays.get(user_id, {})
            left = [mine.pop(each) for each in ([*mine] if terminal is None else [terminal]) if each in mine]
            if not mine:
                self._stays.pop(user_id, None)
            concerned = self._around(user_id, *left)
        self._tell(concerned)

    def others(self, user_id: Id, project_id: Id, now: datetime) -> tuple[PresenceEntry, ...]:
        """Who else is on a project. Somebody with several terminals counts once, where they moved last."""
        return tuple(stay for stay in self.on({project_id}, now) if stay.user_id != user_id)

    def on(self, projects: Collection[Id], now: datetime) -> tuple[PresenceEntry, ...]:
        """Who is on these projects. On each, somebody with several terminals counts once, where they moved last."""
        with self._lock:
            found: dict[tuple[Id, Id], PresenceEntry] = {}
            for stay in self._on(projects):
                key = (stay.user_id, stay.place.project_id)
                if _in_time(stay, now) and stay.moved >= found.get(key, stay).moved:
                    found[key] = stay
            return tuple(found.values())

    def look_again(self) -> None:
        """Have everybody ask anew: rights have changed, and with them who may be seen."""
        with self._lock:
            concerned = frozenset(self._stays)
        self._tell(concerned)

    def listen(self, told: Told) -> Callable[[], None]:
        """Be told of every change; gives the function that ends it."""
        with self._lock:
            self._listeners.append(told)
        return lambda: self._listeners.remove(told)

    def _on(self, projects: Collection[Id]) -> Iterator[PresenceEntry]:
        return (stay for mine in self._stays.values() for stay in mine.values() if stay.place.project_id in projects)

    def _around(self, user_id: Id, *stays: PresenceEntry | None) -> frozenset[Id]:
        """The others who look at the projects of these stays."""
        projects = {stay.place.project_id for stay in stays if stay}
        return frozenset(stay.user_id for stay in self._on(projects)) - {user_id}

    def _tell(self, concerned: frozenset[Id]) -> None:
        if concerned:
            for told in tuple(self._listeners):
                told(concerned)


def _in_time(stay: PresenceEntry | None, now: datetime) -> PresenceEntry | None:
    """A stay, as long as it counts."""
    return stay if stay and now - stay.heard < FORGOTTEN_AFTER else None
