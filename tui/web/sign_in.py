"""Signing in: the page asks for a token, the server checks it, and a cookie identifies the session of the browser.

Wrong, expired and revoked tokens, and tokens of deactivated users, get the same answer.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from aiohttp import web

from core.actions.workspace.profile import CurrentUser, GetCurrentUser
from core.backends.remote import RemoteBackend
from core.errors import Forbidden, PodiumError, Unauthenticated
from core.net.bearer_tokens import BearerToken
from core.net.server_address import ServerAddress
from core.server.requests.json_log import log_event
from core.text.urls import is_loopback, network_of
from tui.web.pages import page
from tui.web.screen_reader import ReaderChoice
from tui.web.sessions import BrowserSession, BrowserSessions
from tui.web.sign_in_attempts import TRIES_SECONDS

MAX_ADDRESS_LENGTH = 45
"""Most characters of an address: an IPv6 address that ends in an IPv4 address."""

REFUSED = "This token is not valid. Check that you copied all of it, or ask a workspace admin for a new one."
TOO_OFTEN = "Too many attempts. Wait a minute, then try again."
AWAY = "The Podium server cannot be reached. Try again in a while."


class SignIn:
    """Sign-in with a token, on a page with a form."""

    def __init__(self, server: ServerAddress, sessions: BrowserSessions, home: str, reader: ReaderChoice) -> None:
        """``home`` is an origin of this gateway."""
        self._server = server
        self._reader = reader
        self._sessions = sessions
        self._secure = home.startswith("https:")
        self._cookie = cookie_of(home)

    def session_of(self, request: web.Request) -> BrowserSession | None:
        """The session of a request, by its cookie."""
        return self._sessions.find(request.cookies.get(self._cookie))

    def named_login(self, request: web.Request) -> str:
        """The login that a request names; "" here, where a token says who it is."""
        return ""

    async def begin(self, request: web.Request) -> BrowserSession:
        """Redirect to the form, because a token is needed first."""
        raise web.HTTPSeeOther("/sign-in")

    def keep(self, response: web.Response, session: BrowserSession) -> None:
        """Set the cookie of a session."""
        response.set_cookie(self._cookie, session.id, path="/", httponly=True, samesite="Strict", secure=self._secure)

    async def show(self, request: web.Request) -> web.Response:
        """The page with the form; redirect users who are signed in."""
        if self.session_of(request) is not None:
            raise web.HTTPSeeOther("/")
        return self._form(request)

    def _form(self, request: web.Request, status: int = 200, problem: str = "") -> web.Response:
        return page("sign_in", status, problem=problem, **self._reader.link(request))

    async def accept(self, request: web.Request) -> web.Response:
        """Sign in with a token. A try counts from its beginning, so that parallel tries count too."""
        address = address_of(request)
        if not self._sessions.tries.begin(address):
            response = self._form(request, 429, TOO_OFTEN)
            response.headers["Retry-After"] = str(round(TRIES_SECONDS))
            return response
        try:
            token, me = await self._find_user(await _typed_field(request))
        except (Unauthenticated, Forbidden):
            log_event("sign-in refused", address=client_address(request), reason=Unauthenticated.code)
            return self._form(request, 401, REFUSED)
        except PodiumError:
            self._sessions.tries.forget(address)
            return self._form(request, 503, AWAY)
        self._sessions.tries.forget(address)
        return self._enter(request, token, me)

    def _enter(self, request: web.Request, token: BearerToken, me: CurrentUser) -> web.Response:
        """Open a session with a new cookie, which another user of this browser cannot know."""
        if (before := self.session_of(request)) is not None:
            self._sessions.close(before, "You signed in again in this browser.")
        session = self._sessions.open(token, me)
        log_event("signed in", user=me.user.id, login=session.login, address=client_address(request))
        response = web.HTTPSeeOther("/")
        self.keep(response, session)
        raise response

    async def leave(self, request: web.Request) -> web.Response:
        """Sign out: end the tabs, and forget the token."""
        if (session := self.session_of(request)) is not None:
            self._sessions.close(session, "You signed out.")
            log_event("signed out", user=session.user_id, login=session.login)
        response = web.HTTPSeeOther("/sign-in")
        response.del_cookie(self._cookie, path="/", httponly=True, samesite="Strict", secure=self._secure)
        raise response

    async def tidy(self) -> None:
        """End idle sessions; called regularly."""
        self._sessions.sweep()

    async def close(self) -> None:
        """Called when the gateway ends. Does nothing, because the tokens belong to the users."""

    async def still(self, session: BrowserSession) -> CurrentUser:
        """The user of a session, read again. Raises PodiumError; Unauthenticated if the token is no longer valid."""
        return await self._ask(session.token)

    async def _find_user(self, typed: str) -> tuple[BearerToken, CurrentUser]:
        """The token in the form, and its user. Raises PodiumError; Unauthenticated if it is not valid."""
        if not re.fullmatch(r"[!-~]{1,1000}", typed.strip()):
            raise Unauthenticated(REFUSED)
        token = BearerToken(typed.strip(), "the sign-in page")
        return token, await self._ask(token)

    async def _ask(self, token: BearerToken) -> CurrentUser:
        backend = RemoteBackend(self._server, token.secret)
        try:
            return await backend.query(GetCurrentUser())
        finally:
            await backend.close()


def cookie_of(home: str) -> str:
    """The name of the cookie, with the port, because cookies are shared by all ports of a host (RFC 6265, 8.5)."""
    parts = urlsplit(home)
    name = "__Host-podium" if parts.scheme == "https" else "podium"
    return name if parts.port is None else f"{name}-{parts.port}"


async def _typed_field(request: web.Request) -> str:
    """The text of the form's field; "" for another kind of request."""
    if request.content_type != "application/x-www-form-urlencoded":
        return ""
    try:
        return str((await request.post()).get("token", ""))
    except (ValueError, LookupError):  # an unknown encoding, or invalid bytes in it
        return ""


def address_of(request: web.Request) -> str:
    """The network that tries are counted for, so that one user cannot block others.

    A local client can forge the header, which only allows it more tries; no number of tries guesses a token.
    """
    return network_of(client_address(request))


def client_address(request: web.Request) -> str:
    """The address of a client; behind a proxy on this machine, the one that the proxy names."""
    remote = request.remote or "localhost"
    if is_loopback(remote):
        remote = request.headers.get("X-Forwarded-For", remote).rpartition(",")[2].strip()[:MAX_ADDRESS_LENGTH]
    return remote
