"""``podium meta-role …``: the meta roles of the workspace, and which project roles bring them."""

from __future__ import annotations

import click

from core.actions.workspace.meta_roles import AddMetaRole, ListMetaRoles, MapProjectRole, RemoveMetaRole, RenameMetaRole
from core.domain.model import ProjectRole
from core.text.phrases import in_words, names
from tui.cli import resolve
from tui.cli.session import Session, in_workspace

ROLES = click.Choice([role.value for role in ProjectRole], case_sensitive=False)


@click.group("meta-role")
def meta_role_() -> None:
    """Meta roles of the workspace: list, add, rename, remove, map project roles to them."""


@meta_role_.command("list")
@in_workspace
def list_(session: Session) -> None:
    """The meta roles with the project roles that bring them and the product roles that they bring."""
    session.list(
        session.query(ListMetaRoles()),
        ("NAME", "BROUGHT BY", "GIVEN", "BRINGS"),
        lambda line: (
            line.meta_role.name,
            ", ".join(map(in_words, line.project_roles)),
            line.given,
            ", ".join(line.brings),
        ),
        "No meta roles yet. “podium meta-role add NAME” makes one.",
    )


@meta_role_.command("add")
@click.argument("name")
@in_workspace
def add(session: Session, name: str) -> None:
    """Add a meta role."""
    made = session.execute(AddMetaRole(name=name))
    session.done(made, f"Added the meta role “{made.name}” ({made.id}).")


@meta_role_.command("rename")
@click.argument("meta_role")
@click.argument("name")
@in_workspace
def rename(session: Session, meta_role: str, name: str) -> None:
    """Rename a meta role."""
    before = resolve.meta_role(session, meta_role)
    renamed = session.execute(RenameMetaRole(meta_role_id=before.id, name=name, seen_version=before.version))
    session.done(renamed, f"“{before.name}” is “{renamed.name}” now.")


@meta_role_.command("remove")
@click.argument("meta_role")
@in_workspace
def remove(session: Session, meta_role: str) -> None:
    """Remove a meta role that nothing uses."""
    found = resolve.meta_role(session, meta_role)
    session.execute(RemoveMetaRole(meta_role_id=found.id, seen_version=found.version))
    session.done(None, f"Removed the meta role “{found.name}”.")


@meta_role_.command("map")
@click.argument("project_role", type=ROLES)
@click.argument("meta_roles", nargs=-1, metavar="[META_ROLE]...")
@in_workspace
def map_(session: Session, project_role: str, meta_roles: tuple[str, ...]) -> None:
    """Let a project role bring exactly these meta roles, on every project; without any it brings none."""
    role = ProjectRole(project_role)
    found = [resolve.meta_role(session, each) for each in meta_roles]
    mapping = session.execute(MapProjectRole(project_role=role, meta_role_ids=tuple(each.id for each in found)))
    brought = names([f"“{each.name}”" for each in found]) or "no meta role"
    session.done(mapping, f"The project role {in_words(role)} brings {brought} now.")
