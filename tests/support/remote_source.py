"""What the tests of the remote source ask, and a clock for what it keeps."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

from core.domain.grants import Fault, Grant, MaxAge, PermissionQuery
from core.domain.permissions import Permission

ACCOUNT = str(uuid4())
VIEW, MOVE = Permission.PROJECT_VIEW, Permission.TASK_MOVE
QUESTION = PermissionQuery("bob", ACCOUNT, frozenset[str](Permission))
AT_ONCE, LOOK, CHANGE, EXACT = MaxAge.AT_ONCE, MaxAge.VIEW, MaxAge.CHANGE, MaxAge.EXACT


@dataclass
class Watch:
    """A monotonic clock that a test moves."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def fault_of(grant: Grant) -> Fault:
    assert grant.authority.fault is not None
    return grant.authority.fault
