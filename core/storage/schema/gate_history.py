"""The part of a migration that reads the history: who completed, delivered, withdrew and ended what, and when.

The statements are for both engines. What the history does not have stays unknown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from core.record import Record

if TYPE_CHECKING:
    from sqlite_utils import Database as SqliteUtilsDatabase

LINK = re.compile(r"https?://[^\s/?#]\S*", re.IGNORECASE)
"""Evidence that is the address of a page; all other texts are statements."""


def kind_of_text(evidence: str) -> str:
    """Return the kind of an evidence that was a text: a link, a statement, or none."""
    return "NONE" if not evidence else "LINK" if LINK.fullmatch(evidence) else "STATEMENT"


class RecordedChange(Record, kw_only=False):
    """One record of the history, with who changed it and when."""

    project_id: str
    seq: int
    at: str
    by: str
    kind: str
    summary: str
    through: str
    id: str
    before: dict[str, Any]
    after: dict[str, Any]
    is_new: bool
    is_gone: bool


def _changes_of(db: SqliteUtilsDatabase, entity: str, like: str, *, gone: bool = False) -> Iterator[RecordedChange]:
    """The recorded changes of one kind of record whose values after (before, of a removed one) match, in order."""
    column = "before" if gone else "after"
    rows = db.execute(
        "SELECT change.project_id, change.seq, change.at, change.actor_id, change.kind, change.summary, change.through,"
        " change_record.key, change_record.before, change_record.after"
        " FROM change JOIN change_record ON change.project_id = change_record.project_id AND change.seq ="
        f" change_record.seq WHERE change_record.entity = ? AND change_record.{column} LIKE ?"
        " ORDER BY change.project_id, change.seq, change_record.position",
        [entity, like],
    )
    for *change, key, before, after in rows:
        values = [json.loads(each) if each else {} for each in (before, after)]
        known = (*change, json.loads(key).get("id", ""), *values, before is None, after is None)
        yield RecordedChange(*known)


def fill_completions(db: SqliteUtilsDatabase) -> None:
    """Who completed each card, and when: the last time, except for an undo, which brings back what was."""
    known: dict[tuple[str, str], tuple[str, str]] = {}
    for change in _changes_of(db, "item", '%"COMPLETED"%'):
        completed = change.after.get("status") == "COMPLETED" and not change.is_new
        if completed and change.before.get("archived_from") != "COMPLETED":
            key = change.project_id, change.id
            known[key] = known.get(key, (change.by, change.at)) if change.kind != "DO" else (change.by, change.at)
    for (project_id, item_id), (by, at) in known.items():
        db.execute(
            "UPDATE item SET completed_by = ?, completed_at = ? WHERE project_id = ? AND id = ?"
            " AND (status = 'COMPLETED' OR (status = 'ARCHIVED' AND archived_from = 'COMPLETED'))",
            [by, at, project_id, item_id],
        )


def sort_evidence(db: SqliteUtilsDatabase) -> None:
    """Evidence that is the address of a page is a link from now on, and all other a statement, letter by letter."""
    rows = db.execute("SELECT project_id, id, evidence FROM deliverable WHERE evidence <> ''").fetchall()
    for project_id, deliverable_id, evidence in rows:
        db.execute(
            "UPDATE deliverable SET evidence_kind = ? WHERE project_id = ? AND id = ?",
            [kind_of_text(evidence), project_id, deliverable_id],
        )


def fill_deliveries(db: SqliteUtilsDatabase) -> None:
    """Who marked each deliverable as done, and when."""
    known: dict[tuple[str, str], tuple[str, str]] = {}
    for change in _changes_of(db, "deliverable", '%"done": 1%'):
        if not change.before.get("done") and not change.is_new:
            key = change.project_id, change.id
            known[key] = known.get(key, (change.by, change.at)) if change.kind != "DO" else (change.by, change.at)
    for (project_id, deliverable_id), (by, at) in known.items():
        db.execute(
            "UPDATE deliverable SET delivered_by = ?, delivered_at = ? WHERE project_id = ? AND id = ? AND done = 1",
            [by, at, project_id, deliverable_id],
        )


def fill_phase_names(db: SqliteUtilsDatabase) -> None:
    """The name of the phase in each entry of a gate's record, also of a phase that was removed since."""
    db.execute(
        "UPDATE gate_record SET phase_name = coalesce((SELECT phase.name FROM phase"
        " WHERE phase.project_id = gate_record.project_id AND phase.id = gate_record.phase_id), '')"
    )
    for change in _changes_of(db, "phase", '%"name"%', gone=True):
        if change.is_gone:
            db.execute(
                "UPDATE gate_record SET phase_name = ? WHERE project_id = ? AND phase_id = ? AND NOT EXISTS ("
                "SELECT 1 FROM phase WHERE phase.project_id = gate_record.project_id AND phase.id = phase_id)",
                [change.before["name"], change.project_id, change.id],
            )


