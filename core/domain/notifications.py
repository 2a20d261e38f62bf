"""What asks for somebody's attention: where they were last, and what others did that concerns them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.domain.model import Id


class NotificationKind(StrEnum):
    """Why somebody is told: they were assigned to something, named in a comment (``@login``), or the command changed
    that an application of their projects runs as the person who launches it.

    Or another person can act as them: by a token made for them, an account enrolled as them, their login or e-mail
    changed, which a proxy may sign in by. Such a notification stays when the change is undone.
    """

    ASSIGNED = "ASSIGNED"
    MENTIONED = "MENTIONED"
    COMMAND = "COMMAND"
    TOKEN_MADE = "TOKEN_MADE"  # noqa: S105
    ACCOUNT_LINKED = "ACCOUNT_LINKED"
    LOGIN_CHANGED = "LOGIN_CHANGED"


ACCESS = frozenset({NotificationKind.TOKEN_MADE, NotificationKind.ACCOUNT_LINKED, NotificationKind.LOGIN_CHANGED})
"""The notifications of the workspace. Nothing turns them off, and only the person alone can mark them as read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastSeen:
    """Up to which change of a project somebody has seen it, and when that was."""

    project_id: Id
    user_id: Id
    seq: int
    at: datetime
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """Something that somebody else (``by_id``) did and that concerns ``user_id``.

    ``target_id`` is the card, phase or application it is about. It is written in the transaction of the deed and is
    one of its records, so that taking the deed back takes the notification back. Nobody gets one for what they did.
    ``through`` is as in Change.
    """

    project_id: Id
    id: Id
    user_id: Id
    kind: NotificationKind
    target_id: Id
    by_id: Id
    at: datetime
    read_at: datetime | None = None
    through: str = ""
    version: int = 1
