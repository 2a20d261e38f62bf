"""``podium product …``: the product registry."""

from __future__ import annotations

from typing import Any

import click

from core.actions.products.products import (
    AddProduct,
    EditProduct,
    GetProduct,
    ListProducts,
    ProductDetail,
    ProductLine,
    RemoveProduct,
    RetireProduct,
)
from core.domain.model import NodeKind
from core.domain.products import LaunchKind, Product
from core.text.phrases import in_words
from tui.cli import resolve
from tui.cli.output import print_json, say
from tui.cli.products.launch import launch_product_
from tui.cli.products.roles import role_
from tui.cli.products.tokens import token_
from tui.cli.session import Session, in_workspace
from tui.launch.handover import target_words


@click.group("product")
def product_() -> None:
    """Products: list, show, add, edit, retire, reinstate, remove, launch, their roles and their tokens."""


product_.add_command(role_)
product_.add_command(token_)
product_.add_command(launch_product_)


@product_.command("list")
@in_workspace
def list_(session: Session) -> None:
    """The products of the workspace, by name, retired ones last."""
    session.list(
        session.query(ListProducts()),
        ("NAME", "KIND", "REQUIRES", "AUTHORIZATION", "ROLES", "APPLICATIONS", "RETIRED", "ID"),
        _row,
        "No products yet. “podium product add NAME --url URL” registers one.",
    )


def _row(line: ProductLine) -> tuple[object, ...]:
    product = line.product
    return (
        product.name,
        in_words(product.kind),
        _levels(product),
        _authorization(product),
        line.roles,
        line.applications,
        "yes" if product.retired else "no",
        product.id,
    )


def _levels(product: Product) -> str:
    return ", ".join(map(in_words, product.required_context)) or "nothing"


def _authorization(product: Product) -> str:
    return "external" if product.uses_external_authorization else "own"


@product_.command("show")
@click.argument("product")
@in_workspace
def show(session: Session, product: str) -> None:
    """A product: how it is launched, what it requires, its roles."""
    from core.codec.encoding import to_json

    detail = session.query(GetProduct(product_id=resolve.product(session, product).id))
    if session.as_json:
        print_json(to_json(detail))
        return
    for line in _lines(detail):
        say(line)


def _lines(detail: ProductDetail) -> list[str]:
    product = detail.product
    lines = [f"{product.name}: {in_words(product.kind)} product{', retired' if product.retired else ''} ({product.id})"]
    lines += [product.description] if product.description else []
    lines += [
        f"Launches: {target_words(product)}",
        f"Requires: {_levels(product)}",
        f"Authorization: {_authorization(product)}",
        f"Permission codes: {', '.join(product.permission_codes) or 'none'}",
        f"Applications: {detail.applications}",
    ]
    for line in detail.roles:
        through = ", ".join(each.name for each in line.meta_roles) or "no meta role"
        lines.append(f"Role {line.role.name}: {', '.join(line.role.permission_codes) or 'no code'}, through {through}")
    return lines


def _required(_: click.Context, __: click.Parameter, typed: str | None) -> tuple[NodeKind, ...] | None:
    """``client,market`` as levels; None when nothing was said."""
    if typed is None:
        return None
    found = [each.strip().upper() for each in typed.split(",") if each.strip()]
    if wrong := [each for each in found if each not in (*NodeKind.__members__, "NONE")]:
        raise click.BadParameter(f"“{wrong[0].lower()}” is no level. Write client, market, brand or none.")
    return tuple(NodeKind(each) for each in found if each != "NONE")


def product_options(function: Any) -> Any:
    """What a product is, for adding and for editing one."""
    for decorate in (
        click.option("--code", "codes", multiple=True, metavar="CODE", help="A permission code of it; once for each."),
        click.option(
            "--external-authorization/--no-external-authorization",
            "external",
            default=None,
            help="Whether members get its roles through their meta roles.",
        ),
        click.option(
            "--requires",
            callback=_required,
            metavar="LEVELS",
            help="What a project links: client,market,brand or none.",
        ),
        click.option("--arg", "arguments", multiple=True, metavar="WORD", help="An argument of it; once for each."),
        click.option("--command", "program", metavar="PROGRAM", help="The program of a terminal product."),
        click.option("--url", help="The URL of a web product."),
        click.option("--description"),
    ):
        function = decorate(function)
    return function


def _target(url: str | None, program: str | None, arguments: tuple[str, ...]) -> dict[str, Any]:
    """Kind, URL and command as they were told; nothing when nothing was."""
    if url is not None and program is not None:
        raise click.UsageError("Give either --url, for a web product, or --command, for a terminal product.")
    if arguments and program is None:
        raise click.UsageError("--arg goes with --command: give the program and all of its arguments.")
    if url is not None:
        return {"kind": LaunchKind.WEB, "url": url}
    return {} if program is None else {"kind": LaunchKind.TERMINAL, "command": (program, *arguments)}


@product_.command("add")
@click.argument("name")
@product_options
@in_workspace
def add(
    session: Session,
    name: str,
    description: str | None,
    url: str | None,
    program: str | None,
    arguments: tuple[str, ...],
    requires: tuple[NodeKind, ...] | None,
    external: bool | None,
    codes: tuple[str, ...],
) -> None:
    """Register a web product by its --url, or a terminal product by its --command and each --arg of it."""
    target = _target(url, program, arguments)
    if not target:
        raise click.UsageError("Give --url for a web product, or --command for a terminal product.")
    product = session.execute(
        AddProduct(
            name=name,
            description=description or "",
            required_context=requires or (),
            uses_external_authorization=bool(external),
            permission_codes=codes,
            **target,
        )
    )
    session.done(product, f"Registered the product “{product.name}” ({product.id}).")


@product_.command("edit")
@click.argument("product")
@click.option("--name")
@product_options
@click.option("--no-codes", is_flag=True, help="Take all permission codes from it.")
@in_workspace
def edit(
    session: Session,
    product: str,
    name: str | None,
    description: str | None,
    url: str | None,
    program: str | None,
    arguments: tuple[str, ...],
    requires: tuple[NodeKind, ...] | None,
    external: bool | None,
    codes: tuple[str, ...],
    no_codes: bool,
) -> None:
    """Change a product; what is left out stays. Codes and arguments that are given replace all that were."""
    changed = session.execute(
        EditProduct(
            product_id=resolve.product(session, product).id,
            name=name,
            description=description,
            required_context=requires,
            uses_external_authorization=external,
            permission_codes=codes if codes or no_codes else None,
            **_target(url, program, arguments),
        )
    )
    session.done(changed, f"Changed the product “{changed.name}”.")


@product_.command("retire")
@click.argument("product")
@in_workspace
def retire(session: Session, product: str) -> None:
    """Keep a product as it is and add no new applications of it."""
    retired = session.execute(RetireProduct(product_id=resolve.product(session, product).id))
    session.done(retired, f"Retired the product “{retired.name}”.")


@product_.command("unretire")
@click.argument("product")
@in_workspace
def reinstate(session: Session, product: str) -> None:
    """Let a retired product be added again."""
    found = session.execute(RetireProduct(product_id=resolve.product(session, product).id, retired=False))
    session.done(found, f"Reinstated the product “{found.name}”.")


@product_.command("remove")
@click.argument("product")
@in_workspace
def remove(session: Session, product: str) -> None:
    """Remove a product that no project uses, with its roles."""
    found = resolve.product(session, product)
    session.execute(RemoveProduct(product_id=found.id))
    session.done(None, f"Removed the product “{found.name}”.")
