"""The server process: one uvicorn server per listener in one event loop, its signals, its daily
backup, and its orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import signal
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import uvicorn
from uvicorn.server import ServerState

from core.engine.engine import Engine
from core.record import Record
from core.server.app import make_app
from core.server.requests.bounds import limits
from core.server.requests.bounds.connection_slots import ConnectionSlot, ConnectionSlots
from core.server.requests.json_log import AccessLogMiddleware, log_event
from core.server.transport.accepting import ConnectionAcceptor
from core.server.transport.http_protocol import Protocol
from core.server.transport.tls import STRICT, Tls
from core.storage.sqlite.database import SqliteDatabase

GRACE = 2
"""Seconds that running requests get when the server stops; streams, and commands in slices, are ended at once."""


class Listener(Record, kw_only=False):
    """A bound socket, with the certificate if it uses TLS."""

    socket: socket.socket
    tls: Tls | None = None


class ServerProcess:
    """An application on its listeners. ``run`` it in any loop, ``stop`` it from any thread.

    ``public_url`` is the address of the server for links; if it is empty, links have the host of each request.
    ``GET /ready`` reports the backups of ``backed_up``, if any.
    """

    def __init__(
        self,
        engine: Engine,
        listeners: Sequence[Listener],
        public_url: str = "",
        backed_up: SqliteDatabase | None = None,
    ) -> None:
        self.ready = threading.Event()
        """Set when all listeners accept requests."""
        self._is_ending = False
        self._database = engine.database
        self._listeners = listeners
        self._app = make_app(engine, public_url)
        self._app.state.backed_up = backed_up
        self._states: list[ServerState] = []
        self._servers = [self._server(each) for each in listeners]

    def _server(self, listener: Listener) -> _Server:
        context = listener.tls.context() if listener.tls else None
        config = _config(AccessLogMiddleware(self._app, self._app.state.metrics), listener)
        return _Server(config, context, len(self._listeners), self._states, self._after_start, self._ending)

    async def run(self) -> None:
        """Serve until ``stop``. Running requests are finished."""
        async with self._app.router.lifespan_context(self._app):
            pairs = zip(self._servers, self._listeners, strict=True)
            await asyncio.gather(*(server.serve([listener.socket]) for server, listener in pairs))
            if late := [task for state in self._states for task in state.tasks]:
                await asyncio.wait(late, timeout=GRACE)  # they are cancelled, and respond that the server stops
        log_event("stopped")

    def stop(self) -> None:
        """Accept no more requests, and let ``run`` end."""
        for server in self._servers:
            server.should_exit = True

    def _after_start(self) -> None:
        if all(server.started for server in self._servers):
            self.ready.set()
            state = "read only" if self._database.unwritable else "writable"
            log_event("serving", state=state, on=[str(each.socket.getsockname()) for each in self._listeners])
            if self._database.unwritable:
                log_event("read only", logging.WARNING, self._database.unwritable)

    def _ending(self) -> None:
        """Stop streams and commands in slices, once, with the first listener that ends; other requests get GRACE."""
        if not self._is_ending:
            self._is_ending = True
            log_event("stopping")
            self._app.state.ending()


def serve(
    engine: Engine,
    listeners: Sequence[Listener],
    public_url: str = "",
    *,
    daily_backup: bool = False,
) -> None:
    """Serve until SIGTERM, SIGINT or SIGHUP. A file is backed up daily meanwhile, if ``daily_backup``."""
    database = engine.database
    backed_up = database if daily_backup and isinstance(database, SqliteDatabase) else None
    limits.make_room_for_files()
    limits.give_back_large_pieces()
    gc.freeze()  # imported modules stay, so the collector can skip them

    async def until_signal() -> None:
        serving = ServerProcess(engine, listeners, public_url, backed_up)
        for number in ending_signals():
            asyncio.get_running_loop().add_signal_handler(number, serving.stop)
        keeping = asyncio.create_task(keep_backups(backed_up)) if backed_up else None
        await serving.run()
        if keeping:
            keeping.cancel()

    asyncio.run(until_signal())


def ending_signals() -> list[signal.Signals]:
    """The signals that end a server: SIGTERM, SIGINT, and SIGHUP of a closed terminal, unless “nohup” ignores it."""
    every = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    return [number for number in every if signal.getsignal(number) is not signal.SIG_IGN]


class _Server(uvicorn.Server):
    """A uvicorn server that leaves signals to ``serve``, and reports when it accepts requests."""

    def __init__(
        self,
        config: uvicorn.Config,
        context: ssl.SSLContext | None,
        listeners: int,
        states: list[ServerState],
        started: Callable[[], None],
        ending: Callable[[], None],
    ) -> None:
        """``states`` has the states of all listeners of the process; this server adds its own."""
        super().__init__(config)
        states.append(self.server_state)
        self._states = states
        self._context, self._listeners = context, listeners
        self._report_started = started
        self._report_ending = ending

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start as uvicorn does, but accept connections with ``ConnectionAcceptor``."""
        accepting = [self._accepting(each) for each in sockets or ()]
        for each in accepting:
            each.start()
        self.servers = accepting  # type: ignore[assignment]  # uvicorn closes them, and waits for that
        self.started = True
        self._report_started()

    def _accepting(self, listener: socket.socket) -> ConnectionAcceptor:
        listener.listen(self.config.backlog)
        slots = ConnectionSlots(partial(limits.connection_limits, self._listeners))
        return ConnectionAcceptor(listener, slots, self._protocol, self._context)

    def _protocol(self, slot: ConnectionSlot) -> Protocol:
        return Protocol(slot, self.config, self.server_state, self._states)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._report_ending()
        await super().shutdown(sockets)


def _config(app: AccessLogMiddleware, listener: Listener) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=GRACE,
        headers=[STRICT] if listener.tls else [],
    )


CHECK_EVERY = 600.0
"""Seconds between two checks whether a backup is due."""


async def keep_backups(database: SqliteDatabase) -> None:
    """Make backups until this is cancelled. A failed backup is logged, and tried again at the next check.

    None is made of a file that cannot be written, which does not change.
    """
    from core.engine.large_projects import sweep
    from core.storage.backups import rotate

    def make() -> Path | None:
        sweep(database)
        return rotate(database)

    while True:
        try:
            made = None if database.unwritable else await asyncio.to_thread(make)
        except Exception as error:  # noqa: BLE001 (whatever it is, the next check tries again)
            log_event("backup failed", logging.ERROR, error)
        else:
            if made is not None:
                log_event("backup", file=made.name)
        await asyncio.sleep(CHECK_EVERY)
