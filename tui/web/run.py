"""The process of the gateway: its socket, signals and shutdown."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from functools import partial
from socket import socket

from aiohttp import web

from core.record import replace
from core.server.requests.bounds import limits as shared
from core.server.requests.bounds.connection_slots import ConnectionLimits, ConnectionSlot, ConnectionSlots
from core.server.requests.json_log import log_event
from core.server.run import ending_signals
from core.server.transport.accepting import ConnectionAcceptor
from core.server.transport.tls import Tls
from tui.web.connection import BrowserConnection
from tui.web.gateway import Gateway
from tui.web.sessions import GatewayLimits

GRACE = 8.0
"""Seconds for tabs to end when the gateway stops; a process that hangs takes five."""

STRANGERS_OF_ADDRESS = 40
"""Most connections without a session from one address: six browsers that load the page at once. Idle ones are closed
for new ones, those with a request are not."""

FILES_OF_TAB = 8
"""File descriptors of a tab: the pipes to its process, and the request for its user."""


def serve(gateway: Gateway, listener: socket, tls: Tls | None) -> None:
    """Serve until SIGTERM, SIGINT or SIGHUP, then end all tabs."""
    most = gateway.limits.most
    shared.make_room_for_files(shared.MAX_CONNECTIONS + most * FILES_OF_TAB + shared.OTHER_FILES)
    asyncio.run(_serve(gateway, listener, tls))


async def _serve(gateway: Gateway, listener: socket, tls: Tls | None) -> None:
    stopped = asyncio.Event()
    for number in ending_signals():
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with accept_connections(gateway, listener, tls):
        log_event("web started", on=str(listener.getsockname()))
        await stopped.wait()
    log_event("web stopped")


@contextlib.asynccontextmanager
async def accept_connections(gateway: Gateway, listener: socket, tls: Tls | None = None) -> AsyncIterator[None]:
    """Context of a gateway that accepts connections on a socket; closes both at the end."""
    logging.getLogger("aiohttp.server").setLevel(logging.CRITICAL)  # it would log every malformed request
    runner = web.AppRunner(
        gateway.application(), access_log=None, shutdown_timeout=GRACE, keepalive_timeout=shared.IDLE_SECONDS + 1
    )
    await runner.setup()
    server = runner.server
    assert server is not None

    def protocol(slot: ConnectionSlot) -> BrowserConnection:
        return BrowserConnection(server(), slot)

    slots = ConnectionSlots(partial(connection_limits, gateway.limits))
    accepting = ConnectionAcceptor(listener, slots, protocol, tls.context() if tls else None)
    accepting.start()
    try:
        yield
    finally:
        accepting.close()
        listener.close()
        await runner.cleanup()
        await accepting.wait_closed()


def connection_limits(limits: GatewayLimits) -> ConnectionLimits:
    """Limits of connections: per user, enough for all tabs and for loading their pages."""
    return replace(
        shared.connection_limits(),
        anonymous_per_address=STRANGERS_OF_ADDRESS,
        per_owner=shared.MAX_PER_OWNER + limits.most_each,
        rejected=0,
    )
