"""An undo or a redo brings an approval back only for what was approved."""

from __future__ import annotations

import json

from core.domain.gates import Deliverable, GateSeal
from core.domain.model import Item, Phase
from core.engine.unit_of_work import UnitOfWork
from core.errors import RuleViolation
from core.rules.approvals import BOUND_OF_CARD, BOUND_OF_DELIVERABLE, BOUND_OF_PHASE, approval_in_force
from core.rules.gate_seals import is_as_sealed


def check_restored(work: UnitOfWork, phase: Phase, since: int) -> None:
    """Refuse an undo or a redo of the change ``since`` that brings back an approval of something else than there is.

    An approval by import, or from before seals, has no seal to compare with, so nothing may have changed since.
    """
    approval = approval_in_force(work, phase)
    ours = approval is not None and not approval.imported_by
    seal = work.find(GateSeal, project_id=phase.project_id, record_id=approval.id) if approval and ours else None
    if not is_as_sealed(work, phase, seal) if seal else has_changed_since(work, phase, since):
        raise RuleViolation(f"“{phase.name}” is not as it was approved any more. Approve it again instead.")


def has_changed_since(work: UnitOfWork, phase: Phase, seq: int) -> bool:
    """Return whether the bound part of a phase was changed after a change, by what the history has."""
    where = {"project_id": phase.project_id, "phase_id": phase.id}
    mine = "project_id = :project_id AND phase_id = :phase_id"
    cards, deliverables = work.all(Item, mine, **where), work.all(Deliverable, mine, **where)
    ids = {phase.id, *(card.id for card in cards), *(each.id for each in deliverables)}
    bound = BOUND_OF_CARD | BOUND_OF_DELIVERABLE | set(BOUND_OF_PHASE)
    rows = work.tx.tuples(
        "SELECT key, before, after FROM change_record WHERE project_id = :project_id AND seq > :seq"
        " AND entity IN ('item', 'deliverable', 'phase')",
        project_id=phase.project_id,
        seq=seq,
    )
    touching = (row for row in rows if json.loads(row[0])["id"] in ids or phase.id in f"{row[1]}{row[2]}")
    return any(not (before and after) or bound & json.loads(after).keys() for _, before, after in touching)
