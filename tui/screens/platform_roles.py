"""What somebody is on the whole workspace, in words."""

from __future__ import annotations

from core.model import PlatformRole, User


def role_name(role: PlatformRole) -> str:
    """As people read it: "workspace admin"."""
    return role.replace("_", " ").lower()


def roles_of(user: User) -> str:
    """For lists, title lines and refusals: "workspace admin", or "guest" for nobody in particular."""
    return ", ".join(map(role_name, user.platform_roles)) or "guest"
