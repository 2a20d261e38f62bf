"""Accepts connections of a listener: each gets a slot first, and the TLS handshake has a deadline.

asyncio itself accepts without a limit, does not count connections before their TLS handshake, and when there is no file
descriptor left, it retries and logs without a pause. Here it pauses, and logs once a minute.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import Callable, Hashable
from functools import partial

from core.net.peer_credentials import peer_of
from core.server.requests.bounds import limits
from core.server.requests.bounds.connection_slots import ConnectionSlot, ConnectionSlots
from core.server.requests.json_log import log_event
from core.text.urls import network_of

AT_ONCE = 4
"""Connections that are accepted before other work gets its turn: few, so that data that a client has sent already is
read before a flood of new connections can close its connection."""

PAUSE = 0.5
"""Seconds without accepting, after there was no file descriptor for a connection."""

LOG_SECONDS = 60.0
"""Seconds between two log lines about refused connections."""


class ConnectionAcceptor:
    """Accepts connections and gives each a protocol. Belongs to the running event loop."""

    def __init__(
        self,
        listener: socket.socket,
        slots: ConnectionSlots,
        protocol: Callable[[ConnectionSlot], asyncio.Protocol],
        context: ssl.SSLContext | None = None,
    ) -> None:
        self._listener, self._slots, self._protocol, self._context = listener, slots, protocol, context
        self._loop = asyncio.get_running_loop()
        self._greetings: set[asyncio.Task[None]] = set()
        self._pause: asyncio.TimerHandle | None = None
        self._logged_at = -LOG_SECONDS
        self._not_taken = 0

    def start(self) -> None:
        """Begin to accept connections."""
        self._listener.setblocking(False)
        self._loop.add_reader(self._listener, self._accept)

    def close(self) -> None:
        """Stop accepting; connections in their TLS handshake are closed."""
        if self._pause is not None:
            self._pause.cancel()
        with contextlib.suppress(ValueError):  # the listener may be closed already
            self._loop.remove_reader(self._listener)
        for each in self._greetings:
            each.cancel()

    async def wait_closed(self) -> None:
        """Wait for the last handshake to end."""
        await asyncio.gather(*self._greetings, return_exceptions=True)

    def _accept(self) -> None:
        for _ in range(AT_ONCE):
            try:
                connection, address = self._listener.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                self._wait(error)
                return
            connection.setblocking(False)
            _send_at_once(connection)
            self._take(connection, _origin(connection, address))

    def _wait(self, error: OSError) -> None:
        """After a failed accept: close some anonymous connections, and try again after PAUSE."""
        for _ in range(AT_ONCE):
            self._slots.close_anonymous()
        self._log(error.strerror or "")
        self._loop.remove_reader(self._listener)
        self._pause = self._loop.call_later(PAUSE, self.start)

    def _take(self, connection: socket.socket, origin: Hashable) -> None:
        slot = self._slots.add(origin, connection.close)
        if slot is None or slot.is_rejected:
            self._log("the limit is reached")
        if slot is None:
            connection.close()
            return
        greeting = self._loop.create_task(self._greet(connection, slot))
        slot.close = partial(_cancel, greeting)
        self._greetings.add(greeting)
        greeting.add_done_callback(partial(self._close_unless_greeted, connection, slot))

    async def _greet(self, connection: socket.socket, slot: ConnectionSlot) -> None:
        """Give a connection its protocol, which frees the slot when the connection ends."""
        try:
            await self._loop.connect_accepted_socket(
                partial(self._protocol, slot),
                connection,
                ssl=self._context,
                ssl_handshake_timeout=limits.HEAD_SECONDS if self._context else None,
                ssl_shutdown_timeout=limits.LINGER_SECONDS if self._context else None,
            )
        except OSError:  # includes errors of TLS
            slot.leave()

    def _close_unless_greeted(
        self, connection: socket.socket, slot: ConnectionSlot, greeting: asyncio.Task[None]
    ) -> None:
        """Close a connection whose handshake was cancelled, perhaps before it began."""
        self._greetings.discard(greeting)
        if greeting.cancelled():
            connection.close()
            slot.leave()

    def _log(self, why: str) -> None:
        self._not_taken += 1
        if self._loop.time() - self._logged_at >= LOG_SECONDS:
            log_event("connections not taken", logging.WARNING, count=self._not_taken, why=why)
            self._logged_at, self._not_taken = self._loop.time(), 0


def _send_at_once(connection: socket.socket) -> None:
    """Do not delay small segments over TCP: asyncio sees to that only for sockets that name their protocol, and then
    each answer waits up to 40 ms for the client's acknowledgement of the one before."""
    if connection.family in (socket.AF_INET, socket.AF_INET6):
        with contextlib.suppress(OSError):  # the client may have left already
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, limits.KERNEL_BUFFER)


def _cancel(greeting: asyncio.Task[None]) -> None:
    greeting.cancel()


def _origin(connection: socket.socket, address: object) -> Hashable:
    """The key by which connections are counted together: an account of this machine, or a network."""
    if peer := peer_of(connection):
        return peer.uid
    return network_of(address[0]) if isinstance(address, tuple) else ""
