"""Samples of the messages about own fields. Part of ``samples``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.actions.fields import own_fields
from core.domain.fields import FieldKind, FieldValue, OwnField
from core.domain.model import Id
from core.engine.messages import Command, Message, Query
from tests.support.workspace import World


def estimate(world: World) -> OwnField:
    """A number that sums."""
    return world.do(own_fields.AddField(project_id=world.project.id, name="Estimate", kind=FieldKind.NUMBER, sums=True))


def stage(world: World) -> OwnField:
    """A choice that a card has, after the estimate, which it has too."""
    number = estimate(world)
    made = world.do(
        own_fields.AddField(
            project_id=world.project.id, name="Stage", kind=FieldKind.CHOICE, choices=("Draft", "Final")
        )
    )
    values = (FieldValue(key=number.key, value="2.5"), FieldValue(key=made.key, value="draft"))
    world.do(own_fields.SetFields(item_id=world.task("Sketch").id, values=values))
    return made


def furnish(world: World) -> Id:
    """A field of each kind, and a card with a value of each. Returns the id of the card."""
    stage(world)
    for kind in (FieldKind.DATE, FieldKind.PERSON, FieldKind.TEXT, FieldKind.LINK):
        world.do(own_fields.AddField(project_id=world.project.id, name=f"Its {kind.lower()}", kind=kind))
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
        own_fields.SetFields(
            item_id=card.id, values=tuple(FieldValue(key=key, value=each) for key, each in values.items())
        )
    )
    return card.id


def valued(world: World) -> own_fields.SetFields:
    """One value that is new, one that another replaces, and one that is removed."""
    values = (("estimate", "0.5"), ("stage", ""), ("itsperson", "me"))
    return own_fields.SetFields(
        item_id=furnish(world), values=tuple(FieldValue(key=key, value=each) for key, each in values)
    )


QUERIES: dict[type[Message[Any]], Callable[[World], Query[Any]]] = {
    own_fields.ListFields: lambda world: own_fields.ListFields(project_id=stage(world).project_id),
}

PROJECT_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    own_fields.AddField: lambda world: own_fields.AddField(
        project_id=stage(world).project_id, name="Owner", kind=FieldKind.PERSON
    ),
    own_fields.EditField: lambda world: own_fields.EditField(
        field_id=stage(world).id, name="State", choices=("Final", "Draft", "Sent")
    ),
    own_fields.RenameChoice: lambda world: own_fields.RenameChoice(
        field_id=stage(world).id, choice="Draft", name="Rough"
    ),
    own_fields.MoveField: lambda world: own_fields.MoveField(
        field_id=stage(world).id, before_id=world.row("field", key="estimate", project_id=world.project.id)["id"]
    ),
    own_fields.RemoveField: lambda world: own_fields.RemoveField(field_id=stage(world).id),
    own_fields.SetFields: valued,
}
