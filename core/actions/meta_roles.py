"""The workspace's meta roles, where they come from, and giving them to the members of a project."""

from __future__ import annotations

from dataclasses import dataclass

from core.messages import Command, ProjectCommand, Query
from core.model import Id, ProjectRole
from core.products import MetaRole, RoleMapping
from core.rights import Permission
from core.work import Work, new_id

SEEDED = ("Lead", "Strategist", "Creative", "Producer", "Analyst", "Approver")
"""The meta roles that a new workspace has; the project role Owner brings the first (spec, sections 1 and 5)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetaRoleLine:
    """A meta role as the Meta roles screen lists it."""

    meta_role: MetaRole
    project_roles: tuple[ProjectRole, ...]
    """The project roles that bring it."""
    given: int
    """How often it was given explicitly, over all projects."""
    brings: tuple[str, ...]
    """The product roles that it brings: "Asset library: Editor"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMetaRoles(Query[tuple[MetaRoleLine, ...]]):
    """The meta roles of the workspace, with what brings them and what they bring."""

    route = "GET /v1/meta-roles"
    permission = Permission.WORKSPACE_VIEW


@dataclass(frozen=True, slots=True, kw_only=True)
class AddMetaRole(Command[MetaRole]):
    """Add a meta role to the workspace."""

    route = "POST /v1/meta-roles"
    permission = Permission.META_ROLE_MANAGE
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameMetaRole(Command[MetaRole]):
    """Rename a meta role."""

    route = "PATCH /v1/meta-roles/{meta_role_id}"
    permission = Permission.META_ROLE_MANAGE
    meta_role_id: Id
    name: str
    seen_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveMetaRole(Command[None]):
    """Remove a meta role that no project role brings, no member was given and no product maps."""

    route = "DELETE /v1/meta-roles/{meta_role_id}"
    permission = Permission.META_ROLE_MANAGE
    meta_role_id: Id
    seen_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MapProjectRole(Command[tuple[RoleMapping, ...]]):
    """Say which meta roles a project role brings, on every project."""

    route = "PUT /v1/role-mappings/{project_role}"
    permission = Permission.META_ROLE_MANAGE
    project_role: ProjectRole
    meta_role_ids: tuple[Id, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SetMetaRoles(ProjectCommand[None]):
    """Give a member of a project exactly these meta roles, beside those that the project role brings."""

    route = "PUT /v1/projects/{project_id}/members/{user_id}/meta-roles"
    permission = Permission.META_ROLE_ASSIGN
    user_id: Id
    meta_role_ids: tuple[Id, ...]
    seen_version: int | None = None
    """The version of the member; it gets a new one."""


def seed_meta_roles(work: Work) -> None:
    """The meta roles of a new workspace."""
    made = [work.insert(MetaRole(id=new_id(), name=name)) for name in SEEDED]
    work.insert(RoleMapping(project_role=ProjectRole.OWNER, meta_role_id=made[0].id))
