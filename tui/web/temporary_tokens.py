"""The sessions at the server that the gateway opens for the people whom a proxy names, each a token of that person's.

The gateway does so with a token of its own, which is good for nothing else. All sessions of a person in browsers share
one, since each visit without a cookie begins a session. It is revoked when the last of them has ended, with its tabs;
it is kept open as long as there is one, and ends within minutes when the gateway was killed.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from core.actions.workspace.credentials import RevokeToken
from core.backends.connection import Connection
from core.backends.remote import RemoteBackend
from core.domain.model import Id
from core.engine.gateway_sessions import MAX_KEPT, NOBODY, SESSION
from core.errors import Forbidden, NotFound, PodiumError, ServerUnavailable, Unauthenticated
from core.net.bearer_tokens import Token
from core.net.server_address import ServerAddress
from core.server.requests.json_log import log_event
from core.wire.error_bodies import error_from
from core.wire.routes import Request
from tui.web.sessions import Session

KEEP_SECONDS = SESSION.total_seconds() / 3
"""Between two requests to keep them open: one of them may fail."""

FAREWELL = 5.0
"""Seconds in which all are revoked when the gateway ends; otherwise they end by themselves."""

GOOD = (200, 201)

UNKNOWN = "Nobody active in this workspace has your login. Ask a workspace admin to add you."


@dataclass(eq=False)
class Made:
    """A token that was opened for somebody, and who uses it."""

    login: str
    id: Id
    token: Token
    kept: float = field(default_factory=time.monotonic)
    """When it was last kept open."""
    sessions: set[Session] = field(default_factory=set)


class TemporaryTokens:
    """Has them opened with the gateway's own token, and keeps them in memory."""

    def __init__(self, server: ServerAddress, own: Token) -> None:
        self._server = server
        self._own = own
        self._all: set[Made] = set()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._revoking: set[asyncio.Task[None]] = set()

    def turn_of(self, login: str) -> asyncio.Lock:
        """To be held while somebody is signed in: meanwhile no token of theirs is made twice, or revoked."""
        return self._turns.setdefault(login, asyncio.Lock())

    async def of(self, login: str) -> Made:
        """A token of this person's, a new one where there is none that holds. Raises PodiumError."""
        holds = time.monotonic() - 2 * KEEP_SECONDS
        found = (each for each in self._all if each.login == login and each.kept > holds)
        made = next(found, None) or await self._make(login)
        self._all.add(made)
        return made

    def forget(self, made: Made) -> None:
        """Use one no more that is not valid any longer."""
        self._all.discard(made)

    def ended(self, session: Session) -> None:
        """Note that a session is over."""
        for made in self._all:
            made.sessions.discard(session)
        self.revoke_unused()

    def revoke_unused(self) -> None:
        """Have all be revoked that no session has."""
        for made in self._all:
            if not made.sessions:
                task = asyncio.create_task(self._revoke(made))
                self._revoking.add(task)
                task.add_done_callback(self._revoking.discard)

    async def close(self) -> None:
        """Revoke all of them, as far as the server can be reached."""
        for made in self._all:
            made.sessions.clear()
        self.revoke_unused()
        if self._revoking:
            await asyncio.wait(self._revoking, timeout=FAREWELL)

    async def keep(self) -> None:
        """Keep open what is in use, if that is due; forget what the server let go of."""
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

    async def _make(self, login: str) -> Made:
        try:
            opened = await self._ask("/v1/sessions", {"login": login})
        except Forbidden as error:
            if str(error) == NOBODY:
                raise Unauthenticated(UNKNOWN) from error
            raise self._useless(error) from error
        except Unauthenticated as error:
            raise self._useless(error) from error
        return Made(login, opened["id"], Token(opened["secret"], "the proxy"))

    @staticmethod
    def _useless(error: PodiumError) -> PodiumError:
        """The gateway's own token opens no sessions, which its administrators read in the log."""
        log_event("gateway token refused", logging.WARNING, why=str(error))
        return ServerUnavailable("The gateway is not set up as it should be.")

    async def _ask(self, path: str, body: dict[str, Any]) -> Any:
        """The answer to a request with the gateway's own token. Raises PodiumError."""
        connection = Connection(self._server, self._own.value)
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

    async def _revoke(self, made: Made) -> None:
        async with self.turn_of(made.login):
            if made.sessions or made not in self._all:  # somebody has come back, or another was faster
                return
            backend = RemoteBackend(self._server, made.token.value)
            try:
                await backend.execute(RevokeToken(token_id=made.id))
            except (Unauthenticated, NotFound):
                pass  # it is worth nothing already
            except PodiumError as error:
                log_event("token not revoked", logging.WARNING, error, login=made.login)
                return
            finally:
                await backend.close()
            self._all.discard(made)
