"""``podium os-account …``: OS accounts on the server that are linked to users."""

from __future__ import annotations

import click

from core.actions.workspace.credentials import LinkOsAccount, ListLinkedAccounts, UnlinkOsAccount
from tui.cli.message_command import Field, MessageGroup
from tui.cli.records import USER
from tui.cli.sentences import Columns

os_account_ = MessageGroup(
    "os-account",
    """Link OS accounts on the server to users, list and unlink them.

    A linked account signs in through the server's socket, without a token.
    """,
)

OS_USER = Field("os_user", metavar="OSUSER")

os_account_.sends(
    "link",
    LinkOsAccount,
    [
        OS_USER,
        USER.typed_as(click.Argument(["person"], metavar="LOGIN")),
        Field("root", "Allow root, the account with the number 0.", option="--allow-root"),
    ],
    help="Link an OS account on the server to a user.",
    done="Linked account “{os_user}” (number {uid}) to {user}.",
)
os_account_.lists(
    "list",
    ListLinkedAccounts,
    heads=("ACCOUNT", "NUMBER", "USER", "SINCE", "STATE", "MACHINE"),
    row=Columns("os_user uid whose at state host"),
    ids=False,
    empty="No linked accounts yet. Link one with “podium os-account link OSUSER LOGIN”.",
)
os_account_.sends(
    "unlink",
    UnlinkOsAccount,
    [OS_USER, Field("host", "The account's machine, as listed; by default that of the server.", metavar="MACHINE")],
    help="Unlink an OS account. Its open sessions end at once.",
    done="Unlinked account “{os_user}”.",
)
