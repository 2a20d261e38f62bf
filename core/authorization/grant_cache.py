"""The cache of grants from the authorization service, in the terms of HTTP caching (RFC 9111).

A grant is fresh for ``max_age`` seconds after its query was sent, and stale after that. A stale grant is kept for five
minutes, and is used only to read while the service is away (stale-if-error). Faults are never stored. A change of roles
invalidates all grants.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from core.domain.grants import PermissionQuery
from core.record import Record

MAX_STALE_AGE = 300.0
"""Seconds after which a grant is not used at all, not even to read while the service is away."""

MAX_COUNT = 10_000
"""The most grants that are kept; the oldest are evicted first."""

_CLOCK: int = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def monotonic_including_sleep() -> float:
    """Seconds on a clock that cannot be set and that runs on while the computer sleeps."""
    return time.clock_gettime(_CLOCK)


class CachedGrant(Record, kw_only=False):
    """The codes in one well-formed answer of the service."""

    held: frozenset[str]
    sent_at: float
    """The time at which the query was sent: the grant is at most that old."""


class GrantCache:
    """Grants by query. Any thread may use it."""

    def __init__(self, max_age: float, clock: Callable[[], float] = monotonic_including_sleep) -> None:
        """``max_age`` and the ``clock`` are in seconds."""
        self.max_age = max_age
        self.clock = clock
        self.generation = 0
        """The number of invalidations: the answer to a query of an earlier generation is not stored."""
        self._lock = threading.Lock()
        self._grants: dict[PermissionQuery, CachedGrant] = {}

    def lookup(self, query: PermissionQuery) -> CachedGrant | None:
        """The grant of a query, if it is fresh."""
        return self._younger_than(query, self.max_age)

    def lookup_stale(self, query: PermissionQuery) -> CachedGrant | None:
        """The grant of a query, fresh or stale, for stale-if-error."""
        return self._younger_than(query, MAX_STALE_AGE)

    def age(self, grant: CachedGrant) -> float:
        """Seconds since the query of a grant was sent."""
        return max(0.0, self.clock() - grant.sent_at)

    def store(self, query: PermissionQuery, grant: CachedGrant, generation: int) -> None:
        """Store a grant, unless all grants were invalidated since its query was sent, in ``generation``."""
        with self._lock:
            self._grants.pop(query, None)  # keeps the dict ordered by age
            if generation == self.generation:
                self._grants[query] = grant
            self._evict()

    def invalidate(self) -> None:
        """Drop all grants, including those of queries in flight."""
        with self._lock:
            self.generation += 1
            self._grants.clear()

    def _younger_than(self, query: PermissionQuery, seconds: float) -> CachedGrant | None:
        with self._lock:
            grant = self._grants.get(query)
        return grant if grant and self.clock() - grant.sent_at < seconds else None

    def _evict(self) -> None:
        """Drop the grants that are too old or too many."""
        oldest = self.clock() - MAX_STALE_AGE
        while self._grants:
            first = next(iter(self._grants))
            if len(self._grants) <= MAX_COUNT and self._grants[first].sent_at > oldest:
                return
            del self._grants[first]
