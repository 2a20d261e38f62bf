"""The check of stored seals: each is still the text whose hash stands in the record of its gate."""

from __future__ import annotations

from core.domain.finding import Finding, Verdict
from core.domain.model import Id
from core.rules.gate_seals import hash_of
from core.storage.database import Database, Tx, placeholders
from core.text.phrases import count

MOST = 20_000_000
"""Characters after which no more seals are hashed, so that the check takes a second at most. The rest are counted."""

AT_ONCE, NAMED = 20, 5
"""Seals in memory, and the most that a finding names."""

_RECORDS = (
    "SELECT gate_record.id, phase_name, at, sha256, record_id, imported_by FROM gate_record LEFT JOIN gate_seal"
    " ON gate_seal.project_id = gate_record.project_id AND record_id = gate_record.id"
    " WHERE (sha256 <> '' OR record_id IS NOT NULL)"
    " AND gate_record.project_id NOT IN (SELECT project_id FROM unfinished) ORDER BY at DESC, gate_record.id DESC"
)


def check_seals(database: Database) -> Finding:
    """Check that the stored seals match the hashes in their records, the newest first."""
    return database.read(_check)


def _check(tx: Tx) -> Finding:
    sealed: dict[Id, tuple[str, str]] = {}
    faults: list[str] = []
    for id_, phase, at, sha256, seal, imported_by in tx.tuples(_RECORDS):
        name = f"The seal of the decision of {at[:10]} at “{phase}”"
        if seal:
            sealed[id_] = name, sha256
        elif not imported_by:
            faults.append(f"{name} is missing.")
    ids, characters, hashed = list(sealed), 0, 0
    while hashed < len(ids) and characters <= MOST:
        chosen, params = placeholders(ids[hashed : hashed + AT_ONCE])
        for id_, body in tx.tuples(f"SELECT record_id, body FROM gate_seal WHERE record_id IN {chosen}", **params):
            name, sha256 = sealed[id_]
            characters, hashed = characters + len(body), hashed + 1
            if hash_of(body) != sha256:
                faults.append(f"{name} does not match its hash.")
    if faults:
        more = f" And {len(faults) - NAMED} more." if len(faults) > NAMED else ""
        return Finding("Seals", " ".join(faults[:NAMED]) + more, Verdict.BAD)
    left = f"; {count(len(ids) - hashed, 'older seal')} not checked, to keep this short" if hashed < len(ids) else ""
    return Finding("Seals", f"{count(hashed, 'seal')} checked{left}" if ids else "none yet")
