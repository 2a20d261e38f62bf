"""The records of a change, as a unit of work collects them and as the history stores them; and the version conflict.

A stale change writes nothing and is refused with the record as the sender saw it, the record now, and the changes in
between, which are rebuilt from the history.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from core.domain.model import ChangeKind, Id
from core.errors import ConcurrentChange, VersionConflict
from core.record import Record, field
from core.storage.database import Row, Tx
from core.storage.row_mapper import ORDER, table_of
from core.text.phrases import credit_author, person_name

ADD_CHANGE = (
    "INSERT INTO change (project_id, seq, at, actor_id, kind, message, summary, permissions, reverts, through)"
    " VALUES (:project_id, :seq, :at, :actor_id, :kind, :message, :summary, :permissions, :reverts, :through)"
)
ADD_RECORD = (
    "INSERT INTO change_record (project_id, seq, position, entity, key, before, after)"
    " VALUES (:project_id, :seq, :position, :entity, :key, :before, :after)"
)


class RecordChange(Record, kw_only=False):
    """The change of one record by one message: the differing columns before and after; None means "no such row"."""

    entity: str
    key: dict[str, Any]
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    row: dict[str, Any] = field(default_factory=dict)
    """The whole row before the change; of a new one, the row. It is not stored."""


def insert_records(
    project_id: Id, seq: int, changes: Sequence[RecordChange], first: int
) -> list[tuple[str, dict[str, object]]]:
    """The statements that add records to a change, with their parameters. ``first`` is the position of the first.

    Seals of an import are left out, as those of decisions: their own table never changes.
    """
    return [
        (
            ADD_RECORD,
            {
                "project_id": project_id,
                "seq": seq,
                "position": position,
                "entity": change.entity,
                "key": json.dumps(change.key),
                "before": json.dumps(change.before) if change.before is not None else None,
                "after": json.dumps(change.after) if change.after is not None else None,
            },
        )
        for position, change in enumerate(changes, first)
        if change.entity != "gate_seal"
    ]


def split_order(change: RecordChange) -> Iterable[RecordChange]:
    """A change; a reordering as the changes of its records."""
    if change.entity != ORDER:
        return [change]
    before, after = change.before or {}, change.after or {}
    return [
        RecordChange(
            change.key["table"],
            {"project_id": change.key["project_id"], "id": each},
            {"rank": before[each]},
            {"rank": after[each]},
        )
        for each in before
        if before[each] != after[each]
    ]


CHANGES_COMPARED = 50
"""The most changes to go back. A sender with an older version gets the current record without a comparison."""

SENTENCE = "This has changed since you saw it. Look at it as it is now, then try again."


def explain_conflict(tx: Tx, scope: Id, record: Any, seen_version: int) -> VersionConflict:
    """Return the refusal of a change to a record that its sender saw at version ``seen_version``."""
    table = table_of(type(record))
    key = json.dumps({name: getattr(record, name) for name in table.key})
    row, since = table.dump(record), []
    for change in _changes_to(tx, scope, table.name, key):
        before = json.loads(change["before"]) if change["before"] else {}
        if row["version"] == seen_version or "version" not in before:
            break
        who = credit_author(person_name(change["first_name"], change["last_name"]), change["through"])
        what = ChangeKind(change["kind"]).describe(change["summary"])
        since.append(ConcurrentChange(who, datetime.fromisoformat(change["at"]), what))
        row |= before
    was = table.load(row) if row["version"] == seen_version else None
    return VersionConflict(SENTENCE, current=record, base=was, since=tuple(since))


def _changes_to(tx: Tx, scope: Id, entity: str, key: str) -> list[Row]:
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
        most=CHANGES_COMPARED,
    )
