"""One connection to the gateway, with its deadlines and its slot.

It is a layer between asyncio and aiohttp, which has no deadline for a request's head or for a browser that stops
reading. One deadline runs at a time, as in ``core.server.transport.http_protocol``; a slow trickle of bytes does not
extend it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from typing import Any

from aiohttp import web

from core.domain.model import Id
from core.server.requests.bounds import limits
from core.server.requests.bounds.connection_slots import ConnectionSlot

BODY_SECONDS = 10.0
"""Seconds from the end of a request's head to the end of its body, a form with one field."""

STALL_SECONDS = 20.0
"""Seconds after which a connection is closed whose browser has stopped reading an answer."""


class BrowserConnection(asyncio.Protocol):
    """Forwards all data to aiohttp's protocol, with deadlines."""

    def __init__(self, inner: asyncio.Protocol, slot: ConnectionSlot) -> None:
        self._inner = inner
        self._slot = slot
        self._loop = asyncio.get_running_loop()
        self._is_idle = False
        self._is_ahead = False
        """True if data of the next request arrived before the answer was complete."""
        self._unsent = 0
        self._is_lost = False
        self._alarm: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        self._transport: asyncio.Transport = transport
        transport.set_write_buffer_limits(limits.WRITE_BUFFER)
        self._slot.close = transport.abort
        self._within(limits.HEAD_SECONDS)
        self._inner.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._is_lost = True
        self._within(None)
        self._slot.leave()
        self._inner.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_idle:
            self._is_idle = False
            self._within(limits.HEAD_SECONDS)
        self._is_ahead = self._slot.is_working
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received()

    def pause_writing(self) -> None:
        self._slot.is_sending = True
        self._unsent = 0
        self._within(STALL_SECONDS)
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._slot.is_sending = False
        if self._slot.is_working:
            self._within(None)
        self._inner.resume_writing()

    def assign(self, person: Id) -> bool:
        """Assign the connection to a user. Return False if they have too many."""
        return self._slot.assign(person)

    def reading(self) -> asyncio.Timeout:
        """Context for reading the body of a request. Raises TimeoutError if it is too slow."""
        self._within(None)
        return asyncio.timeout(BODY_SECONDS)

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """Context for answering a request. The answer to a WebSocket takes as long as the tab is open."""
        self._within(None)
        self._slot.is_working, self._is_ahead = True, False
        try:
            yield
        finally:
            self._slot.is_working = False
            self._is_idle = not self._is_ahead
            idle = limits.ANONYMOUS_SECONDS if self._slot.owner is None else limits.IDLE_SECONDS
            self._within(idle if self._is_idle else limits.HEAD_SECONDS)

    def _within(self, seconds: float | None) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = None
        if seconds is not None and not self._is_lost:  # a request may end after its connection
            self._alarm = self._loop.call_later(seconds, self._late)

    def _late(self) -> None:
        """Close the connection at its deadline, unless a slow browser is still reading an answer."""
        unsent = self._transport.get_write_buffer_size()
        if unsent and unsent != self._unsent:
            self._unsent = unsent
            self._within(STALL_SECONDS)
        elif unsent:
            self._transport.abort()
        else:
            self._transport.close()


def connection_of(request: web.Request) -> BrowserConnection:
    """The connection of a request."""
    assert request.transport is not None
    found = request.transport.get_protocol()
    assert isinstance(found, BrowserConnection)
    return found
