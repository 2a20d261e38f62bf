"""Decisions at gates that an undo or a redo takes back or brings back, and when it cannot."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from core.domain.gate_policy import VOTES, GateCriterion, Vote
from core.domain.gates import DECISION_WORDS, DECISIONS, Decision, Deliverable, GateRecord, GateSeal
from core.domain.model import Change, Id, Item, Phase
from core.engine.unit_of_work import UnitOfWork
from core.errors import RuleViolation
from core.rules.approvals import approval_in_force
from core.rules.gate_criteria import bound_columns, read_criteria
from core.rules.gate_entries import NEWEST_FIRST
from core.rules.gate_panel import check_can_decide, read_panel, read_panels
from core.rules.gate_seals import BOUND_OF_CARD, BOUND_OF_DELIVERABLE, BOUND_OF_PHASE, is_as_sealed
from core.storage.row_mapper import encode_value
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
    comes_back = any(
        each.entity == "gate_record" and approval and each.key["id"] == approval.id for each in work.changes
    )
    if approval and comes_back:  # its votes may have been undone too, or their people left
        panel = read_panels(work, {phase.id: phase.project_id}, ignoring=approval.id)[phase.id]
        if panel.policy and not panel.decides(Vote.GO, Vote.GO_IF):
            raise RuleViolation(f"“{phase.name}” would have {panel.tally}. Vote again instead.")


def check_decides_last(work: UnitOfWork, phase_id: Id, change: Change) -> None:
    """Refuse the undo or redo of a change that set the decision in force, where there was another decision since.

    It would bring back a state that the later decision was not made in. Raises RuleViolation.
    """
    later = work.rows(
        "SELECT decision, at, phase_name, first_name, last_name FROM gate_record LEFT JOIN app_user ON app_user.id ="
        " by_id WHERE project_id = :project_id AND phase_id = :phase_id AND withdrawn = 0 AND imported_by IS NULL"
        " AND decision IN ('PASS', 'HOLD', 'LIFT', 'SEND_BACK', 'STOP', 'LAPSE')"
        f" AND (seq >= :seq OR seq = 0 AND at > :at) ORDER BY {NEWEST_FIRST} LIMIT 1",
        project_id=change.project_id,
        phase_id=phase_id,
        seq=change.seq,
        at=encode_value(change.at),
    )
    for row in later:
        who = person_name(row["first_name"], row["last_name"])
        lapsed = row["decision"] == Decision.LAPSE
        said = "changed after its approval" if lapsed else DECISION_WORDS[Decision(row["decision"])]
        raise RuleViolation(f"“{row['phase_name']}” was {said} by {who} since. Decide at its gate instead.")


def check_may_revert(work: UnitOfWork, entry: GateRecord, *, withdrawn: bool) -> None:
    """Refuse to revert a decision or a waiver, or to bring back a vote, for a sender who cannot decide there now.

    The permission was asked for, and membership of the panel is no permission. Raises RuleViolation.
    """
    takes_decider = entry.decision in {*DECISIONS, Decision.WAIVER} - {Decision.OVERRIDE}
    phase = work.find(Phase, project_id=work.scope, id=entry.phase_id)
    if phase and (takes_decider or (entry.decision in VOTES and not withdrawn)):
        check_can_decide(work, read_panel(work, phase))


def check_votes_decide_nothing(work: UnitOfWork) -> None:
    """Refuse to bring back a vote that is the deciding one: it is voted again, so that the decision falls."""
    rows = [each.row | (each.after or {}) for each in work.changes if each.entity == "gate_record" and each.before]
    for phase_id in {row["phase_id"] for row in rows if Decision(row["decision"]) in VOTES and not row["withdrawn"]}:
        phase = work.get(Phase, project_id=work.scope, id=phase_id)
        panel = read_panel(work, phase)
        if panel.decides(Vote.GO, Vote.GO_IF) or panel.decides(Vote.STOP):
            raise RuleViolation(f"At “{phase.name}” this would be the deciding vote. Vote again instead.")


def check_vote_undoable(work: UnitOfWork, entry: Mapping[str, Any], change: Change) -> None:
    """Refuse the undo of a vote, or of a waiver, that a later decision rests on. Raises RuleViolation."""
    if Decision(entry["decision"]) not in {*VOTES, Decision.WAIVER}:
        return
    later = work.tx.tuples(
        "SELECT 1 FROM gate_record WHERE project_id = :project_id AND phase_id = :phase_id AND withdrawn = 0"
        " AND decision IN ('PASS', 'STOP') AND seq >= :seq AND imported_by IS NULL LIMIT 1",
        project_id=work.scope,
        phase_id=entry["phase_id"],
        seq=change.seq,
    )
    if later:
        raise RuleViolation("The decision rests on it. Undo the decision first, or send the phase back.")


def check_met(work: UnitOfWork, criterion: GateCriterion) -> None:
    """Refuse to bring back that a criterion is met, where its person did not say so of the text that it has now."""
    rows = work.tx.tuples(
        "SELECT before, after FROM change_record WHERE project_id = :project_id AND entity = 'gate_criterion'"
        " AND key = :key ORDER BY seq, position",
        project_id=criterion.project_id,
        key=json.dumps({"project_id": criterion.project_id, "id": criterion.id}),
    )
    said = encode_value(criterion.met_at)
    changes = [(json.loads(before or "{}"), json.loads(after or "{}")) for before, after in rows]
    first = next((at for at, (_, after) in enumerate(changes) if after.get("met_at") == said), -1)
    text = next((before["text"] for before, _ in changes[first + 1 :] if "text" in before), criterion.text)
    if criterion.met_by != criterion.person_id or text != criterion.text:
        raise RuleViolation(f"“{criterion.text}” is not what was said to be met, or another person has to say so now.")


def has_changed_since(work: UnitOfWork, phase: Phase, seq: int) -> bool:
    """Return whether the bound part of a phase was changed after a change, by what the history has."""
    where = {"project_id": phase.project_id, "phase_id": phase.id}
    mine = "project_id = :project_id AND phase_id = :phase_id"
    cards, deliverables = work.all(Item, mine, **where), work.all(Deliverable, mine, **where)
    criteria = read_criteria(work, phase.project_id, [phase.id])
    ids = {phase.id, *(each.id for found in (cards, deliverables, criteria) for each in found)}
    bound = BOUND_OF_CARD | BOUND_OF_DELIVERABLE | {*BOUND_OF_PHASE}
    rows = work.tx.tuples(
        "SELECT key, before, after, entity FROM change_record WHERE project_id = :project_id AND seq > :seq"
        " AND entity IN ('item', 'deliverable', 'phase', 'gate_criterion')",
        project_id=phase.project_id,
        seq=seq,
    )
    for key, before, after, entity in rows:
        if json.loads(key)["id"] in ids or phase.id in f"{before}{after}":
            if not (before and after):
                return True
            was, now = json.loads(before), json.loads(after)
            if bound_columns(was, now) if entity == "gate_criterion" else bound & now.keys():
                return True
    return False
