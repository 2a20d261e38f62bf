"""An undo or a redo brings an approval back only for what was approved."""

from __future__ import annotations

import json

from core.domain.gates import DECISION_WORDS, Decision, Deliverable, GateSeal
from core.domain.model import Change, Id, Item, Phase
from core.engine.unit_of_work import UnitOfWork
from core.errors import RuleViolation
from core.rules.approvals import BOUND_OF_CARD, BOUND_OF_DELIVERABLE, BOUND_OF_PHASE, approval_in_force
from core.rules.gate_seals import is_as_sealed
from core.storage.row_mapper import stored
from core.text.phrases import person_name


def check_restored(work: UnitOfWork, phase: Phase, since: int) -> None:
    """Refuse an undo or a redo of the change ``since`` that brings back an approval of something else than there is.

    An approval by import, or from before seals, has no seal to compare with, so nothing may have changed since.
    """
    approval = approval_in_force(work, phase)
    ours = approval is not None and not approval.imported_by
    seal = work.find(GateSeal, project_id=phase.project_id, record_id=approval.id) if approval and ours else None
    if not is_as_sealed(work, phase, seal) if seal else has_changed_since(work, phase, since):
        raise RuleViolation(f"“{phase.name}” is not as it was approved any more. Approve it again instead.")


def check_decides_last(work: UnitOfWork, phase_id: Id, change: Change) -> None:
    """Refuse the undo or redo of a change that set the decision in force, where there was another decision since.

    It would bring back a state that the later decision was not made in. Raises RuleViolation.
    """
    later = work.rows(
        "SELECT decision, at, phase_name, first_name, last_name FROM gate_record LEFT JOIN app_user ON app_user.id ="
        " by_id WHERE project_id = :project_id AND phase_id = :phase_id AND withdrawn = 0 AND imported_by IS NULL"
        " AND decision IN ('PASS', 'HOLD', 'SEND_BACK', 'LAPSE')"
        " AND (seq >= :seq OR seq = 0 AND at > :at) ORDER BY at DESC, gate_record.id DESC LIMIT 1",
        project_id=change.project_id,
        phase_id=phase_id,
        seq=change.seq,
        at=stored(change.at),
    )
    for row in later:
        who = person_name(row["first_name"], row["last_name"])
        lapsed = row["decision"] == Decision.LAPSE
        said = "changed after its approval" if lapsed else DECISION_WORDS[Decision(row["decision"])]
        raise RuleViolation(f"“{row['phase_name']}” was {said} by {who} since. Decide at its gate instead.")


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
