"""``podium token …``: tokens of users and gateways, with which they sign in through a server."""

from __future__ import annotations

import click

from core.actions.workspace.credentials import (
    DAYS,
    MAX_DAYS,
    CreateToken,
    CreateUserToken,
    ListTokens,
    RevokeToken,
    RevokeUserToken,
    TokenSummary,
)
from core.actions.workspace.gateway_tokens import CreateGatewayToken, ListGatewayTokens, RevokeGatewayToken
from core.domain.model import Id
from core.engine.messages import Command
from tui.cli.message_command import MessageGroup
from tui.cli.output import moment
from tui.cli.records import USER, RecordParameter
from tui.cli.sentences import Columns
from tui.cli.session import Session, tell_secret

token_ = MessageGroup("token", "Tokens for the network: list, create, revoke.")
gateway_ = MessageGroup("gateway", "Tokens of gateways behind a proxy that signs people in: list, create, revoke.")
token_.add_command(gateway_)

TOKEN = RecordParameter("token", lambda session, _: session.query(ListTokens()), lambda token: (token.id, token.label))
GATEWAY_TOKEN = RecordParameter(
    "token",
    lambda session, _: session.query(ListGatewayTokens()),
    lambda token: (token.id, token.label),
    "gateway_token_id",
)
FOR_USER = USER.or_none(
    click.Option(["--for", "person"], metavar="PERSON", help="For another person than oneself, by an admin.")
)


def _days(help: str) -> click.Option:
    return click.Option(["--days"], type=click.IntRange(1, MAX_DAYS), default=DAYS, show_default=True, help=help)


token_.lists(
    "list",
    ListTokens,
    heads=("LABEL", "PERSON", "STATE", "MADE", "EXPIRES", "ID"),
    row=Columns("label whose state created_at expires_at id"),
    empty="There are no tokens. “podium token create LABEL” makes one.",
)


@token_.runs("create", click.Argument(["label"]), _days("For how long it lets in."), FOR_USER)
def create(session: Session, label: str, days: int) -> None:
    """Make a token. It is printed once, alone on a line, and kept nowhere."""
    me, user = session.workspace.user_id, session[FOR_USER]
    if user is None or user.id == me:
        made = session.execute(CreateToken(label=label, days=days))
    else:
        made = session.execute(CreateUserToken(user_id=user.id, label=label, days=days))
    token = made.token
    note = (
        f"This is shown once. It lets in as {token.user} until {moment(token.expires_at)}; "
        "give it as PODIUM_TOKEN, in the keyring, or in a file of mode 0600."
    )
    tell_secret(session, made, _revoking(me, token.user_id, token.id), note)


@token_.runs("revoke", TOKEN)
def revoke(session: Session) -> None:
    """End a token, by its id or its label. Whoever uses it is out at once."""
    token = session[TOKEN]
    ended = session.execute(_revoking(session.workspace.user_id, token.user_id, token.id))
    session.done(ended, f"The token “{ended.label}” of {ended.user} lets nobody in any more.")


def _revoking(me: Id, user_id: Id, token_id: Id) -> Command[TokenSummary]:
    """The command that ends a token of my own or of another person."""
    return RevokeToken(token_id=token_id) if user_id == me else RevokeUserToken(user_id=user_id, token_id=token_id)


gateway_.lists(
    "list",
    ListGatewayTokens,
    heads=("LABEL", "MADE BY", "STATE", "MADE", "EXPIRES", "ID"),
    row=Columns("label made_by state created_at expires_at id"),
    empty="There are no tokens of gateways. “podium token gateway create LABEL” makes one.",
)


@gateway_.runs("create", click.Argument(["label"]), _days("How long it is valid."))
def create_for_gateway(session: Session, label: str, days: int) -> None:
    """Make a token of a gateway. It is printed once, alone on a line, and kept nowhere."""
    made = session.execute(CreateGatewayToken(label=label, days=days))
    until = moment(made.token.expires_at)
    note = f"This is shown once. With it a gateway opens sessions for people until {until}."
    tell_secret(session, made, RevokeGatewayToken(gateway_token_id=made.token.id), note)


gateway_.sends(
    "revoke",
    RevokeGatewayToken,
    [GATEWAY_TOKEN],
    done="The token “{label}” is refused from now on, and its sessions have ended.",
)
