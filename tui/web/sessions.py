"""Who is signed in to the gateway. All of it is in memory: with the process it is gone, and people sign in again."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from core.actions.workspace.profile import CurrentUser
from core.domain.model import Id
from core.net.bearer_tokens import Token
from tui.web.tries import Tries

if TYPE_CHECKING:
    from tui.web.tab import Tab


class Limits(NamedTuple):
    """What the gateway allows."""

    idle: float = 3600.0
    """Seconds without a key after which a tab ends, and without a tab after which one has to sign in again."""
    most: int = 100
    """Tabs of all people."""
    most_each: int = 5
    """Tabs of one person."""


@dataclass(eq=False)
class Session:
    """Somebody who signed in."""

    id: str = field(repr=False)
    token: Token = field(repr=False)
    user_id: Id
    login: str
    used: float
    """When last, in seconds of the clock of ``Sessions``."""
    tabs: set[Tab] = field(default_factory=set)


class Sessions:
    """Everybody who is signed in, by the 256 random bits that their browser keeps."""

    def __init__(self, limits: Limits, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self._clock = clock
        self._open: dict[str, Session] = {}
        self.tries = Tries(clock)
        self.ended: Callable[[Session], None] = lambda _: None
        """Told of each session that is over, together with its last tab."""

    def open(self, token: Token, me: CurrentUser) -> Session:
        """Begin a session."""
        self.sweep()
        session = Session(secrets.token_urlsafe(32), token, me.user.id, me.user.login, self._clock())
        self._open[session.id] = session
        return session

    def find(self, session_id: str | None) -> Session | None:
        """The session that a browser says it has."""
        session = self._open.get(session_id or "")
        if session is None or self._drop_if_idle(session):
            return None
        session.used = self._clock()
        return session

    def close(self, session: Session, why: str) -> None:
        """End a session with its tabs."""
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
        """All that are open."""
        return [tab for session in self._open.values() for tab in session.tabs]

    def full(self, session: Session) -> str:
        """Why no further tab may be opened; "" when it may."""
        own = sum(len(each.tabs) for each in self._open.values() if each.user_id == session.user_id)
        if own >= self.limits.most_each:
            return f"You have {own} tabs with Podium open, and no more are allowed. Close one, and try again."
        if len(self.tabs) >= self.limits.most:
            return "As many people use Podium in a browser as this machine allows. Try again in a while."
        return ""

    def enter(self, session: Session, tab: Tab) -> None:
        """Count a tab."""
        session.tabs.add(tab)

    def leave(self, session: Session, tab: Tab) -> None:
        """Count it no more; now the session begins to be idle."""
        session.tabs.discard(tab)
        session.used = self._clock()
        if session.id not in self._open and not session.tabs:
            self.ended(session)

    def _drop_if_idle(self, session: Session) -> bool:
        if session.tabs or self._clock() - session.used < self.limits.idle:
            return False
        self._open.pop(session.id, None)
        self.ended(session)
        return True
