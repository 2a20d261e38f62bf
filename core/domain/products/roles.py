"""The product roles of a member, derived from the member's meta roles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from core.domain.model import Id, ProjectRole
from core.domain.products.products import ApplicationRole, MetaRole, Product, RoleMapping
from core.record import Record

Named = TypeVar("Named", MetaRole, Product, ApplicationRole)


class HeldMetaRole(Record, kw_only=False):
    """A meta role that a member has on a project."""

    meta_role: MetaRole
    by_role: bool
    """True if the member has it through the project role."""
    given: bool
    """True if the member has it explicitly. Both can be true."""


class HeldProductRole(Record, kw_only=False):
    """A role of a product that a member has on a project, and the meta roles that give it."""

    product: Product
    role: ApplicationRole
    through: tuple[MetaRole, ...]


def held_meta_roles(
    role: ProjectRole, given: Iterable[Id], mapping: Iterable[RoleMapping], meta_roles: Iterable[MetaRole]
) -> tuple[HeldMetaRole, ...]:
    """Return the meta roles of a member, by name: those of the project ``role`` and those ``given`` explicitly."""
    brought = {each.meta_role_id for each in mapping if each.project_role is role}
    given = set(given)
    return tuple(
        HeldMetaRole(each, each.id in brought, each.id in given)
        for each in by_name(meta_roles)
        if each.id in brought or each.id in given
    )


def derive_product_roles(
    meta_role_ids: Iterable[Id],
    products: Iterable[Product],
    roles: Iterable[ApplicationRole],
    names: Iterable[MetaRole],
) -> tuple[HeldProductRole, ...]:
    """Return the product roles that meta roles give, in the order of ``products`` and ``roles``.

    Products without external authorization have no roles. ``names`` are the meta roles of the workspace.
    """
    held = set(meta_role_ids)
    having = [each for each in by_name(names) if each.id in held]
    every = list(roles)
    return tuple(
        HeldProductRole(product, role, through)
        for product in products
        if product.uses_external_authorization
        for role in every
        if role.product_id == product.id
        and (through := tuple(each for each in having if each.id in role.meta_role_ids))
    )


def by_name(records: Iterable[Named]) -> list[Named]:
    """Sort records by name, without regard to case."""
    return sorted(records, key=lambda each: (each.name.casefold(), each.id))
