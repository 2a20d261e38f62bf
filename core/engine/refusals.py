"""The refusal of a message whose sender lacks the permission; it names who can help."""

from __future__ import annotations

from core.domain.grants import LOCAL
from core.domain.model import Id, Member, User
from core.domain.permissions import PROJECT_CODES, Permission, refusal, refusal_of_service
from core.engine.project_guard import owners
from core.engine.unit_of_work import Snapshot, in_workspace
from core.errors import Forbidden
from core.text.phrases import full_name, in_words


def refused(view: Snapshot, scope: Id, needed: Permission) -> Forbidden:
    """Return the refusal. It names only people whom the sender can see: no owner to strangers, no admin to guests."""
    user = view.find(User, id=view.actor.user_id)
    if user is None or not user.active:
        return Forbidden("Your account is not active in this workspace. Ask a workspace admin.")
    if view.grant.authority.source != LOCAL.source:
        return Forbidden(refusal_of_service(needed, view.grant.authority.unnamed))
    if in_workspace(scope) or needed not in PROJECT_CODES:
        if not user.platform_roles:
            return Forbidden(refusal(needed, "guest"))
        return Forbidden(refusal(needed, in_words(user.platform_roles[0])), who_can=_admins(view))
    member = view.find(Member, project_id=scope, user_id=user.id)
    if member is None:
        return Forbidden("You are not a member of this project. Ask one of its owners to invite you.")
    return Forbidden(refusal(needed, member.role.lower()), who_can=owners(view, scope))


def _admins(view: Snapshot) -> tuple[str, ...]:
    rows = view.rows(
        "SELECT first_name, last_name FROM app_user"
        " WHERE active = 1 AND platform_roles LIKE '%ADMIN%' ORDER BY first_name, last_name, id"
    )
    return tuple(full_name(row["first_name"], row["last_name"]) for row in rows)
