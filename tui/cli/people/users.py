"""``podium user …``."""

from __future__ import annotations

from core.actions.workspace import users
from core.actions.workspace.credentials import ListLinkedAccounts, ListTokens
from core.codec.encoding import to_json
from core.text.phrases import in_words
from tui.cli.message_command import Field, MessageGroup
from tui.cli.output import moment
from tui.cli.people.offboarding import offboard
from tui.cli.records import USER
from tui.cli.sentences import Columns
from tui.cli.session import Session

MAKE_NEW = (
    " Of before have ended: {}. Make new ones with “podium token create LABEL --for LOGIN” and “podium os-account link"
    " OSUSER LOGIN”."
)

user_ = MessageGroup(
    "user", "People of the workspace: list, show, add, give platform roles, deactivate, reactivate, offboard."
)

user_.lists(
    "list",
    users.ListUsers,
    heads=("NAME", "LOGIN", "E-MAIL", "CITY", "PLATFORM ROLES", "PROJECTS", "ACTIVE"),
    row=Columns(
        "user.name user.login user.shown_email user.city",
        lambda line: line.user.platform_roles or "guest",
        "projects user.active",
    ),
    empty="No users yet.",
)


@user_.runs("show", USER)
def show(session: Session) -> None:
    """List the linked accounts and tokens with which a person signs in through a server."""
    user = session[USER]
    accounts = [line for line in session.query(ListLinkedAccounts()) if line.user_id == user.id]
    tokens = [line for line in session.query(ListTokens()) if line.user_id == user.id]
    ways = [
        *((f"account {line.os_user}", line.state, "", line.os_user) for line in accounts),
        *((f"token {line.label}", in_words(line.state), moment(line.expires_at), line.id) for line in tokens),
    ]
    if session.as_json:
        session.done({"user": to_json(user), "linkedAccounts": to_json(accounts), "tokens": to_json(tokens)})
    else:
        session.list(
            ways,
            ("SIGN-IN METHOD", "STATE", "UNTIL", "ID"),
            lambda way: way,
            f"{user.name} has no tokens or linked accounts.",
        )


user_.sends(
    "add",
    users.AddUser,
    [
        "first_name last_name email",
        Field("login", "The login (default: the part of the e-mail before the @)."),
        "city",
        Field("platform_roles", "A platform role (repeatable).", option="--role"),
    ],
    help="Add a person to the workspace.",
    done="Added {name} with the login “{login}”.",
)
user_.sends("role", users.SetPlatformRoles, [USER, "platform_roles"], done="{name}: {platform_roles:guest}.")
user_.sends(
    "deactivate",
    users.DeactivateUser,
    [USER],
    done="{name} no longer has access. Restore it with “podium user reactivate”.",
)
user_.sends(
    "reactivate",
    users.ReactivateUser,
    [USER, Field("with_tokens", "Keep the tokens and linked accounts that they had before.")],
    done=lambda back, _: f"{back.user.name} has access again." + (MAKE_NEW.format(back.ended) if back.ended else ""),
)
user_.add_command(offboard)
