"""``podium product role …``: the roles that a product gives, and the meta roles that bring them."""

from __future__ import annotations

from typing import Any

import click

from core.actions.products.products import AddApplicationRole, EditApplicationRole, RemoveApplicationRole
from core.domain.model import Id
from tui.cli import resolve
from tui.cli.session import Session, in_workspace


@click.group("role")
def role_() -> None:
    """Roles of a product: add, edit, remove; “podium product show” lists them."""


def role_options(function: Any) -> Any:
    """What a role holds and what brings it."""
    for decorate in (
        click.option(
            "--meta-role",
            "meta_roles",
            multiple=True,
            metavar="NAME",
            help="A meta role that brings it; once for each.",
        ),
        click.option("--code", "codes", multiple=True, metavar="CODE", help="A code of the product; once for each."),
    ):
        function = decorate(function)
    return function


def _ids(session: Session, meta_roles: tuple[str, ...]) -> tuple[Id, ...]:
    return tuple(resolve.meta_role(session, each).id for each in meta_roles)


@role_.command("add")
@click.argument("product")
@click.argument("name")
@role_options
@in_workspace
def add(session: Session, product: str, name: str, codes: tuple[str, ...], meta_roles: tuple[str, ...]) -> None:
    """Give a product a role."""
    found = resolve.product(session, product)
    role = session.execute(
        AddApplicationRole(
            product_id=found.id, name=name, permission_codes=codes, meta_role_ids=_ids(session, meta_roles)
        )
    )
    session.done(role, f"“{found.name}” has the role “{role.name}” now ({role.id}).")


@role_.command("edit")
@click.argument("product")
@click.argument("role")
@click.option("--name")
@role_options
@click.option("--no-codes", is_flag=True, help="Take all codes from it.")
@click.option("--no-meta-roles", is_flag=True, help="Let no meta role bring it.")
@in_workspace
def edit(
    session: Session,
    product: str,
    role: str,
    name: str | None,
    codes: tuple[str, ...],
    meta_roles: tuple[str, ...],
    no_codes: bool,
    no_meta_roles: bool,
) -> None:
    """Change a role; what is left out stays. Codes and meta roles that are given replace all that were."""
    found = resolve.application_role(session, resolve.product(session, product).id, role)
    changed = session.execute(
        EditApplicationRole(
            application_role_id=found.id,
            name=name,
            permission_codes=codes if codes or no_codes else None,
            meta_role_ids=_ids(session, meta_roles) if meta_roles or no_meta_roles else None,
        )
    )
    session.done(changed, f"Changed the role “{changed.name}”.")


@role_.command("remove")
@click.argument("product")
@click.argument("role")
@in_workspace
def remove(session: Session, product: str, role: str) -> None:
    """Remove a role of a product; nobody has it any more."""
    found = resolve.application_role(session, resolve.product(session, product).id, role)
    session.execute(RemoveApplicationRole(application_role_id=found.id))
    session.done(None, f"Removed the role “{found.name}”.")
