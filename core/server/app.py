"""The routes, made of the catalog, and what is around all of them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from core.application import Application
from core.catalog import MESSAGES
from core.errors import PodiumError
from core.messages import Message
from core.routes import route_of
from core.server import answers
from core.server.directory import Directory
from core.server.feed import Feed
from core.server.health import health_routes
from core.server.messages import Desk

Endpoint = Callable[[Request], Awaitable[Response]]


def make_app(application: Application) -> Starlette:
    """The HTTP API of a workspace, as an ASGI application. It closes what it started, but not ``application``."""
    feed = Feed(application.database, application.presence)
    desk = Desk(application, feed.tell)

    @contextlib.asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        feed.start()
        yield
        feed.close()
        desk.close()

    async def changes(request: Request) -> Response:
        listener = await desk.read(partial(desk.sender, request))
        stream = feed.stream(listener.user_id)
        return StreamingResponse(stream, media_type="text/event-stream", headers={"Cache-Control": "no-store"})

    app = Starlette(
        routes=[Route("/v1/changes", changes, methods=["GET"]), *health_routes(desk), _messages(desk)],
        lifespan=life,
        exception_handlers=HANDLERS,
    )
    app.state.end_streams = feed.end
    return app


def _messages(desk: Desk) -> Directory:
    """One route for each message."""
    return Directory(
        Route(route_of(kind).path, _endpoint(desk, kind), methods=[route_of(kind).method]) for kind in MESSAGES
    )


def _endpoint(desk: Desk, kind: type[Message[Any]]) -> Endpoint:
    return partial(desk.serve, kind)


async def _refused(_: Request, error: HTTPException) -> Response:
    return answers.plain_refusal(error.status_code)


async def _podium_refused(_: Request, error: PodiumError) -> Response:
    return answers.refusal(error)


async def _failed(_: Request, error: Exception) -> Response:
    return answers.failure(error)


async def _too_slow(_: Request, __: Exception) -> Response:
    return answers.plain_refusal(504)


async def _gone(_: Request, __: Exception) -> Response:
    return Response()  # that nobody gets


HANDLERS: dict[Any, Any] = {
    HTTPException: _refused,
    PodiumError: _podium_refused,
    TimeoutError: _too_slow,
    ClientDisconnect: _gone,
    Exception: _failed,
}
"""What is answered when a request cannot be; each kind of error with its answer."""
