"""Permission codes: the one table of what each permits and of the roles that hold it.

Keys, mouse, command palette, command line and API all use this table.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from enum import StrEnum

from core.domain.model import ItemKind, PlatformRole, ProjectRole
from core.text.phrases import a, in_words, names


class Permission(StrEnum):
    """The permission codes of Podium: first those on a project, then those on the workspace.

    Each has a phrase, which completes the sentence "only owners can …", and its weakest holder. Stronger roles hold it
    too; every active user holds a code without a holder. GATE_DECIDE is also held by the contributors whom a policy of
    the project (``core.domain.gate_policy``) names, as deciders or secretary, directly or by a meta role; never by a
    viewer. It is one of three conditions of a decision: the others are the panel of the gate, and four eyes.
    """

    phrase: str
    holder: ProjectRole | PlatformRole | None

    def __new__(cls, code: str, phrase: str = "", holder: ProjectRole | PlatformRole | None = None) -> Permission:
        permission = str.__new__(cls, code)
        permission._value_, permission.phrase, permission.holder = code, phrase, holder
        return permission

    PROJECT_VIEW = "PROJECT_VIEW", "see this project", ProjectRole.VIEWER
    PROJECT_UPDATE = "PROJECT_UPDATE", "change the project's details", ProjectRole.OWNER
    PROJECT_DELETE = "PROJECT_DELETE", "delete the project or anything in it for good", ProjectRole.OWNER
    WORKFLOW_MANAGE = (
        "WORKFLOW_MANAGE",
        "change phases and their gates, or override what phases and cards wait for",
        ProjectRole.OWNER,
    )
    GATE_DECIDE = "GATE_DECIDE", "approve, hold or send back phases", ProjectRole.OWNER
    DELIVER = "DELIVER", "deliver or take back deliverables", ProjectRole.CONTRIBUTOR
    APPLICATION_MANAGE = "APPLICATION_MANAGE", "add or change applications", ProjectRole.OWNER
    MEMBER_MANAGE = "MEMBER_MANAGE", "invite, change or remove members", ProjectRole.OWNER
    META_ROLE_ASSIGN = "META_ROLE_ASSIGN", "give meta roles", ProjectRole.OWNER
    ACTIVITY_MANAGE = "ACTIVITY_MANAGE", "create or change activities", ProjectRole.CONTRIBUTOR
    TASK_MANAGE = "TASK_MANAGE", "create or change tasks", ProjectRole.CONTRIBUTOR
    TASK_MOVE = "TASK_MOVE", "move cards to another status", ProjectRole.CONTRIBUTOR
    COMMENT_ADD = "COMMENT_ADD", "comment", ProjectRole.CONTRIBUTOR
    APPLICATION_LAUNCH = "APPLICATION_LAUNCH", "launch applications", ProjectRole.CONTRIBUTOR
    TEMPLATE_SAVE = "TEMPLATE_SAVE", "save templates", ProjectRole.OWNER
    PRESET_SHARE = "PRESET_SHARE", "share presets", ProjectRole.OWNER

    WORKSPACE_VIEW = "WORKSPACE_VIEW", "use this workspace", None
    PROJECT_CREATE = "PROJECT_CREATE", "create projects", PlatformRole.INTERNAL
    PROJECT_CLAIM = "PROJECT_CLAIM", "take over a project", PlatformRole.WORKSPACE_ADMIN
    USER_MANAGE = "USER_MANAGE", "manage people and the workspace", PlatformRole.WORKSPACE_ADMIN
    HIERARCHY_MANAGE = (
        "HIERARCHY_MANAGE",
        "change clients, markets and brands, or labels of the workspace",
        PlatformRole.WORKSPACE_ADMIN,
    )
    PRODUCT_MANAGE = "PRODUCT_MANAGE", "register or change products", PlatformRole.WORKSPACE_ADMIN
    PRODUCT_LAUNCH = "PRODUCT_LAUNCH", "launch products outside of a project", PlatformRole.INTERNAL
    META_ROLE_MANAGE = "META_ROLE_MANAGE", "change meta roles and where they come from", PlatformRole.WORKSPACE_ADMIN
    TEMPLATE_MANAGE = "TEMPLATE_MANAGE", "import, rename or remove templates", PlatformRole.WORKSPACE_ADMIN
    METRICS_VIEW = "METRICS_VIEW", "read the metrics of the server", PlatformRole.WORKSPACE_ADMIN


ALL_CODES: frozenset[str] = frozenset(Permission)
"""Podium's own codes. They are queried together, so that one grant answers every question about some of them."""

