"""Samples of the messages about criteria of gates. Part of ``samples``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.actions.workflow.gate_criteria import (
    AddCriterion,
    EditCriterion,
    ListCriteria,
    MeetCriterion,
    RemoveCriterion,
    TakeBackCriterion,
)
from core.actions.workflow.phases import EditPhase
from core.domain.gate_policy import CriterionKind, GateCriterion
from core.domain.model import Gate, Id
from core.engine.messages import Command, Message, Query
from tests.support.workspace import World


def review(world: World) -> Id:
    """A phase with a review gate."""
    return world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, reason="The board asks", relock=True)).id


def by_hand(world: World, *, met: bool = False) -> GateCriterion:
    """A criterion that Maya says is met."""
    phase_id, maya = review(world), world.maya.user_id
    add = AddCriterion(
        phase_id=phase_id, text="Budget is signed", kind=CriterionKind.HAND, person_id=maya, reason="The board asked"
    )
    added = world.do(add)
    return world.do(MeetCriterion(criterion_id=added.id)) if met else added


QUERIES: dict[type[Message[Any]], Callable[[World], Query[Any]]] = {
    ListCriteria: lambda world: ListCriteria(phase_id=by_hand(world).phase_id),
}

PROJECT_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    AddCriterion: lambda world: AddCriterion(
        phase_id=review(world), text="All tasks are done", kind=CriterionKind.CLOSED, filter="type:task"
    ),
    EditCriterion: lambda world: EditCriterion(criterion_id=by_hand(world).id, text="Budget is approved"),
    RemoveCriterion: lambda world: RemoveCriterion(criterion_id=by_hand(world).id),
    MeetCriterion: lambda world: MeetCriterion(criterion_id=by_hand(world).id),
    TakeBackCriterion: lambda world: TakeBackCriterion(criterion_id=by_hand(world, met=True).id),
}
