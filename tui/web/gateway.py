"""The routes of the gateway: sign-in, the page with the terminal, its WebSocket, and downloads; and rules for all.

A foreign page must not be able to open, control or frame a Podium of its visitors. Cookies alone do not prevent that,
because any page can open a WebSocket, so the origin is checked, and each answer gets security headers.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from core.errors import Forbidden, PodiumError, Unauthenticated
from core.net.server_address import ServerAddress
from core.server.requests.json_log import log_event
from core.server.transport.tls import STRICT
from tui.drawing.theme import LIGHT
from tui.web.connection import connection_of
from tui.web.pages import asset, colours, notice, page
from tui.web.proxy_auth import ProxyAuth, TrustedProxy
from tui.web.screen_reader import ReaderChoice
from tui.web.sessions import BrowserSession, BrowserSessions, GatewayLimits
from tui.web.sign_in import AWAY, SignIn, client_address
from tui.web.tab import CLOSING, Tab
from tui.web.tab_process import PIECE, TabProcess
from tui.web.websocket_messages import MAX_LENGTH, size

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


HEARTBEAT = 15.0
"""Seconds between two heartbeats of a WebSocket."""

TIDY_SECONDS = 60.0
"""Seconds between two searches for idle sessions."""

MAX_LOGIN = 100
"""The most characters of a name from a proxy that are logged."""

MAX_BYTES = 16 * 1024
"""Most bytes of a form."""

ENDED = "Your sign-in has ended."
STOPPED = "Podium was stopped here. Your changes are saved. Sign in again when it is back."


class Gateway:
    """Serves browsers, in front of a Podium server, at which users sign in with their tokens."""

    def __init__(
        self,
        server: ServerAddress,
        origins: frozenset[str],
        limits: GatewayLimits,
        environ: Mapping[str, str],
        trusted: TrustedProxy | None = None,
        *,
        reader: bool = False,
    ) -> None:
        """``environ`` is added to the environment of each tab's process; ``trusted`` is a proxy that signs users in.

        With ``reader``, browsers get the terminal for screen readers unless they chose otherwise.
        """
        self._environ = {"PODIUM_SERVER": str(server), **environ}
        self._origins = origins
        self.limits = limits
        self._sessions = BrowserSessions(limits)
        home = min(origins)  # all have the same scheme and port
        self._reader = ReaderChoice(default=reader, secure=home.startswith("https:"))
        self._sign_in = (
            ProxyAuth(server, self._sessions, home, self._reader, trusted)
            if trusted
            else SignIn(server, self._sessions, home, self._reader)
        )

    def application(self) -> web.Application:
        """The web application: the routes, behind the origin check."""
        guard = OriginMiddleware(self._origins, self._sign_in.session_of)
        application = web.Application(middlewares=[guard.check], client_max_size=MAX_BYTES)
        application.on_response_prepare.append(guard.sign)
        application.cleanup_ctx.append(self._run_tasks)
        application.on_shutdown.append(self._shut)
        application.add_routes(
            [
                web.get("/", self._index),
                web.get("/sign-in", self._sign_in.show),
                web.post("/sign-in", self._sign_in.accept),
                web.post("/sign-out", self._sign_in.leave),
                web.get("/ws", self._socket, allow_head=False),
                web.get("/download/{key}", self._download, allow_head=False),
                web.get("/assets/colours.css", self._colours),
                web.get("/assets/{name}", self._asset),
            ]
        )
        return application

    async def _run_tasks(self, _: web.Application) -> AsyncIterator[None]:
        tidying = asyncio.create_task(self._tidy())
        yield
        tidying.cancel()
        await self._sign_in.close()

    async def _tidy(self) -> None:
        while True:
            await asyncio.sleep(TIDY_SECONDS)
            await self._sign_in.tidy()

    async def _shut(self, _: web.Application) -> None:
        for tab in self._sessions.tabs:
            tab.end(STOPPED)

    async def _index(self, request: web.Request) -> web.Response:
        self._reader.remember(request)
        session = self._sign_in.session_of(request)
        try:
            session = session or await self._sign_in.begin(request)
            me = await self._sign_in.still(session)
        except (Unauthenticated, Forbidden) as error:
            if session is None:
                login = self._sign_in.named_login(request)[:MAX_LOGIN]
                log_event("sign-in refused", login=login, address=client_address(request), reason=error.code)
                return notice(401, "Not signed in", str(error), "Try again")
            self._sessions.close(session, ENDED)
            return notice(401, ENDED, "Your token is no longer valid. Ask for a new one.", "Sign in", "/sign-in")
        except PodiumError:
            return notice(503, "Not available", AWAY, "Try again")
        if why := self._sessions.full(session):
            return notice(503, "Too many tabs", why, "Try again")
        scheme = _scheme(me.preferences.get("theme", ""))
        is_for_reader = self._reader.is_on(request)
        response = page(
            "terminal",
            theme=scheme,
            workspace=me.workspace.name,
            name=me.user.name,
            script="terminal-reader.js" if is_for_reader else "terminal.js",
            role="region" if is_for_reader else "application",  # within an application, readers do not read lines
            **self._reader.link(request),
        )
        self._sign_in.keep(response, session)
        return response

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        session = self._sign_in.session_of(request)
        if session is None:
            return web.Response(status=401)
        if self._sessions.full(session):
            return web.Response(status=503)
        socket = web.WebSocketResponse(
            heartbeat=HEARTBEAT, max_msg_size=MAX_LENGTH, timeout=CLOSING, writer_limit=PIECE
        )
        child = TabProcess([], {**self._environ, **_background(request)}, socket.send_bytes, socket.send_str)
        tab = Tab(socket, child, self._sessions.limits.idle)
        self._sessions.enter(session, tab)
        try:
            await socket.prepare(request)
            await child.open(session.token, size(_number(request, "width", 80), _number(request, "height", 24)))
            log_event("tab opened", user=session.user_id, login=session.login, pid=child.pid)
            await tab.run(request.transport)
        finally:
            self._sessions.leave(session, tab)
        return socket

    async def _download(self, request: web.Request) -> web.StreamResponse:
        """Send a file that one of this user's tabs offers, once."""
        key = request.match_info["key"]
        child = self._offering(self._sign_in.session_of(request), key)
        if child is None:
            raise web.HTTPNotFound
        offered = await child.downloads.get_download_metadata(key)
        response = web.StreamResponse()
        response.content_type = "application/octet-stream"
        response.headers["Content-Disposition"] = f'attachment; filename="{_safe(offered.file_name)}"'
        await response.prepare(request)
        async for chunk in child.downloads.download(key):
            await response.write(chunk)
        await response.write_eof()
        return response

    @staticmethod
    def _offering(session: BrowserSession | None, key: str) -> TabProcess | None:
        for tab in session.tabs if session else ():
            if key in tab.child.offered:
                tab.child.offered.remove(key)
                return tab.child
        return None

    async def _colours(self, _: web.Request) -> web.Response:
        return web.Response(text=colours(), content_type="text/css", headers={"Cache-Control": "no-cache"})

    async def _asset(self, request: web.Request) -> web.Response:
        found = asset(request.match_info["name"])
        if found is None:
            raise web.HTTPNotFound
        is_known = any(each.value == found.tag for each in request.if_none_match or ())
        response = web.Response(status=304) if is_known else web.Response(body=found.content, content_type=found.kind)
        response.etag = found.tag
        response.headers["Cache-Control"] = "no-cache"
        return response


def _scheme(theme: str) -> str:
    """The colours of the page around the terminal: those of the user's theme, or "" for those of the browser."""
    return "light" if theme == LIGHT.name else "dark" if theme else ""


def _background(request: web.Request) -> dict[str, str]:
    """The variable that names the background, for users who have set no theme. The page sends the browser's setting."""
    return {"COLORFGBG": "0;15"} if request.query.get("scheme") == "light" else {}


def _number(request: web.Request, name: str, otherwise: int) -> int:
    text = request.query.get(name, "")
    return int(text) if re.fullmatch(r"[0-9]{1,4}", text) else otherwise


def _safe(name: str) -> str:
    """A file name without characters that have a meaning in a header."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)[-100:].strip(".-") or "podium"
