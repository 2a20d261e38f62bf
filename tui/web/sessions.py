"""The sessions of users in browsers. They are only in memory: after a restart, users sign in again."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.actions.workspace.profile import CurrentUser
from core.domain.model import Id
from core.net.bearer_tokens import BearerToken
from core.record import Record
from tui.web.sign_in_attempts import SignInAttempts

if TYPE_CHECKING:
    from tui.web.tab import Tab


class GatewayLimits(Record, kw_only=False):
    """The limits of a gateway."""

    idle: float = 3600.0
    """Seconds without a key after which a tab ends, and without a tab after which a session ends."""
    most: int = 100
    """Most tabs of all users."""
    most_each: int = 5
    """Most tabs of one user."""


@dataclass(eq=False)
class BrowserSession:
    """A user who is signed in with one browser."""

    id: str = field(repr=False)
    token: BearerToken = field(repr=False)
    user_id: Id
    login: str
    used: float
    """The time of the last request, by the clock of ``BrowserSessions``."""
    tabs: set[Tab] = field(default_factory=set)


class BrowserSessions:
    """All sessions, by the 256 random bits in the browser's cookie."""

    def __init__(self, limits: GatewayLimits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self._clock = clock
        self._open: dict[str, BrowserSession] = {}
        self.tries = SignInAttempts(clock)
        self.ended: Callable[[BrowserSession], None] = lambda _: None
        """Called with each session that has ended, after its last tab."""

    def open(self, token: BearerToken, me: CurrentUser) -> BrowserSession:
        """Open a session."""
        self.sweep()
        session = BrowserSession(secrets.token_urlsafe(32), token, me.user.id, me.user.login, self._clock())
        self._open[session.id] = session
        return session

    def find(self, session_id: str | None) -> BrowserSession | None:
        """The session with this id, which is then in use; None if it is unknown or has been idle for too long."""
        session = self._open.get(session_id or "")
        if session is None or self._drop_if_idle(session):
            return None
        session.used = self._clock()
        return session

    def close(self, session: BrowserSession, why: str) -> None:
        """End a session and its tabs, which show the reason ``why``."""
        if self._open.pop(session.id, None) and not session.tabs:
            self.ended(session)
        for tab in session.tabs:
            tab.end(why)

    def sweep(self) -> None:
        """End the sessions that have been idle for too long."""
        for each in list(self._open.values()):
            self._drop_if_idle(each)

    @property
    def tabs(self) -> list[Tab]:
        """All open tabs."""
        return [tab for session in self._open.values() for tab in session.tabs]

    def full(self, session: BrowserSession) -> str:
        """The reason why the user cannot open another tab; "" if they can."""
        own = sum(len(each.tabs) for each in self._open.values() if each.user_id == session.user_id)
        if own >= self.limits.most_each:
            return f"You have {own} tabs with Podium open, which is the maximum. Close one and try again."
        if len(self.tabs) >= self.limits.most:
            return "Too many people are using Podium in a browser now. Try again in a while."
        return ""

    def enter(self, session: BrowserSession, tab: Tab) -> None:
        """Add a tab to a session."""
        session.tabs.add(tab)

    def leave(self, session: BrowserSession, tab: Tab) -> None:
        """Remove a tab from a session, which begins to be idle."""
        session.tabs.discard(tab)
        session.used = self._clock()
        if session.id not in self._open and not session.tabs:
            self.ended(session)

    def _drop_if_idle(self, session: BrowserSession) -> bool:
        if session.tabs or self._clock() - session.used < self.limits.idle:
            return False
        self._open.pop(session.id, None)
        self.ended(session)
        return True
