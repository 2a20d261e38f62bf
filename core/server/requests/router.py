"""The router: finds the route of a request by the parts of its path, instead of trying one route after another."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from core.server.requests.responses import UNAVAILABLE

FOUND = "podium.route"
"""The key of the route in the scope of a request."""


class TrieRouter(BaseRoute):
    """Routes in a trie, in any order: a fixed word of a path is matched before a field."""

    def __init__(self, routes: Iterable[Route]) -> None:
        self._root = _Fork()
        self.routes = tuple(routes)
        for route in self.routes:
            self._root.place(route, route.path.split("/"))

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """A full match, or a partial one if only the method differs, as Starlette's routes return them."""
        other: tuple[Match, Scope] = Match.NONE, {}
        routes = self._root.find(scope["path"].split("/")) if scope["type"] == "http" else []
        for route in routes:
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


class _Fork:
    """A node of the trie: the next words of a path, a field, or its end."""

    def __init__(self) -> None:
        self._words: dict[str, _Fork] = {}
        self._field: _Fork | None = None
        self._routes: list[Route] = []

    def place(self, route: Route, parts: list[str]) -> None:
        if not parts:
            self._routes.append(route)
            return
        if parts[0].startswith("{"):
            self._field = following = self._field or _Fork()
        else:
            following = self._words.setdefault(parts[0], _Fork())
        following.place(route, parts[1:])

    def find(self, parts: list[str]) -> list[Route]:
        """The routes of this path, one for each method."""
        if not parts:
            return self._routes
        for following in (self._words.get(parts[0]), self._field):
            if following and (found := following.find(parts[1:])):
                return found
        return []
