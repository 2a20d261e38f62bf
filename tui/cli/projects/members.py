"""``podium member …``."""

from __future__ import annotations

import click

from core.actions.projects.members import InviteGuest, InviteMember, ListMembers, RemoveMember, SetProjectRole
from core.actions.workspace.meta_roles import SetMetaRoles
from core.domain.model import ProjectRole
from core.text.phrases import in_words, names
from tui.cli import resolve
from tui.cli.session import Session, in_workspace

ROLES = click.Choice([role.value for role in ProjectRole], case_sensitive=False)


@click.group("member")
def member_() -> None:
    """Members of a project: list, add, add a guest, change the role, give meta roles, remove."""


@member_.command("list")
@click.argument("project")
@in_workspace
def list_(session: Session, project: str) -> None:
    """The members of a project, owners first."""
    session.list(
        session.query(ListMembers(project_id=resolve.project_id(session, project))),
        ("NAME", "LOGIN", "ROLE", "OPEN", "INVITED BY", "ACTIVE", "META ROLES", "PRODUCT ROLES"),
        lambda line: (
            line.user.name,
            line.user.login,
            in_words(line.role),
            line.open_items,
            line.invited_by,
            "yes" if line.user.active else "no",
            ", ".join(each.meta_role.name for each in line.meta_roles),
            ", ".join(f"{each.product.name}: {each.role.name}" for each in line.product_roles),
        ),
        "Nobody is on this project.",
    )


@member_.command("add")
@click.argument("project")
@click.argument("person")
@click.option("--role", type=ROLES, default=ProjectRole.CONTRIBUTOR.value)
@in_workspace
def add(session: Session, project: str, person: str, role: str) -> None:
    """Invite a person of the workspace, by name, login or e-mail."""
    project_id = resolve.project_id(session, project)
    user = resolve.user(session, person)
    member = session.execute(InviteMember(project_id=project_id, user_id=user.id, role=ProjectRole(role)))
    session.done(member, f"{user.name} is {in_words(member.role)} now.")


@member_.command("guest")
@click.argument("project")
@click.argument("first_name")
@click.argument("last_name")
@click.argument("email")
@click.option("--login", default="", help="Their login; the part of the e-mail before the @ unless told.")
@click.option("--city", default="")
@click.option("--role", type=ROLES, default=ProjectRole.CONTRIBUTOR.value)
@in_workspace
def guest(
    session: Session, project: str, first_name: str, last_name: str, email: str, login: str, city: str, role: str
) -> None:
    """Invite somebody new, who becomes a guest of the workspace."""
    member = session.execute(
        InviteGuest(
            project_id=resolve.project_id(session, project),
            first_name=first_name,
            last_name=last_name,
            email=email,
            login=login,
            city=city,
            role=ProjectRole(role),
        )
    )
    session.done(member, f"{first_name} {last_name} is {in_words(member.role)} now.")


@member_.command("role")
@click.argument("project")
@click.argument("member")
@click.argument("role", type=ROLES)
@in_workspace
def role_(session: Session, project: str, member: str, role: str) -> None:
    """Change the project role of a member."""
    project_id = resolve.project_id(session, project)
    user = resolve.member(session, project_id, member)
    changed = session.execute(SetProjectRole(project_id=project_id, user_id=user.id, role=ProjectRole(role)))
    session.done(changed, f"{user.name} is {in_words(changed.role)} now.")


@member_.command("meta-roles")
@click.argument("project")
@click.argument("member")
@click.argument("meta_roles", nargs=-1, metavar="[META_ROLE]...")
@in_workspace
def meta_roles_(session: Session, project: str, member: str, meta_roles: tuple[str, ...]) -> None:
    """Give a member exactly these meta roles beside those of the project role; without any, none."""
    project_id = resolve.project_id(session, project)
    user = resolve.member(session, project_id, member)
    found = [resolve.meta_role(session, each) for each in meta_roles]
    session.execute(
        SetMetaRoles(project_id=project_id, user_id=user.id, meta_role_ids=tuple(each.id for each in found))
    )
    given = names([f"“{each.name}”" for each in found]) or "no meta role"
    session.done(None, f"{user.name} was given {given}.")


@member_.command("remove")
@click.argument("project")
@click.argument("member")
@in_workspace
def remove(session: Session, project: str, member: str) -> None:
    """Remove a member; what was assigned to them is assigned to nobody."""
    project_id = resolve.project_id(session, project)
    user = resolve.member(session, project_id, member)
    session.execute(RemoveMember(project_id=project_id, user_id=user.id))
    session.done(None, f"{user.name} is no longer on the project.")
