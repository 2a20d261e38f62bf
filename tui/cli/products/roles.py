"""``podium product role …``: the roles that a product gives, and the meta roles that give them."""

from __future__ import annotations

import click

from core.actions.products.products import AddApplicationRole, EditApplicationRole, RemoveApplicationRole
from tui.cli.message_command import Field, MessageGroup, emptied
from tui.cli.records import APPLICATION_ROLE, META_ROLE, PRODUCT

role_ = MessageGroup("role", "Roles of a product: add, edit, remove; “podium product show” lists them.")

CODES = Field("permission_codes", "A permission code of the product (repeatable).", option="--code", metavar="CODE")
META_ROLES = META_ROLE.several(
    click.Option(
        ["--meta-role", "meta_roles"], multiple=True, metavar="NAME", help="A meta role that gives it (repeatable)."
    ),
    "meta_role_ids",
)

role_.sends(
    "add",
    AddApplicationRole,
    [PRODUCT, "name", CODES, META_ROLES],
    done="“{product}” has the role “{name}” now ({id}).",
)
role_.sends(
    "edit",
    EditApplicationRole,
    [
        PRODUCT,
        APPLICATION_ROLE,
        "name",
        CODES,
        META_ROLES,
        emptied("--no-codes", "permission_codes", "Take all codes from it."),
        emptied("--no-meta-roles", "meta_role_ids", "No meta role gives it."),
    ],
    help="Change a role. Options that are left out stay as they are; --code and --meta-role replace all existing ones.",
    done="Changed the role “{name}”.",
)
role_.sends("remove", RemoveApplicationRole, [PRODUCT, APPLICATION_ROLE], done="Removed the role “{role}”.")