IN_PLACE: dict[Permission, Permission] = {
    Permission.GATE_DECIDE: Permission.WORKFLOW_MANAGE,
    Permission.DELIVER: Permission.WORKFLOW_MANAGE,
    Permission.METRICS_VIEW: Permission.USER_MANAGE,
}
"""The newer codes, each with the one that decides in its place while the setting ``auth_codes`` does not name it: an
authorization service need not know them, and is only asked about those that the setting names."""

ADDED_CODES: frozenset[Permission] = frozenset(IN_PLACE)

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


PROJECT_RIGHTS: dict[ProjectRole, frozenset[Permission]] = {
    role: frozenset(code for code in Permission if code.holder in tuple(ProjectRole)[rank:])
    for rank, role in enumerate(ProjectRole)  # the strongest first
}

PROJECT_CODES = PROJECT_RIGHTS[ProjectRole.OWNER]
"""The codes that project roles hold; the others are held by platform roles."""

_ADMIN = frozenset(code for code in Permission if isinstance(code.holder, PlatformRole))

PLATFORM_RIGHTS: dict[PlatformRole, frozenset[Permission]] = {
    PlatformRole.PLATFORM_ADMIN: _ADMIN,
    PlatformRole.WORKSPACE_ADMIN: _ADMIN,
    PlatformRole.INTERNAL: frozenset(code for code in Permission if code.holder is PlatformRole.INTERNAL),
}

NAMED_DECIDERS = "contributors named by the policy of a gate"
"""The people who hold GATE_DECIDE without being owners."""

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


def project_rights(role: ProjectRole | None) -> frozenset[Permission]:
    """Return the codes that a project role holds; none for None."""
    return PROJECT_RIGHTS[role] if role else frozenset()


def workspace_rights(roles: Iterable[PlatformRole]) -> frozenset[Permission]:
    """Return the codes that an active user with these platform roles holds on the workspace."""
    held = frozenset({Permission.WORKSPACE_VIEW})
    for role in roles:
        held |= PLATFORM_RIGHTS[role]
    return held


def holders_of(permission: Permission) -> str:
    """Return the roles that hold a code as people: "owners and contributors"; empty if every user holds it."""
    every = [*PROJECT_RIGHTS.items(), *PLATFORM_RIGHTS.items()]
    named = [NAMED_DECIDERS] if permission is Permission.GATE_DECIDE else []
    return names([*(f"{_person(in_words(role))}s" for role, codes in every if permission in codes), *named])


def refusal(permission: Permission, role: str) -> str:
    """Return the sentence for a disabled key or a refused message. ``role`` is that of the user, in words."""
    return f"Only {holders_of(permission)} can {permission.phrase}; you are {a(_person(role))}."


def _person(role: str) -> str:
    """A role in words as a noun: "internal user"."""
    return f"{role} user" if role == in_words(PlatformRole.INTERNAL) else role


def refusal_of_service(permission: Permission, unnamed: Collection[Permission] = ()) -> str:
    """Return the same sentence where the authorization service decides; its grants have no roles.

    It ends with the code that decided: for those in ``unnamed``, the one in its place.
    """
    decided = IN_PLACE[permission] if permission in unnamed else permission
    return f"The permission service does not let you {permission.phrase} ({decided})."


def decided_in_place(codes: Collection[Permission]) -> str:
    """Return the sentence on the codes that decide in the place of ``codes``; empty if there are none."""
    groups = {by: [code for code in sorted(codes) if IN_PLACE[code] is by] for by in IN_PLACE.values()}
    are = {by: "is" if len(each) == 1 else "are" for by, each in groups.items()}
    listed = names([f"{names(each)} {are[by]} decided by {by}" for by, each in groups.items() if each])
    why = f"since auth_codes does not name {'it' if len(codes) == 1 else 'them'}"
    return f"{listed}, {why}." if codes else ""
