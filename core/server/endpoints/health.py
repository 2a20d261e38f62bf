"""Liveness, readiness and metrics for monitoring, without details.

They are outside of /v1, because they are about the process and not about the workspace.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core import VERSION
from core.codec.encoding import to_json
from core.domain.permissions import Permission
from core.errors import DatabaseReadOnly, NotFound, PodiumError, StorageError, TookTooLong
from core.server.requests import responses
from core.server.requests.correlation import HEADER as CORRELATION
from core.server.requests.correlation import correlation_of
from core.server.requests.dispatcher import Dispatcher
from core.storage.backups import BackupState, backup_state
from core.storage.database import DatabaseHealth

BACKUP_PROBLEM = "The last good backup is older than 48 hours, or the last one failed. “podium doctor” says why."
"""It names no files, because the endpoint is public. The status stays 200: a server without backups still works, and
taking it out of service would not help its users."""

READ_ONLY = "Read only: the workspace can be read, and not changed. The log of the server says why."

PRIVATE = ("server", "lacks")
"""Fields of ``DatabaseHealth`` that say which server it is."""


READY_SECONDS = 2.5
"""The most seconds for which ``/ready`` looks, so that it answers within three, whatever hangs."""


def health_routes(dispatcher: Dispatcher) -> list[Route]:
    """``GET /health``: the process answers. ``GET /ready``: the database answers too, and can be written.

    If the server makes backups, readiness has ``backup``: the time of the ``newest``, and a ``problem`` or null. For a
    database behind a network it has ``database``: the numbers of ``DatabaseHealth``, and its ``warnings``. All who ask
    at the same time share one look, so that a database that hangs takes one thread.

    ``GET /metrics``: the numbers of ``core.server.metrics`` in the text format of Prometheus. Who can connect to a Unix
    socket can read them; over the network it takes METRICS_VIEW.
    """
    looks: list[asyncio.Task[tuple[BackupState | None, DatabaseHealth | None]]] = []

    async def healthy(request: Request) -> Response:
        return _well(request)

    async def look(request: Request) -> tuple[BackupState | None, DatabaseHealth | None]:
        database = dispatcher.engine.database

        def find() -> tuple[BackupState | None, DatabaseHealth | None]:
            database.read(lambda tx: tx.query("SELECT id FROM workspace LIMIT 1"))
            database.check_writable()
            backed_up = getattr(request.app.state, "backed_up", None)
            return backup_state(backed_up.path) if backed_up else None, database.health()

        if not looks or looks[0].done():
            looks[:] = [asyncio.create_task(dispatcher.queue.read(request, find))]
            looks[0].add_done_callback(lambda look: look.cancelled() or look.exception())  # all may have left
        return await asyncio.wait_for(asyncio.shield(looks[0]), READY_SECONDS)

    async def ready(request: Request) -> Response:
        try:
            return _well(request, *await look(request))
        except TimeoutError:
            detail = f"The database did not answer within {READY_SECONDS:g} seconds. The log of the server says more."
            return responses.status_response(503, detail, request=request)
        except DatabaseReadOnly:
            return responses.status_response(503, READ_ONLY, request=request)
        except (StorageError, TookTooLong) as error:
            return responses.status_response(503, f"{error.title}. The log of the server says more.", request=request)

    async def metrics(request: Request) -> Response:
        counted, backed_up = request.app.state.metrics, getattr(request.app.state, "backed_up", None)

        def check() -> None:
            actor = dispatcher.authenticator.user(request)
            dispatcher.engine.authorizer.require(Permission.METRICS_VIEW, actor)

        if request.scope["state"]["peer"] is None:  # from the network, where anybody could ask
            await dispatcher.queue.read(request, check)
        if counted is None:
            raise NotFound("This server keeps no metrics. Install its extra: podium-tui[metrics].")
        health = None
        with contextlib.suppress(PodiumError, TimeoutError):  # then the other numbers are there
            _, health = await look(request)
        text = await asyncio.to_thread(counted.text, backed_up, health)
        return Response(text, headers={CORRELATION: correlation_of(request)}, media_type=responses.PROMETHEUS)

    def route(path: str, endpoint: Callable[[Request], Awaitable[Response]]) -> Route:
        return Route(path, endpoint, methods=["GET"])

    return [route("/health", healthy), route("/ready", ready), route("/metrics", metrics)]


def _well(request: Request, backups: BackupState | None = None, health: DatabaseHealth | None = None) -> Response:
    said: dict[str, object] = {"status": "ok", "version": VERSION}
    if backups:
        newest = backups.newest.at.isoformat().replace("+00:00", "Z") if backups.newest else None
        said["backup"] = {"newest": newest, "problem": BACKUP_PROBLEM if backups.problem else None}
    if health:
        said["database"] = {name: value for name, value in to_json(health).items() if name not in PRIVATE}
    if (backups and backups.problem) or (health and health.warnings):
        said["status"] = "warning"
    return responses.json_response(json.dumps(said), request)
