"""The roles of a project's members, read from the database for the rules of ``core.automatic_roles``."""

from __future__ import annotations

from core.automatic_roles import HeldMetaRole, HeldProductRole, by_name, held_meta_roles, held_product_roles
from core.model import Id, Member
from core.products import ApplicationRole, MemberMetaRole, MetaRole, Product, RoleMapping
from core.work import View

IN_PROJECT = "(SELECT product_id FROM application WHERE project_id = :project_id)"
"""The products in a project, retired ones too: as long as there is an application, its roles follow."""


class RolesOnProject:
    """What meta roles and product roles come from on one project; read once for all of its members."""

    def __init__(self, view: View, project_id: Id) -> None:
        self.meta_roles = view.all(MetaRole, "1 = 1")
        self.mapping = view.all(RoleMapping, "1 = 1")
        external = f"id IN {IN_PROJECT} AND uses_external_authorization = 1"
        self.products = by_name(view.all(Product, external, project_id=project_id))
        self.roles = by_name(view.all(ApplicationRole, f"product_id IN {IN_PROJECT}", project_id=project_id))
        self._given: dict[Id, list[Id]] = {}
        for each in view.all(MemberMetaRole, "project_id = :project_id", project_id=project_id):
            self._given.setdefault(each.user_id, []).append(each.meta_role_id)

    def meta_roles_of(self, member: Member) -> tuple[HeldMetaRole, ...]:
        """Those that the project role brings and those given, by name."""
        return held_meta_roles(member.role, self._given.get(member.user_id, ()), self.mapping, self.meta_roles)

    def product_roles_of(self, member: Member) -> tuple[HeldProductRole, ...]:
        """The roles that follow, in the order of products and roles."""
        held = [each.meta_role.id for each in self.meta_roles_of(member)]
        return held_product_roles(held, self.products, self.roles, self.meta_roles)
