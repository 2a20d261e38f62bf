"""``podium product token …``: the tokens with which products ask the permission query by themselves."""

from __future__ import annotations

import click

from core.actions.products.tokens import CreateProductToken, ListProductTokens, RevokeProductToken
from core.actions.workspace.credentials import DAYS, MAX_DAYS
from tui.cli.choices import Number
from tui.cli.message_command import MessageGroup
from tui.cli.output import moment
from tui.cli.records import PRODUCT, TokenParameter
from tui.cli.sentences import Columns
from tui.cli.session import Session, print_secret

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
