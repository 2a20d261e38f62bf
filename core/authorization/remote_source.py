"""The authorization service as the source of permissions, behind a cache in the terms of HTTP caching (RFC 9111).

The rules, by the ``CacheControl`` of the caller:

only-if-cached  A fresh grant, else a stale one by stale-if-error, else a pending grant that holds nothing.
max-stale       A fresh grant; by stale-while-revalidate a stale one while the service is away; else the service is
                queried, and where it fails, stale-if-error answers.
max-age         A fresh grant, else the service is queried.
no-cache        The service is queried; an older query in flight does not answer.

stale-if-error grants only read permissions, and only while the service is away: it cannot be reached, or it fails.
Without a valid answer nothing is held.

Queries are sent by an event loop in its own thread. Equal queries at one time share one request (single-flight), and
no caller waits longer than the deadline.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import CancelledError, Future
from datetime import UTC, datetime
from uuid import uuid4

from core.authorization.faults import QueryFailed
from core.authorization.grant_cache import CachedGrant, GrantCache, monotonic_including_sleep
from core.authorization.remote_query import RemoteQuery
from core.domain.grants import CacheControl, DecisionSource, FaultKind, Grant, PermissionQuery, ServiceFailure
from core.domain.permissions import ADDED_CODES, ALL_CODES, READ_PERMISSIONS
from core.errors import InvalidInput
from core.net.bearer_tokens import BearerToken
from core.net.event_loop_thread import EventLoopThread, LoopClosed
from core.net.http_client import HttpClient
from core.record import Record, replace

GRACE = 0.25
"""Seconds beyond the deadline after which a caller goes on without an answer, even if the loop is stuck."""

Outcome = CachedGrant | ServiceFailure


class _InFlight(Record, kw_only=False):
    """A query that was sent to the service."""

    generation: int
    """The generation of the cache when the query was sent."""
    task: asyncio.Task[Outcome]


class RemotePermissions:
    """Answers permission queries from the authorization service.

    ``name`` is "remote" or "staging", which use different paths; ``token`` finds the token when it is needed and may
    raise InvalidInput; ``deadline`` and ``max_age`` are in seconds. ``codes`` are those of ``ADDED_CODES`` that the
    service knows.
    """

    def __init__(
        self,
        name: str,
        url: str,
        token: Callable[[], BearerToken],
        *,
        deadline: float = 3.0,
        max_age: float = 5.0,
        codes: Iterable[str] = (),
        clock: Callable[[], float] = monotonic_including_sleep,
    ) -> None:
        self.name = name
        self.deadline = deadline
        self._find_token = token
        self._token: BearerToken | None = None
        self._client = HttpClient(secure=url.lower().startswith("https:"))
        unnamed = ADDED_CODES.difference(codes)
        self._authority = DecisionSource(name, unnamed=unnamed)
        self._remote_query = RemoteQuery(self._client, name, url, deadline, unnamed)
        self._cache = GrantCache(max_age, clock)
        self._fault: ServiceFailure | None = None
        self._fault_lock = threading.Lock()
        self._loop_thread = EventLoopThread("permissions")
        self._in_flight: dict[PermissionQuery, _InFlight] = {}
        self._queued: dict[PermissionQuery, asyncio.Task[Outcome]] = {}
        """Queries that wait for an older equal one in flight."""

    def grant(self, query: PermissionQuery, cache_control: CacheControl) -> Grant:
        return self.grants((query,), cache_control)[query]

    def grants(self, queries: Collection[PermissionQuery], cache_control: CacheControl) -> dict[PermissionQuery, Grant]:
        """Answer from the cache, and ask the service about the others at once; all share one deadline."""
        cached = {each: self._lookup(each, cache_control) for each in queries}
        no_cache = cache_control is CacheControl.NO_CACHE
        sent = {each: self._send(_widen(each), no_cache=no_cache) for each, grant in cached.items() if grant is None}
        ends_at = time.monotonic() + self.deadline + GRACE
        return {
            each: grant or self._to_grant(each, cache_control, self._wait_for(sent[each], ends_at))
            for each, grant in cached.items()
        }

    def ask_ahead(self, queries: Collection[PermissionQuery]) -> None:
        for each in queries:
            self._revalidate(_widen(each))

    def invalidate(self) -> None:
        self._cache.invalidate()

    def close(self) -> None:
        self.invalidate()  # nothing that was granted outlives the source
        self._loop_thread.close(self._client.close)

    def _lookup(self, query: PermissionQuery, cache_control: CacheControl) -> Grant | None:
        """The grant that the cache allows without waiting; None where the service has to be queried."""
        if cache_control is CacheControl.NO_CACHE:
            return None
        if fresh := self._cache.lookup(_widen(query)):
            return self._make_grant(query, fresh)
        if cache_control is CacheControl.MAX_AGE:
            return None
        stale = self._stale_if_error(query)
        if cache_control is CacheControl.ONLY_IF_CACHED:
            return stale or Grant(frozenset(), replace(self._authority, pending=True))
        if stale:
            self._revalidate(_widen(query))
        return stale

    def _to_grant(self, query: PermissionQuery, cache_control: CacheControl, outcome: Outcome) -> Grant:
        """The grant that follows from the outcome of a query."""
        if isinstance(outcome, CachedGrant):
            return self._make_grant(query, outcome)
        stale = self._stale_if_error(query) if cache_control is CacheControl.MAX_STALE else None
        return stale or Grant(frozenset(), replace(self._authority, fault=outcome))

    def _make_grant(self, query: PermissionQuery, cached: CachedGrant) -> Grant:
        return Grant(cached.held & query.codes, self._authority, self._cache.age(cached))

    def _stale_if_error(self, query: PermissionQuery) -> Grant | None:
        """The read permissions of a stale grant, while the service is known to be away."""
        fault, stale = self._fault, self._cache.lookup_stale(_widen(query))
        if fault is None or not fault.away or stale is None:
            return None
        held = stale.held & query.codes & READ_PERMISSIONS
        return Grant(held, replace(self._authority, fault=fault), self._cache.age(stale)) if held else None

    def _revalidate(self, query: PermissionQuery) -> None:
        """Send a query without waiting for it (stale-while-revalidate), unless it is in flight already: the next caller
        gets the fresh grant."""
        if query not in self._in_flight and query not in self._queued:
            self._send(query, no_cache=False)

    def _send(self, query: PermissionQuery, *, no_cache: bool) -> Future[Outcome] | None:
        """Have the loop send a query; None while the source is being closed."""
        self._client.prepare()
        try:
            return self._loop_thread.start(lambda: self._single_flight(query, no_cache))
        except LoopClosed:
            return None

    def _wait_for(self, sent: Future[Outcome] | None, ends_at: float) -> Outcome:
        """The outcome of a query by ``ends_at`` on the monotonic clock, else a fault."""
        try:
            if sent:
                return sent.result(max(0.0, ends_at - time.monotonic()))
            raise CancelledError
        except CancelledError:
            return self._record_fault(
                QueryFailed("Podium is closing, so it does not ask the permission service.", FaultKind.UNASKED), ""
            )
        except TimeoutError:
            return self._record_fault(
                QueryFailed("Podium had no time to ask the permission service. Try again.", FaultKind.LATE), ""
            )

    async def _single_flight(self, query: PermissionQuery, no_cache: bool) -> Outcome:
        """The outcome of an equal query in flight where the cache control allows it, else of one that is sent next."""
        if not no_cache and (fresh := self._cache.lookup(query)):
            return fresh
        in_flight = self._in_flight.get(query)
        if in_flight and not no_cache and in_flight.generation == self._cache.generation:
            return await in_flight.task
        if query not in self._queued:
            before = in_flight.task if in_flight else None
            self._queued[query] = asyncio.create_task(self._fetch_after(before, query))
        return await self._queued[query]

    async def _fetch_after(self, before: asyncio.Task[Outcome] | None, query: PermissionQuery) -> Outcome:
        """Send a query once the older equal one has ended; both within the deadline."""
        ends_at = asyncio.get_running_loop().time() + self.deadline
        if before:
            await asyncio.wait({before})
        task, generation = self._queued.pop(query), self._cache.generation
        self._in_flight[query] = _InFlight(generation, task)
        try:
            return await self._fetch(query, generation, ends_at)
        finally:
            del self._in_flight[query]

    async def _fetch(self, query: PermissionQuery, generation: int, ends_at: float) -> Outcome:
        """Send a query to the service, and store its grant."""
        correlation_id, sent_at = str(uuid4()), self._cache.clock()
        try:
            self._token = self._token or self._find_token()
            held = await self._remote_query.send(query, self._token, correlation_id, ends_at)
        except InvalidInput as error:
            return self._record_fault(QueryFailed(str(error), FaultKind.UNASKED), correlation_id)
        except QueryFailed as failed:
            self._token = None  # it may have been the wrong one, and may have been replaced
            return self._record_fault(failed, correlation_id)
        except Exception as error:  # noqa: BLE001 (no error at all is a permission)
            unknown = (
                f"Podium failed to ask the permission service ({type(error).__name__}). This is a fault of Podium."
            )
            return self._record_fault(QueryFailed(unknown, FaultKind.UNASKED), correlation_id)
        grant = CachedGrant(held, sent_at)
        self._cache.store(query, grant, generation)
        with self._fault_lock:
            self._fault = None
        return grant

    def _record_fault(self, failed: QueryFailed, correlation_id: str) -> ServiceFailure:
        """Record the fault of a failed query. Its ``since`` is the first failure since the last good answer."""
        named = failed.correlation_id or correlation_id or str(uuid4())
        with self._fault_lock:
            since = self._fault.since if self._fault else datetime.now(UTC)
            self._fault = ServiceFailure(str(failed), named, since, failed.kind)
            return self._fault


def _widen(query: PermissionQuery) -> PermissionQuery:
    """Widen a query for some of Podium's own codes to all of them, so that one cached grant answers every such query;
    leave a query for codes of a product as it is."""
    return replace(query, codes=ALL_CODES) if query.codes <= ALL_CODES else query
