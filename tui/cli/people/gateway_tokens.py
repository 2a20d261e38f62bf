"""``podium token gateway …``: the tokens with which gateways open sessions for the people whom a proxy names."""

from __future__ import annotations

import sys

import click

from core.actions.workspace.credentials import DAYS, MAX_DAYS
from core.actions.workspace.gateway_tokens import CreateGatewayToken, ListGatewayTokens, RevokeGatewayToken
from core.text.phrases import in_words
from tui.cli import resolve
from tui.cli.output import moment
from tui.cli.session import Session, in_workspace, tell_secret


@click.group("gateway")
def gateway_() -> None:
    """Tokens of gateways behind a proxy that signs people in: list, create, revoke."""


@gateway_.command("list")
@in_workspace
def list_(session: Session) -> None:
    """The tokens of gateways."""
    session.list(
        session.query(ListGatewayTokens()),
        ("LABEL", "MADE BY", "STATE", "MADE", "EXPIRES", "ID"),
        lambda line: (
            line.label,
            line.made_by,
            in_words(line.state),
            moment(line.created_at),
            moment(line.expires_at),
            line.id,
        ),
        "There are no tokens of gateways. “podium token gateway create LABEL” makes one.",
    )


@gateway_.command("create")
@click.argument("label")
@click.option("--days", type=click.IntRange(1, MAX_DAYS), default=DAYS, show_default=True, help="How long it is valid.")
@in_workspace
def create(session: Session, label: str, days: int) -> None:
    """Make a token of a gateway. It is printed once, alone on a line, and kept nowhere."""
    made = session.execute(CreateGatewayToken(label=label, days=days))
    tell_secret(session, made, made.secret, RevokeGatewayToken(gateway_token_id=made.token.id))
    if not session.as_json:
        until = moment(made.token.expires_at)
        print(f"This is shown once. With it a gateway opens sessions for people until {until}.", file=sys.stderr)


@gateway_.command("revoke")
@click.argument("token")
@in_workspace
def revoke(session: Session, token: str) -> None:
    """End a token of a gateway, by its id or its label, and the sessions that were opened with it."""
    tokens = session.query(ListGatewayTokens())
    found = resolve.one_of("token", token, tokens, lambda each: (each.id, each.label))
    ended = session.execute(RevokeGatewayToken(gateway_token_id=found.id))
    session.done(ended, f"The token “{ended.label}” is refused from now on, and its sessions have ended.")
