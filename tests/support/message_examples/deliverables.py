"""Samples of the messages about deliverables. Part of ``samples``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.actions.workflow.deliverables import (
    AddDeliverable,
    Deliver,
    EditDeliverable,
    ListDeliverables,
    RemoveDeliverable,
    TakeBack,
)
from core.domain.gates import Deliverable
from core.engine.messages import Command, Message, Query
from tests.support.workspace import World


def deliverable(world: World) -> Deliverable:
    return world.do(AddDeliverable(phase_id=world.discover.id, name="Report"))


def delivered(world: World) -> Deliverable:
    return world.do(Deliver(deliverable_id=deliverable(world).id, statement="Sent to all shops"))


QUERIES: dict[type[Message[Any]], Callable[[World], Query[Any]]] = {
    ListDeliverables: lambda world: ListDeliverables(phase_id=delivered(world).phase_id),
}

PROJECT_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    AddDeliverable: lambda world: AddDeliverable(phase_id=world.discover.id, name="Report"),
    EditDeliverable: lambda world: EditDeliverable(deliverable_id=deliverable(world).id, name="Final report"),
    Deliver: lambda world: Deliver(deliverable_id=deliverable(world).id, link="https://example.com/report"),
    TakeBack: lambda world: TakeBack(deliverable_id=delivered(world).id),
    RemoveDeliverable: lambda world: RemoveDeliverable(deliverable_id=deliverable(world).id),
}
