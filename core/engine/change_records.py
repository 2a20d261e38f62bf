"""The records of a change, as a unit of work collects them and as the history stores them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from core.domain.model import Id
from core.record import Record, field
from core.storage.row_mapper import ORDER

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


def added(project_id: Id, seq: int, changes: Sequence[RecordChange], first: int) -> list[tuple[str, dict[str, object]]]:
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
