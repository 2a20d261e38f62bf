"""The form of a project: name, description, and its client, market and brand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.actions.hierarchy import ListNodes
from core.actions.projects import CreateProject, EditProject, LinkProject
from core.model import Node, NodeKind, Project
from tui.dialogs.fields import Choice, Field, Line, Lines
from tui.dialogs.form import FormDialog

if TYPE_CHECKING:
    from tui.app import PodiumApp

LINKS = {NodeKind.CLIENT: "client_id", NodeKind.MARKET: "market_id", NodeKind.BRAND: "brand_id"}


async def ask_new_project(app: PodiumApp) -> Project | None:
    """Ask for a new project and make it; None when the person gave up."""

    async def save(values: dict[str, Any]) -> Project:
        return await app.send(CreateProject(**_words(values), **_links(values)))

    fields = _fields(await app.query(ListNodes()), None)
    return await app.ask(FormDialog("New project", fields, save, submit="Create"))


async def ask_edit(app: PodiumApp, project: Project) -> Project | None:
    """Ask for the details of a project and change what differs; None when the person gave up."""
    before = {name: getattr(project, name) or "" for name in LINKS.values()}

    async def save(values: dict[str, Any]) -> Project:
        changed = await app.send(EditProject(project_id=project.id, seen_version=project.version, **_words(values)))
        if any(values.get(name, before[name]) != before[name] for name in before):
            changed = await app.send(LinkProject(project_id=project.id, **_links(values)))
        return changed

    fields = _fields(await app.query(ListNodes()), project)
    return await app.ask(FormDialog("Edit project", fields, save))


def _fields(nodes: tuple[Node, ...], project: Project | None) -> list[Field]:
    """The links are asked for only where there is something to link to."""
    fields: list[Field] = [
        Line("name", "Name", project.name if project else "", "What is the project called?"),
        Lines("description", "Description", project.description if project else ""),
    ]
    names = {node.id: node.name for node in nodes}
    for kind, name in LINKS.items():
        options = tuple((node.id, _named(node, names)) for node in nodes if node.kind is kind)
        if options:
            value = getattr(project, name) if project else None
            fields.append(Choice(name, kind.capitalize(), (("", "none"), *options), value or ""))
    return fields


def _named(node: Node, names: dict[str, str]) -> str:
    return f"{node.name} ({names[node.parent_id]})" if node.parent_id in names else node.name


def _words(values: dict[str, Any]) -> dict[str, Any]:
    return {"name": values["name"], "description": values["description"]}


def _links(values: dict[str, Any]) -> dict[str, Any]:
    return {name: values.get(name) or None for name in LINKS.values()}
