"""What somebody is on the whole workspace, in words."""

from __future__ import annotations

from core.domain.model import User
from core.text.phrases import in_words


def roles_of(user: User) -> str:
    """For lists, title lines and refusals: "workspace admin", or "guest" for nobody in particular."""
    return ", ".join(map(in_words, user.platform_roles)) or "guest"


def why_empty(user: User, kind: str, otherwise: str) -> str:
    """What an empty list of the workspace says: guests read why they see nothing and who can add them to a project."""
    if user.platform_roles:
        return otherwise
    return (
        f"No {kind} yet\nAs a guest you see the {kind} of your projects. Ask a project's owner to add you to a project."
    )
