"""The check of stored seals: each still matches its hash and its entry in the record of the gate."""

from __future__ import annotations

from core.domain.finding import Finding, Verdict
from core.domain.gates import GateRecord
from core.domain.model import Id
from core.engine.unit_of_work import select
from core.rules.gate_seals import fault_of_seal
from core.storage.database import Database, Tx, placeholders
from core.storage.row_mapper import table_of
from core.text.phrases import count

MOST = 20_000_000
"""Characters after which no more seals are hashed, so that the check takes a second at most. The rest are counted."""

AT_ONCE, NAMED = 20, 5
"""Seals in memory, and the most that a finding names."""

_RECORDS = (
    "(sha256 <> '' OR id IN (SELECT record_id FROM gate_seal))"
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
        _said(each, fault) for each in entries.values() if each.id not in stored if (fault := fault_of_seal(each, ""))
    ]
    ids, characters, hashed = [each for each in entries if each in stored], 0, 0
    while hashed < len(ids) and characters <= MOST:
        chosen, params = placeholders(ids[hashed : hashed + AT_ONCE])
        for id_, body in tx.tuples(f"SELECT record_id, body FROM gate_seal WHERE record_id IN {chosen}", **params):
            characters, hashed = characters + len(body), hashed + 1
            if fault := fault_of_seal(entries[id_], body):
                faults.append(_said(entries[id_], fault))
    if faults:
        more = f" And {len(faults) - NAMED} more." if len(faults) > NAMED else ""
        return Finding("Seals", " ".join(faults[:NAMED]) + more, Verdict.BAD)
    left = f"; {count(len(ids) - hashed, 'older seal')} not checked, to keep this short" if hashed < len(ids) else ""
    return Finding("Seals", f"{count(hashed, 'seal')} checked{left}" if ids else "none yet")


def _said(entry: GateRecord, fault: str) -> str:
    return f"The decision of {entry.at:%Y-%m-%d} at “{entry.phase_name}”: {fault[:1].lower()}{fault[1:]}"
