"""The ASGI application: its routes, made of the catalog, and its exception handlers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from core.actions.catalog import MESSAGES
from core.engine.engine import Engine
from core.engine.messages import Message
from core.errors import PodiumError, TooManyStreams
from core.server.endpoints.event_stream import EventStream
from core.server.endpoints.health import health_routes
from core.server.endpoints.permission_query import permission_query_routes
from core.server.endpoints.routes import other_routes
from core.server.requests import responses
from core.server.requests.bounds import limits
from core.server.requests.bounds.unsent_answers import UnsentAnswersMiddleware
from core.server.requests.correlation import HEADER as CORRELATION
from core.server.requests.correlation import correlation_of
from core.server.requests.decoding import check_no_query
from core.server.requests.dispatcher import Dispatcher
from core.server.requests.responses import UNAVAILABLE
from core.wire.routes import route_of

if TYPE_CHECKING:
    from core.server.metrics import Metrics

EVENTS = "text/event-stream"
TOO_MANY_STREAMS = (
    "You already follow the changes on this server in {} terminals or tabs, the most at one time. Close one."
)
STREAM_AGAIN = "60"
"""Seconds after which another try may succeed."""


def make_app(engine: Engine, public_url: str = "") -> Starlette:
    """The HTTP API of a workspace, as an ASGI application. It closes what it started, but not ``engine``.

    ``public_url`` is the address of the server for links; if it is empty, links have the host of each request.
    """
    feed = EventStream(engine)
    metrics = _metrics_of(engine, feed)

    def announce() -> None:
        feed.notify()
        if metrics:
            metrics.count_commit()

    dispatcher = Dispatcher(engine, announce, metrics.count_wait if metrics else None)

    @contextlib.asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        feed.start()
        yield
        feed.close()
        dispatcher.close()

    app = Starlette(
        routes=[
            PathRouter(
                [
                    _changes_route(dispatcher, feed),
                    *health_routes(dispatcher),
                    *other_routes(dispatcher),
                    *permission_query_routes(dispatcher),
                    *_messages(dispatcher),
                ]
            )
        ],
        lifespan=life,
        middleware=[Middleware(UnsentAnswersMiddleware, dispatcher.unsent)],
        exception_handlers=HANDLERS,
    )
    app.router.redirect_slashes = False

    def ending() -> None:
        feed.end()
        dispatcher.running.stop()

    app.state.ending, app.state.public_url, app.state.metrics = ending, public_url, metrics
    return app


def _metrics_of(engine: Engine, feed: EventStream) -> Metrics | None:
    """The metrics of a server; None without the extra."""
    try:
        from core.server.metrics import Metrics
    except ImportError:
        return None
    return Metrics(engine, feed.count_streams)


def _changes_route(dispatcher: Dispatcher, feed: EventStream) -> Route:
    async def changes(request: Request) -> Response:
        listener = await dispatcher.queue.read(request, partial(dispatcher.authenticator.user, request))
        request.scope["state"]["slot"].assign(listener.user_id)
        check_no_query(request)
        headers = {"Cache-Control": "no-store", CORRELATION: correlation_of(request)}
        if request.method == "HEAD":  # the headers alone, because the stream never ends
            return Response(headers=headers, media_type=EVENTS)
        if feed.streams_of(listener.user_id) >= limits.STREAMS_PER_USER:
            refusal = responses.error_response(
                TooManyStreams(TOO_MANY_STREAMS.format(limits.STREAMS_PER_USER)), request
            )
            refusal.headers["Retry-After"] = STREAM_AGAIN
            return refusal

        async def is_let_in() -> bool:
            try:
                return await dispatcher.queue.read(request, partial(dispatcher.authenticator.user, request)) == listener
            except (PodiumError, HTTPException, TimeoutError):
                return False

        return StreamingResponse(feed.stream(listener.user_id, is_let_in), media_type=EVENTS, headers=headers)

    return Route("/v1/changes", changes, methods=["GET"])


def _messages(dispatcher: Dispatcher) -> list[Route]:
    """One route for each path, with all of its methods."""
    found: dict[str, dict[str, type[Message[Any]]]] = {}
    for kind in MESSAGES:
        found.setdefault(route_of(kind).path, {})[route_of(kind).method] = kind
    return [Route(path, _Endpoint(dispatcher, kinds), methods=list(kinds)) for path, kinds in found.items()]


class _Endpoint:
    """An ASGI application for the messages of one path, by their methods."""

    def __init__(self, dispatcher: Dispatcher, kinds: Mapping[str, type[Message[Any]]]) -> None:
        self._dispatcher = dispatcher
        self._kinds = {**kinds, "HEAD": kinds["GET"]} if "GET" in kinds else kinds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._dispatcher.serve(self._kinds[scope["method"]], Request(scope, receive))
        await response(scope, receive, send)


async def _respond_refused(request: Request, error: HTTPException) -> Response:
    return responses.status_response(error.status_code, request=request, headers=error.headers)


async def _podium_refused(request: Request, error: PodiumError) -> Response:
    return responses.error_response(error, request)


async def _respond_failed(request: Request, error: Exception) -> Response:
    return responses.internal_error_response(error, request)


async def _too_slow(request: Request, _: Exception) -> Response:
    return responses.status_response(504, request=request)


async def _respond_gone(_: Request, __: Exception) -> Response:
    return Response(status_code=400)  # the client has left, so only the log says it


HANDLERS: dict[Any, Any] = {
    HTTPException: _respond_refused,
    PodiumError: _podium_refused,
    TimeoutError: _too_slow,
    ClientDisconnect: _respond_gone,
    Exception: _respond_failed,
}
"""The responses to errors, by the class of the error."""


FOUND = "podium.route"
"""The key of the route in the scope of a request."""


class PathRouter(BaseRoute):
    """Routes in any order: a fixed word of a path is matched before a field."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self.routes = tuple(routes)
        self._by_words: dict[tuple[str, ...], list[Route]] = {}
        """The routes of each path, one for each method; "" stands for a field."""
        self._shapes: dict[int, list[tuple[bool, ...]]] = {}
        """For each number of parts, which of them are fields; fixed words come first."""
        for route in self.routes:
            parts = route.path.split("/")
            shape = tuple(part.startswith("{") for part in parts)
            self._by_words.setdefault(_fixed_words(parts, shape), []).append(route)
            self._shapes[len(parts)] = sorted({*self._shapes.get(len(parts), ()), shape})

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """A full match, or a partial one if only the method differs, as Starlette's routes return them."""
        other: tuple[Match, Scope] = Match.NONE, {}
        parts = scope["path"].split("/") if scope["type"] == "http" else []
        found = (self._by_words.get(_fixed_words(parts, shape)) for shape in self._shapes.get(len(parts), ()))
        for route in next(filter(None, found), ()):
            match, about = route.matches(scope)
            if match is Match.FULL:
                return match, {**about, FOUND: route}
            if match is Match.PARTIAL:
                other = match, {**about, FOUND: route}
        return other

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await scope[FOUND].handle(scope, receive, send)
        except asyncio.CancelledError:  # the server stops
            raise HTTPException(UNAVAILABLE) from None


def _fixed_words(parts: list[str], shape: tuple[bool, ...]) -> tuple[str, ...]:
    return tuple("" if is_field else part for part, is_field in zip(parts, shape, strict=True))
