"""Changing the labels of a project: rename, merge, another colour or sign, remove; each is one step and one undo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.actions.cards.labels import AddLabel, EditLabel, LabelSummary, ListLabels, MergeLabels, RemoveLabel
from core.domain.labels import LabelColour
from core.domain.model import Id
from core.engine.messages import Command
from core.engine.unit_of_work import in_workspace
from core.text.phrases import count
from tui.dialogs.fields.form_fields import ChoiceField, Field, TextField
from tui.dialogs.menus.key_menu import KeyMenu, MenuEntry
from tui.dialogs.menus.picker import Option, PickDialog
from tui.screens.framework.controller import OwnerScreen
from tui.screens.framework.dialogs import show_form

ADD = "add"
CHANGES = (
    MenuEntry("edit", "e", "Edit name, colour and sign"),
    MenuEntry("merge", "m", "Merge into another label"),
    MenuEntry("remove", "d", "Remove from all cards"),
)


async def manage_labels(screen: OwnerScreen, project_id: Id) -> None:
    """Let the user choose a label and change it, until they leave the list."""
    while True:
        labels = await screen.podium.query(ListLabels(project_id=project_id))
        options = [*map(_option, labels), Option(ADD, "Add a label")]
        picked = await screen.podium.ask(PickDialog("Labels of the project", options))
        if picked is None:
            return
        if picked == (ADD,):
            await _edit(screen, project_id, None)
            continue
        (chosen,) = (each for each in labels if each.label.id == picked[0])
        change = await screen.podium.ask(KeyMenu(f"#{chosen.label.name}", CHANGES))
        if change == "edit":
            await _edit(screen, project_id, chosen)
        elif change == "merge":
            await _merge(screen, labels, chosen)
        elif change == "remove":
            await screen.podium.perform(RemoveLabel(label_id=chosen.label.id, seen_version=chosen.label.version))


def _option(each: LabelSummary) -> Option:
    label = each.label
    facts = (label.colour.lower(), label.sign, count(each.cards, "card"))
    whose = ("workspace",) if in_workspace(label.project_id) else ()
    return Option(label.id, label.name, " · ".join((*facts, *whose)))


async def _edit(screen: OwnerScreen, project_id: Id, each: LabelSummary | None) -> None:
    label = each.label if each else None
    colours = tuple((colour, colour.lower()) for colour in LabelColour)
    fields: list[Field] = [
        TextField("name", "Name", label.name if label else ""),
        ChoiceField("colour", "Colour", colours if label else (("", "any"), *colours), label.colour if label else ""),
        TextField("sign", "Sign", label.sign if label else "", "one or two letters"),
    ]

    async def save(values: dict[str, Any]) -> object:
        colour = LabelColour(values["colour"]) if values["colour"] else None
        typed: dict[str, Any] = {"name": values["name"], "colour": colour, "sign": values["sign"]}
        command: Command[Any] = (
            EditLabel(label_id=label.id, seen_version=label.version, **typed)
            if label
            else AddLabel(project_id=project_id, **typed)
        )
        return await screen.podium.send(command)

    title = f"Edit the label “{label.name}”" if label else "Add a label"
    await show_form(screen, title, fields, save, record=label)


async def _merge(screen: OwnerScreen, labels: Sequence[LabelSummary], chosen: LabelSummary) -> None:
    others = [each for each in labels if each.label.id != chosen.label.id]
    if in_workspace(chosen.label.project_id):
        others = [each for each in others if in_workspace(each.label.project_id)]
    title = f"Merge “{chosen.label.name}” into"
    picked = await screen.podium.ask(PickDialog(title, list(map(_option, others)), empty="There is no other label."))
    if picked is not None:
        await screen.podium.perform(
            MergeLabels(label_id=chosen.label.id, into_id=picked[0], seen_version=chosen.label.version)
        )
