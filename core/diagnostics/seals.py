"""The check of stored seals: each is still the text whose hash stands in the record of its gate."""

from __future__ import annotations

from core.domain.finding import Finding, Verdict
from core.domain.model import Id
from core.rules.gate_seals import hash_of
from core.storage.database import Database, Tx, placeholders
from core.text.phrases import count, some

MOST = 20_000_000
"""Characters after which no more seals are hashed, so that the check takes a second at most. The rest are counted."""

AT_ONCE = 20
"""Seals in memory."""

NAMED = 5
"""The most seals that a finding names."""

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
    wrong: list[str] = []
    missing: list[str] = []
    for id_, phase, at, sha256, seal, imported_by in tx.tuples(_RECORDS):
        decision = f"the decision of {at[:10]} at “{phase}”"
        if seal:
            sealed[id_] = decision, sha256
        elif not imported_by:
            missing.append(decision)
    ids, characters, hashed = list(sealed), 0, 0
    while hashed < len(ids) and characters <= MOST:
        some_ids = ids[hashed : hashed + AT_ONCE]
        chosen, params = placeholders(some_ids)
        for id_, body in tx.tuples(f"SELECT record_id, body FROM gate_seal WHERE record_id IN {chosen}", **params):
            decision, sha256 = sealed[id_]
            characters += len(body)
            if hash_of(body) != sha256:
                wrong.append(decision)
        hashed += len(some_ids)
    if wrong or missing:
        words = (_said(wrong, "does not match its hash"), _said(missing, "is missing"))
        return Finding("Seals", " ".join(filter(None, words)), Verdict.BAD)
    left = len(ids) - hashed
    older = f"; {count(left, 'older seal')} not checked, to keep this short" if left else ""
    return Finding("Seals", f"{count(hashed, 'seal')} checked{older}" if ids else "none yet")


def _said(decisions: list[str], what: str) -> str:
    return f"The seal of {some(decisions, NAMED)} {what}." if decisions else ""
