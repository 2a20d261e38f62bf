"""Permission codes, and the one table of the roles that hold them.

Keys, mouse, command palette, command line and API all use this table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum

from core.domain.model import ItemKind, PlatformRole, ProjectRole
from core.text.phrases import in_words


class Permission(StrEnum):
    """The permission codes of Podium: first those on a project, then those on the workspace."""

    PROJECT_VIEW = "PROJECT_VIEW"
    PROJECT_UPDATE = "PROJECT_UPDATE"
    PROJECT_DELETE = "PROJECT_DELETE"
    WORKFLOW_MANAGE = "WORKFLOW_MANAGE"
    APPLICATION_MANAGE = "APPLICATION_MANAGE"
    MEMBER_MANAGE = "MEMBER_MANAGE"
    META_ROLE_ASSIGN = "META_ROLE_ASSIGN"
    ACTIVITY_MANAGE = "ACTIVITY_MANAGE"
    TASK_MANAGE = "TASK_MANAGE"
    TASK_MOVE = "TASK_MOVE"
    COMMENT_ADD = "COMMENT_ADD"
    APPLICATION_LAUNCH = "APPLICATION_LAUNCH"
    TEMPLATE_SAVE = "TEMPLATE_SAVE"
    PRESET_SHARE = "PRESET_SHARE"

    WORKSPACE_VIEW = "WORKSPACE_VIEW"
    PROJECT_CREATE = "PROJECT_CREATE"
    PROJECT_CLAIM = "PROJECT_CLAIM"
    USER_MANAGE = "USER_MANAGE"
    HIERARCHY_MANAGE = "HIERARCHY_MANAGE"
    PRODUCT_MANAGE = "PRODUCT_MANAGE"
    PRODUCT_LAUNCH = "PRODUCT_LAUNCH"
    META_ROLE_MANAGE = "META_ROLE_MANAGE"
    TEMPLATE_MANAGE = "TEMPLATE_MANAGE"


ALL_CODES: frozenset[str] = frozenset(Permission)
"""Podium's own codes. They are queried together, so that one grant answers every question about some of them."""

CHANGING_CARDS: dict[ItemKind, Permission] = {
    ItemKind.TASK: Permission.TASK_MANAGE,
    ItemKind.ACTIVITY: Permission.ACTIVITY_MANAGE,
    ItemKind.APPLICATION: Permission.APPLICATION_MANAGE,
}
"""The code that is required to add, change or remove a card of each kind, also by a message about a whole project."""

_CODE = re.compile(r"[A-Z][A-Z0-9_]{0,63}")


def is_code(text: str) -> bool:
    """Return True if a text has the form of a permission code, Podium's own or a product's."""
    return _CODE.fullmatch(text) is not None


_CONTRIBUTOR = frozenset(
    {
        Permission.PROJECT_VIEW,
        Permission.ACTIVITY_MANAGE,
        Permission.TASK_MANAGE,
        Permission.TASK_MOVE,
        Permission.COMMENT_ADD,
        Permission.APPLICATION_LAUNCH,
    }
)

PROJECT_RIGHTS: dict[ProjectRole, frozenset[Permission]] = {
    ProjectRole.OWNER: _CONTRIBUTOR
    | {
        Permission.PROJECT_UPDATE,
        Permission.PROJECT_DELETE,
        Permission.WORKFLOW_MANAGE,
        Permission.APPLICATION_MANAGE,
        Permission.MEMBER_MANAGE,
        Permission.META_ROLE_ASSIGN,
        Permission.TEMPLATE_SAVE,
        Permission.PRESET_SHARE,
    },
    ProjectRole.CONTRIBUTOR: _CONTRIBUTOR,
    ProjectRole.VIEWER: frozenset({Permission.PROJECT_VIEW}),
}

PROJECT_CODES = PROJECT_RIGHTS[ProjectRole.OWNER]
"""The codes that project roles hold; the others are held by platform roles."""

_ADMIN = frozenset(
    {
        Permission.PROJECT_CREATE,
        Permission.PROJECT_CLAIM,
        Permission.USER_MANAGE,
        Permission.HIERARCHY_MANAGE,
        Permission.PRODUCT_MANAGE,
        Permission.PRODUCT_LAUNCH,
        Permission.META_ROLE_MANAGE,
        Permission.TEMPLATE_MANAGE,
    }
)

