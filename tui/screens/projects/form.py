"""The form of a project: name, description, its client, market and brand, and its key."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any

from core.actions.projects.projects import CreateProject, EditProject, LinkProject
from core.actions.workspace.hierarchy import GetHierarchy
from core.domain.model import Id, NodeKind, Project
from tui.dialogs.fields.form_fields import Field, MultilineField, PickerField, TextField
from tui.dialogs.form import FormDialog
from tui.services.host import Host
from tui.wording.hierarchy import HierarchyTree, Links

LINKS = {NodeKind.CLIENT: "client_id", NodeKind.MARKET: "market_id", NodeKind.BRAND: "brand_id"}


async def ask_new_project(app: Host) -> Project | None:
    """Ask for a new project and make it; None when the person gave up."""

    async def save(values: dict[str, Any]) -> Project:
        return await app.send(CreateProject(**_words(values), **links_of(values)))

    return await app.ask(await _form(app, "New project", None, save, "Create"))


async def ask_edit(app: Host, project: Project) -> Project | None:
    """Ask for the details of a project and change what differs; None when the person gave up."""
    now = project

    async def save(values: dict[str, Any]) -> Project:
        """The links first, which may be refused. What was saved before a refusal is not sent again."""
        nonlocal now
        links = {name: getattr(now, name) for name in LINKS.values()} | links_of(values)
        if any(getattr(now, name) != node_id for name, node_id in links.items()):
            now = await app.send(LinkProject(project_id=now.id, seen_version=now.version, **links))
            form.saved_so_far(now)
        words = {
            name: text
            for name, text in _words(values).items()
            if text not in (getattr(project, name), getattr(now, name))
        }
        if words:
            now = await app.send(EditProject(project_id=now.id, seen_version=now.version, **words))
        return now

    form = await _form(app, "Edit project", project, save, "Save")
    return await app.ask(form)


async def _form(
    app: Host,
    title: str,
    project: Project | None,
    save: Callable[[dict[str, Any]], Awaitable[Project]],
    submit: str,
) -> FormDialog[Project]:
    tree = HierarchyTree(await app.query(GetHierarchy()))

    fields: list[Field] = [
        name_field(project.name if project else ""),
        MultilineField("description", "Description", project.description if project else ""),
        *link_fields(tree, project),
        TextField("key", "Key", project.key if project else "", "2 to 6 letters, such as AUT; empty: from the name"),
    ]
    follow = partial(find_following_links, tree)
    return FormDialog(title, fields, save, submit=submit, follow=follow, about="projects", record=project)


def name_field(name: str = "") -> Field:
    return TextField("name", "Name", name, "What is the project called?")


def link_fields(tree: HierarchyTree, project: Project | None = None) -> Iterator[Field]:
    """The links are asked for only where there is something to link to."""
    for kind, name in LINKS.items():
        options = tuple(tree.option(node) for node in tree.at(kind))
        node_id: Id | None = getattr(project, name) if project else None
        if options:
            yield PickerField(name, kind.capitalize(), options, (node_id,) if node_id else ())


def find_following_links(
    tree: HierarchyTree, edited: str, answers: dict[str, Any]
) -> dict[str, tuple[tuple[str, ...], str]]:
    """The other links that follow from a chosen one, with the reason: a brand brings its market and client."""
    kind = next((kind for kind, name in LINKS.items() if name == edited), None)
    if kind is None:
        return {}
    before: Links = {kind: _one(answers.get(name)) for kind, name in LINKS.items()}
    after = tree.follow_choice(before, kind)
    chosen = tree.nodes.get(before[kind] or "")
    changes: dict[str, tuple[tuple[str, ...], str]] = {}
    for level, name in LINKS.items():
        node_id, was = after[level], tree.nodes.get(before[level] or "")
        if node_id != before[level] and name in answers:
            taken_off = f"“{was.name if was else ''}” is in another branch."
            why = f"It follows from “{chosen.name}”." if node_id and chosen else taken_off
            changes[name] = ((node_id,) if node_id else (), why)
    return changes


def _one(chosen: tuple[str, ...] | None) -> Id | None:
    return chosen[0] if chosen else None


def _words(values: dict[str, Any]) -> dict[str, Any]:
    return {name: values[name] for name in ("name", "key", "description")}


def links_of(values: dict[str, Any]) -> dict[str, Any]:
    """The links that were asked for."""
    return {name: _one(values[name]) for name in LINKS.values() if name in values}
