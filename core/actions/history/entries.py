"""The lines of the history: what a change did, who made it and when, and the values that it changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from core.domain.model import ChangeKind, Id
from core.engine.change_records import RecordChange
from core.engine.changed_values import ChangedValue, changed_values
from core.engine.unit_of_work import Snapshot, in_workspace
from core.record import Record
from core.storage.database import Row, placeholders
from core.text.phrases import credit_author, full_name

PAGE = 200
"""The number of changes on one page of the history."""

MAX_VALUES = 20
"""The most values that a line of the history tells."""

MAX_RECORDS = 40
"""The most records of a change that are read to tell its values; the others are counted."""


class ChangedRecord(Record):
    """The card, phase or application that a change was about. It may have been deleted since."""

    kind: str
    """ITEM, PHASE or APPLICATION."""
    id: Id


class HistoryEntry(Record):
    """One change as a line of the history."""

    seq: int
    at: datetime
    actor_id: Id
    actor: str
    kind: ChangeKind
    message: str
    summary: str
    reverts: int | None = None
    """The seq of the change that an undo or a redo reverted."""
    about: ChangedRecord | None = None
    """Filled in only for pages of the history, as are the values."""
    values: tuple[ChangedValue, ...] = ()
    """The first 20 values that it changed, in words."""
    more_values: int = 0
    """The number of the other values; a record that was not read counts as one."""

    def sentences(self, most: int = MAX_VALUES) -> list[str]:
        """Return the first values as sentences, without what the summary says; then the number of the others."""
        match self.values:
            case (only,) if not self.more_values:
                is_said = [each is None or each in self.summary for each in (only.before, only.after)]
                return [only.change] if only.change and not all(is_said) else []
        said = [each.sentence for each in self.values if each.change or f"“{each.name}”" not in self.summary]
        more = len(said[most:]) + self.more_values
        return said[:most] + ([f"and {more:,} more"] if more else [])


SELECT_LINES = (
    "SELECT change.seq, change.at, change.actor_id, change.kind, change.message, change.summary, change.reverts,"
    " change.through, first_name, last_name FROM change LEFT JOIN app_user ON app_user.id = change.actor_id"
)


def page_before(view: Snapshot, scope: Id, before: int | None) -> tuple[HistoryEntry, ...]:
    return _page(view, scope, "change.seq < :before", before=before if before is not None else 2**62)


def last_changes(view: Snapshot, project_id: Id, most: int) -> tuple[HistoryEntry, ...]:
    """Return the last changes of a project, the newest first, without what they are about."""
    rows = view.rows(
        f"{SELECT_LINES} WHERE change.project_id = :scope ORDER BY change.seq DESC LIMIT :most",
        scope=project_id,
        most=most,
    )
    return tuple(entry_of(row) for row in rows)


def changes_by_others(view: Snapshot, project_id: Id, after: int) -> tuple[HistoryEntry, ...]:
    """Return the newest page of changes that other users made after a seq."""
    condition = "change.seq > :after AND change.actor_id <> :me"
    return _page(view, project_id, condition, after=after, me=view.actor.user_id)


def _page(view: Snapshot, scope: Id, condition: str, **params: object) -> tuple[HistoryEntry, ...]:
    rows = view.rows(
        f"{SELECT_LINES} WHERE change.project_id = :scope AND {condition} ORDER BY change.seq DESC LIMIT :page",
        scope=scope,
        page=PAGE,
        **params,
    )
    records, others = _records(view, scope, [row["seq"] for row in rows])
    values_of = changed_values(view, records, {scope}, MAX_VALUES)
    lines = []
    for row in rows:
        values, more = values_of[row["seq"]]
        about = _about(scope, records[row["seq"]])
        lines.append(entry_of(row, about=about, values=values, more_values=more + others[row["seq"]]))
    return tuple(lines)


def _records(view: Snapshot, scope: Id, seqs: Sequence[int]) -> tuple[dict[int, list[RecordChange]], dict[int, int]]:
    """Return the first records of each change of a page, and the number of its others, without those only touched."""
    found: dict[int, list[RecordChange]] = {seq: [] for seq in seqs}
    others = dict.fromkeys(seqs, 0)
    rows = view.tx.tuples(
        "SELECT seq, entity, key, before, after, others FROM (SELECT seq, position, entity, key, before, after,"
        " row_number() OVER (PARTITION BY seq ORDER BY position) AS number,"
        """ sum(CASE WHEN substr(before, 1, 10) = '{"version"' OR entity = 'notification' THEN 0 ELSE 1 END) OVER"""
        " (PARTITION BY seq ORDER BY position DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS others"
        " FROM change_record WHERE project_id = :scope AND seq BETWEEN :first AND :last) AS numbered"
        " WHERE number <= :most ORDER BY seq, position",
        scope=scope,
        first=min(seqs, default=0),
        last=max(seqs, default=0),
        most=MAX_RECORDS,
    )
    texts = ",".join(text or "null" for row in rows for text in row[2:5])
    parsed = iter(json.loads(f"[{texts}]"))  # all at once, since a page has hundreds
    for (seq, entity, *_, left), key, before, after in zip(rows, parsed, parsed, parsed, strict=True):
        if seq in found:
            found[seq].append(RecordChange(entity, key, before, after))
            others[seq] = left or 0
    return found, others


_POINTERS = {
    "item": ("ITEM", "id"),
    "phase": ("PHASE", "id"),
    "comment": ("ITEM", "item_id"),
    "item_label": ("ITEM", "item_id"),
    "dependency": ("ITEM", "waiting_id"),
    "gate_record": ("PHASE", "phase_id"),
    "deliverable": ("PHASE", "phase_id"),
    "application": ("APPLICATION", "id"),
    "launch": ("APPLICATION", "application_id"),
}
"""Tables whose rows are, or belong to, a card, a phase or an application, with the column of its id."""


def _about(scope: Id, records: Iterable[RecordChange]) -> ChangedRecord | None:
    """Return the first card, phase or application among the records of a change.

    A change of the workspace, such as the removal of a label, is about none: the cards are of projects.
    """
    for each in records if not in_workspace(scope) else ():
        kind, column = _POINTERS.get(each.entity, ("", ""))
        if record_id := {**(each.after or each.before or {}), **each.key}.get(column):
            return ChangedRecord(kind=kind, id=record_id)
    return None


def entry_of(row: Row, **of_pages: Any) -> HistoryEntry:
    """Return the line in a row of ``SELECT_LINES``."""
    return HistoryEntry(
        seq=row["seq"],
        at=datetime.fromisoformat(row["at"]),
        actor_id=row["actor_id"],
        actor=credit_author(full_name(row["first_name"], row["last_name"]), row["through"]),
        kind=ChangeKind(row["kind"]),
        message=row["message"],
        summary=row["summary"],
        reverts=row["reverts"],
        **of_pages,
    )


def item_history(view: Snapshot, project_id: Id, *record_ids: Id) -> tuple[HistoryEntry, ...]:
    """Return the last 50 changes of any of these records, the newest first, with their own values, not the first."""
    keys, params = placeholders(json.dumps({"project_id": project_id, "id": each}) for each in record_ids)
    of_them = f"FROM change_record WHERE project_id = :scope AND key IN {keys}"
    rows = view.rows(
        f"{SELECT_LINES} WHERE change.project_id = :scope AND change.seq IN (SELECT seq {of_them})"
        " ORDER BY change.seq DESC LIMIT 50",
        scope=project_id,
        **params,
    )
    records = {row["seq"]: list[RecordChange]() for row in rows}
    updates = f"{of_them} AND before IS NOT NULL"
    newest = f"SELECT seq, entity, key, before, after {updates} ORDER BY seq DESC, position DESC LIMIT 200"
    for seq, entity, *texts in reversed(view.tx.tuples(newest, scope=project_id, **params)):
        if seq in records:
            key, before, after = (json.loads(text) if text else None for text in texts)
            records[seq].append(RecordChange(entity, key or {}, before, after))
    values_of = changed_values(view, records, {project_id}, MAX_VALUES)
    return tuple(entry_of(row, values=values_of[row["seq"]][0], more_values=values_of[row["seq"]][1]) for row in rows)
