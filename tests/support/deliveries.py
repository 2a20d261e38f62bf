"""The commands by which tests deliver, in one place: most only want a deliverable with evidence, or without."""

from __future__ import annotations

from typing import Any

from core.actions.workflow.deliverables import AddDeliverable, Deliver, TakeBack
from core.domain.gates import Deliverable
from core.domain.model import Id, Phase
from core.engine.messages import Command
from tests.support.workspace import World


def delivery(deliverable_id: Id, link: str, **consent: Any) -> Command[Deliverable]:
    """The command that delivers with a link."""
    return Deliver(deliverable_id=deliverable_id, link=link, **consent)


def taking_back(deliverable_id: Id, **consent: Any) -> Command[Deliverable]:
    """The command that takes the done mark from a deliverable; its evidence stays."""
    return TakeBack(deliverable_id=deliverable_id, **consent)


def delivered(world: World, phase: Phase, name: str, link: str = "https://files.example/1") -> Deliverable:
    """A new deliverable of a phase, delivered with a link."""
    added = world.do(AddDeliverable(phase_id=phase.id, name=name))
    return world.do(delivery(added.id, link))
