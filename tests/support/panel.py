"""A gate on which a panel of three decides, for the tests of votes and of meetings."""

from __future__ import annotations

from typing import Any

from core.actions.personal.inbox import ListInbox
from core.actions.projects.members import InviteMember
from core.actions.workflow.gate_policy import SetGatePolicy
from core.actions.workflow.gate_record import ListGateDecisions
from core.actions.workflow.gate_votes import CastVote
from core.actions.workflow.gates import CheckGate, GateCheck
from core.actions.workflow.phases import EditPhase
from core.domain.gate_policy import Deciding, Vote
from core.domain.gates import GateRecord
from core.domain.model import Gate, ProjectRole
from core.engine.unit_of_work import Actor
from tests.support.workspace import World


def with_panel(world: World) -> World:
    """Discover is a finished review; Maya, Bob and Gus are on its panel, and two of them decide."""
    world.do(EditPhase(phase_id=world.discover.id, gate=Gate.REVIEW))
    world.complete(world.task().id)
    world.do(InviteMember(project_id=world.project.id, user_id=world.gus.user_id, role=ProjectRole.CONTRIBUTOR))
    set_policy(world, needed=2)
    return world


def three(world: World) -> tuple[str, ...]:
    return (world.maya.user_id, world.bob.user_id, world.gus.user_id)


def set_policy(world: World, **fields: object) -> None:
    chosen: dict[str, Any] = {"deciders": Deciding.PEOPLE, "people": three(world), "reason": "A new committee"}
    world.do(SetGatePolicy(phase_id=world.discover.id, **chosen | fields))


def vote(world: World, actor: Actor, vote: Vote = Vote.GO, **fields: Any) -> GateRecord:
    fields = ({"reason": "Not yet"} if vote in (Vote.NO, Vote.STOP) else {}) | fields
    return world.do(CastVote(phase_id=world.discover.id, vote=vote, **fields), as_=actor)


def check(world: World, actor: Actor | None = None) -> GateCheck:
    return world.ask(CheckGate(phase_id=world.discover.id), as_=actor or world.maya)


def inbox(world: World, actor: Actor) -> list[str]:
    """The lines of the inbox that are not about a card."""
    return [each.words for each in world.ask(ListInbox(), actor).lines if each.target_kind == "PHASE"]


def entries(world: World) -> list[str]:
    return [each.record.decision for each in world.ask(ListGateDecisions(project_id=world.project.id))]
