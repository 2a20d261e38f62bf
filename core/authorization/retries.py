"""The retries of a request to the authorization service.

A request is sent up to four times while the service cannot be reached or answers 429, 502, 503 or 504, after a random
pause (exponential backoff with full jitter) and the service's own Retry-After, all within one deadline.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from core.authorization.faults import QueryFailed
from core.net.http_client import Reply, TimedOut

MAX_TRIES = 4
"""The most tries for one page, so that a service that is down is not queried until the deadline."""

FIRST_BACKOFF = 0.1
"""Seconds at most before the second try, doubled before each further one."""


async def with_retries(send: Callable[[float], Awaitable[Reply]], ends_at: float) -> Reply:
    """Return the reply of ``send``, after up to ``MAX_TRIES``; ``send`` takes the seconds that are left.

    Raises the QueryFailed of the last try, or of the one before if the deadline cut the last one short. ``ends_at`` is
    on the clock of the loop.
    """
    clock = asyncio.get_running_loop().time
    before: QueryFailed | None = None
    for attempt in range(1, MAX_TRIES + 1):
        try:
            return await send(ends_at - clock())
        except QueryFailed as failed:
            if before and isinstance(failed.__cause__, TimedOut):
                raise before from failed
            jitter = random.uniform(0, FIRST_BACKOFF * 2 ** (attempt - 1))  # noqa: S311 (no secret)
            wait = failed.wait + jitter
            if not failed.again or attempt == MAX_TRIES or clock() + wait >= ends_at:
                raise
            before = failed
        await asyncio.sleep(wait)
    raise AssertionError("the last try returns or raises")
