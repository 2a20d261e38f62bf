"""The one question of authorization: which of these codes does this user hold on this account? And its answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from enum import Enum, StrEnum, auto
from typing import NamedTuple, Protocol

from core.domain.model import Id
from core.errors import AuthorizationInvalid, AuthorizationTimedOut, AuthorizationUnavailable


class PermissionQuery(NamedTuple):
    """The filters of a permission query (source document, section 4.1), without its paging."""

    user_id: Id
    account_id: str
    """The ``auth_id`` of a project, of a node of the hierarchy, or of the workspace."""
    codes: frozenset[str]
    """Podium's own codes, or those of a product."""


class MaxAge(Enum):
    """How new an answer has to be (spec, section 7)."""

    AT_ONCE = auto()
    """To draw something now: what is known already; nothing is asked and nobody waits."""
    VIEW = auto()
    """To look: a kept grant will do; while the service is away, one of at most five minutes."""
    CHANGE = auto()
    """To change something: a kept grant will do while it is new."""
    EXACT = auto()
    """To delete, to share, to change members: asked now, never from what was kept."""


class FaultKind(StrEnum):
    """In which way the service gave no answer that counts; each has its status (source document, section 7.1)."""

    AWAY = "AWAY"
    """It cannot be reached, broke off, or says itself that it cannot answer now: 503."""
    LATE = "LATE"
    """It did not answer in time: 504."""
    WRONG = "WRONG"
    """It answered, with what is no answer to the question: 502."""
    UNASKED = "UNASKED"
    """Podium could not put the question: 503."""


class Fault(NamedTuple):
    """Why the service gave no answer that counts."""

    reason: str
    """A sentence for a person."""
    correlation_id: str
    """What the service's people find it by in their log."""
    since: datetime
    """When it began, in UTC."""
    kind: FaultKind

    @property
    def away(self) -> bool:
        """Whether the service could not be reached or failed, so that a recent grant still allows to look."""
        return self.kind in (FaultKind.AWAY, FaultKind.LATE)

    @property
    def error(self) -> AuthorizationUnavailable:
        """What is raised where an answer was needed."""
        return ERRORS.get(self.kind, AuthorizationUnavailable)(self.reason, correlation_id=self.correlation_id)


ERRORS = {FaultKind.LATE: AuthorizationTimedOut, FaultKind.WRONG: AuthorizationInvalid}
"""The errors of the kinds that have one of their own."""


class DecisionSource(NamedTuple):
    """Who decides, and whether they can be asked now: what the screen says of the source in use."""

    source: str
    """"local", "remote" or "staging"."""
    pending: bool = False
    """Whether nobody has answered yet; until then nothing is held."""
    fault: Fault | None = None


class Grant(NamedTuple):
    """An answer. What is not certain is not held: with a fault, at most what it takes to look."""

    held: frozenset[str]
    """The codes, of those asked for, that the user holds."""
    authority: DecisionSource
    age: float = 0.0
    """Seconds since the source said so."""


LOCAL = DecisionSource("local")
NOTHING = Grant(frozenset(), LOCAL)
"""What somebody holds of whom nothing is known."""


class PermissionSource(Protocol):
    """Answers questions: computed from the database, or asked of the authorization service. It never raises."""

    def grant(self, question: PermissionQuery, freshness: MaxAge) -> Grant:
        """Which of the codes the user holds."""

    def grants(self, questions: Collection[PermissionQuery], freshness: MaxAge) -> Mapping[PermissionQuery, Grant]:
        """The answers to several questions, which together take no longer than one."""

    def forget(self) -> None:
        """Forget every kept grant: roles have changed, or somebody has signed out."""

    def close(self) -> None:
        """Let go of connections."""
