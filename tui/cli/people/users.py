"""``podium user …``; ``offboard`` hands over the holdings of a person who leaves, and ends the access."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import click

from core.actions.cards.activities import AssignActivity
from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.tasks import AssignTask
from core.actions.products.tokens import ListProductTokens
from core.actions.projects.members import InviteMember, ListMembers, SetProjectRole
from core.actions.workflow.canvas import GetCanvas
from core.actions.workspace import users
from core.actions.workspace.credentials import LinkedAccountRow, ListLinkedAccounts, ListTokens, TokenSummary
from core.actions.workspace.gateway_tokens import ListGatewayTokens
from core.codec.encoding import to_json
from core.domain.max_lengths import MAX_STEPS
from core.domain.model import Id, ItemKind, ProjectRole, Status, User
from core.engine.messages import Command
from core.errors import Forbidden, PodiumError
from core.record import Record, replace
from core.text.phrases import count, in_words
from tui.cli.message_command import Field, MessageGroup, flag, runs
from tui.cli.output import agree, moment
from tui.cli.records import USER
from tui.cli.sentences import Columns
from tui.cli.session import Session

REASSIGN_TO = USER.or_none(click.Option(["--reassign-to"], metavar="LOGIN", help="Who gets their open cards."))
OWNER = USER.or_none(click.Option(["--owner"], metavar="LOGIN", help="Who owns the projects that they alone own."))
WAY_OUT = "Let an owner of the project invite who is missing there, or leave --reassign-to or --owner out."


class ProjectHolding(Record):
    """The holdings of a person in a project."""

    name: str
    open_cards: int
    is_sole_owner: bool
    """True if no other active person owns it."""


class Holdings(Record):
    """The holdings of a person in the workspace, as far as the sender sees them, and why some cannot be handed over."""

    user: User
    projects: tuple[ProjectHolding, ...]
    hidden_projects: int
    tokens: tuple[TokenSummary, ...]
    accounts: tuple[LinkedAccountRow, ...]
    made: tuple[str, ...]
    """What else they made and may know, which stays valid, each with the command that ends it."""
    refused: tuple[str, ...] = ()


@runs("offboard", USER, REASSIGN_TO, OWNER, flag("--yes", "Do not ask."), changes=True)
def offboard(session: Session, yes: bool) -> int:
    """Show what a leaving person holds; with --yes hand it over, and end their access, tokens and linked accounts.

    Without --yes it only shows, or asks on a terminal. If a wanted handover is refused, nothing changes.
    """
    ending = users.DeactivateUser(user_id=session[USER].id, end_access=True)
    session.workspace.dry_run(ending)  # before anything is handed over
    holdings, commands = _find_holdings(session)
    refused = list[str]()
    if (session[REASSIGN_TO] or session[OWNER]) and not commands and holdings.hidden_projects:
        refused.append(f"{count(holdings.hidden_projects, 'project')} that you cannot see.")
    for project, command in commands:
        try:
            session.workspace.dry_run(command)
        except PodiumError as error:
            refused.append(f"{project}: {error}")
    if refused:
        session.show(replace(holdings, refused=tuple(refused)), _holding_lines)
        print(f"Nothing was changed: {holdings.user.name} keeps their access. {WAY_OUT}", file=sys.stderr)
        return 1
    if not (yes or session.dry_run):
        session.show(holdings, _holding_lines)
        if session.as_json or not sys.stdin.isatty():
            print("Nothing was changed. Add --yes to hand over and to end their access.", file=sys.stderr)
            return 0
        agree(f"End the access of {holdings.user.name}?")
    session.execute_all([*(each for _, each in commands), ending])
    session.show(_find_holdings(session)[0], _holding_lines)
    return 0


def _find_holdings(session: Session) -> tuple[Holdings, list[tuple[str, Command[Any]]]]:
    """Return the holdings, and the commands that hand them over, each with the name of its project."""
    user_id, owner = session[USER].id, session[OWNER]
    projects, commands = list[ProjectHolding](), list[tuple[str, Command[Any]]]()
    shown = session.query(users.GetUser(user_id=user_id)).projects
    for project in shown:
        members = {line.user.id: line for line in session.query(ListMembers(project_id=project.id))}
        owners = {each for each, line in members.items() if line.role is ProjectRole.OWNER and line.user.active}
        alone = project.role is ProjectRole.OWNER and owners <= {user_id}
        if alone and owner:
            kind = SetProjectRole if owner.id in members else InviteMember
            commands.append((project.name, kind(project_id=project.id, user_id=owner.id, role=ProjectRole.OWNER)))
        if open_cards := members[user_id].open_items:
            commands += [(project.name, each) for each in _reassignment(session, project.id)]
        if alone or open_cards:
            projects.append(ProjectHolding(name=project.name, open_cards=open_cards, is_sole_owner=alone))
    line = next(line for line in session.query(users.ListUsers()) if line.user.id == user_id)
    tokens = [token for token in session.query(ListTokens()) if not token.state.is_over]
    accounts = session.query(ListLinkedAccounts())
    made = _list_made(session, user_id, tokens, accounts)
    return Holdings(
        user=line.user,
        projects=tuple(projects),
        hidden_projects=line.projects - len(shown),
        tokens=tuple(token for token in tokens if token.user_id == user_id),
        accounts=tuple(each for each in accounts if each.user_id == user_id),
        made=tuple(f"{what}, made by them: “{command}” ends it." for what, command in made),
    ), commands


def _list_made(
    session: Session, me: Id, tokens: Iterable[TokenSummary], accounts: Iterable[LinkedAccountRow]
) -> Iterator[tuple[str, str]]:
    """List what a person made for others, of the valid tokens and the accounts, and the command that ends each."""
    for token in tokens:
        if token.maker_id == me != token.user_id:
            yield f"Token “{token.label}” of {token.user}", f"podium token revoke {token.id}"
    for gateway in session.query(ListGatewayTokens()):
        if gateway.maker_id == me and not gateway.state.is_over:
            yield f"Gateway “{gateway.label}”", f"podium token gateway revoke {gateway.id}"
    for account in accounts:
        if account.maker_id == me != account.user_id:
            unlink = shlex.join(("podium", "os-account", "unlink", account.os_user, "--host", account.host))
            yield f"Link of the account “{account.os_user}” to {account.user}", unlink
    try:
        of_products = session.query(ListProductTokens())
    except Forbidden:  # an authorization service can give the one right without the other
        of_products = ()
        print("You cannot list product tokens. Ask who can whether they made any.", file=sys.stderr)
    for each in of_products:
        if each.maker_id == me and not each.state.is_over:
            revoke = f"podium product token revoke {each.product_id} {each.id}"
            yield f"Token “{each.label}” of the product “{each.product}”", revoke


def _reassignment(session: Session, project_id: Id) -> Iterator[BulkUpdate]:
    user_id, to, steps = session[USER].id, session[REASSIGN_TO], list[Command[Any]]()
    for card in session.query(GetCanvas(project_id=project_id)).cards if to else ():
        if to and user_id in card.assignee_ids and card.status in (Status.TO_DO, Status.IN_PROGRESS):
            people = tuple(dict.fromkeys(to.id if each == user_id else each for each in card.assignee_ids))
            task = AssignTask(task_id=card.id, assignee_id=to.id)
            is_task = card.kind is ItemKind.TASK
            steps.append(task if is_task else AssignActivity(activity_id=card.id, member_ids=people))
    for first in range(0, len(steps), MAX_STEPS):
        yield BulkUpdate(project_id=project_id, commands=tuple(steps[first : first + MAX_STEPS]), atomic=True)


def _holding_lines(found: Holdings) -> Iterator[str]:
    yield f"{found.user.name} {'has access' if found.user.active else 'no longer has access'}."
    for project in found.projects:
        alone = ", and no other active owner" if project.is_sole_owner else ""
        yield f"Project “{project.name}”: {count(project.open_cards, 'open card')}{alone}."
    if found.hidden_projects:
        yield f"{count(found.hidden_projects, 'project')} that you cannot see."
    if found.hidden_projects or not found.user.active:
        yield "“podium project list --ownerless” lists those without an owner; “podium project claim” takes one over."
    yield from (f"Token “{each.label}”, {each.id}." for each in found.tokens)
    yield from (f"Linked account “{each.os_user}”." for each in found.accounts)
    yield from found.made
    yield from (f"Not handed over: {each}" for each in found.refused)


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
        session.print_result({"user": to_json(user), "linkedAccounts": to_json(accounts), "tokens": to_json(tokens)})
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
user_.sends(
    "edit",
    users.EditUser,
    [USER, "first_name last_name email login city"],
    help="Change the name, e-mail, login or city of a person.",
    done="{name} has the login “{login}” and the e-mail {email:none}.",
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
