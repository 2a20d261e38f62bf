"""``podium token …`` and ``podium os-account link``: who comes in through a server, and how."""

from __future__ import annotations

import sys

import click

from core.actions.workspace.credentials import (
    DAYS,
    MAX_DAYS,
    CreateToken,
    CreateUserToken,
    ListTokens,
    NewToken,
    RevokeToken,
    RevokeUserToken,
    TokenSummary,
)
from core.domain.model import Id
from core.text.phrases import in_words
from tui.cli import resolve
from tui.cli.output import moment
from tui.cli.people.gateway_tokens import gateway_
from tui.cli.session import Session, in_workspace, tell_secret


@click.group("token")
def token_() -> None:
    """Tokens for the network: list, create, revoke."""


token_.add_command(gateway_)


@token_.command("list")
@in_workspace
def list_tokens(session: Session) -> None:
    """One's own tokens, or for admins everybody's."""
    session.list(
        session.query(ListTokens()),
        ("LABEL", "PERSON", "STATE", "MADE", "EXPIRES", "ID"),
        lambda line: (
            line.label,
            line.whose,
            in_words(line.state),
            moment(line.created_at),
            moment(line.expires_at),
            line.id,
        ),
        "There are no tokens. “podium token create LABEL” makes one.",
    )


@token_.command("create")
@click.argument("label")
@click.option(
    "--days", type=click.IntRange(1, MAX_DAYS), default=DAYS, show_default=True, help="For how long it lets in."
)
@click.option("--for", "person", metavar="PERSON", help="For another person than oneself, by an admin.")
@in_workspace
def create(session: Session, label: str, days: int, person: str | None) -> None:
    """Make a token. It is printed once, alone on a line, and kept nowhere."""
    made = _create(session, label, days, resolve.user(session, person).id if person else None)
    revoke = (
        RevokeUserToken(user_id=made.token.user_id, token_id=made.token.id)
        if made.token.user_id != session.workspace.user_id
        else RevokeToken(token_id=made.token.id)
    )
    tell_secret(session, made, made.secret, revoke)
    if not session.as_json:
        print(
            f"This is shown once. It lets in as {made.token.user} until {moment(made.token.expires_at)}; "
            "give it as PODIUM_TOKEN, in the keyring, or in a file of mode 0600.",
            file=sys.stderr,
        )


@token_.command("revoke")
@click.argument("token")
@in_workspace
def revoke(session: Session, token: str) -> None:
    """End a token, by its id or its label. Whoever uses it is out at once."""
    ended = _revoke(session, _token(session, token))
    session.done(ended, f"The token “{ended.label}” of {ended.user} lets nobody in any more.")


def _create(session: Session, label: str, days: int, user_id: Id | None) -> NewToken:
    if user_id is None or user_id == session.workspace.user_id:
        return session.execute(CreateToken(label=label, days=days))
    return session.execute(CreateUserToken(user_id=user_id, label=label, days=days))


def _revoke(session: Session, token: TokenSummary) -> TokenSummary:
    if token.user_id == session.workspace.user_id:
        return session.execute(RevokeToken(token_id=token.id))
    return session.execute(RevokeUserToken(user_id=token.user_id, token_id=token.id))


def _token(session: Session, wanted: str) -> TokenSummary:
    return resolve.one_of("token", wanted, session.query(ListTokens()), lambda each: (each.id, each.label))
