"""The check of stored seals: each still matches its hash and its entry in the record of the gate."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from core.domain.finding import Finding, Verdict
from core.domain.gates import GateRecord, GateSeal
from core.domain.model import WORKSPACE, Id, Phase
from core.engine.unit_of_work import Actor, Snapshot, select
from core.rules.approvals import approval_in_force
from core.rules.gate_seals import fault_of_seal, is_as_sealed
from core.storage.database import Database, Tx, placeholders
from core.storage.row_mapper import table_of
from core.text.phrases import count

MOST = 20_000_000
"""Characters after which no more seals are hashed, so that the check takes a second at most. The rest are counted."""

MOST_PHASES = 500
"""The most approved phases that are compared with their seals."""

AT_ONCE, NAMED = 20, 5
"""Seals in memory, and the most that a finding names."""

_RECORDS = (
    "(sha256 <> '' OR way <> '' AND decision IN ('PASS', 'HOLD', 'SEND_BACK', 'OVERRIDE')"
    " OR id IN (SELECT record_id FROM gate_seal))"
    " AND project_id NOT IN (SELECT project_id FROM unfinished) ORDER BY at DESC, id DESC"
)


def check_seals(database: Database) -> Finding:
    """Check that the stored seals match the hashes in their records, the newest first."""
    return database.read(_check)


def _check(tx: Tx) -> Finding:
    rows = tx.tuples(select(GateRecord, _RECORDS))
    stored = {row[0] for row in tx.tuples("SELECT record_id FROM gate_seal")}
    entries: dict[Id, GateRecord] = {each.id: each for each in map(table_of(GateRecord).load_values, rows)}
    faults = [
        _describe_fault(each, fault)
        for each in entries.values()
        if each.id not in stored
        if (fault := fault_of_seal(each, ""))
    ]
    ids, characters, hashed = [each for each in entries if each in stored], 0, 0
    while hashed < len(ids) and characters <= MOST:
        chosen, params = placeholders(ids[hashed : hashed + AT_ONCE])
        for id_, body in tx.tuples(f"SELECT record_id, body FROM gate_seal WHERE record_id IN {chosen}", **params):
            characters, hashed = characters + len(body), hashed + 1
            if fault := fault_of_seal(entries[id_], body):
                faults.append(_describe_fault(entries[id_], fault))
    faults += _changed_phases(tx)
    if faults:
        more = f" And {len(faults) - NAMED} more." if len(faults) > NAMED else ""
        return Finding("Seals", " ".join(faults[:NAMED]) + more, Verdict.BAD)
    left = f"; {count(len(ids) - hashed, 'older seal')} not checked, to keep this short" if hashed < len(ids) else ""
    return Finding("Seals", f"{count(hashed, 'seal')} checked{left}" if ids else "none yet")


def _changed_phases(tx: Tx) -> Iterator[str]:
    """The approved phases that are not as they were approved: something but Podium changed the database."""
    view = Snapshot(tx, Actor(""), datetime.now(UTC), WORKSPACE)
    approved = "gate_state = 'PASSED' AND project_id NOT IN (SELECT project_id FROM unfinished)"
    for phase in view.all(Phase, f"{approved} ORDER BY project_id, id LIMIT {MOST_PHASES}"):
        approval = approval_in_force(view, phase)
        if approval is None and not view.rows("SELECT 1 FROM gate_record WHERE phase_id = :id LIMIT 1", id=phase.id):
            continue  # imported without its record
        if approval is None:
            yield f"“{phase.name}” is approved, but its record has no approval."
        elif approval.sha256 and not approval.imported_by:
            seal = view.find(GateSeal, project_id=phase.project_id, record_id=approval.id)
            if seal and not is_as_sealed(view, phase, seal):
                yield f"“{phase.name}” is not as it was approved."


def _describe_fault(entry: GateRecord, fault: str) -> str:
    return f"The decision of {entry.at:%Y-%m-%d} at “{entry.phase_name}”: {fault[:1].lower()}{fault[1:]}"
