"""Taking connections from a socket that listens: each gets its slot first, and TLS has a deadline.

asyncio's own way takes as many as come, counts none before TLS has greeted, and where file descriptors run out tries
and writes a line without end. Here a pause follows, and one line a minute.
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
from core.server.requests import limits
from core.server.requests.connection_slots import ConnectionSlot, ConnectionSlots
from core.server.requests.json_log import log_event
from core.text.urls import network_of

AT_ONCE = 4
"""Connections that are taken before other work has its turn: few, so that what somebody has sent by now is read before
any flood has pushed them out."""

PAUSE = 0.5
"""Seconds without taking any, where there was no file descriptor for one."""

TOLD_SECONDS = 60.0
"""Between two lines of the log about connections that were not taken."""


class Accepting:
    """Takes connections and gives each a protocol. Belongs to the event loop that runs."""

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
        self._told = -TOLD_SECONDS
        self._not_taken = 0

    def start(self) -> None:
        """Begin to take connections."""
        self._listener.setblocking(False)
        self._loop.add_reader(self._listener, self._accept)

    def close(self) -> None:
        """Take no more; those that TLS has not greeted yet are closed."""
        if self._pause is not None:
            self._pause.cancel()
        with contextlib.suppress(ValueError):  # the listener may be closed already
            self._loop.remove_reader(self._listener)
        for each in self._greetings:
            each.cancel()

    async def wait_closed(self) -> None:
        """Wait for the last greeting to end."""
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
            self._take(connection, _origin(connection, address))

    def _wait(self, error: OSError) -> None:
        """No room for one more: close strangers, and try again in a moment."""
        for _ in range(AT_ONCE):
            self._slots.close_anonymous()
        self._tell(error.strerror or "")
        self._loop.remove_reader(self._listener)
        self._pause = self._loop.call_later(PAUSE, self.start)

    def _take(self, connection: socket.socket, origin: Hashable) -> None:
        slot = self._slots.add(origin, connection.close)
        if slot is None or slot.is_rejected:
            self._tell("as many are open as may")
        if slot is None:
            connection.close()
            return
        greeting = self._loop.create_task(self._greet(connection, slot))
        slot.close = partial(_cancel, greeting)
        self._greetings.add(greeting)
        greeting.add_done_callback(partial(self._greeted, connection, slot))

    async def _greet(self, connection: socket.socket, slot: ConnectionSlot) -> None:
        """Give a connection its protocol, which from then on says when it is over."""
        try:
            await self._loop.connect_accepted_socket(
                partial(self._protocol, slot),
                connection,
                ssl=self._context,
                ssl_handshake_timeout=limits.HEAD_SECONDS if self._context else None,
                ssl_shutdown_timeout=limits.LINGER_SECONDS if self._context else None,
            )
        except OSError:  # that of TLS is one too
            slot.leave()

    def _greeted(self, connection: socket.socket, slot: ConnectionSlot, greeting: asyncio.Task[None]) -> None:
        """Close what was given up meanwhile, perhaps before its greeting began."""
        self._greetings.discard(greeting)
        if greeting.cancelled():
            connection.close()
            slot.leave()

    def _tell(self, why: str) -> None:
        self._not_taken += 1
        if self._loop.time() - self._told >= TOLD_SECONDS:
            log_event("connections not taken", logging.WARNING, count=self._not_taken, why=why)
            self._told, self._not_taken = self._loop.time(), 0


def _cancel(greeting: asyncio.Task[None]) -> None:
    greeting.cancel()


def _origin(connection: socket.socket, address: object) -> Hashable:
    """Whose connections are counted together: those of an account of this machine, or of a network."""
    if peer := peer_of(connection):
        return peer.uid
    return network_of(address[0]) if isinstance(address, tuple) else ""
