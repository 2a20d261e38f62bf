"""The routes of the gateway: sign-in, the page with the terminal, its WebSocket, and downloads."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping

from aiohttp import web

from core.errors import Forbidden, PodiumError, Unauthenticated
from core.net.server_address import ServerAddress
from core.server.requests.json_log import log_event
from tui.drawing.theme import LIGHT
from tui.web.origin_check import OriginMiddleware
from tui.web.pages import asset, colours, notice, page
from tui.web.proxy_auth import ProxyAuth, TrustedProxy
from tui.web.sessions import BrowserSession, BrowserSessions, GatewayLimits
from tui.web.sign_in import AWAY, SignIn, client_address
from tui.web.tab import CLOSING, Tab
from tui.web.tab_process import PIECE, TabProcess
from tui.web.websocket_messages import MAX_LENGTH, size

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
    ) -> None:
        """``environ`` is added to the environment of each tab's process; ``trusted`` is a proxy that signs users in."""
        self._environ = {"PODIUM_SERVER": str(server), **environ}
        self._origins = origins
        self.limits = limits
        self._sessions = BrowserSessions(limits)
        home = min(origins)  # all have the same scheme and port
        self._sign_in = (
            ProxyAuth(server, self._sessions, home, trusted) if trusted else SignIn(server, self._sessions, home)
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
        response = page("terminal", theme=scheme, workspace=me.workspace.name, name=me.user.name)
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
