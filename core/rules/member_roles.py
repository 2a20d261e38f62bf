"""The roles of a project's members: the records that ``core.domain.products.roles`` derives them from."""

from __future__ import annotations

from core.domain.model import Id, Member, ProjectRole, User
from core.domain.products.products import ApplicationRole, MemberMetaRole, MetaRole, Product, RoleMapping
from core.domain.products.roles import HeldMetaRole, HeldProductRole, by_name, derive_product_roles, held_meta_roles
from core.engine.unit_of_work import Snapshot, UnitOfWork
from core.errors import RuleViolation

IN_PROJECT = "(SELECT product_id FROM application WHERE project_id = :project_id)"
"""The products in a project, retired ones too: their roles apply as long as there is an application."""


class MemberRoles:
    """The records that meta roles and product roles of one project are derived from, read once for all members."""

    def __init__(self, view: Snapshot, project_id: Id) -> None:
        self.meta_roles = view.all(MetaRole, "1 = 1")
        self.mapping = view.all(RoleMapping, "1 = 1")
        external = f"id IN {IN_PROJECT} AND uses_external_authorization = 1"
        self.products = by_name(view.all(Product, external, project_id=project_id))
        self.roles = by_name(view.all(ApplicationRole, f"product_id IN {IN_PROJECT}", project_id=project_id))
        self._given: dict[Id, list[Id]] = {}
        for each in view.all(MemberMetaRole, "project_id = :project_id", project_id=project_id):
            self._given.setdefault(each.user_id, []).append(each.meta_role_id)

    def meta_roles_of(self, member: Member) -> tuple[HeldMetaRole, ...]:
        """Return the meta roles that a member has by their project role or was given, by name."""
        return held_meta_roles(member.role, self._given.get(member.user_id, ()), self.mapping, self.meta_roles)

    def product_roles_of(self, member: Member) -> tuple[HeldProductRole, ...]:
        """Return the product roles derived from a member's meta roles, in the order of products and roles."""
        held = [each.meta_role.id for each in self.meta_roles_of(member)]
        return derive_product_roles(held, self.products, self.roles, self.meta_roles)


def add_member(work: UnitOfWork, user: User, role: ProjectRole) -> Member:
    """Make a person a member of the project of a message, invited by its sender. Raises RuleViolation."""
    if not user.active:
        raise RuleViolation("This person is no longer active in this workspace, so they cannot be invited.")
    return work.insert(Member(project_id=work.scope, user_id=user.id, role=role, invited_by=work.actor.user_id))


def check_has_owner(view: Snapshot, project_id: Id, but: Id = "") -> None:
    """Check that a project has at least one active owner, not counting the user ``but``.

    Raises RuleViolation.
    """
    active = view.rows(
        "SELECT 1 FROM member JOIN app_user ON app_user.id = member.user_id"
        " WHERE member.project_id = :project_id AND member.role = 'OWNER' AND app_user.active = 1"
        " AND member.user_id <> :but LIMIT 1",
        project_id=project_id,
        but=but,
    )
    if not active:
        raise RuleViolation(
            "A project needs at least one active owner, and this is the last one. Make another member owner first."
        )
