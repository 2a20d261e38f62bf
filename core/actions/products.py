"""The product registry: what can be added to projects, how it is launched, and the roles it gives."""

from __future__ import annotations

from dataclasses import dataclass

from core.messages import Command, Query
from core.model import Id, NodeKind
from core.products import ApplicationRole, LaunchKind, MetaRole, Product
from core.rights import Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductLine:
    """A product as the Products screen lists it."""

    product: Product
    applications: int
    """How many applications of it there are, over all projects."""
    roles: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationRoleLine:
    """An application role with the meta roles that bring it."""

    role: ApplicationRole
    meta_roles: tuple[MetaRole, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductDetail:
    """A product with its application roles."""

    product: Product
    applications: int
    roles: tuple[ApplicationRoleLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListProducts(Query[tuple[ProductLine, ...]]):
    """The products of the workspace, by name, retired ones last."""

    route = "GET /v1/products"
    permission = Permission.WORKSPACE_VIEW


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowProduct(Query[ProductDetail]):
    """One product: how it is launched, what it requires, its application roles."""

    route = "GET /v1/products/{product_id}"
    permission = Permission.WORKSPACE_VIEW
    product_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class AddProduct(Command[Product]):
    """Register a product."""

    route = "POST /v1/products"
    permission = Permission.PRODUCT_MANAGE
    name: str
    kind: LaunchKind
    description: str = ""
    url: str = ""
    command: tuple[str, ...] = ()
    required_context: tuple[NodeKind, ...] = ()
    uses_external_authorization: bool = False
    permission_codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EditProduct(Command[Product]):
    """Change a product; what is left out stays."""

    route = "PATCH /v1/products/{product_id}"
    permission = Permission.PRODUCT_MANAGE
    product_id: Id
    name: str | None = None
    kind: LaunchKind | None = None
    description: str | None = None
    url: str | None = None
    command: tuple[str, ...] | None = None
    required_context: tuple[NodeKind, ...] | None = None
    uses_external_authorization: bool | None = None
    permission_codes: tuple[str, ...] | None = None
    seen_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetireProduct(Command[Product]):
    """Retire a product, so that no new applications of it are added, or bring it back."""

    route = "POST /v1/products/{product_id}/retire"
    permission = Permission.PRODUCT_MANAGE
    product_id: Id
    retired: bool = True
    seen_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveProduct(Command[None]):
    """Remove a product that no project uses, with its application roles."""

    route = "DELETE /v1/products/{product_id}"
    permission = Permission.PRODUCT_MANAGE
    product_id: Id
    seen_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddApplicationRole(Command[ApplicationRole]):
    """Give a product a role: some of its permission codes, brought by meta roles."""

    route = "POST /v1/products/{product_id}/roles"
    permission = Permission.PRODUCT_MANAGE
    product_id: Id
    name: str
    permission_codes: tuple[str, ...] = ()
    meta_role_ids: tuple[Id, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EditApplicationRole(Command[ApplicationRole]):
    """Change a role of a product; what is left out stays."""

    route = "PATCH /v1/application-roles/{application_role_id}"
    permission = Permission.PRODUCT_MANAGE
    application_role_id: Id
    name: str | None = None
    permission_codes: tuple[str, ...] | None = None
    meta_role_ids: tuple[Id, ...] | None = None
    seen_version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveApplicationRole(Command[None]):
    """Remove a role of a product."""

    route = "DELETE /v1/application-roles/{application_role_id}"
    permission = Permission.PRODUCT_MANAGE
    application_role_id: Id
    seen_version: int | None = None