def add_entries_about_decisions(db: SqliteUtilsDatabase) -> None:
    """Entries of the record for what the history alone told: withdrawn and restored decisions, and ended approvals."""
    entries = {"1": "WITHDRAWAL", "0": "RESTORATION"}
    withdrawn: set[tuple[str, int]] = set()
    for change in _changes_of(db, "gate_record", '%"withdrawn"%'):
        if change.is_new:
            continue
        withdrawn.add((change.project_id, change.seq))
        _add_entry(db, change, change.id, entries[str(int(change.after["withdrawn"]))], "")
    for change in _changes_of(db, "phase", '%"gate_state": "NONE"%'):
        ended = change.before.get("gate_state") == "PASSED" and not change.is_gone
        if not ended or (change.project_id, change.seq) in withdrawn:
            continue
        approvals = db.execute(
            "SELECT id FROM gate_record WHERE project_id = ? AND phase_id = ? AND decision = 'PASS' AND at <= ?"
            " ORDER BY at DESC, id DESC LIMIT 1",
            [change.project_id, change.id, change.at],
        ).fetchall()
        for (approval,) in approvals:
            _add_entry(db, change, approval, "LAPSE", change.summary)


def _add_entry(db: SqliteUtilsDatabase, change: RecordedChange, of_id: str, decision: str, detail: str) -> None:
    from core.storage.ulids import new_ulid

    db.execute(
        "INSERT INTO gate_record (project_id, id, phase_id, decision, by_id, at, reason, completed, total, withdrawn,"
        " original_login, original_name, through, phase_name, detail, of_id, seq, sha256, way, version)"
        " SELECT project_id, ?, phase_id, ?, ?, ?, '', 0, 0, 0, '', '', ?, phase_name, ?, id, ?, '', '', 1"
        " FROM gate_record WHERE project_id = ? AND id = ?",
        [new_ulid(), decision, change.by, change.at, change.through, detail, change.seq - 1, change.project_id, of_id],
    )


def bring_gates_forward(db: SqliteUtilsDatabase) -> None:
    """Add the columns and the table of seals, and fill them."""
    for table, columns in {
        "phase": ("accepts_statements INTEGER NOT NULL DEFAULT 0",),
        "item": ("completed_by TEXT", "completed_at TEXT"),
        "deliverable": (
            "evidence_kind TEXT NOT NULL DEFAULT 'NONE'",
            "file_size INTEGER NOT NULL DEFAULT 0",
            "file_sha256 TEXT NOT NULL DEFAULT ''",
            "delivered_by TEXT",
            "delivered_at TEXT",
        ),
        "gate_record": (
            "phase_name TEXT NOT NULL DEFAULT ''",
            "detail TEXT NOT NULL DEFAULT ''",
            "of_id TEXT",
            "seq INTEGER NOT NULL DEFAULT 0",
            "sha256 TEXT NOT NULL DEFAULT ''",
            "way TEXT NOT NULL DEFAULT ''",
        ),
    }.items():
        for column in columns:
            db.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
    db.execute(
        "CREATE TABLE gate_seal (project_id TEXT NOT NULL REFERENCES project(id), record_id TEXT NOT NULL,"
        " body TEXT NOT NULL, version INTEGER NOT NULL, PRIMARY KEY (project_id, record_id)) STRICT"
    )
    db.execute("CREATE UNIQUE INDEX gate_record_id ON gate_record(id)")
    db.execute("UPDATE phase SET accepts_statements = 1 WHERE evidence_required = 1")
    for fill in (fill_completions, sort_evidence, fill_deliveries, fill_phase_names, add_entries_about_decisions):
        fill(db)
