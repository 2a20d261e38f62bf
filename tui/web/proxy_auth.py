"""Signing in by a reverse proxy, which authenticates users and sends their login in ``X-Forwarded-User``.

The header is trusted only on a Unix socket whose peer, according to the kernel, is the proxy's account, and only if it
is there once. Each user still gets a token of their own: see ``TemporaryTokens``.
"""

from __future__ import annotations

from aiohttp import web

from core.errors import Unauthenticated
from core.net.bearer_tokens import BearerToken
from core.net.peer_credentials import peer_of
from core.net.server_address import ServerAddress
from core.record import Record
from core.server.requests.json_log import log_event
from tui.web.pages import notice
from tui.web.sessions import BrowserSession, BrowserSessions
from tui.web.sign_in import SignIn, client_address
from tui.web.temporary_tokens import TemporaryTokens

HEADER = "X-Forwarded-User"

UNKNOWN = "The reverse proxy did not send your login."


class TrustedProxy(Record, kw_only=False):
    """The account of the proxy, and the gateway's token, which opens sessions for users."""

    uid: int
    token: BearerToken


class ProxyAuth(SignIn):
    """Sign-in without a form, by the header of the proxy."""

    def __init__(self, server: ServerAddress, sessions: BrowserSessions, home: str, trusted: TrustedProxy) -> None:
        super().__init__(server, sessions, home)
        self._trusted = trusted
        self._made = TemporaryTokens(server, trusted.token)
        sessions.ended = self._made.after_session

    def session_of(self, request: web.Request) -> BrowserSession | None:
        """The session of a request, if its cookie and the proxy name the same user."""
        session = super().session_of(request)
        return session if session is not None and session.login == self.named_login(request) else None

    async def begin(self, request: web.Request) -> BrowserSession:
        """Sign in the user that the proxy names. Raises PodiumError; Unauthenticated without an active user."""
        login = self.named_login(request)
        if not login:
            raise Unauthenticated(UNKNOWN)
        async with self._made.turn_of(login):
            made = await self._made.of(login)
            try:
                me = await self._ask(made.token)
            except Unauthenticated:
                self._made.forget(made)
                raise
            session = self._sessions.open(made.token, me)
            made.sessions.add(session)
        log_event("signed in", user=me.user.id, login=login, address=client_address(request), by="proxy")
        return session

    async def show(self, request: web.Request) -> web.Response:
        """Redirect to the first page, because there is no form."""
        raise web.HTTPSeeOther("/")

    async def accept(self, request: web.Request) -> web.Response:
        """Refuse a token: only the proxy signs users in."""
        raise web.HTTPNotFound

    async def leave(self, request: web.Request) -> web.Response:
        """Close the tabs. Signing out itself is the proxy's job."""
        if (session := self.session_of(request)) is not None:
            self._sessions.close(session, "You signed out.")
        return notice(
            200, "Signed out", "Your tabs are closed. When you come back, you are signed in automatically.", "Sign in"
        )

    def named_login(self, request: web.Request) -> str:
        """The login that the proxy sends; "" from another peer, or without exactly one header."""
        transport = request.transport
        peer = peer_of(transport.get_extra_info("socket")) if transport else None
        named = request.headers.getall(HEADER, [])
        if peer is None or peer.uid != self._trusted.uid or len(named) != 1:
            return ""
        return named[0].strip().lower()

    async def tidy(self) -> None:
        await super().tidy()
        self._made.revoke_unused()
        await self._made.keep()

    async def close(self) -> None:
        await self._made.close()
