"""``podium user …``."""

from __future__ import annotations

import click

from core.actions.workspace.credentials import ListLinkedAccounts, ListTokens
from core.actions.workspace.users import AddUser, DeactivateUser, ListUsers, ReactivateUser, SetPlatformRoles
from core.codec.encoding import to_json
from core.domain.model import PlatformRole
from core.text.phrases import in_words
from tui.cli import resolve
from tui.cli.output import moment
from tui.cli.session import Session, in_workspace

ROLES = click.Choice([role.value for role in PlatformRole], case_sensitive=False)


@click.group("user")
def user_() -> None:
    """People of the workspace: list, show, add, give platform roles, deactivate, reactivate."""


@user_.command("list")
@in_workspace
def list_(session: Session) -> None:
    """Everybody in the workspace."""
    session.list(
        session.query(ListUsers()),
        ("NAME", "LOGIN", "E-MAIL", "CITY", "PLATFORM ROLES", "PROJECTS", "ACTIVE"),
        lambda line: (
            line.user.name,
            line.user.login,
            line.user.email,
            line.user.city,
            ", ".join(map(in_words, line.user.platform_roles)) or "guest",
            line.projects,
            "yes" if line.user.active else "no",
        ),
        "Nobody is here.",
    )


@user_.command("show")
@click.argument("person")
@in_workspace
def show(session: Session, person: str) -> None:
    """How a person comes in through a server: by which accounts and tokens."""
    user = resolve.user(session, person)
    accounts = [line for line in session.query(ListLinkedAccounts()) if line.user_id == user.id]
    tokens = [line for line in session.query(ListTokens()) if line.user_id == user.id]
    ways = [
        *((f"account {line.os_user}", line.state, "", line.os_user) for line in accounts),
        *((f"token {line.label}", in_words(line.state), moment(line.expires_at), line.id) for line in tokens),
    ]
    if session.as_json:
        session.done({"user": to_json(user), "enrolments": to_json(accounts), "tokens": to_json(tokens)}, "")
    else:
        session.list(ways, ("COMES IN BY", "STATE", "UNTIL", "ID"), lambda way: way, f"{user.name} has no way in here.")


@user_.command("add")
@click.argument("first_name")
@click.argument("last_name")
@click.argument("email")
@click.option("--login", default="", help="Their login; the part of the e-mail before the @ unless told.")
@click.option("--city", default="")
@click.option("--role", "roles", type=ROLES, multiple=True, help="A platform role; may be given several times.")
@in_workspace
def add(
    session: Session, first_name: str, last_name: str, email: str, login: str, city: str, roles: tuple[str, ...]
) -> None:
    """Add a person to the workspace."""
    user = session.execute(
        AddUser(
            first_name=first_name,
            last_name=last_name,
            email=email,
            login=login,
            city=city,
            platform_roles=tuple(map(PlatformRole, roles)),
        )
    )
    session.done(user, f"Added {user.name} with the login “{user.login}”.")


@user_.command("role")
@click.argument("person")
@click.argument("roles", type=ROLES, nargs=-1)
@in_workspace
def role(session: Session, person: str, roles: tuple[str, ...]) -> None:
    """Give a person exactly these platform roles; none makes them a guest."""
    user = resolve.user(session, person)
    changed = session.execute(SetPlatformRoles(user_id=user.id, platform_roles=tuple(map(PlatformRole, roles))))
    session.done(changed, f"{changed.name}: {', '.join(map(in_words, changed.platform_roles)) or 'guest'}.")


@user_.command("deactivate")
@click.argument("person")
@in_workspace
def deactivate(session: Session, person: str) -> None:
    """Take away a person's access; their name stays on what they did."""
    changed = session.execute(DeactivateUser(user_id=resolve.user(session, person).id))
    session.done(changed, f"{changed.name} has no access any more. “podium user reactivate” gives it back.")


@user_.command("reactivate")
@click.argument("person")
@in_workspace
def reactivate(session: Session, person: str) -> None:
    """Give a deactivated person their access back."""
    changed = session.execute(ReactivateUser(user_id=resolve.user(session, person).id))
    session.done(changed, f"{changed.name} has access again.")
