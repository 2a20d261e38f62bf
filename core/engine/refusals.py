"""The refusal of a message whose sender lacks the permission; it names who can help.

What the sender cannot see is refused as what is not there, in the same words: a refusal never says that it exists.
"""

from __future__ import annotations

from typing import Any, TypeVar

from core.domain.grants import LOCAL
from core.domain.model import WORKSPACE, Id, Member, User
from core.domain.permissions import PROJECT_CODES, Permission, refusal, refusal_of_service
from core.engine.messages import Message
from core.engine.project_guard import owners
from core.engine.unit_of_work import Snapshot, in_workspace
from core.errors import Forbidden, NotFound
from core.text.phrases import full_name, in_words, no_such

T = TypeVar("T")


class _Empty(Snapshot):
    """A database without records."""

    def all(self, record: type[T], where: str, **params: object) -> list[T]:
        return []


def missing(view: Snapshot, message: Message[Any]) -> NotFound:
    """Return the refusal of a message about a record that is not there."""
    try:
        scope = message.scope(_Empty(view.tx, view.actor, view.now, WORKSPACE))
    except NotFound as error:
        return error
    return NotFound(no_such("project", scope))


def refused(view: Snapshot, message: Message[Any] | None, scope: Id, needed: Permission) -> Forbidden | NotFound:
    """Return the refusal. It names only people whom the sender can see: no owner to strangers, no admin to guests.

    NotFound for a project that the sender cannot see, and is not on either: a member is told what they lack.
    """
    user = view.find(User, id=view.actor.user_id)
    if user is None or not user.active:
        return Forbidden("Your account is not active in this workspace. Ask a workspace admin.")
    member = None if in_workspace(scope) else view.find(Member, project_id=scope, user_id=user.id)
    if message and not in_workspace(scope) and member is None and Permission.PROJECT_VIEW not in view.grant.held:
        return missing(view, message)
    if view.grant.authority.source != LOCAL.source:
        return Forbidden(refusal_of_service(needed, view.grant.authority.unnamed))
    if member is None or needed not in PROJECT_CODES:
        if not user.platform_roles:
            return Forbidden(refusal(needed, "guest"))
        return Forbidden(refusal(needed, in_words(user.platform_roles[0])), who_can=_admins(view))
    return Forbidden(refusal(needed, member.role.lower()), who_can=owners(view, scope))


def _admins(view: Snapshot) -> tuple[str, ...]:
    rows = view.rows(
        "SELECT first_name, last_name FROM app_user"
        " WHERE active = 1 AND platform_roles LIKE '%ADMIN%' ORDER BY first_name, last_name, id"
    )
    return tuple(full_name(row["first_name"], row["last_name"]) for row in rows)
