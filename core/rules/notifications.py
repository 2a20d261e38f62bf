"""Notifications: one for each person concerned, written in the transaction of the change."""

from __future__ import annotations

import re
from collections.abc import Iterable

from core.domain.model import Id
from core.domain.notifications import ACCESS, Notification, NotificationKind
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id

_MENTION = r"(?<![\w.@/-])@([A-Za-z0-9][A-Za-z0-9._-]{0,63})"
"""``@login``, unless it is part of an e-mail address or a path."""


def notify(
    work: UnitOfWork,
    kind: NotificationKind,
    target_id: Id,
    people: Iterable[Id],
    *,
    project_id: Id | None = None,
    words: str = "",
    wanted: str = "",
) -> None:
    """Notify each of these users once. The sender is not notified of their own actions; ``project_id`` defaults to the
    project of the work. ``words`` and ``wanted`` are those of a request.

    One exception: a change of access to the sender's account, made by another person who acts as them.
    """
    notifies_sender = kind in ACCESS and work.actor.through != ""
    for user_id in dict.fromkeys(people):
        if user_id != work.actor.user_id or notifies_sender:
            work.insert(
                Notification(
                    project_id=project_id or work.scope,
                    id=new_id(),
                    user_id=user_id,
                    kind=kind,
                    target_id=target_id,
                    by_id=work.actor.user_id,
                    at=work.now,
                    through=work.actor.through,
                    words=words,
                    wanted=wanted,
                )
            )


def mentioned_members(view: Snapshot, text: str) -> list[Id]:
    """Return the active members whom a text names as ``@login``. A full stop after the login ends the sentence."""
    named = {login.lower() for login in re.findall(_MENTION, text)}
    named |= {login.rstrip("._-") for login in named}
    if not named:
        return []
    rows = view.rows(
        "SELECT user_id, login FROM member JOIN app_user ON app_user.id = member.user_id"
        " WHERE project_id = :project_id AND active = 1 ORDER BY login",
        project_id=view.scope,
    )
    return [row["user_id"] for row in rows if row["login"] in named]
