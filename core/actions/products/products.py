"""The product registry: products for projects, how they are launched, and their roles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from core.domain.grants import PermissionQuery
from core.domain.model import Id, NodeKind
from core.domain.notifications import NotificationKind
from core.domain.permissions import Permission
from core.domain.products.fields import launch_target, levels_in_order, validated_permission_codes
from core.domain.products.products import ApplicationRole, LaunchKind, MetaRole, Product
from core.domain.products.roles import by_name
from core.engine.messages import Command, Query
from core.engine.unit_of_work import Snapshot, UnitOfWork, new_id
from core.record import Record, replace
from core.rules.notifications import notify
from core.rules.products import MAX_IN_NAME, check_application_role, check_product, check_product_unused, roles_of
from core.rules.visibility import asked_of_guests, check_visible, keep_visible, visible_projects
from core.storage.database import Row, placeholders
from core.text.phrases import names
from core.text.sanitize import many_lines, one_line

_USES = (
    "SELECT product.id,"
    " (SELECT count(*) FROM application WHERE product_id = product.id"
    " AND project_id IN (SELECT id FROM feed){only}) AS applications,"
    " (SELECT count(*) FROM application_role WHERE product_id = product.id) AS roles FROM product"
)
"""The number of applications and of roles of each product."""

IN_WORDS = {
    "name": "name",
    "description": "description",
    "kind": "kind",
    "url": "URL",
    "command": "command",
    "required_context": "required context",
    "uses_external_authorization": "authorization",
    "permission_codes": "permission codes",
}
"""The fields of a product in the words of the history."""


class ProductSummary(Record):
    """A product as a line of the Products screen."""

    product: Product
    applications: int
    """The number of its applications in all projects; for a guest, in those that the guest can see."""
    roles: int


class ApplicationRoleSummary(Record):
    """An application role with the meta roles that give it."""

    role: ApplicationRole
    meta_roles: tuple[MetaRole, ...]


class ProductDetail(Record):
    """A product with its application roles."""

    product: Product
    applications: int
    roles: tuple[ApplicationRoleSummary, ...]


class ListProducts(Query[tuple[ProductSummary, ...]]):
    """List the products of the workspace by name, retired ones last; for guests those that their projects use."""

    route = "GET /v1/products"
    permission = Permission.WORKSPACE_VIEW

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return asked_of_guests(view)

    def run(self, view: Snapshot) -> tuple[ProductSummary, ...]:
        uses = _uses(view)
        products = sorted(by_name(keep_visible(view, view.all(Product, "1 = 1"))), key=lambda each: each.retired)
        return tuple(
            ProductSummary(product=each, applications=uses[each.id]["applications"], roles=uses[each.id]["roles"])
            for each in products
        )


class GetProduct(Query[ProductDetail]):
    """Show one product: how it is launched, what it requires, and its application roles."""

    route = "GET /v1/products/{product_id}"
    permission = Permission.WORKSPACE_VIEW
    product_id: Id

    def asks(self, view: Snapshot) -> tuple[PermissionQuery, ...]:
        return asked_of_guests(view)

    def run(self, view: Snapshot) -> ProductDetail:
        product = check_visible(view, view.get(Product, id=self.product_id))
        meta_roles = {each.id: each for each in view.all(MetaRole, "1 = 1")}
        return ProductDetail(
            product=product,
            applications=_uses(view)[product.id]["applications"],
            roles=tuple(
                ApplicationRoleSummary(
                    role=role,
                    meta_roles=tuple(meta_roles[each] for each in role.meta_role_ids if each in meta_roles),
                )
                for role in roles_of(view, product.id)
            ),
        )


class AddProduct(Command[Product]):
    """Register a product."""

    route = "POST /v1/products"
    permission = Permission.PRODUCT_MANAGE
    creates = True
    name: str
    kind: LaunchKind
    description: str = ""
    url: str = ""
    command: tuple[str, ...] = ()
    required_context: tuple[NodeKind, ...] = ()
    uses_external_authorization: bool = False
    permission_codes: tuple[str, ...] = ()

    def run(self, work: UnitOfWork) -> Product:
        url, command = launch_target(self.kind, self.url, self.command)
        product = Product(
            id=new_id(),
            name=one_line(self.name, "name", most=MAX_IN_NAME),
            kind=self.kind,
            description=many_lines(self.description, "description"),
            url=url,
            command=command,
            required_context=levels_in_order(self.required_context),
            uses_external_authorization=self.uses_external_authorization,
            permission_codes=validated_permission_codes(self.permission_codes),
        )
        check_product(work, product)
        work.say(f"registered the product “{product.name}”")
        return work.insert(product)


class EditProduct(Command[Product]):
    """Change a product; fields that are left out stay."""

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

    def run(self, work: UnitOfWork) -> Product:
        product = work.get(Product, id=self.product_id, seen_version=self.seen_version)
        fields = self._fields(product)
        check_product(work, replace(product, **fields))
        work.say(_what_changed(product, fields))
        if fields["command"] and fields["command"] != product.command:
            _notify_of_command(work, product)
        return work.update(product, **fields)

    def _fields(self, product: Product) -> dict[str, Any]:
        kind = self.kind or product.kind
        stays = kind is product.kind  # a new kind drops the URL or command of the old one
        url = self.url if self.url is not None else product.url if stays else ""
        command = self.command if self.command is not None else product.command if stays else ()
        url, command = launch_target(kind, url, command)
        edited = self.edited_fields(
            product,
            name=partial(one_line, what="name", most=MAX_IN_NAME),
            description=partial(many_lines, what="description"),
            required_context=levels_in_order,
            uses_external_authorization=bool,
            permission_codes=validated_permission_codes,
        )
        return edited | {"kind": kind, "url": url, "command": command}


class RetireProduct(Command[Product]):
    """Retire a product, so that no new applications of it are added, or reinstate it."""

    route = "POST /v1/products/{product_id}/retire"
    permission = Permission.PRODUCT_MANAGE
    product_id: Id
    retired: bool = True
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> Product:
        product = work.get(Product, id=self.product_id, seen_version=self.seen_version)
        work.say(f"{'retired' if self.retired else 'reinstated'} the product “{product.name}”")
        return work.update(product, retired=self.retired)


class RemoveProduct(Command[None]):
    """Remove a product that no project uses, with its application roles."""

    route = "DELETE /v1/products/{product_id}"
    held_key = True
    permission = Permission.PRODUCT_MANAGE
    product_id: Id
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> None:
        product = work.get(Product, id=self.product_id, seen_version=self.seen_version)
        check_product_unused(work, product)
        for role in roles_of(work, product.id):
            work.delete(role)
        work.delete(product)
        work.say(f"removed the product “{product.name}”")


class AddApplicationRole(Command[ApplicationRole]):
    """Add a role to a product: some of its permission codes, given by meta roles."""

    route = "POST /v1/products/{product_id}/roles"
    permission = Permission.PRODUCT_MANAGE
    creates = True
    product_id: Id
    name: str
    permission_codes: tuple[str, ...] = ()
    meta_role_ids: tuple[Id, ...] = ()

    def run(self, work: UnitOfWork) -> ApplicationRole:
        product = work.get(Product, id=self.product_id)
        role = ApplicationRole(
            id=new_id(),
            product_id=product.id,
            name=one_line(self.name, "name", most=MAX_IN_NAME),
            permission_codes=_in_order(self.permission_codes, product.permission_codes),
            meta_role_ids=tuple(dict.fromkeys(self.meta_role_ids)),
        )
        check_application_role(work, role)
        work.say(f"gave the product “{product.name}” the role “{role.name}”")
        return work.insert(role)


class EditApplicationRole(Command[ApplicationRole]):
    """Change a role of a product; fields that are left out stay."""

    route = "PATCH /v1/application-roles/{application_role_id}"
    permission = Permission.PRODUCT_MANAGE
    application_role_id: Id
    name: str | None = None
    permission_codes: tuple[str, ...] | None = None
    meta_role_ids: tuple[Id, ...] | None = None
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> ApplicationRole:
        role = work.get(ApplicationRole, id=self.application_role_id, seen_version=self.seen_version)
        product = work.get(Product, id=role.product_id)
        fields = self.edited_fields(
            role,
            name=partial(one_line, what="name", most=MAX_IN_NAME),
            permission_codes=partial(_in_order, of_product=product.permission_codes),
            meta_role_ids=lambda ids: tuple(dict.fromkeys(ids)),
        )
        check_application_role(work, replace(role, **fields))
        work.say(f"changed the role “{fields['name']}” of the product “{product.name}”")
        return work.update(role, **fields)


class RemoveApplicationRole(Command[None]):
    """Remove a role of a product."""

    route = "DELETE /v1/application-roles/{application_role_id}"
    held_key = True
    permission = Permission.PRODUCT_MANAGE
    application_role_id: Id
    seen_version: int | None = None

    def run(self, work: UnitOfWork) -> None:
        role = work.get(ApplicationRole, id=self.application_role_id, seen_version=self.seen_version)
        product = work.get(Product, id=role.product_id)
        work.delete(role)
        work.say(f"removed the role “{role.name}” of the product “{product.name}”")


def _uses(view: Snapshot) -> dict[Id, Row]:
    """Count the uses of each product; for a guest, in the projects that the guest can see."""
    chosen, params = placeholders(visible_projects(view, archived=True) if view.by_guest else ())
    only = f" AND project_id IN {chosen}" if view.by_guest else ""
    return {row["id"]: row for row in view.rows(_USES.format(only=only), **params)}


def _notify_of_command(work: UnitOfWork, product: Product) -> None:
    """Notify the members of the projects that use a product, each once, that its command has changed."""
    rows = work.tx.tuples(
        "SELECT member.user_id, application.project_id, min(application.id) FROM application"
        " JOIN project ON project.id = application.project_id AND project.archived = 0"
        " JOIN member ON member.project_id = application.project_id"
        " JOIN app_user ON app_user.id = member.user_id AND app_user.active = 1"
        " WHERE application.product_id = :product"
        " GROUP BY member.user_id, application.project_id ORDER BY member.user_id, application.project_id",
        product=product.id,
    )
    first = {user_id: (project_id, application_id) for user_id, project_id, application_id in reversed(rows)}
    for user_id, (project_id, application_id) in sorted(first.items()):
        notify(work, NotificationKind.COMMAND, application_id, [user_id], project_id=project_id)


def _what_changed(product: Product, fields: Mapping[str, Any]) -> str:
    changed = [words for name, words in IN_WORDS.items() if fields[name] != getattr(product, name)]
    if changed == ["name"]:
        return f"renamed the product “{product.name}” to “{fields['name']}”"
    return f"changed the product “{product.name}”: {names(changed)}"


def _in_order(codes: Iterable[str], of_product: Sequence[str]) -> tuple[str, ...]:
    """Sort the codes of a role like the product's, each once. Unknown codes come last, for the check to refuse."""
    wanted = dict.fromkeys(codes)
    return (*(code for code in of_product if code in wanted), *(code for code in wanted if code not in of_product))
