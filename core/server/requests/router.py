"""The router: finds the route of a request by the words of its path, instead of trying one route after another."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from core.server.requests.responses import UNAVAILABLE

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
            self._by_words.setdefault(_words(parts, shape), []).append(route)
            self._shapes[len(parts)] = sorted({*self._shapes.get(len(parts), ()), shape})

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """A full match, or a partial one if only the method differs, as Starlette's routes return them."""
        other: tuple[Match, Scope] = Match.NONE, {}
        parts = scope["path"].split("/") if scope["type"] == "http" else []
        found = (self._by_words.get(_words(parts, shape)) for shape in self._shapes.get(len(parts), ()))
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


def _words(parts: list[str], shape: tuple[bool, ...]) -> tuple[str, ...]:
    return tuple("" if is_field else part for part, is_field in zip(parts, shape, strict=True))
