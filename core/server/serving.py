"""The process of a server: one uvicorn for each of its sockets in one loop, signals, and an orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import uvicorn

from core.application import Application
from core.server.app import make_app
from core.server.protocol import Protocol

GRACE = 2
"""Seconds that open requests get when the server stops; streams are ended at once."""


class Tls(NamedTuple):
    """The certificate of a server, and its key."""

    certificate: Path
    key: Path


class Listener(NamedTuple):
    """A socket that is bound, and how it is spoken to."""

    socket: socket.socket
    tls: Tls | None = None


class _Server(uvicorn.Server):
    """Leaves signals to whoever runs several."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def serve(application: Application, listeners: Sequence[Listener]) -> None:
    """Serve until SIGTERM or SIGINT. What was begun is finished."""
    asyncio.run(_serve(application, listeners))


async def _serve(application: Application, listeners: Sequence[Listener]) -> None:
    app = make_app(application)
    async with app.router.lifespan_context(app):
        servers = [_server(app, listener) for listener in listeners]

        def stop() -> None:
            for server in servers:
                server.should_exit = True

        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, stop)
        await asyncio.gather(*(server.serve([each.socket]) for server, each in zip(servers, listeners, strict=True)))


def _server(app: object, listener: Listener) -> uvicorn.Server:
    tls = listener.tls
    config = uvicorn.Config(
        app,  # type: ignore[arg-type]
        http=Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=GRACE,
        ssl_certfile=tls.certificate if tls else None,
        ssl_keyfile=tls.key if tls else None,
    )
    return _Server(config)
