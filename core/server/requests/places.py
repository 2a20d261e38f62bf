"""How many connections a listener has, and whose: strangers never hold the places of people.

A connection belongs to a stranger until a valid proof of who sends was seen on it. Where strangers have as many as they
may, the oldest of theirs that waits for its client is closed for the next one: who is honest sends at once, so that a
flood of silent connections only closes itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple


class Bounds(NamedTuple):
    """How many connections there may be."""

    all: int
    strangers: int
    """Of all strangers; the rest is kept for people."""
    strangers_of_address: int
    strangers_of_account: int
    """Of one account of this machine. A proxy is one; it holds strangers off."""
    of_person: int
    """Of one person, whichever account or address they come from, and however many others do."""
    turned_away: int
    """Beyond all: they are told so. Any further are closed without a word."""


class Place:
    """One connection that is open."""

    __slots__ = ("_places", "close", "is_beyond", "is_sending", "is_working", "origin", "person")

    def __init__(self, places: Places, origin: Hashable, close: Callable[[], None]) -> None:
        self._places = places
        self.origin = origin
        self.close = close
        """Ends the connection at once."""
        self.is_beyond = False
        """Whether it is one too many, which is all that its client is told."""
        self.person: Hashable = None
        """Who proved who they are on it; None for a stranger."""
        self.is_working = False
        """Whether a request that was read is being answered, which is the server's time and not the client's."""
        self.is_sending = False
        """Whether the client leaves unread what it was answered."""

    def let_in(self, person: Hashable) -> bool:
        """Note whose the connection is; whether it may be one more of theirs."""
        return self._places.let_in(self, person)

    def leave(self) -> None:
        """Note that the connection is over. It may be said again."""
        self._places.leave(self)


class Places:
    """The connections of one listener."""

    def __init__(self, bounds: Callable[[], Bounds]) -> None:
        self._bounds = bounds
        self._all: set[Place] = set()
        self._strangers: dict[Hashable, dict[Place, None]] = {}
        """By their origin, the oldest first."""
        self._people: dict[Hashable, set[Place]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def add(self, origin: Hashable, close: Callable[[], None]) -> Place | None:
        """A place for a new connection; None where it is one too many even to be told so."""
        bounds = self._bounds()
        own = self._strangers.get(origin, {})
        if len(own) >= (bounds.strangers_of_address if isinstance(origin, str) else bounds.strangers_of_account):
            self._close_one(own)
        if self._count_of_strangers() >= bounds.strangers or len(self._all) >= bounds.all:
            self.make_room()
        beyond = len(self._all) - bounds.all
        if beyond >= bounds.turned_away:
            return None
        place = Place(self, origin, close)
        place.is_beyond = beyond >= 0
        self._all.add(place)
        self._strangers.setdefault(origin, {})[place] = None
        return place

    def make_room(self) -> None:
        """Close the connection of a stranger, if there is one, from where most strangers are."""
        self._close_one(max(self._strangers.values(), key=len, default={}))

    def let_in(self, place: Place, person: Hashable) -> bool:
        if place.person == person:
            return True
        if place not in self._all or len(self._people.get(person, ())) >= self._bounds().of_person:
            return False
        self._forget(place)
        place.person = person
        self._people.setdefault(person, set()).add(place)
        return True

    def leave(self, place: Place) -> None:
        if place not in self._all:
            return
        self._all.discard(place)
        self._forget(place)

    def _forget(self, place: Place) -> None:
        found = self._strangers if place.person is None else self._people
        key = place.origin if place.person is None else place.person
        among = found[key]
        if isinstance(among, set):
            among.discard(place)
        else:
            among.pop(place, None)
        if not among:
            del found[key]

    def _count_of_strangers(self) -> int:
        return len(self._all) - sum(map(len, self._people.values()))

    @staticmethod
    def _close_one(among: dict[Place, None]) -> None:
        """Close the oldest that waits for its client, else one that reads too slowly, else one that is worked on.

        What a person sends is worked on when it is known whose it is, and so is never cut off.
        """
        place = min((each for each in among if not each.is_beyond), key=_rank, default=None)
        if place is not None:
            place.leave()
            place.close()


def _rank(place: Place) -> int:
    """Of two strangers who came one after the other, who is closed first."""
    return 1 if place.is_sending else 2 * place.is_working
