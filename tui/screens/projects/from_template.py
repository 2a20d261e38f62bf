"""A project from a template: which one, its name, its first day, its links, and who takes which role."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from functools import partial
from typing import Any

from textual.content import Content

from core.actions.templates.apply import CreateProjectFromTemplate, RoleAssignment, TemplateProjectResult
from core.actions.templates.templates import GetTemplate, ListTemplates, TemplateDetail
from core.actions.workspace.hierarchy import GetHierarchy
from core.actions.workspace.meta_roles import ListMetaRoles, MetaRoleSummary
from core.actions.workspace.users import ListUsers
from core.domain.model import Id, ProjectRole, User
from core.text.phrases import count, names
from tui.dialogs.fields.form_fields import DateField, Field, PeopleField
from tui.dialogs.form import FormDialog
from tui.dialogs.menus.picker import Option, PickDialog
from tui.dialogs.text import TextDialog
from tui.drawing.cells import plain
from tui.screens.projects.form import find_following_links, link_fields, links_of, name_field
from tui.services.destinations import ToCanvas
from tui.services.host import Host
from tui.wording.hierarchy import HierarchyTree
from tui.wording.templates import length

FROM_FILE = "file"
"""The answer of ``ask_template`` for a file, which is no id."""
A_FILE = "The plan that you have: a table (CSV, Excel), or an export of Trello, Jira, MS Project and others."
EMPTY = "Start from scratch: add your own phases and tasks on the Canvas."
SLOT = "slot "
"""Before the name of a role it makes the name of its field, which so is not that of another field."""


async def ask_template(app: Host, *, or_empty: bool = True) -> Id | None:
    """Ask what a new project starts from: the id of a template, "" for nothing, None when the person gives up.

    Where there are no templates nothing is asked. ``or_empty`` offers an empty project too.
    """
    lines = await app.query(ListTemplates())
    if not lines:
        return ""
    options = [Option("", "Empty project", about=EMPTY)] if or_empty else []
    for line in lines:
        hint = " · ".join(filter(None, [count(line.phases, "phase"), length(line.days)]))
        options.append(Option(line.template.id, line.template.name, hint, about=line.template.description))
    options += [Option(FROM_FILE, "A file", about=A_FILE)] if or_empty else []
    picked = await app.ask(PickDialog("Start the new project from", options))
    return picked[0] if picked else None


async def make_from_template(app: Host, template_id: Id, number: int | None = None) -> None:
    """Ask for the rest, make the project, say what could not be taken over, and open its Canvas."""
    detail = await app.query(GetTemplate(template_id=template_id, number=number))
    made = await _ask(app, detail)
    if made is None:
        return
    if made.left_out:
        await _list_left_out(app, made)
    app.go_to_new(ToCanvas(made.project.id))
    app.toast(
        f"Created “{made.project.name}” from “{detail.line.template.name}”. Press a to assign a card, p to see a phase."
    )


async def _ask(app: Host, detail: TemplateDetail) -> TemplateProjectResult | None:
    tree = HierarchyTree(await app.query(GetHierarchy()))
    people = [line.user for line in await app.query(ListUsers()) if line.user.active]
    fields: list[Field] = [
        name_field(),
        DateField("start", "Starts", first_day(date.today()), lasts=detail.line.days),
        *link_fields(tree),
        *_slot_fields(detail.line.slots, await app.query(ListMetaRoles()), people, app.me.user.id),
    ]

    async def save(values: dict[str, Any]) -> TemplateProjectResult:
        command = CreateProjectFromTemplate(
            template_id=detail.line.template.id,
            number=detail.number,
            name=values["name"],
            start=values["start"] or first_day(date.today()),
            slots=tuple(_slots(values)),
            **links_of(values),
        )
        return await app.send(command)

    title = f"New project from “{detail.line.template.name}”"
    note = _note(detail)
    follow, about = partial(find_following_links, tree), detail.line.template.id
    return await app.ask(FormDialog(title, fields, save, submit="Create", note=note, follow=follow, about=about))


def first_day(today: date) -> date:
    """The first day of a new project by default: today, or the Monday after a weekend."""
    return today + timedelta(days=max(0, 7 - today.weekday())) if today.weekday() >= 5 else today


def _slot_fields(
    roles: tuple[str, ...], known: tuple[MetaRoleSummary, ...], people: list[User], me: Id
) -> Iterator[Field]:
    """One for each role that the workspace has; who makes the project has the roles that come with owning it."""
    options = tuple((user.id, user.name, user.shown_email) for user in people)
    sources = {line.meta_role.name.casefold(): line.project_roles for line in known}
    for role in roles:
        if role.casefold() in sources:
            mine = ProjectRole.OWNER in sources[role.casefold()]
            yield PeopleField(f"{SLOT}{role}", role, options, (me,) if mine else (), none="nobody yet")


def _slots(values: dict[str, Any]) -> Iterator[RoleAssignment]:
    for name, chosen in values.items():
        if name.startswith(SLOT):
            yield from (RoleAssignment(name.removeprefix(SLOT), user_id) for user_id in chosen)


def _note(detail: TemplateDetail) -> str:
    line = detail.line
    facts = [count(line.phases, "phase"), count(line.items, "item"), length(line.days)]
    note = ", ".join(fact for fact in facts if fact)
    if detail.number != line.template.number:
        note = f"Version {detail.number}: {note}"
    if detail.missing_products:
        note += f"\nWithout {names(detail.missing_products)}, which the registry does not have."
    return note


async def _list_left_out(app: Host, made: TemplateProjectResult) -> None:
    lines = "\n".join(f"· {reason}" for reason in made.left_out)
    await app.ask(TextDialog(f"Left out of “{made.project.name}”", Content.assemble(plain(lines))))
