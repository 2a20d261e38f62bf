"""What somebody is on the whole workspace, in words: for the screens that are about no project."""

from __future__ import annotations

from core.model import User
from tui.screens.people import role_name


def roles_of(user: User) -> str:
    """For the title line and for refusals: "workspace admin", or "guest" for nobody in particular."""
    return ", ".join(map(role_name, user.platform_roles)) or "guest"
