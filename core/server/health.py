"""Whether the server lives and can work, for whoever watches over it: no identity is asked and nothing is told.

They are outside of /v1, since they are about the process and not about the workspace (decided here).
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from core import VERSION
from core.errors import StorageError
from core.server import answers
from core.server.messages import Desk


def health_routes(desk: Desk) -> list[Route]:
    """``GET /health``: the process answers. ``GET /ready``: the database does too, and could be written."""

    async def healthy(request: Request) -> Response:
        return _well(request)

    async def ready(request: Request) -> Response:
        database = desk.application.database

        def look() -> None:
            database.read(lambda tx: tx.query("SELECT id FROM workspace LIMIT 1"))
            database.refuse_unwritable()

        try:
            await desk.read(request, look)
        except StorageError:
            return answers.plain_refusal(503, request=request)
        return _well(request)

    def route(path: str, endpoint: Callable[[Request], Awaitable[Response]]) -> Route:
        return Route(path, endpoint, methods=["GET"])

    return [route("/health", healthy), route("/ready", ready)]


def _well(request: Request) -> Response:
    return answers.given(json.dumps({"status": "ok", "version": VERSION}), request)
