"""The permission query, which asks for the permission codes of a user on an account, and its answer, a grant."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from enum import Enum, StrEnum, auto
from typing import Protocol

from core.domain.model import Id
from core.domain.permissions import Permission
from core.errors import AuthorizationInvalid, AuthorizationTimedOut, AuthorizationUnavailable
from core.record import Record


class PermissionQuery(Record, kw_only=False):
    """The parameters of a permission query, without paging."""

    user_id: Id
    account_id: str
    """The ``auth_id`` of a project, of a node of the hierarchy, or of the workspace."""
    codes: frozenset[str]
    """Podium's own codes, or those of one product."""


class CacheControl(Enum):
    """The age that a grant can have, in the request directives of HTTP caching (RFC 9111, section 5.2.1)."""

    ONLY_IF_CACHED = auto()
    """For drawing a screen at once: a cached grant; the source is not queried."""
    MAX_STALE = auto()
    """For queries: a fresh grant, or a stale one of at most five minutes while the service is unavailable."""
    MAX_AGE = auto()
    """For commands: a fresh grant."""
    NO_CACHE = auto()
    """For deleting, sharing and changing members: the source is queried now, and no cached grant is used."""


class FaultKind(StrEnum):
    """The ways in which a query to the authorization service fails, each with its HTTP status."""

    AWAY = "AWAY"
    """The service cannot be reached, closed the connection, or answered that it is unavailable: 503."""
    LATE = "LATE"
    """The service did not answer in time: 504."""
    WRONG = "WRONG"
    """The answer of the service is malformed: 502."""
    UNASKED = "UNASKED"
    """Podium could not send the query: 503."""


class ServiceFailure(Record, kw_only=False):
    """A failed query to the authorization service."""

    reason: str
    """A sentence for users."""
    correlation_id: str
    """Identifies the query in the log of the service."""
    since: datetime
    """Start of the fault, in UTC."""
    kind: FaultKind

    @property
    def away(self) -> bool:
        """True if the service could not be reached or failed, so that a stale grant still permits reading."""
        return self.kind in (FaultKind.AWAY, FaultKind.LATE)

    @property
    def error(self) -> AuthorizationUnavailable:
        """The error for a message that needed a grant."""
        return ERRORS.get(self.kind, AuthorizationUnavailable)(self.reason, correlation_id=self.correlation_id)


ERRORS = {FaultKind.LATE: AuthorizationTimedOut, FaultKind.WRONG: AuthorizationInvalid}
"""The kinds that have an error class of their own."""


class DecisionSource(Record, kw_only=False):
    """The permission source and its state, as screens show them."""

    source: str
    """"local", "remote" or "staging"."""
    pending: bool = False
    """True until the source has answered for the first time; no codes are held until then."""
    fault: ServiceFailure | None = None
    unnamed: frozenset[Permission] = frozenset()
    """The codes of which the service is not asked, since ``auth_codes`` does not name them; others decide."""


class Grant(Record, kw_only=False):
    """The answer to a permission query. With a fault, ``held`` has at most read permissions."""

    held: frozenset[str]
    """The codes of the query that the user holds."""
    authority: DecisionSource
    age: float = 0.0
    """Seconds since the source answered."""


LOCAL = DecisionSource("local")
NOTHING = Grant(frozenset(), LOCAL)
"""The grant of an unknown user."""


class PermissionSource(Protocol):
    """Answers permission queries from the database or from the authorization service. Its methods never raise.

    query = PermissionQuery(user_id, project.auth_id, frozenset({"TASK_MOVE"}))
    grant = source.grant(query, CacheControl.MAX_AGE)
    allowed = "TASK_MOVE" in grant.held
    """

    def grant(self, query: PermissionQuery, cache_control: CacheControl) -> Grant:
        """Return the codes of the query that the user holds."""

    def grants(
        self, queries: Collection[PermissionQuery], cache_control: CacheControl
    ) -> Mapping[PermissionQuery, Grant]:
        """Return the grant of each query, in the time of one query."""

    def ask_ahead(self, queries: Collection[PermissionQuery]) -> None:
        """Begin to find the grants of queries that come soon, and do not wait for them."""

    def invalidate(self) -> None:
        """Drop every cached grant, after roles have changed or a user has signed out."""

    def close(self) -> None:
        """Close the connections."""
