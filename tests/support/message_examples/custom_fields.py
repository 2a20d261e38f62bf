"""Samples of the messages about custom fields. Part of ``samples``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.actions.fields import custom_fields
from core.domain.fields import CustomField, FieldKind, FieldValue
from core.domain.model import Id
from core.engine.messages import Command, Message, Query
from tests.support.workspace import World


def estimate(world: World) -> CustomField:
    """A number that sums."""
    project_id = world.project.id
    return world.do(custom_fields.AddField(project_id=project_id, name="Estimate", kind=FieldKind.NUMBER, sums=True))


def stage(world: World) -> CustomField:
    """A choice that a card has, after the estimate, which it has too."""
    number = estimate(world)
    made = world.do(
        custom_fields.AddField(
            project_id=world.project.id, name="Stage", kind=FieldKind.CHOICE, choices=("Draft", "Final")
        )
    )
    values = (FieldValue(key=number.key, value="2.5"), FieldValue(key=made.key, value="draft"))
    world.do(custom_fields.SetFields(item_id=world.task("Sketch").id, values=values))
    return made


def furnish(world: World) -> Id:
    """A field of each kind, and a card with a value of each. Returns the id of the card."""
    stage(world)
    for kind in (FieldKind.DATE, FieldKind.PERSON, FieldKind.TEXT, FieldKind.LINK):
        world.do(custom_fields.AddField(project_id=world.project.id, name=f"Its {kind.lower()}", kind=kind))
    values = {
        "estimate": "3",
        "stage": "Final",
        "itsdate": "2026-03-09",
        "itsperson": "bob",
        "itstext": "by hand",
        "itslink": "https://example.com/plan",
    }
    card = world.activity("Prototype")
    world.do(
        custom_fields.SetFields(
            item_id=card.id, values=tuple(FieldValue(key=key, value=each) for key, each in values.items())
        )
    )
    return card.id


def valued(world: World) -> custom_fields.SetFields:
    """One value that is new, one that another replaces, and one that is removed."""
    values = (("estimate", "0.5"), ("stage", ""), ("itsperson", "me"))
    return custom_fields.SetFields(
        item_id=furnish(world), values=tuple(FieldValue(key=key, value=each) for key, each in values)
    )


QUERIES: dict[type[Message[Any]], Callable[[World], Query[Any]]] = {
    custom_fields.ListFields: lambda world: custom_fields.ListFields(project_id=stage(world).project_id),
}

PROJECT_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    custom_fields.AddField: lambda world: custom_fields.AddField(
        project_id=stage(world).project_id, name="Owner", kind=FieldKind.PERSON
    ),
    custom_fields.EditField: lambda world: custom_fields.EditField(
        field_id=stage(world).id, name="State", choices=("Final", "Draft", "Sent")
    ),
    custom_fields.RenameChoice: lambda world: custom_fields.RenameChoice(
        field_id=stage(world).id, choice="Draft", name="Rough"
    ),
    custom_fields.MoveField: lambda world: custom_fields.MoveField(
        field_id=stage(world).id, before_id=world.row("field", key="estimate", project_id=world.project.id)["id"]
    ),
    custom_fields.RemoveField: lambda world: custom_fields.RemoveField(field_id=stage(world).id),
    custom_fields.SetFields: valued,
}
