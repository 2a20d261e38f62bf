"""``podium project …``."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import click

from core.actions.projects.lists import GetProject, ListOrphanedProjects, ListProjects, ProjectLine
from core.actions.projects.projects import (
    ArchiveProject,
    ClaimProject,
    CreateProject,
    DeleteProject,
    EditProject,
    LinkProject,
    RestoreProject,
    SetFavourite,
)
from core.domain.model import Id, NodeKind
from core.domain.workflow import HEALTH_WORDS
from core.errors import InvalidInput
from core.text.phrases import in_words
from tui.cli import resolve
from tui.cli.output import agree, day, print_json, say
from tui.cli.projects import import_export
from tui.cli.projects.phases import phase_columns, phase_row
from tui.cli.session import Session, in_workspace

if TYPE_CHECKING:
    from core.actions.templates.apply import Slot


@click.group("project")
def project_() -> None:
    """Projects: list, show, create, edit, archive, restore, delete, favourite, claim, export, import."""


project_.add_command(import_export.export)
project_.add_command(import_export.import_)


@project_.command("list")
@click.option("--archived", is_flag=True, help="Archived ones too.")
@in_workspace
def list_(session: Session, archived: bool) -> None:
    """My projects, favourites first."""
    session.list(
        session.query(ListProjects(archived=archived)).lines,
        ("", "NAME", "ROLE", "HEALTH", "DONE", "PHASE NOW", "NEXT DUE", "LINKS", "ID"),
        _row,
        "You are on no project yet. “podium project create NAME” makes one.",
    )


def _row(line: ProjectLine) -> tuple[object, ...]:
    health = "archived" if line.project.archived else HEALTH_WORDS[line.health]
    if line.withheld:
        return (
            "*" if line.favourite else "",
            line.project.name,
            in_words(line.role or ""),
            "withheld",
            *[""] * 4,
            line.project.id,
        )
    return (
        "*" if line.favourite else "",
        line.project.name,
        in_words(line.role or ""),
        health,
        f"{line.tally.completed}/{line.tally.total}",
        line.phase_now,
        day(line.next_due),
        " / ".join(line.links),
        line.project.id,
    )


@project_.command("show")
@click.argument("project")
@in_workspace
def show(session: Session, project: str) -> None:
    """A project with its phases."""
    from core.actions.workflow.phases import ListPhases
    from core.codec.encoding import to_json
    from tui.cli.output import table

    project_id = resolve.project_id(session, project)
    line = session.query(GetProject(project_id=project_id))
    phases = session.query(ListPhases(project_id=project_id))
    if session.as_json:
        print_json(to_json(line) | {"phases": to_json(phases)})
        return
    say(line.project.name)
    if line.project.description:
        say(line.project.description)
    facts = (
        in_words(line.role or ""),
        HEALTH_WORDS[line.health],
        f"{line.tally.progress:.0%} done",
        *line.links,
    )
    say(" · ".join(fact for fact in facts if fact))
    say(f"Members: {', '.join(line.members)}\n")
    table(phase_columns, map(phase_row, phases), "No phases yet. “podium phase add” makes one.")


def link_options(function: Any) -> Any:
    """--client, --market and --brand."""
    for level in ("brand", "market", "client"):
        function = click.option(f"--{level}", help=f"The {level}, by name or id.")(function)
    return function


def link_of(session: Session, kind: NodeKind, wanted: str | None) -> Id | None:
    """The client, market or brand that was named; None for nothing and for "none"."""
    return resolve.node(session, wanted, kind).id if wanted and wanted != "none" else None


@project_.command("create")
@click.argument("name")
@click.option("--description", default="")
@click.option("--start", metavar="DAY", help="The first day, such as mon, +2w, 3 dec (default: today).")
@click.option("--template", help="Create it from a template, by name or id.")
@click.option("--version", "number", type=int, help="The version of the template (default: the newest).")
@click.option(
    "--role", "roles", multiple=True, metavar="ROLE=LOGIN", help="Assign a role of the template (repeatable)."
)
@link_options
@in_workspace
def create(
    session: Session,
    name: str,
    description: str,
    start: str | None,
    template: str | None,
    number: int | None,
    roles: tuple[str, ...],
    client: str | None,
    market: str | None,
    brand: str | None,
) -> None:
    """Create a project, empty or from a template; you become its owner."""
    links = {
        "client_id": link_of(session, NodeKind.CLIENT, client),
        "market_id": link_of(session, NodeKind.MARKET, market),
        "brand_id": link_of(session, NodeKind.BRAND, brand),
    }
    if template is None:
        if number is not None or roles:
            raise click.UsageError("--version and --role are for a project from a template. Add --template TEMPLATE.")
        first = resolve.first_day(start)
        project = session.execute(CreateProject(name=name, description=description, start=first, **links))
        session.done(project, f"Created “{project.name}” ({project.id}).")
        return
    from core.actions.templates.apply import CreateProjectFromTemplate

    made = session.execute(
        CreateProjectFromTemplate(
            template_id=resolve.template(session, template).id,
            name=name,
            start=resolve.first_day(start) or date.today(),
            number=number,
            description=description,
            slots=tuple(_role_assignment(session, each) for each in roles),
            **links,
        )
    )
    left_out = (f"Left out: {reason}" for reason in made.left_out)
    session.done(made, f"Created “{made.project.name}” ({made.project.id}).", *left_out)


def _role_assignment(session: Session, word: str) -> Slot:
    """``Lead=maya``."""
    from core.actions.templates.apply import Slot

    role, is_there, person = word.partition("=")
    if not (is_there and role.strip() and person.strip()):
        raise InvalidInput("role", "Write ROLE=LOGIN, such as Lead=maya.")
    return Slot(role.strip(), resolve.user(session, person).id)


@project_.command("edit")
@click.argument("project")
@click.option("--name")
@click.option("--description")
@click.option("--start", help="The first day, such as mon, +2w, 3 dec.")
@link_options
@in_workspace
def edit(
    session: Session,
    project: str,
    name: str | None,
    description: str | None,
    start: str | None,
    client: str | None,
    market: str | None,
    brand: str | None,
) -> None:
    """Change the name, the description, the first day or the links; “--client none” removes the links."""
    project_id = resolve.project_id(session, project)
    changed = session.query(GetProject(project_id=project_id)).project
    if name is not None or description is not None or start is not None:
        edit_ = EditProject(project_id=project_id, name=name, description=description, start=resolve.first_day(start))
        changed = session.execute(edit_)
    if client or market or brand:
        changed = session.execute(
            LinkProject(
                project_id=project_id,
                client_id=link_of(session, NodeKind.CLIENT, client),
                market_id=link_of(session, NodeKind.MARKET, market),
                brand_id=link_of(session, NodeKind.BRAND, brand),
            )
        )
    session.done(changed, f"Changed “{changed.name}”.")


@project_.command("archive")
@click.argument("project")
@in_workspace
def archive(session: Session, project: str) -> None:
    """Put a project in the archive."""
    archived = session.execute(ArchiveProject(project_id=resolve.project_id(session, project)))
    session.done(archived, f"Archived “{archived.name}”. “podium project restore” brings it back.")


@project_.command("restore")
@click.argument("project")
@in_workspace
def restore(session: Session, project: str) -> None:
    """Bring a project back from the archive."""
    restored = session.execute(RestoreProject(project_id=resolve.project_id(session, project)))
    session.done(restored, f"Restored “{restored.name}”.")


@project_.command("delete")
@click.argument("project")
@click.option("--yes", is_flag=True, help="Do not ask.")
@in_workspace
def delete(session: Session, project: str, yes: bool) -> None:
    """Delete an archived project for good, with its history. This cannot be undone."""
    found = session.query(GetProject(project_id=resolve.project_id(session, project))).project
    if not yes:
        agree(f"Delete “{found.name}” and everything in it for good?")
    session.execute(DeleteProject(project_id=found.id))
    session.done(None, f"Deleted “{found.name}” for good.")


@project_.command("favourite")
@click.argument("project")
@click.option("--off", is_flag=True, help="No longer a favourite.")
@in_workspace
def star(session: Session, project: str, off: bool) -> None:
    """Make a project one of my favourites, or no longer."""
    project_id = resolve.project_id(session, project)
    session.execute(SetFavourite(project_id=project_id, favourite=not off))
    session.done(None, "No longer a favourite." if off else "A favourite now.")


@project_.command("claim")
@click.argument("project")
@in_workspace
def take_over(session: Session, project: str) -> None:
    """Become owner of a project whose owners are all deactivated (admins)."""
    ownerless = session.query(ListOrphanedProjects())
    found = resolve.one_of("project without an owner", project, ownerless, lambda each: (each.id, each.name))
    member = session.execute(ClaimProject(project_id=found.id))
    session.done(member, f"You own “{found.name}” now. Its history says so.")
