"""The forms of a product and of an application role, and the levels that are asked for before a product is launched.

The fields of forms are named as the core's complaints name them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.actions.products.products import (
    AddApplicationRole,
    AddProduct,
    EditApplicationRole,
    EditProduct,
)
from core.actions.workspace.hierarchy import GetHierarchy
from core.domain.model import HierarchyNode, NodeKind
from core.domain.products.fit import levels
from core.domain.products.products import ApplicationRole, LaunchKind, MetaRole, Product
from tui.dialogs.fields.form_fields import ChoiceField, Field, MultilineField, PickerField, TextField
from tui.dialogs.form import FormDialog
from tui.dialogs.menus.picker import Option, PickDialog
from tui.podium import Podium
from tui.services.host import Host
from tui.wording.hierarchy import HierarchyTree, Links

KINDS = ((LaunchKind.WEB.value, "Web"), (LaunchKind.TERMINAL.value, "Terminal"))
LEVELS = tuple((kind.value, kind.capitalize()) for kind in NodeKind)

EXTERNAL = "external"
AUTHORIZATION = (("", "Handled by the product"), (EXTERNAL, "Granted by Podium, as permission codes"))

COMMAND_NOTE = "The program, then each argument in a line of its own; no quotes needed."
LEVELS_NOTE = "A project must have these, and no other level, for the product to be added to it."


async def ask_new_product(app: Host) -> Product | None:
    """Ask for a new product and register it; None when the person gave up."""

    async def save(values: dict[str, Any]) -> Product:
        return await app.send(AddProduct(**_read_answers(values, None)))

    return await app.ask(FormDialog("Register a product", _fields(None), save, submit="Register", about="products"))


async def ask_edit_product(app: Host, product: Product) -> Product | None:
    """Ask for the details of a product and change them; None when the person gave up."""

    async def save(values: dict[str, Any]) -> Product:
        given = _read_answers(values, product)
        return await app.send(EditProduct(product_id=product.id, seen_version=product.version, **given))

    return await app.ask(FormDialog(f"Edit “{product.name}”", _fields(product), save, record=product))


def _fields(product: Product | None) -> list[Field]:
    external = EXTERNAL if product and product.uses_external_authorization else ""
    required = product.required_context if product else ()
    return [
        TextField("name", "Name", product.name if product else ""),
        ChoiceField("kind", "Kind", KINDS, product.kind if product else LaunchKind.WEB),
        TextField(
            "url", "URL", product.url if product else "", "https://example.com/page", only=("kind", LaunchKind.WEB)
        ),
        MultilineField(
            "command",
            "Command",
            "\n".join(product.command) if product else "",
            only=("kind", LaunchKind.TERMINAL),
            note=COMMAND_NOTE,
        ),
        PickerField("required", "Requires", LEVELS, required, multiple=True, none="no links", note=LEVELS_NOTE),
        ChoiceField("authorization", "Permissions", AUTHORIZATION, external),
        TextField(
            "permission_codes",
            "Permissions it checks",
            " ".join(product.permission_codes) if product else "",
            "codes such as ASSET_VIEW ASSET_EDIT, which its application roles hold",
        ),
        MultilineField("description", "Description", product.description if product else ""),
    ]


def _read_answers(values: dict[str, Any], product: Product | None) -> dict[str, Any]:
    """The answers as the fields of AddProduct and EditProduct.

    A command that was not touched is sent as it was: an empty argument, which has no line, would be lost.
    """
    lines = values.get("command", "")
    untouched = product is not None and lines == "\n".join(product.command)
    return {
        "name": values["name"],
        "kind": LaunchKind(values["kind"]),
        "url": values.get("url", ""),
        "command": product.command if product and untouched else _arguments(lines),
        "required_context": tuple(NodeKind(level) for level in values["required"]),
        "uses_external_authorization": values["authorization"] == EXTERNAL,
        "permission_codes": tuple(values["permission_codes"].replace(",", " ").split()),
        "description": values["description"],
    }


def _arguments(lines: str) -> tuple[str, ...]:
    """One argument a line; blank lines, and space around a line, mean nothing."""
    return tuple(line.strip() for line in lines.splitlines() if line.strip())


async def ask_new_role(app: Host, product: Product, meta_roles: Sequence[MetaRole]) -> ApplicationRole | None:
    """Ask for a new application role and add it; None when the person gave up."""

    async def save(values: dict[str, Any]) -> ApplicationRole:
        return await app.send(AddApplicationRole(product_id=product.id, **_role(values)))

    fields = _role_fields(product, meta_roles, None)
    return await app.ask(FormDialog(f"New role of “{product.name}”", fields, save, submit="Add", about=product.id))


async def ask_edit_role(
    app: Host, product: Product, meta_roles: Sequence[MetaRole], role: ApplicationRole
) -> ApplicationRole | None:
    """Ask for the details of an application role and change them; None when the person gave up."""

    async def save(values: dict[str, Any]) -> ApplicationRole:
        command = EditApplicationRole(application_role_id=role.id, seen_version=role.version, **_role(values))
        return await app.send(command)

    fields = _role_fields(product, meta_roles, role)
    return await app.ask(FormDialog(f"Edit the role “{role.name}”", fields, save, record=role))


def _role_fields(product: Product, meta_roles: Sequence[MetaRole], role: ApplicationRole | None) -> list[Field]:
    """Nothing can be chosen that the product does not have."""
    codes = tuple((code, code) for code in product.permission_codes)
    options = tuple((each.id, each.name) for each in meta_roles)
    return [
        TextField("name", "Name", role.name if role else ""),
        PickerField("permission_codes", "Codes", codes, role.permission_codes if role else (), multiple=True),
        PickerField(
            "meta_role_ids", "Included in", options, role.meta_role_ids if role else (), multiple=True, none="nothing"
        ),
    ]


def _role(values: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": values["name"],
        "permission_codes": values["permission_codes"],
        "meta_role_ids": values["meta_role_ids"],
    }


async def ask_and_launch(app: Podium, product: Product) -> None:
    """Ask for the levels that the product requires, and launch it with them. Esc cancels."""
    links = await _ask_links(app, product)
    if links is not None:
        from tui.launch.actions import launch_product  # brings much along, and few products are launched from here

        await launch_product(app, product.id, links)


async def _ask_links(app: Podium, product: Product) -> Links | None:
    """From the lowest level up, so that a brand answers for the market and the client above it."""
    links: Links = dict.fromkeys(NodeKind)
    tree = HierarchyTree(await app.query(GetHierarchy())) if product.required_context else HierarchyTree(())
    for level in reversed(NodeKind):
        if level not in product.required_context or links[level]:
            continue
        options = [Option(*tree.option(node), _why_not(tree, node, product, links)) for node in tree.at(level)]
        options.sort(key=lambda option: bool(option.reason))
        empty = f"There is no {level.lower()} yet. A workspace admin adds one: g y."
        title = f"Launch “{product.name}” for which {level.lower()}?"
        picked = await app.ask(PickDialog(title, options, empty=empty))
        if not picked:
            return None
        links[level] = picked[0]
        links |= {each.kind: each.id for each in tree.above(tree.nodes[picked[0]])}
    return links


def _why_not(tree: HierarchyTree, node: HierarchyNode, product: Product, links: Links) -> str:
    """The reason against a node: it gives another hierarchy than the product requires, or contradicts another node."""
    for above in tree.above(node):
        if above.kind not in product.required_context:
            required = levels(product.required_context)
            return f"It is under the {above.kind.lower()} “{above.name}”, and only {required} can be passed on."
        if links[above.kind] and links[above.kind] != above.id:
            return f"It is under “{above.name}”, which is not the one that you chose."
    return ""
