"""Rules for every request: the allowed origins, and security headers for the answer.

A foreign page must not be able to open, control or frame a Podium of its visitors. Cookies alone do not prevent that,
because any page can open a WebSocket, so the origin is checked.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from core.server.requests.json_log import log_event
from core.server.transport.tls import STRICT
from tui.web.connection import connection_of
from tui.web.pages import notice
from tui.web.sessions import BrowserSession

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

NOT_FOUND = 404
NOTHING = "This page does not exist. Podium is on the first page."
ELSEWHERE = "Another page sent this request, so it was refused. Podium is at {home}."
TOO_MANY = "You have too many connections to Podium open. Close some tabs and try again."
UNREADABLE = "This request cannot be answered. Podium is on the first page."

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with “no-referrer”, browsers send a form with the origin “null”
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; img-src 'self' data:; "
    "connect-src 'self' {sockets}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The Content-Security-Policy. Inline styles are allowed because xterm.js writes them."""


class OriginMiddleware:
    """Middleware of a gateway with these origins."""

    def __init__(self, origins: frozenset[str], session_of: Callable[[web.Request], BrowserSession | None]) -> None:
        self._session_of = session_of
        self._origins = origins
        self._home = min(origins)
        # Most browsers treat these as 'self'. A policy cannot contain an address in brackets.
        sockets = " ".join(sorted(origin.replace("http", "ws", 1) for origin in origins if "[" not in origin))
        self._headers = HEADERS | {"Content-Security-Policy": POLICY.format(sockets=sockets)}
        if self._home.startswith("https:"):
            self._headers |= dict([STRICT])

    @web.middleware
    async def check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Read the whole request and send the whole answer here, because in aiohttp they would have no deadline."""
        connection, session = connection_of(request), self._session_of(request)
        refusal = None
        if session is not None and not connection.assign(session.user_id):
            refusal = notice(503, "Too many connections", TOO_MANY, "Try again")
        try:
            async with connection.reading():
                await request.read()
        except TimeoutError:
            refusal = notice(408, "Too slow", UNREADABLE)
        except web.HTTPRequestEntityTooLarge as error:
            refusal = notice(error.status, error.reason, UNREADABLE)
        except (web.RequestPayloadError, HttpProcessingError):
            refusal = notice(400, "Bad Request", UNREADABLE)
        with connection.answering():
            response = refusal or await self._answer(request, handler)
            if not response.prepared:
                await response.prepare(request)
                await response.write_eof()
            return response

    async def _answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse requests of foreign pages, and answer errors with a page of Podium."""
        if (request.method == "POST" or request.path == "/ws") and not self._is_ours(request):
            return notice(403, "Refused", ELSEWHERE.format(home=self._home), "Go to Podium", f"{self._home}/")
        try:
            return await handler(request)
        except web.HTTPRedirection:
            raise
        except web.HTTPException as error:
            return notice(error.status, error.reason, NOTHING if error.status == NOT_FOUND else UNREADABLE)
        except Exception as error:  # noqa: BLE001 (no stack trace on the page)
            log_event("request failed", logging.ERROR, error, method=request.method)
            return notice(500, "Something went wrong", "This is a fault of Podium. Try again.")

    async def sign(self, request: web.Request, response: web.StreamResponse) -> None:
        """Add the headers to an answer before it is sent."""
        response.headers.update(self._headers)
        response.headers.setdefault("Cache-Control", "no-store")
        response.headers.popall("Server", None)

    def _is_ours(self, request: web.Request) -> bool:
        """True if the origin is allowed. Browsers send it with each POST and WebSocket, so it must be there once."""
        named = request.headers.getall("Origin", [])
        return len(named) == 1 and named[0] in self._origins
