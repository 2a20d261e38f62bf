"""The version conflict: the record as the sender saw it, the record now, and the changes in between.

A stale change writes nothing and is refused with both versions, which are rebuilt from the history.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from core.domain.model import ChangeKind, Id
from core.errors import ConcurrentChange, VersionConflict
from core.storage.database import Row, Tx
from core.storage.row_mapper import table_of
from core.text.phrases import credited, person_name

MAX_CHANGES = 50
"""The most changes to go back. A sender with an older version gets the current record without a comparison."""

SENTENCE = "This has changed since you saw it. Look at it as it is now, then try again."


def conflict(tx: Tx, scope: Id, record: Any, seen_version: int) -> VersionConflict:
    """Return the refusal of a change to a record that its sender saw at version ``seen_version``."""
    table = table_of(type(record))
    key = json.dumps({name: getattr(record, name) for name in table.key})
    row, since = table.dump(record), []
    for change in _changes(tx, scope, table.name, key):
        before = json.loads(change["before"]) if change["before"] else {}
        if row["version"] == seen_version or "version" not in before:
            break
        who = credited(person_name(change["first_name"], change["last_name"]), change["through"])
        what = ChangeKind(change["kind"]).describe(change["summary"])
        since.append(ConcurrentChange(who, datetime.fromisoformat(change["at"]), what))
        row |= before
    was = table.load(row) if row["version"] == seen_version else None
    return VersionConflict(SENTENCE, current=record, base=was, since=tuple(since))


def _changes(tx: Tx, scope: Id, entity: str, key: str) -> list[Row]:
    """Read the changes to one record, the newest first."""
    return tx.query(
        "SELECT change.at, change.kind, change.summary, change.through, first_name, last_name, change_record.before"
        " FROM change_record"
        " JOIN change ON change.project_id = change_record.project_id AND change.seq = change_record.seq"
        " LEFT JOIN app_user ON app_user.id = change.actor_id"
        " WHERE change_record.project_id = :scope AND change_record.key = :key AND change_record.entity = :entity"
        " ORDER BY change_record.seq DESC, change_record.position DESC LIMIT :most",
        scope=scope,
        key=key,
        entity=entity,
        most=MAX_CHANGES,
    )
