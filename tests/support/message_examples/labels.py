"""Samples of the messages about labels and priority. Part of ``samples``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from core.actions.cards import cards, labels
from core.domain.labels import Label, LabelColour
from core.domain.model import Id, Item, Priority
from core.engine.messages import Command, Message, Query
from tests.support.workspace import World


def label(world: World, name: str = "Print") -> Label:
    """A label of the project, which a card has."""
    added = world.do(labels.AddLabel(project_id=world.project.id, name=name))
    world.do(labels.SetLabels(card_id=world.task(f"For {name}").id, add=(added.id,)))
    return added


def label_of_workspace(world: World) -> Label:
    return world.do(labels.AddWorkspaceLabel(name="Legal"))


def labelled(world: World) -> Item:
    """A card with a label of the project, and one of the workspace."""
    return world.task("Labelled", labels=(label(world).id, label_of_workspace(world).name), priority=Priority.HIGH)


def merge(world: World) -> labels.MergeLabels:
    """Of two labels that one card has."""
    first, second = label(world), label(world, "Proofs")
    world.task(labels=(first.id, second.id))
    return labels.MergeLabels(label_id=second.id, into_id=first.id)


M = TypeVar("M", bound=Message[Any])


def after(_: Item, message: M) -> M:
    """A message without a field that what is prepared for it could stand in."""
    return message


def _of(item: Item) -> Id:
    return item.project_id


QUERIES: dict[type[Message[Any]], Callable[[World], Query[Any]]] = {
    labels.ListLabels: lambda world: labels.ListLabels(project_id=_of(labelled(world))),
    labels.ListWorkspaceLabels: lambda world: after(labelled(world), labels.ListWorkspaceLabels()),
}

WORKSPACE_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    labels.AddWorkspaceLabel: lambda world: labels.AddWorkspaceLabel(name="Legal", colour=LabelColour.PURPLE),
}

PROJECT_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    labels.AddLabel: lambda world: labels.AddLabel(project_id=world.project.id, name="Print", sign="Pr"),
    labels.EditLabel: lambda world: labels.EditLabel(
        label_id=label(world).id, name="Printing", colour=LabelColour.PINK
    ),
    labels.MergeLabels: merge,
    labels.RemoveLabel: lambda world: labels.RemoveLabel(label_id=label(world).id),
    labels.SetLabels: lambda world: labels.SetLabels(card_id=labelled(world).id, add=("New",), remove=("Print",)),
    cards.SetPriority: lambda world: cards.SetPriority(card_id=world.task().id, priority=Priority.URGENT),
}
