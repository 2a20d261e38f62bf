"""The process of the gateway: the socket it listens on, signals, and an orderly end."""

from __future__ import annotations

import asyncio
import signal
import ssl
from socket import socket

from aiohttp import web

from core.server.log import note
from core.server.tls import Tls
from tui.web.gateway import Gateway

GRACE = 8.0
"""Seconds that tabs get to end when the gateway stops; a Podium that hangs takes five."""


def serve(gateway: Gateway, listener: socket, tls: Tls | None) -> None:
    """Serve until SIGTERM or SIGINT, which ends all tabs."""
    asyncio.run(_serve(gateway, listener, tls))


async def _serve(gateway: Gateway, listener: socket, tls: Tls | None) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    runner = web.AppRunner(gateway.application(), access_log=None, shutdown_timeout=GRACE)
    await runner.setup()
    await web.SockSite(runner, listener, ssl_context=_context(tls) if tls else None).start()
    note("web started", on=str(listener.getsockname()))
    try:
        await stopped.wait()
    finally:
        await runner.cleanup()
        note("web stopped")


def _context(tls: Tls) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(tls.certificate, tls.key)
    return context
