"""``podium product …``: products, the roles that they give, and the tokens with which they ask the permission query."""

from __future__ import annotations

from typing import Any

import click

from core.actions.products.products import (
    AddApplicationRole,
    AddProduct,
    EditApplicationRole,
    EditProduct,
    GetProduct,
    ListProducts,
    ProductDetail,
    RemoveApplicationRole,
    RemoveProduct,
    RetireProduct,
)
from core.actions.products.tokens import CreateProductToken, ListProductTokens, RevokeProductToken
from core.actions.workspace.credentials import DAYS, MAX_DAYS
from core.domain.model import NodeKind
from core.domain.products.products import LaunchKind, Product
from core.text.phrases import in_words
from tui.cli.choices import Number
from tui.cli.message_command import Declared, Field, MessageGroup, emptying_option
from tui.cli.output import moment
from tui.cli.products.launch import launch_product_
from tui.cli.records import APPLICATION_ROLE, META_ROLE, PRODUCT, TokenParameter
from tui.cli.sentences import Columns
from tui.cli.session import Parameter, Session, print_secret
from tui.launch.launch_rules import target_words

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
        emptying_option("--no-codes", "permission_codes", "Take all codes from it."),
        emptying_option("--no-meta-roles", "meta_role_ids", "No meta role gives it."),
    ],
    help="Change a role. Options that are left out stay as they are; --code and --meta-role replace all existing ones.",
    done="Changed the role “{name}”.",
)
role_.sends("remove", RemoveApplicationRole, [PRODUCT, APPLICATION_ROLE], done="Removed the role “{role}”.")


token_ = MessageGroup("token", "Tokens of products, for the permission query: list, create, revoke.")

TOKEN = TokenParameter(
    lambda session: session.query(ListProductTokens(product_id=session[PRODUCT].id)), "product_token_id"
)

token_.lists(
    "list",
    ListProductTokens,
    [PRODUCT.or_none(click.Argument(["product"], required=False))],
    heads=("LABEL", "PRODUCT", "STATE", "MADE", "EXPIRES", "ID"),
    row=Columns("label product state created_at expires_at id"),
    empty="No product tokens yet. Create one with “podium product token create PRODUCT LABEL”.",
)


@token_.runs(
    "create",
    PRODUCT,
    click.Argument(["label"]),
    click.Option(
        ["--days"],
        type=Number(1, MAX_DAYS),
        default=DAYS,
        show_default=True,
        help="The number of days for which it is valid.",
    ),
    changes=True,
)
def create(session: Session, label: str, days: int) -> None:
    """Create a token for a product. It is printed once, alone on a line, and not stored."""
    product = session[PRODUCT]
    made = session.execute(CreateProductToken(product_id=product.id, label=label, days=days))
    until = moment(made.token.expires_at)
    note = f"This is shown only once. “{product.name}” sends the permission query with it until {until}."
    print_secret(session, made, RevokeProductToken(product_token_id=made.token.id), note)


token_.sends(
    "revoke", RevokeProductToken, [PRODUCT, TOKEN], done="The token “{label}” of {product} is refused from now on."
)


product_ = MessageGroup(
    "product", "Products: list, show, add, edit, retire, unretire, remove, launch, their roles and their tokens."
)
product_.add_command(role_)
product_.add_command(token_)
product_.add_command(launch_product_)


def _levels(product: Product) -> str:
    return ", ".join(map(in_words, product.required_context)) or "nothing"


def _authorization(product: Product) -> str:
    return "external" if product.uses_external_authorization else "own"


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


def _parse_levels(_: click.Context, __: click.Parameter, typed: str | None) -> tuple[NodeKind, ...] | None:
    """``client,market`` as levels; None when nothing was said."""
    if typed is None:
        return None
    found = [each.strip().upper() for each in typed.split(",") if each.strip()]
    if wrong := [each for each in found if each not in (*NodeKind.__members__, "NONE")]:
        raise click.BadParameter(f"“{wrong[0].lower()}” is not a level. Write client, market, brand or none.")
    return tuple(NodeKind(each) for each in found if each != "NONE")


URL: Parameter[Any] = Parameter(click.Option(["--url"], help="The URL of a web product."))
PROGRAM: Parameter[Any] = Parameter(
    click.Option(["--command", "program"], metavar="PROGRAM", help="The program of a terminal product.")
)
ARGUMENTS: Parameter[Any] = Parameter(
    click.Option(["--arg", "arguments"], multiple=True, metavar="WORD", help="An argument of the command (repeatable).")
)
REQUIRES: Parameter[Any] = Parameter(
    click.Option(
        ["--requires"],
        callback=_parse_levels,
        metavar="LEVELS",
        help="The levels that a project must link: client,market,brand or none.",
    ),
    field="required_context",
)
EXTERNAL = Field(
    "uses_external_authorization",
    "Whether members get its roles through their meta roles.",
    option="--external-authorization/--no-external-authorization",
)
OPTIONS: tuple[Declared, ...] = ("description", URL, PROGRAM, ARGUMENTS, REQUIRES, EXTERNAL, CODES)


def _target(session: Session) -> dict[str, Any]:
    """Kind, URL and command as they were typed; nothing when nothing was."""
    url, program, arguments = session[URL], session[PROGRAM], session[ARGUMENTS]
    if url is not None and program is not None:
        raise click.UsageError("Give either --url, for a web product, or --command, for a terminal product.")
    if arguments and program is None:
        raise click.UsageError("--arg goes with --command: give the program and all of its arguments.")
    if url is not None:
        return {"kind": LaunchKind.WEB, "url": url}
    return {} if program is None else {"kind": LaunchKind.TERMINAL, "command": (program, *arguments)}


def _target_of_new(session: Session) -> dict[str, Any]:
    if target := _target(session):
        return target
    raise click.UsageError("Give --url for a web product, or --command for a terminal product.")


product_.lists(
    "list",
    ListProducts,
    heads=("NAME", "KIND", "REQUIRES", "AUTHORIZATION", "ROLES", "APPLICATIONS", "RETIRED", "ID"),
    row=Columns(
        "product.name product.kind",
        lambda line: _levels(line.product),
        lambda line: _authorization(line.product),
        "roles applications product.retired product.id",
    ),
    empty="No products yet. “podium product add NAME --url URL” registers one.",
)
product_.shows("show", GetProduct, [PRODUCT], lines=_lines)
product_.sends(
    "add",
    AddProduct,
    ["name", *OPTIONS],
    values=_target_of_new,
    help="Register a web product by its --url, or a terminal product by its --command and each --arg of it.",
    done="Registered the product “{name}” ({id}).",
)
product_.sends(
    "edit",
    EditProduct,
    [
        PRODUCT,
        "name",
        *OPTIONS,
        emptying_option("--no-codes", "permission_codes", "Take all permission codes from it."),
    ],
    values=_target,
    help="Change a product. Options that are left out stay as they are; --code and --arg replace all existing ones.",
    done="Changed the product “{name}”.",
)
product_.sends(
    "retire",
    RetireProduct,
    [PRODUCT],
    help="Retire a product: its applications stay, and no new ones can be added.",
    done="Retired the product “{name}”.",
)
product_.sends(
    "unretire",
    RetireProduct,
    [PRODUCT],
    values=lambda _: {"retired": False},
    help="Make a retired product available again.",
    done="Reinstated the product “{name}”.",
)
product_.sends("remove", RemoveProduct, [PRODUCT], done="Removed the product “{product}”.")
