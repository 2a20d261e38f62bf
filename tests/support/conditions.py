"""A gate with a condition: a vote “go if”, which the decision makes into a card."""

from __future__ import annotations

from datetime import date
from typing import Any

from core.actions.workflow.gate_conditions import ListConditions
from core.actions.workflow.gate_policy import SetGatePolicy
from core.actions.workflow.gate_votes import CastVote
from core.actions.workflow.phases import EditPhase
from core.domain.gate_policy import Deciding, GateCondition, Vote
from core.domain.model import Gate
from core.engine.unit_of_work import Actor
from tests.support.workspace import World

TEXT = "Name cleared in Norway"


def set_panel(world: World, *people: Actor) -> None:
    """All of these people decide at the gate of Discover; without any, one owner."""
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    named = tuple(each.user_id for each in people)
    deciders, needed = (Deciding.PEOPLE, None) if people else (Deciding.OWNERS, 1)
    world.do(SetGatePolicy(phase_id=world.discover.id, deciders=deciders, people=named, needed=needed))


def vote_go_if(world: World, as_: Actor | None = None, **fields: Any) -> GateCondition:
    """Vote at the gate of Discover, by default as Maya, with a condition for Bob. Returns the condition."""
    chosen: dict[str, Any] = {"condition": TEXT, "person_id": world.bob.user_id, "due": date(2026, 3, 20)} | fields
    world.do(CastVote(phase_id=world.discover.id, vote=Vote.GO_IF, **chosen), as_)
    return world.ask(ListConditions(project_id=world.project.id))[-1].condition


def with_condition(world: World) -> GateCondition:
    """A condition with its card, which is in Build, by the vote of Maya alone."""
    set_panel(world)
    return vote_go_if(world)
