"""The tokens that the gateway makes for the people whom a proxy names: for a day, and revoked when nobody needs them.

All sessions of a person share one, since each visit without a cookie begins a session. It is revoked when the last of
them has ended, with its tabs; what the server does not hear then it is told later.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from core.actions.access import CreateTokenFor, RevokeToken
from core.actions.people import ListUsers
from core.bearer import Token
from core.errors import NotFound, PodiumError, Unauthenticated
from core.model import Id
from core.remote_backend import RemoteBackend
from core.server.log import note
from core.server_address import ServerAddress
from tui.web.sessions import Session

FRESH = 12 * 3600.0
"""Seconds for which a token that was made for a day is used for further sessions."""

FAREWELL = 5.0
"""Seconds in which all are revoked when the gateway ends; after a day they end by themselves."""

NOBODY = "Nobody active in this workspace has your login. Ask a workspace admin to add you."


@dataclass(eq=False)
class Made:
    """A token that was made for somebody, and who uses it."""

    login: str
    id: Id
    token: Token
    at: float = field(default_factory=time.monotonic)
    sessions: set[Session] = field(default_factory=set)


class MadeTokens:
    """Makes them with a token of the gateway's own, which must be an admin's, and keeps them in memory."""

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
        """A token of this person's, a new one where there is no fresh one. Raises PodiumError."""
        now = time.monotonic()
        found = (each for each in self._all if each.login == login and now - each.at < FRESH)
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

    async def _make(self, login: str) -> Made:
        backend = RemoteBackend(self._server, self._own.value)
        try:
            people = await backend.query(ListUsers())
            user_id: Id | None = next((p.user.id for p in people if p.user.login == login and p.user.active), None)
            if user_id is None:
                raise Unauthenticated(NOBODY)
            made = await backend.execute(CreateTokenFor(user_id=user_id, label="Podium in the browser", days=1))
        finally:
            await backend.close()
        return Made(login, made.token.id, Token(made.secret, "the proxy"))

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
                note("token not revoked", logging.WARNING, error, login=made.login)
                return
            finally:
                await backend.close()
            self._all.discard(made)
