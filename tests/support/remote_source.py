"""The query that the tests of the remote source send, and a clock for its cache."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

from core.domain.grants import CacheControl, Grant, PermissionQuery, ServiceFailure
from core.domain.permissions import Permission

ACCOUNT = str(uuid4())
VIEW, MOVE = Permission.PROJECT_VIEW, Permission.TASK_MOVE
QUESTION = PermissionQuery("bob", ACCOUNT, frozenset[str](Permission))
ONLY_IF_CACHED, MAX_STALE = CacheControl.ONLY_IF_CACHED, CacheControl.MAX_STALE
MAX_AGE, NO_CACHE = CacheControl.MAX_AGE, CacheControl.NO_CACHE


@dataclass
class Watch:
    """A monotonic clock that a test moves."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def fault_of(grant: Grant) -> ServiceFailure:
    assert grant.authority.fault is not None
    return grant.authority.fault
