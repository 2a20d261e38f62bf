"""``podium token …``: tokens of users and gateways, with which they sign in through a server."""

from __future__ import annotations

import click

from core.actions.workspace.credentials import (
    DAYS,
    KEEP_DAYS,
    MAX_DAYS,
    CreateToken,
    CreateUserToken,
    ListTokens,
    NewToken,
    RenewToken,
    RevokeToken,
    RevokeUserToken,
    TokenSummary,
)
from core.actions.workspace.gateway_tokens import CreateGatewayToken, ListGatewayTokens, RevokeGatewayToken
from core.domain.model import Id
from core.engine.messages import Command
from core.text.dates import parse_days
from tui.cli.choices import Number
from tui.cli.message_command import MessageGroup
from tui.cli.output import moment
from tui.cli.records import USER, TokenParameter
from tui.cli.sentences import Columns
from tui.cli.session import Session, print_secret

token_ = MessageGroup("token", "Tokens for the network: list, create, renew, revoke.")
gateway_ = MessageGroup("gateway", "Tokens of gateways behind a proxy that signs people in: list, create, revoke.")
token_.add_command(gateway_)

TOKEN = TokenParameter(lambda session: session.query(ListTokens()))
GATEWAY_TOKEN = TokenParameter(lambda session: session.query(ListGatewayTokens()), "gateway_token_id")
KEEP_HELP = "How long the old one stays valid, such as 3d or 2w; 0 ends it now."
KEEP_OLD = click.Option(["--keep-old"], default=f"{KEEP_DAYS}d", show_default=True, metavar="DAYS", help=KEEP_HELP)
FOR_USER = USER.or_none(
    click.Option(["--for", "person"], metavar="PERSON", help="Create it for this user (admins only).")
)


VALID_FOR = click.Option(
    ["--days"],
    type=Number(1, MAX_DAYS),
    default=DAYS,
    show_default=True,
    help="The number of days for which it is valid.",
)

token_.lists(
    "list",
    ListTokens,
    heads=("LABEL", "PERSON", "STATE", "MADE", "EXPIRES", "ID"),
    row=Columns("label whose state created_at expires_at id"),
    empty="No tokens yet. Create one with “podium token create LABEL”.",
)


@token_.runs("create", click.Argument(["label"]), VALID_FOR, FOR_USER, changes=True)
def create(session: Session, label: str, days: int) -> None:
    """Create a token. It is printed once, alone on a line, and not stored."""
    user = session[FOR_USER]
    if user is None or user.id == session.workspace.user_id:
        made = session.execute(CreateToken(label=label, days=days))
    else:
        made = session.execute(CreateUserToken(user_id=user.id, label=label, days=days))
    _print_new(session, made)


@token_.runs("renew", TOKEN, KEEP_OLD, changes=True)
def renew(session: Session, keep_old: str) -> None:
    """Make a new token in the place of one, with its label, person and number of days. It is printed as by create."""
    old = session[TOKEN]
    made = session.execute(RenewToken(token_id=old.id, user_id=old.user_id, keep_days=parse_days(keep_old)))
    _print_new(session, made)


def _print_new(session: Session, made: NewToken) -> None:
    token, me = made.token, session.workspace.user_id
    note = (
        f"This is shown only once. Programs that use it act as {token.user} until {moment(token.expires_at)}. "
        "Store it in PODIUM_TOKEN, in the keyring, or in a file with mode 0600."
    )
    print_secret(session, made, _revoking(me, token.user_id, token.id), note)


@token_.runs("revoke", TOKEN, changes=True)
def revoke(session: Session) -> None:
    """Revoke a token, by its id or its label. Programs that use it are signed out at once."""
    token = session[TOKEN]
    ended = session.execute(_revoking(session.workspace.user_id, token.user_id, token.id))
    session.print_result(ended, f"The token “{ended.label}” of {ended.user} is revoked.")


def _revoking(me: Id, user_id: Id, token_id: Id) -> Command[TokenSummary]:
    """The command that ends a token of my own or of another person."""
    return RevokeToken(token_id=token_id) if user_id == me else RevokeUserToken(user_id=user_id, token_id=token_id)


gateway_.lists(
    "list",
    ListGatewayTokens,
    heads=("LABEL", "MADE BY", "STATE", "MADE", "EXPIRES", "ID"),
    row=Columns("label made_by state created_at expires_at id"),
    empty="No gateway tokens yet. Create one with “podium token gateway create LABEL”.",
)


@gateway_.runs("create", click.Argument(["label"]), VALID_FOR, changes=True)
def create_for_gateway(session: Session, label: str, days: int) -> None:
    """Create a token for a gateway. It is printed once, alone on a line, and not stored."""
    made = session.execute(CreateGatewayToken(label=label, days=days))
    until = moment(made.token.expires_at)
    note = f"This is shown only once. A gateway opens sessions with it until {until}."
    print_secret(session, made, RevokeGatewayToken(gateway_token_id=made.token.id), note)


gateway_.sends(
    "revoke",
    RevokeGatewayToken,
    [GATEWAY_TOKEN],
    done="The token “{label}” is refused from now on, and its sessions have ended.",
)
