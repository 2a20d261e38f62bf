"""The one question of authorization: which of these codes does this user hold on this account? And its answer."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from enum import Enum, auto
from typing import NamedTuple, Protocol

from core.model import Id


class Question(NamedTuple):
    """The filters of a permission query (source document, section 4.1), without its paging."""

    user_id: Id
    account_id: str
    """The ``auth_id`` of a project, of a node of the hierarchy, or of the workspace."""
    codes: frozenset[str]
    """Podium's own codes, or those of a product."""


class Freshness(Enum):
    """How new an answer has to be (spec, section 7)."""

    AT_ONCE = auto()
    """To draw something now: what is known already; nothing is asked and nobody waits."""
    VIEW = auto()
    """To look: a kept grant will do; while the service is away, one of at most five minutes."""
    CHANGE = auto()
    """To change something: a kept grant will do while it is new."""
    EXACT = auto()
    """To delete, to share, to change members: asked now, never from what was kept."""


class Fault(NamedTuple):
    """Why the service gave no answer that counts."""

    reason: str
    """A sentence for a person."""
    correlation_id: str
    """What the service's people find it by in their log."""
    since: datetime
    """When it began, in UTC."""
    away: bool
    """Whether the service could not be reached or failed, so that a recent grant still allows to look."""


class Authority(NamedTuple):
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
    authority: Authority
    age: float = 0.0
    """Seconds since the source said so."""


LOCAL = Authority("local")
NOTHING = Grant(frozenset(), LOCAL)
"""What somebody holds of whom nothing is known."""


class PermissionSource(Protocol):
    """Answers questions: computed from the database, or asked of the authorization service. It never raises."""

    def grant(self, question: Question, freshness: Freshness) -> Grant:
        """Which of the codes the user holds."""

    def grants(self, questions: Collection[Question], freshness: Freshness) -> Mapping[Question, Grant]:
        """The answers to several questions, which together take no longer than one."""

    def forget(self) -> None:
        """Forget every kept grant: roles have changed, or somebody has signed out."""

    def close(self) -> None:
        """Let go of connections."""
