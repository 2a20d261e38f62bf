"""Notifications, and the last change of a project that each user has seen."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from core.domain.model import Id
from core.record import Record


class NotificationKind(StrEnum):
    """The reason for a notification.

    ASSIGNED: the user was assigned. MENTIONED: a comment names them (``@login``). COMMAND: the command of a product
    changed that their applications launch. CONSENT: someone wants a change that would end an approval. MEETING: a
    secretary recorded their vote in a meeting; ABSENT: recorded them as absent; CONTRADICTION: someone contradicted
    that. STOP: the votes at a gate are to stop the project, which they can carry out. The others say that another user
    can act as them: by a token made for them, an account linked to them, or a changed login or e-mail, with which a
    proxy can sign in. Those stay when the change is undone.
    """

    ASSIGNED = "ASSIGNED"
    MENTIONED = "MENTIONED"
    COMMAND = "COMMAND"
    CONSENT = "CONSENT"
    MEETING = "MEETING"
    ABSENT = "ABSENT"
    CONTRADICTION = "CONTRADICTION"
    STOP = "STOP"
    TOKEN_MADE = "TOKEN_MADE"  # noqa: S105
    ACCOUNT_LINKED = "ACCOUNT_LINKED"
    LOGIN_CHANGED = "LOGIN_CHANGED"


ACCESS = frozenset({NotificationKind.TOKEN_MADE, NotificationKind.ACCOUNT_LINKED, NotificationKind.LOGIN_CHANGED})
"""Notifications of the workspace. They cannot be turned off, or marked as read by another user who acts as this one."""


class LastSeen(Record, table="last_seen", key=("project_id", "user_id")):
    """The last change of a project that a user has seen, and when."""

    project_id: Id
    user_id: Id
    seq: int
    at: datetime
    version: int = 1


class Notification(Record, table="notification", key=("project_id", "id")):
    """A notification to ``user_id`` of what ``by_id`` did. Users get none for their own changes.

    ``target_id`` is the card, phase or application. The notification is written in the transaction of the change and is
    one of its records, so that undoing the change removes it. ``through`` is as in ``Change``. ``words`` are the
    sentence of a request for consent, the id of the decision of a meeting, or the reason of a contradiction.
    ``wanted`` has the messages that a request asks to send, as the JSON of the steps of a bulk change; "" for what
    only the sender can do.
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
    words: str = ""
    wanted: str = ""
    version: int = 1
