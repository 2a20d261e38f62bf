"""Platform roles in words."""

from __future__ import annotations

from core.actions.workspace.profile import CurrentUser
from core.domain.model import User
from core.domain.permissions import Permission
from core.text.phrases import in_words


def roles_of(user: User) -> str:
    """The platform roles of a user: "workspace admin", or "guest" without one."""
    return ", ".join(map(in_words, user.platform_roles)) or "guest"


def why_empty(me: CurrentUser, kind: str, otherwise: str, adds: Permission | None = None, first: str = "") -> str:
    """The text of an empty list: ``first`` for users with the permission ``adds``; for guests the reason and the people
    who can help; ``otherwise`` for other users.
    """
    if adds in me.held:
        return first
    if me.user.platform_roles:
        return otherwise
    return (
        f"No {kind} yet\nAs a guest you see the {kind} of your projects. Ask a project's owner to add you to a project."
    )