PLATFORM_RIGHTS: dict[PlatformRole, frozenset[Permission]] = {
    PlatformRole.PLATFORM_ADMIN: _ADMIN,
    PlatformRole.WORKSPACE_ADMIN: _ADMIN,
    PlatformRole.INTERNAL: frozenset({Permission.PROJECT_CREATE, Permission.PRODUCT_LAUNCH}),
}

READ_PERMISSIONS = frozenset({Permission.PROJECT_VIEW, Permission.WORKSPACE_VIEW})
"""The codes that are required for reading. Only these are held by a stale grant, while the service is unavailable."""

UNCACHED_PERMISSIONS = frozenset(
    {
        Permission.PROJECT_DELETE,
        Permission.PRESET_SHARE,
        Permission.MEMBER_MANAGE,
        Permission.META_ROLE_ASSIGN,
        Permission.META_ROLE_MANAGE,
        Permission.PRODUCT_MANAGE,
        Permission.USER_MANAGE,
        Permission.PROJECT_CLAIM,
    }
)
"""The codes for deleting, sharing and changing members, which are never decided by a cached grant.

Changing members includes changing what they hold: meta roles and product roles. Other messages that remove something
declare ``Message.deletes``.
"""

PERMISSION_PHRASES: dict[Permission, str] = {
    Permission.PROJECT_VIEW: "see this project",
    Permission.PROJECT_UPDATE: "change the project's details",
    Permission.PROJECT_DELETE: "delete the project or anything in it for good",
    Permission.WORKFLOW_MANAGE: "change phases or decide at a gate",
    Permission.APPLICATION_MANAGE: "add or change applications",
    Permission.MEMBER_MANAGE: "invite, change or remove members",
    Permission.META_ROLE_ASSIGN: "give meta roles",
    Permission.ACTIVITY_MANAGE: "create or change activities",
    Permission.TASK_MANAGE: "create or change tasks",
    Permission.TASK_MOVE: "move cards to another status",
    Permission.COMMENT_ADD: "comment",
    Permission.APPLICATION_LAUNCH: "launch applications",
    Permission.TEMPLATE_SAVE: "save templates",
    Permission.PRESET_SHARE: "share presets",
    Permission.WORKSPACE_VIEW: "use this workspace",
    Permission.PROJECT_CREATE: "create projects",
    Permission.PROJECT_CLAIM: "take over a project",
    Permission.USER_MANAGE: "manage people and their platform roles",
    Permission.HIERARCHY_MANAGE: "change clients, markets and brands",
    Permission.PRODUCT_MANAGE: "register or change products",
    Permission.PRODUCT_LAUNCH: "launch products outside of a project",
    Permission.META_ROLE_MANAGE: "change meta roles and where they come from",
    Permission.TEMPLATE_MANAGE: "import, rename or remove templates",
}
"""Completes the sentence "you cannot …"."""


def project_rights(role: ProjectRole | None) -> frozenset[Permission]:
    """Return the codes that a project role holds; none for None."""
    return PROJECT_RIGHTS[role] if role else frozenset()


def workspace_rights(roles: Iterable[PlatformRole]) -> frozenset[Permission]:
    """Return the codes that an active user with these platform roles holds on the workspace."""
    held = frozenset({Permission.WORKSPACE_VIEW})
    for role in roles:
        held |= PLATFORM_RIGHTS[role]
    return held


def roles_with(permission: Permission) -> tuple[str, ...]:
    """Return the names of the roles that hold a code, to tell a user whom to ask."""
    project = [role.value for role, codes in PROJECT_RIGHTS.items() if permission in codes]
    platform = [role.value for role, codes in PLATFORM_RIGHTS.items() if permission in codes]
    return tuple(in_words(name).capitalize() for name in project + platform)


def refusal(permission: Permission, role: str) -> str:
    """Return the sentence for a disabled key or a refused message."""
    holders = " or ".join(name.lower() for name in roles_with(permission))
    return f"As {role} you cannot {PERMISSION_PHRASES[permission]}. That takes: {holders}."


def refusal_of_service(permission: Permission) -> str:
    """Return the same sentence where the authorization service decides; its grants have no roles."""
    return f"The permission service does not let you {PERMISSION_PHRASES[permission]} ({permission})."
