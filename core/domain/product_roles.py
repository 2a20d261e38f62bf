"""Which product roles follow from which meta roles, pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from core.domain.model import Id, ProjectRole
from core.domain.products import ApplicationRole, MetaRole, Product, RoleMapping

Named = TypeVar("Named", MetaRole, Product, ApplicationRole)


class HeldMetaRole(NamedTuple):
    """A meta role that a member has on a project."""

    meta_role: MetaRole
    by_role: bool
    """Whether the project role brings it."""
    given: bool
    """Whether it was given explicitly; it may be both."""


class HeldProductRole(NamedTuple):
    """A role of a product that a member has on a project, and the meta roles through which."""

    product: Product
    role: ApplicationRole
    through: tuple[MetaRole, ...]


def held_meta_roles(
    role: ProjectRole, given: Iterable[Id], mapping: Iterable[RoleMapping], meta_roles: Iterable[MetaRole]
) -> tuple[HeldMetaRole, ...]:
    """Those mapped from the project role and those given explicitly, by name."""
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
    """The roles that follow, in the order of products and roles; none for a product without external authorization."""
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
    """Records in the order in which people look for them."""
    return sorted(records, key=lambda each: (each.name.casefold(), each.id))
