"""``podium product role …``: the roles that a product gives, and the meta roles that bring them."""

from __future__ import annotations

import click

from core.actions.products.products import AddApplicationRole, EditApplicationRole, RemoveApplicationRole
from tui.cli.message_command import Field, MessageGroup, emptied
from tui.cli.records import APPLICATION_ROLE, META_ROLE, PRODUCT

role_ = MessageGroup("role", "Roles of a product: add, edit, remove; “podium product show” lists them.")

CODES = Field("permission_codes", "A code of the product; once for each.", option="--code", metavar="CODE")
META_ROLES = META_ROLE.several(
    click.Option(
        ["--meta-role", "meta_roles"], multiple=True, metavar="NAME", help="A meta role that brings it; once for each."
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
        emptied("--no-meta-roles", "meta_role_ids", "Let no meta role bring it."),
    ],
    help="Change a role; what is left out stays. Codes and meta roles that are given replace all that were.",
    done="Changed the role “{name}”.",
)
role_.sends("remove", RemoveApplicationRole, [PRODUCT, APPLICATION_ROLE], done="Removed the role “{role}”.")
