"""The connections of one listener: their limits, and the choice of the one that is closed for a new one.

A connection is anonymous until a valid credential was seen on it; from then on it counts for the owner of the
credential. Anonymous connections never take the slots that are reserved for users. If they reach their limit, the
oldest one that waits for its client is closed for the next: honest clients send at once, so a flood of silent
connections only closes itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from core.record import Record


class ConnectionLimits(Record, kw_only=False):
    """The most connections of one listener."""

    all: int
    anonymous: int
    """The rest of ``all`` is reserved for connections with an owner."""
    anonymous_per_address: int
    anonymous_per_account: int
    """For one account of this machine. A proxy has one account, and limits its clients itself."""
    per_owner: int
    """For one owner, from all accounts and addresses together."""
    rejected: int
    """Connections beyond ``all`` that are answered 503; further ones are closed at once."""


class ConnectionSlot:
    """One open connection."""

    __slots__ = ("_slots", "close", "is_rejected", "is_sending", "is_working", "origin", "owner")

    def __init__(self, slots: ConnectionSlots, origin: Hashable, close: Callable[[], None]) -> None:
        self._slots = slots
        self.origin = origin
        self.close = close
        """Ends the connection at once."""
        self.is_rejected = False
        """True for a connection beyond the limit; its only response is 503."""
        self.owner: Hashable = None
        """The owner of the credential on it; None while it is anonymous."""
        self.is_working = False
        """True while the server works on a request."""
        self.is_sending = False
        """True while the client does not read a response."""

    def assign(self, owner: Hashable) -> bool:
        """Count the connection for an owner. Return False if the owner has reached the limit."""
        return self._slots.assign(self, owner)

    def leave(self) -> None:
        """Free the slot. Further calls do nothing."""
        self._slots.leave(self)


class ConnectionSlots:
    """The open connections of one listener."""

    def __init__(self, limits: Callable[[], ConnectionLimits]) -> None:
        self._limits = limits
        self._all: set[ConnectionSlot] = set()
        self._anonymous: dict[Hashable, dict[ConnectionSlot, None]] = {}
        """By origin, oldest first."""
        self._owned: dict[Hashable, set[ConnectionSlot]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def add(self, origin: Hashable, close: Callable[[], None]) -> ConnectionSlot | None:
        """A slot for a new connection; None if it has to be closed without a response."""
        limits = self._limits()
        own = self._anonymous.get(origin, {})
        if len(own) >= (limits.anonymous_per_address if isinstance(origin, str) else limits.anonymous_per_account):
            self._close_one(own)
        anonymous = len(self._all) - sum(map(len, self._owned.values()))
        if anonymous >= limits.anonymous or len(self._all) >= limits.all:
            self.close_anonymous()
        beyond = len(self._all) - limits.all
        if beyond >= limits.rejected:
            return None
        slot = ConnectionSlot(self, origin, close)
        slot.is_rejected = beyond >= 0
        self._all.add(slot)
        self._anonymous.setdefault(origin, {})[slot] = None
        return slot

    def close_anonymous(self) -> None:
        """Close one anonymous connection, if there is any, of the origin that has the most."""
        self._close_one(max(self._anonymous.values(), key=len, default={}))

    def assign(self, slot: ConnectionSlot, owner: Hashable) -> bool:
        if slot.owner == owner:
            return True
        if slot not in self._all or len(self._owned.get(owner, ())) >= self._limits().per_owner:
            return False
        self._remove(slot)
        slot.owner = owner
        self._owned.setdefault(owner, set()).add(slot)
        return True

    def leave(self, slot: ConnectionSlot) -> None:
        if slot not in self._all:
            return
        self._all.discard(slot)
        self._remove(slot)

    def _remove(self, slot: ConnectionSlot) -> None:
        found = self._anonymous if slot.owner is None else self._owned
        key = slot.origin if slot.owner is None else slot.owner
        among = found[key]
        if isinstance(among, set):
            among.discard(slot)
        else:
            among.pop(slot, None)
        if not among:
            del found[key]

    @staticmethod
    def _close_one(among: dict[ConnectionSlot, None]) -> None:
        """Close the oldest one that waits for its client, else one that reads too slowly, else one with a request.

        A user's request is never cut off here, because its connection has an owner before the work begins.
        """
        slot = min((each for each in among if not each.is_rejected), key=_closing_order, default=None)
        if slot is not None:
            slot.leave()
            slot.close()


def _closing_order(slot: ConnectionSlot) -> int:
    """The order in which anonymous connections are closed, lowest first."""
    return 1 if slot.is_sending else 2 * slot.is_working
