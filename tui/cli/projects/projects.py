"""``podium project …``."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import click

from core.actions.projects import projects
from core.actions.projects.lists import GetProject, ListOrphanedProjects, ListProjects, ProjectSummary
from core.actions.projects.project_health import ExplainHealth
from core.actions.workflow.phases import ListPhases
from core.domain.model import Project
from core.domain.project_health import HEALTH_WORDS
from core.engine.messages import Command
from core.errors import InvalidInput, NotFound
from core.rules.project_names import ProjectRef, names_of_project
from core.text.phrases import in_words
from core.text.sanitize import sanitize
from tui.cli.choices import Number
from tui.cli.message_command import Field, MessageGroup, day_from, flag
from tui.cli.output import agree, day, print_json, say, table
from tui.cli.projects import import_export
from tui.cli.projects.phases import phase_columns, phase_row
from tui.cli.records import BRAND, CLIENT, LISTED_PROJECT, MARKET, PROJECT, TEMPLATE, USER, RecordParameter
from tui.cli.session import Parameter, Session

if TYPE_CHECKING:
    from core.actions.templates.apply import RoleAssignment

project_ = MessageGroup(
    "project", "Projects: list, show, health, create, edit, archive, restore, delete, favourite, claim, export, import."
)
project_.add_command(import_export.export)
project_.add_command(import_export.import_)

IS_FAVOURITE = Parameter(flag("--off", "No longer a favourite."), lambda _, off: not off)
LINKS = tuple(
    record.option(f"--{record.noun}", f"The {record.noun}, by name or id.", none="none")
    for record in (CLIENT, MARKET, BRAND)
)
KEY = click.Option(["--key"], help="2 to 6 letters, with which the keys of its cards begin: AUT for AUT-12.")
OWNERLESS = flag("--ownerless", "Those to claim instead, which no active person owns, archived ones too (admins only).")
OF_TEMPLATE = TEMPLATE.option("--template", "Create it from a template, by name or id.")


@project_.runs("list", flag("--archived", "Archived ones too."), OWNERLESS, ids=True, lists=True)
def list_(session: Session, archived: bool, ownerless: bool) -> None:
    """List my projects, favourites first."""
    if ownerless:
        rows, empty = session.query(ListOrphanedProjects()), "Every project has an active owner."
        session.list(rows, ("KEYS", "NAME", "ID"), lambda each: (", ".join(each.keys), each.name, each.id), empty)
        return
    session.list(
        session.query(ListProjects(archived=archived)).lines,
        ("", "NAME", "ROLE", "HEALTH", "DONE", "PHASE NOW", "NEXT DUE", "LINKS", "KEY"),
        _row,
        "No projects yet. Create one with “podium project create NAME”.",
    )


def _row(line: ProjectSummary) -> tuple[object, ...]:
    health = "archived" if line.project.archived else HEALTH_WORDS[line.health]
    done = f"{line.tally.done}/{line.tally.total}"
    state = (health, done, line.now_in, day(line.next_due), " / ".join(line.links))
    if line.withheld:
        state = ("withheld", "", "", "", "")
    return "*" if line.favourite else "", line.project.name, in_words(line.role or ""), *state, line.project.key


@project_.runs("show", LISTED_PROJECT)
def show(session: Session) -> None:
    """Show a project with its phases; without PROJECT, the current one."""
    from core.codec.encoding import to_json

    project_id = session[PROJECT].id
    line = session.query(GetProject(project_id=project_id))
    phases = session.query(ListPhases(project_id=project_id))
    if session.as_json:
        print_json(to_json(line) | {"phases": to_json(phases)})
        return
    say(f"{line.project.key} {line.project.name}")
    if line.project.description:
        say(line.project.description)
    facts = in_words(line.role or ""), HEALTH_WORDS[line.health], f"{line.tally.progress:.0%} done", *line.links
    say(" · ".join(fact for fact in facts if fact))
    say(f"Members: {', '.join(line.members)}\n")
    table(phase_columns, map(phase_row, phases), "No phases yet. Create one with “podium phase add”.")


@project_.runs("health", LISTED_PROJECT)
def health(session: Session) -> None:
    """Explain why a project is overdue or at risk, with the cards behind it and the forecast."""
    found = session.query(ExplainHealth(project_id=session[PROJECT].id))
    if session.as_json:
        session.print_result(found)
        return
    say(found.summary)
    for reason in found.reasons:
        say(f"\n{reason.sentence}")
        items = [(each.title, each.phase, day(each.due)) for each in reason.items]
        table(("TITLE", "PHASE", "DUE"), items, "")
    if found.outlook and found.outlook not in (reason.sentence for reason in found.reasons):
        say(f"\n{found.outlook}")


def _links(session: Session) -> dict[str, Any]:
    """The client, market and brand that were named; None for nothing and for "none"."""
    return {each.field: each.sent(session[each]) for each in LINKS}


def _first_day(text: str | None) -> date | None:
    """The first day of a project as it was typed; None where nothing was. Raises InvalidInput for "none"."""
    first = day_from(text)
    if text is not None and first is None:
        raise InvalidInput("start", "A project starts on some day. Type one such as mon, +2w, 3 dec or 2026-12-03.")
    return first


@project_.runs(
    "create",
    click.Argument(["name"]),
    click.Option(["--description"], default=""),
    click.Option(["--start"], metavar="DAY", help="The first day, such as mon, +2w, 3 dec (default: today)."),
    KEY,
    OF_TEMPLATE,
    click.Option(["--version"], type=Number(), help="The version of the template (default: the newest)."),
    click.Option(
        ["--role", "roles"], multiple=True, metavar="ROLE=LOGIN", help="Assign a role of the template (repeatable)."
    ),
    *LINKS,
    ids=True,
    changes=True,
)
def create(
    session: Session,
    name: str,
    description: str,
    start: str | None,
    key: str | None,
    version: int | None,
    roles: tuple[str, ...],
) -> None:
    """Create a project, empty or from a template; you become its owner."""
    template, first = session[OF_TEMPLATE], _first_day(start)
    if template is None:
        if version is not None or roles:
            raise click.UsageError("--version and --role are for a project from a template. Add --template TEMPLATE.")
        project = session.execute(
            projects.CreateProject(name=name, description=description, start=first, key=key, **_links(session))
        )
        session.print_result(project, f"Created “{project.name}” ({project.key}).")
        return
    from core.actions.templates.apply import CreateProjectFromTemplate

    made = session.execute(
        CreateProjectFromTemplate(
            template_id=template.id,
            name=name,
            start=first or date.today(),
            number=version,
            description=description,
            key=key,
            slots=tuple(_role_assignment(session, each) for each in roles),
            **_links(session),
        )
    )
    left_out = (f"Left out: {reason}" for reason in made.left_out)
    session.print_result(made, f"Created “{made.project.name}” ({made.project.key}).", *left_out)


def _role_assignment(session: Session, word: str) -> RoleAssignment:
    """``Lead=maya``."""
    from core.actions.templates.apply import RoleAssignment

    role, is_there, person = word.partition("=")
    if not (is_there and role.strip() and person.strip()):
        raise InvalidInput("role", "Write ROLE=LOGIN, such as Lead=maya.")
    return RoleAssignment(role.strip(), USER.find(session, person).id)


@project_.runs(
    "edit",
    LISTED_PROJECT,
    click.Option(["--name"]),
    click.Option(["--description"]),
    click.Option(["--start"], metavar="DAY", help="The first day, such as mon, +2w, 3 dec."),
    KEY,
    *LINKS,
    ids=True,
    changes=True,
)
def edit(session: Session, name: str | None, description: str | None, start: str | None, key: str | None) -> None:
    """Change the name, the description, the first day, the key or the links; “--client none” removes the links."""
    project_id = session[PROJECT].id
    changed = session.query(GetProject(project_id=project_id)).project
    commands: list[Command[Project]] = []
    if any(each is not None for each in (name, description, start, key)):
        first = _first_day(start)
        edited = projects.EditProject(project_id=project_id, name=name, description=description, start=first, key=key)
        commands.append(edited)
    if any(click.get_current_context().params[each.form.name or ""] for each in LINKS):
        commands.append(projects.LinkProject(project_id=project_id, **_links(session)))
    if commands:
        changed = session.execute_all(commands)[-1]
    session.print_result(changed, f"Changed “{changed.name}”.")


project_.sends(
    "archive", projects.ArchiveProject, [PROJECT], done="Archived “{name}”. Restore with “podium project restore”."
)
project_.sends(
    "restore",
    projects.RestoreProject,
    [PROJECT, Field("reason", "Why it goes on; needed by a project that was stopped at a gate.")],
    done="Restored “{name}”.",
)


@project_.runs("delete", PROJECT, flag("--yes", "Do not ask."), changes=True)
def delete(session: Session, yes: bool) -> None:
    """Delete an archived project for good, with its history. This cannot be undone."""
    found = session.query(GetProject(project_id=session[PROJECT].id)).project
    if not (yes or session.dry_run):
        agree(f"Delete “{found.name}” and everything in it for good?")
    session.execute(projects.DeleteProject(project_id=found.id))
    session.print_result(found, f"Deleted “{found.name}” for good.")


project_.sends(
    "favourite",
    projects.SetFavourite,
    [LISTED_PROJECT, IS_FAVOURITE],
    values=lambda session: {"favourite": session[IS_FAVOURITE]},
    done=lambda _, session: "A favourite now." if session[IS_FAVOURITE] else "No longer a favourite.",
)


def _ownerless(session: Session, name: str) -> list[ProjectRef]:
    """Those of a key or an id, else of a whole name: the beginning of one could be that of the wrong project."""
    every, word = session.query(ListOrphanedProjects()), name.strip()
    found = [each for each in every if word.upper() in (each.id, *each.keys)] or [e for e in every if e.name == word]
    if not found:
        has = f"No project without an owner has the key, the id or the whole name “{sanitize(name)}”."
        raise NotFound(f"{has} “podium project list --ownerless” lists them.")
    return found


project_.sends(
    "claim",
    projects.ClaimProject,
    [RecordParameter("project without an owner", _ownerless, names_of_project, "project_id", "project")],
    done="You own “{project}” now. Its history says so.",
)
