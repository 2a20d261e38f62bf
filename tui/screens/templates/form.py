"""The words about a template: asked for when one is saved or edited."""

from __future__ import annotations

from typing import Any

from core.actions.templates.templates import EditTemplate
from core.domain.templates import Template
from tui.dialogs.fields.form_fields import Field, MultilineField, TextField
from tui.screens.framework.dialogs import show_form
from tui.screens.framework.screen import PodiumScreen
from tui.wording.templates import tags_typed


def fields_of(name: str = "", description: str = "", tags: tuple[str, ...] = ()) -> list[Field]:
    """Name, description and tags."""
    return [
        TextField("name", "Name", name, "What kind of project is it for?"),
        MultilineField("description", "Description", description),
        TextField("tags", "Tags", ", ".join(tags), "launch, media: with commas between them"),
    ]


def words_of(values: dict[str, Any]) -> dict[str, Any]:
    """The answers as the messages take them."""
    return values | {"tags": tags_typed(values["tags"])}


async def ask_edit_template(screen: PodiumScreen, template: Template) -> Template | None:
    """Ask for the words about a template and change them; None when the person gave up."""

    async def save(values: dict[str, Any]) -> Template:
        command = EditTemplate(template_id=template.id, seen_version=template.version, **words_of(values))
        return await screen.podium.send(command)

    fields = fields_of(template.name, template.description, template.tags)
    return await show_form(screen, f"Edit the template “{template.name}”", fields, save, record=template)
