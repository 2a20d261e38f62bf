"""``podium os-account …``: OS accounts on the server that are linked to users."""

from __future__ import annotations

import click

from core.actions.workspace.credentials import LinkOsAccount, ListLinkedAccounts, UnlinkOsAccount
from tui.cli import resolve
from tui.cli.output import moment
from tui.cli.session import Session, in_workspace


@click.group("os-account")
def os_account_() -> None:
    """Link OS accounts on the server to users, list and unlink them.

    A linked account signs in through the server's socket, without a token.
    """


@os_account_.command("link")
@click.argument("os_user", metavar="OSUSER")
@click.argument("person", metavar="LOGIN")
@click.option("--allow-root", "root", is_flag=True, help="Allow the account with the number 0.")
@in_workspace
def link(session: Session, os_user: str, person: str, root: bool) -> None:
    """Link an OS account on the server to a user."""
    made = session.execute(LinkOsAccount(os_user=os_user, user_id=resolve.user(session, person).id, root=root))
    session.done(made, f"Linked account “{made.os_user}” (number {made.uid}) to {made.user}.")


@os_account_.command("list")
@in_workspace
def list_(session: Session) -> None:
    """List the linked OS accounts."""
    session.list(
        session.query(ListLinkedAccounts()),
        ("ACCOUNT", "NUMBER", "USER", "SINCE", "STATE"),
        lambda line: (line.os_user, line.uid, line.whose, moment(line.at), line.state),
        "No linked accounts yet. Link one with “podium os-account link OSUSER LOGIN”.",
    )


@os_account_.command("unlink")
@click.argument("os_user", metavar="OSUSER")
@in_workspace
def unlink(session: Session, os_user: str) -> None:
    """Unlink an OS account. Its open sessions end at once."""
    session.done(session.execute(UnlinkOsAccount(os_user=os_user)), f"Unlinked account “{os_user}”.")
