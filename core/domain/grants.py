"""The permission query: which of these permission codes does a user hold on an account? And its answer, a grant."""

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


class CacheControl(Enum):
    """How old a grant may be, in the request directives of HTTP caching (RFC 9111, section 5.2.1)."""

    ONLY_IF_CACHED = auto()
    """To draw a screen now: a cached grant; the source is not queried and nobody waits."""
    MAX_STALE = auto()
    """To read: a fresh grant; while the service is away, a stale one of at most five minutes."""
    MAX_AGE = auto()
    """To change something: a fresh grant."""
    NO_CACHE = auto()
    """To delete, to share, to change members: the source is queried now, and no cached grant is used."""


class FaultKind(StrEnum):
    """The ways in which the service gives no answer that counts, each with its HTTP status."""

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
    """Names the query in the log of the service."""
    since: datetime
    """When it began, in UTC."""
    kind: FaultKind

    @property
    def away(self) -> bool:
        """True where the service could not be reached or failed, so that a stale grant still lets a user read."""
        return self.kind in (FaultKind.AWAY, FaultKind.LATE)

    @property
    def error(self) -> AuthorizationUnavailable:
        """The error to raise where a grant was needed."""
        return ERRORS.get(self.kind, AuthorizationUnavailable)(self.reason, correlation_id=self.correlation_id)


ERRORS = {FaultKind.LATE: AuthorizationTimedOut, FaultKind.WRONG: AuthorizationInvalid}
"""The errors of the kinds that have one of their own."""


class DecisionSource(NamedTuple):
    """The source that decides and its state, as screens show them."""

    source: str
    """"local", "remote" or "staging"."""
    pending: bool = False
    """True until the source has answered for the first time; until then nothing is held."""
    fault: Fault | None = None


class Grant(NamedTuple):
    """The answer to a permission query. Only certain codes are held: with a fault, at most read permissions."""

    held: frozenset[str]
    """The codes, of those asked for, that the user holds."""
    authority: DecisionSource
    age: float = 0.0
    """Seconds since the source said so."""


LOCAL = DecisionSource("local")
NOTHING = Grant(frozenset(), LOCAL)
"""The grant of an unknown user."""


class PermissionSource(Protocol):
    """Answers permission queries from the database or from the authorization service. It never raises.

    query = PermissionQuery(user_id, project.auth_id, frozenset({"TASK_MOVE"}))
    grant = source.grant(query, CacheControl.MAX_AGE)
    allowed = "TASK_MOVE" in grant.held
    """

    def grant(self, query: PermissionQuery, cache_control: CacheControl) -> Grant:
        """The codes that the user holds."""

    def grants(
        self, queries: Collection[PermissionQuery], cache_control: CacheControl
    ) -> Mapping[PermissionQuery, Grant]:
        """The grants of several queries, which together take no longer than one."""

    def invalidate(self) -> None:
        """Drop every cached grant: roles have changed, or a user has signed out."""

    def close(self) -> None:
        """Close the connections."""
