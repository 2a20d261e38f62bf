"""Samples of the messages about who decides at a gate, and of votes and meetings. Part of ``samples``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from core.actions.workflow import gate_policy, gate_votes, phases
from core.domain.gate_policy import Deciding, Vote
from core.domain.gates import GateRecord
from core.domain.model import Gate, Id
from core.engine.messages import Command, Message
from core.engine.unit_of_work import Actor
from tests.support.message_examples.daily_work import waiting_condition
from tests.support.message_examples.gate_criteria import by_hand
from tests.support.workspace import World

MEETING = date(2026, 3, 2)


def reviewed(world: World) -> Id:
    """A phase with a review gate, at which nothing is missing."""
    for card in world.rows("SELECT id FROM item WHERE phase_id = :id AND status = 'TO_DO'", id=world.discover.id):
        world.complete(card["id"])
    world.do(phases.EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW, reason="The board asks", relock=True))
    return world.discover.id


def governed(world: World) -> Id:
    """One with a policy: any owner decides."""
    return world.do(gate_policy.SetGatePolicy(phase_id=reviewed(world), needed=1, reason="The board asks")).id


def meeting(world: World, secretary: Actor) -> gate_votes.RecordMeeting:
    """A meeting of Maya, who voted go, so that of no one else anything is recorded."""
    maya = world.maya.user_id
    votes = (gate_votes.MeetingVote(user_id=maya, vote=Vote.GO),)
    panel: dict[str, Any] = {"deciders": Deciding.PEOPLE, "people": (maya,), "secretary_id": secretary.user_id}
    phase_id = world.do(gate_policy.SetGatePolicy(phase_id=reviewed(world), reason="The board asks", **panel)).id
    return gate_votes.RecordMeeting(phase_id=phase_id, day=MEETING, votes=votes)


def recorded(world: World) -> GateRecord:
    """The decision of a meeting that Bob recorded, who is its secretary."""
    return world.do(meeting(world, world.bob), as_=world.bob)


def furnish(world: World) -> None:
    """Make a condition, a criterion and a policy."""
    waiting_condition(world)
    by_hand(world)
    governed(world)


PROJECT_COMMANDS: dict[type[Message[Any]], Callable[[World], Command[Any]]] = {
    gate_policy.SetGatePolicy: lambda world: gate_policy.SetGatePolicy(
        phase_id=reviewed(world),
        deciders=Deciding.PEOPLE,
        people=(world.maya.user_id, world.bob.user_id),
        needed=2,
        reason="The board asks",
    ),
    gate_policy.RemoveGatePolicy: lambda world: gate_policy.RemoveGatePolicy(
        phase_id=governed(world), reason="One owner is enough"
    ),
    gate_votes.CastVote: lambda world: gate_votes.CastVote(
        phase_id=governed(world), vote=Vote.NO, reason="The figures are old"
    ),
    gate_votes.RecordMeeting: lambda world: meeting(world, world.maya),
    gate_votes.ContradictMeeting: lambda world: gate_votes.ContradictMeeting(
        record_id=recorded(world).id, reason="I was not there"
    ),
}
