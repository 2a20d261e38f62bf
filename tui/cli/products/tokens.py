"""``podium product token …``: the tokens with which products ask the permission query by themselves."""

from __future__ import annotations

import sys

import click

from core.actions.products.tokens import CreateProductToken, ListProductTokens, ProductTokenLine, RevokeProductToken
from core.actions.workspace.credentials import DAYS, MAX_DAYS
from core.domain.model import Id
from core.text.phrases import in_words
from tui.cli import resolve
from tui.cli.output import moment
from tui.cli.session import Session, in_workspace, tell_secret


@click.group("token")
def token_() -> None:
    """Tokens of products, for the permission query: list, create, revoke."""


@token_.command("list")
@click.argument("product", required=False)
@in_workspace
def list_(session: Session, product: str | None) -> None:
    """The tokens of a product, or of all products."""
    session.list(
        session.query(ListProductTokens(product_id=resolve.product(session, product).id if product else None)),
        ("LABEL", "PRODUCT", "STATE", "MADE", "EXPIRES", "ID"),
        lambda line: (
            line.label,
            line.product,
            in_words(line.state),
            moment(line.created_at),
            moment(line.expires_at),
            line.id,
        ),
        "There are no tokens of products. “podium product token create PRODUCT LABEL” makes one.",
    )


@token_.command("create")
@click.argument("product")
@click.argument("label")
@click.option("--days", type=click.IntRange(1, MAX_DAYS), default=DAYS, show_default=True, help="How long it is valid.")
@in_workspace
def create(session: Session, product: str, label: str, days: int) -> None:
    """Make a token of a product. It is printed once, alone on a line, and kept nowhere."""
    found = resolve.product(session, product)
    made = session.execute(CreateProductToken(product_id=found.id, label=label, days=days))
    tell_secret(session, made, made.secret, RevokeProductToken(product_token_id=made.token.id))
    if not session.as_json:
        until = moment(made.token.expires_at)
        print(f"This is shown once. With it “{found.name}” asks the permission query until {until}.", file=sys.stderr)


@token_.command("revoke")
@click.argument("product")
@click.argument("token")
@in_workspace
def revoke(session: Session, product: str, token: str) -> None:
    """End a token of a product, by its id or its label."""
    found = _token(session, resolve.product(session, product).id, token)
    ended = session.execute(RevokeProductToken(product_token_id=found.id))
    session.done(ended, f"The token “{ended.label}” of {ended.product} is refused from now on.")


def _token(session: Session, product_id: Id, wanted: str) -> ProductTokenLine:
    tokens = session.query(ListProductTokens(product_id=product_id))
    return resolve.one_of("token", wanted, tokens, lambda each: (each.id, each.label))
