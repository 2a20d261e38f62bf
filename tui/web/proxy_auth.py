"""Signing in by a reverse proxy, which authenticates users and sends their login in ``X-Forwarded-User``.

The header is trusted only on a Unix socket whose peer, according to the kernel, is the proxy's account, and only if it
is there once.

Each user still gets a temporary token: a server session, which the gateway opens with its own token, which can do
nothing else. All browser sessions of a user share one, because each visit without a cookie begins a session. It is kept
alive while the user has a browser session, and revoked after the last one. If the gateway is killed, it expires within
minutes.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from aiohttp import web

from core.actions.workspace.credentials import RevokeToken
from core.backends.connection import ServerConnection
from core.backends.remote import RemoteBackend
from core.domain.model import Id
from core.errors import Forbidden, NotFound, PodiumError, ServerUnavailable, Unauthenticated
from core.net.bearer_tokens import BearerToken
from core.net.peer_credentials import peer_of
from core.net.server_address import ServerAddress
from core.record import Record
from core.server.requests.json_log import log_event
from core.sign_in.gateway_sessions import MAX_KEPT, NOBODY, SESSION
from core.wire.error_bodies import error_from
from core.wire.routes import Request
from tui.web.pages import notice
from tui.web.screen_reader import ReaderChoice
from tui.web.sessions import BrowserSession, BrowserSessions
from tui.web.sign_in import SignIn, client_address

KEEP_SECONDS = SESSION.total_seconds() / 3
"""Seconds between two requests that keep tokens alive; one of them can fail."""

FAREWELL = 5.0
"""Seconds for revoking all tokens when the gateway ends; the rest expires."""

GOOD = (200, 201)

NO_USER = "No active user of this workspace has your login. Ask a workspace admin to add you."


@dataclass(eq=False)
class TemporaryToken:
    """A user's temporary token, and the browser sessions that use it."""

    login: str
    id: Id
    token: BearerToken
    kept: float = field(default_factory=time.monotonic)
    """The time when it was last kept alive."""
    sessions: set[BrowserSession] = field(default_factory=set)


class TemporaryTokens:
    """Opens, keeps alive and revokes temporary tokens, with the gateway's own token."""

    def __init__(self, server: ServerAddress, own: BearerToken) -> None:
        self._server = server
        self._own = own
        self._all: set[TemporaryToken] = set()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._revoking: set[asyncio.Task[None]] = set()

    def turn_of(self, login: str) -> asyncio.Lock:
        """The user's lock, for signing in: meanwhile no token of theirs is opened twice, or revoked."""
        return self._turns.setdefault(login, asyncio.Lock())

    async def of(self, login: str) -> TemporaryToken:
        """The user's token, a new one if there is none that is still alive. Raises PodiumError."""
        holds = time.monotonic() - 2 * KEEP_SECONDS
        found = (each for each in self._all if each.login == login and each.kept > holds)
        made = next(found, None) or await self._make(login)
        self._all.add(made)
        return made

    def forget(self, made: TemporaryToken) -> None:
        """Drop a token that is no longer valid."""
        self._all.discard(made)

    def after_session(self, session: BrowserSession) -> None:
        """Handle the end of a browser session."""
        for made in self._all:
            made.sessions.discard(session)
        self.revoke_unused()

    def revoke_unused(self) -> None:
        """Revoke all tokens without a browser session, in the background."""
        for made in self._all:
            if not made.sessions:
                task = asyncio.create_task(self._revoke(made))
                self._revoking.add(task)
                task.add_done_callback(self._revoking.discard)

    async def close(self) -> None:
        """Revoke all tokens, if the server can be reached in time."""
        for made in self._all:
            made.sessions.clear()
        self.revoke_unused()
        if self._revoking:
            await asyncio.wait(self._revoking, timeout=FAREWELL)

    async def keep(self) -> None:
        """Keep the tokens alive that are due, and drop those that have expired at the server."""
        now = time.monotonic()
        due = {made.id: made for made in self._all if now - made.kept >= KEEP_SECONDS}
        if not due:
            return
        try:
            kept: list[Id] = (await self._ask("/v1/sessions/keep", {"ids": list(due)[:MAX_KEPT]}))["data"]
        except PodiumError as error:
            log_event("sessions not kept", logging.WARNING, why=type(error).__name__)
            return
        for made in due.values():
            made.kept = now if made.id in kept else made.kept
            if made.id not in kept:
                self.forget(made)

    async def _make(self, login: str) -> TemporaryToken:
        try:
            opened = await self._ask("/v1/sessions", {"login": login})
        except Forbidden as error:
            if str(error) == NOBODY:
                raise Unauthenticated(NO_USER) from error
            raise self._useless(error) from error
        except Unauthenticated as error:
            raise self._useless(error) from error
        return TemporaryToken(login, opened["id"], BearerToken(opened["secret"], "the proxy"))

    @staticmethod
    def _useless(error: PodiumError) -> PodiumError:
        """The error if the gateway's own token is refused; its administrators find the reason in the log."""
        log_event("gateway token refused", logging.WARNING, why=str(error))
        return ServerUnavailable("The gateway is not set up correctly.")

    async def _ask(self, path: str, body: dict[str, Any]) -> Any:
        """The answer to a request with the gateway's own token. Raises PodiumError."""
        connection = ServerConnection(self._server, self._own.secret)
        try:
            reply = await connection.ask(Request("POST", path, json.dumps(body).encode()))
            value = json.loads(reply.body)
        except ValueError as error:
            raise connection.unavailable("gave an answer that is not understood.") from error
        finally:
            await connection.close()
        if reply.status not in GOOD or not isinstance(value, dict):
            raise error_from(reply.status, value) or connection.unavailable(f"answered with {reply.status}.")
        return value

    async def _revoke(self, made: TemporaryToken) -> None:
        async with self.turn_of(made.login):
            if made.sessions or made not in self._all:  # the user has come back, or it was revoked already
                return
            backend = RemoteBackend(self._server, made.token.secret)
            try:
                await backend.execute(RevokeToken(token_id=made.id))
            except (Unauthenticated, NotFound):
                pass  # it is invalid already
            except PodiumError as error:
                log_event("token not revoked", logging.WARNING, error, login=made.login)
                return
            finally:
                await backend.close()
            self._all.discard(made)


HEADER = "X-Forwarded-User"

UNKNOWN = "The reverse proxy did not send your login."


class TrustedProxy(Record, kw_only=False):
    """The account of the proxy, and the gateway's token, which opens sessions for users."""

    uid: int
    token: BearerToken


class ProxyAuth(SignIn):
    """Sign-in without a form, by the header of the proxy."""

    def __init__(
        self, server: ServerAddress, sessions: BrowserSessions, home: str, reader: ReaderChoice, trusted: TrustedProxy
    ) -> None:
        super().__init__(server, sessions, home, reader)
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
