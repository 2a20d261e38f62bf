"""Signing in: the page asks for a token, the server says whose it is, and a cookie keeps that for this browser.

Wrong, expired and revoked tokens, and those of people who are no longer active, are answered alike.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from aiohttp import web

from core.actions.workspace.profile import CurrentUser, GetCurrentUser
from core.backends.remote import RemoteBackend
from core.errors import Forbidden, PodiumError, Unauthenticated
from core.net.bearer_tokens import Token
from core.net.server_address import ServerAddress
from core.server.requests.json_log import log_event
from core.text.urls import is_loopback, network_of
from tui.web.pages import page
from tui.web.sessions import Session, Sessions
from tui.web.tries import TRIES_SECONDS

MAX_ADDRESS_LENGTH = 45
"""Characters of an address, which may be one of IPv6 that ends in one of IPv4."""

REFUSED = "This token is not valid. Check that all of it was copied, or ask a workspace admin for a new one."
TOO_OFTEN = "That were too many tries. Wait a minute, then try again."
AWAY = "The server of Podium cannot be reached now. Try again in a while."


class SignIn:
    """The page and its answers."""

    def __init__(self, server: ServerAddress, sessions: Sessions, home: str) -> None:
        """``home`` is an origin at which people reach this gateway."""
        self._server = server
        self._sessions = sessions
        self._secure = home.startswith("https:")
        self._cookie = cookie_of(home)

    def session_of(self, request: web.Request) -> Session | None:
        """Who sends a request, by their cookie."""
        return self._sessions.find(request.cookies.get(self._cookie))

    async def begin(self, request: web.Request) -> Session:
        """Whoever is not signed in has to fill in the form first."""
        raise web.HTTPSeeOther("/sign-in")

    def keep(self, response: web.Response, session: Session) -> None:
        """Have the browser remember a session."""
        response.set_cookie(self._cookie, session.id, path="/", httponly=True, samesite="Strict", secure=self._secure)

    async def show(self, request: web.Request) -> web.Response:
        """The page that asks for a token; whoever is signed in goes on."""
        if self.session_of(request) is not None:
            raise web.HTTPSeeOther("/")
        return page("sign_in", problem="")

    async def accept(self, request: web.Request) -> web.Response:
        """Take a token, and sign in. A try counts from its beginning, so that many at once are not more than many."""
        address = address_of(request)
        if not self._sessions.tries.begin(address):
            response = page("sign_in", 429, problem=TOO_OFTEN)
            response.headers["Retry-After"] = str(round(TRIES_SECONDS))
            return response
        try:
            token, me = await self._known(await _typed(request))
        except (Unauthenticated, Forbidden):
            log_event("sign-in refused", address=address)
            return page("sign_in", 401, problem=REFUSED)
        except PodiumError:
            self._sessions.tries.forget(address)
            return page("sign_in", 503, problem=AWAY)
        self._sessions.tries.forget(address)
        return self._enter(request, token, me)

    def _enter(self, request: web.Request, token: Token, me: CurrentUser) -> web.Response:
        """Begin a session that nobody else can know of: the browser gets a new cookie each time."""
        if (before := self.session_of(request)) is not None:
            self._sessions.close(before, "Somebody signed in again in this browser.")
        session = self._sessions.open(token, me)
        log_event("signed in", user=me.user.id)
        response = web.HTTPSeeOther("/")
        self.keep(response, session)
        raise response

    async def leave(self, request: web.Request) -> web.Response:
        """Sign out: the tabs end, and the token is forgotten."""
        if (session := self.session_of(request)) is not None:
            self._sessions.close(session, "You signed out.")
            log_event("signed out", user=session.user_id)
        response = web.HTTPSeeOther("/sign-in")
        response.del_cookie(self._cookie, path="/", httponly=True, samesite="Strict", secure=self._secure)
        raise response

    async def tidy(self) -> None:
        """End the sessions that nobody uses any more; called now and then."""
        self._sessions.sweep()

    async def close(self) -> None:
        """Leave nothing behind when the gateway ends: a token that somebody brought is theirs to keep."""

    async def still(self, session: Session) -> CurrentUser:
        """Who somebody is that signed in before. Raises PodiumError, Unauthenticated when the token holds no more."""
        return await self._ask(session.token)

    async def _known(self, typed: str) -> tuple[Token, CurrentUser]:
        """Whose token this is. Raises PodiumError."""
        if not re.fullmatch(r"[!-~]{1,1000}", typed.strip()):
            raise Unauthenticated(REFUSED)
        token = Token(typed.strip(), "the sign-in page")
        return token, await self._ask(token)

    async def _ask(self, token: Token) -> CurrentUser:
        backend = RemoteBackend(self._server, token.value)
        try:
            return await backend.query(GetCurrentUser())
        finally:
            await backend.close()


def cookie_of(home: str) -> str:
    """What the cookie of a gateway is called: browsers keep those of all ports of a host together (RFC 6265, 8.5)."""
    parts = urlsplit(home)
    name = "__Host-podium" if parts.scheme == "https" else "podium"
    return name if parts.port is None else f"{name}-{parts.port}"


async def _typed(request: web.Request) -> str:
    """What is in the field; "" where no form of ours was sent."""
    if request.content_type != "application/x-www-form-urlencoded":
        return ""
    try:
        return str((await request.post()).get("token", ""))
    except (ValueError, LookupError):  # an encoding that is none, or is not kept to
        return ""


def address_of(request: web.Request) -> str:
    """From where somebody tries: one person behind a proxy must not use up the tries of all.

    Whoever makes an address up on this machine only tries more often, and no number of tries guesses a token.
    """
    remote = request.remote or "localhost"
    if is_loopback(remote):
        remote = request.headers.get("X-Forwarded-For", remote).rpartition(",")[2].strip()[:MAX_ADDRESS_LENGTH]
    return network_of(remote)
