"""What somebody is on the whole workspace, in words."""

from __future__ import annotations

from core.model import User
from core.wording import in_words


def roles_of(user: User) -> str:
    """For lists, title lines and refusals: "workspace admin", or "guest" for nobody in particular."""
    return ", ".join(map(in_words, user.platform_roles)) or "guest"
