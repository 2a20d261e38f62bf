"""Asking about rights: one's own, and why somebody may or may not do something."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from core.authorization.question import Authority
from core.messages import ProjectQuery, Query
from core.model import WORKSPACE, Id, ProjectRole, User
from core.rights import Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """What the person who asks holds, and who says so."""

    role: ProjectRole | None
    """Their role on the project; None in the workspace."""
    held: frozenset[Permission]
    authority: Authority


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowRights(Query[Rights]):
    """What I may do on a project, or in the workspace, and who decides it."""

    route = "GET /v1/projects/{project_id}/rights"
    permission = Permission.WORKSPACE_VIEW
    project_id: Id = WORKSPACE


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionEntry:
    """What a user holds on one account."""

    account_id: str
    permissions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionPage:
    """The answer to a permission query, in the shape of the source document (section 4.1)."""

    total_count: int
    data: tuple[PermissionEntry, ...]
    limit: int
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryPermissions(Query[PermissionPage]):
    """The permission query, put to the source in use: which of these codes a user holds on an account."""

    route = "POST /v1/permissions/query"
    permission = Permission.WORKSPACE_VIEW
    account_id: str
    user_id: Id
    permission_codes: tuple[str, ...]
    limit: int = 100
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Why somebody may or may not do something: role, meta roles, answer, age."""

    user: User
    project: str
    """The name of the project, or of the workspace."""
    code: str
    """The permission code that the action needs."""
    ability: str
    """What it takes the code for, to complete "may"."""
    role: str
    """The project role, or the platform roles, in words."""
    meta_roles: tuple[str, ...]
    held: bool
    authority: Authority
    decided_at: datetime
    """When the source said so."""
    reason: str
    """The decision as a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainPermission(ProjectQuery[Explanation]):
    """Whether a person may do something on a project, and why.

    ``action`` is a permission code, the name of a message, or a code of a product in the project.
    """

    route = "GET /v1/projects/{project_id}/explain"
    permission = Permission.PROJECT_VIEW
    user_id: Id
    action: str
