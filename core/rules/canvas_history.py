"""The history of a Canvas since a seq: which records changed, who changed them, and which cards they concern."""

from __future__ import annotations

import json
from collections.abc import Iterable

from core.domain.canvas import ActivitySummary
from core.domain.model import ChangeKind, Id
from core.engine.unit_of_work import Snapshot
from core.storage.database import Row
from core.storage.row_mapper import ORDER
from core.text.phrases import credited, full_name

MAX_RECORDS = 5_000
"""The most record changes that are returned one by one. Beyond it, reading the whole Canvas costs less."""


def are_many(view: Snapshot, project_id: Id, since: int) -> bool:
    """Return whether there are more changes than are returned one by one."""
    sql = "SELECT 1 FROM change_record WHERE project_id = :id AND seq > :since LIMIT 1 OFFSET :most"
    return view.tx.kept(
        ("many changes", project_id, since),
        lambda: bool(view.tx.tuples(sql, id=project_id, since=since, most=MAX_RECORDS)),
    )


def records_since(view: Snapshot, project_id: Id, since: int) -> list[Row]:
    """Return each record's changes since ``since``, with the user who made them."""
    return view.rows(
        "SELECT actor_id, entity, key, before, after FROM change_record"
        " JOIN change ON change.project_id = change_record.project_id AND change.seq = change_record.seq"
        " WHERE change_record.project_id = :project_id AND change_record.seq > :since",
        project_id=project_id,
        since=since,
    )


def history_since(view: Snapshot, project_id: Id, since: int) -> list[Row]:
    """Return the changes since ``since``, the newest first, with the user who made them."""
    return view.rows(
        "SELECT actor_id, change.kind, change.summary, change.through, first_name, last_name FROM change"
        " LEFT JOIN app_user ON app_user.id = change.actor_id"
        " WHERE change.project_id = :project_id AND change.seq > :since"
        " ORDER BY change.seq DESC",
        project_id=project_id,
        since=since,
    )


def activity_since(rows: list[Row]) -> ActivitySummary | None:
    """Summarise changes for one sentence: the people who made them, their number, and the newest."""
    if not rows:
        return None
    names = dict.fromkeys(
        credited(full_name(row["first_name"], row["last_name"]) or "an unknown person", row["through"]) for row in rows
    )
    newest = rows[0]
    kind, summary = ChangeKind(newest["kind"]), newest["summary"]
    return ActivitySummary(names=tuple(names), changes=len(rows), kind=kind, summary=summary)


def deleted_in(records: list[Row]) -> set[Id]:
    """Return the ids of the items and applications that were deleted."""
    return {
        json.loads(each["key"])["id"]
        for each in records
        if each["entity"] in ("item", "application") and each["after"] is None
    }


def renumbered_in(records: list[Row]) -> set[Id]:
    """Return the ids of the records that have a new rank only because of a renumbering."""
    return {each for record in records if record["entity"] == ORDER for each in json.loads(record["after"])}


def fields_removed_in(records: list[Row]) -> bool:
    """Return True if an own field was removed, or brought back by an undo."""
    return any(
        each["entity"] == "field" and '"removed"' in (each["after"] or "") and each["before"] for each in records
    )


def waiting_in(records: list[Row]) -> set[Id]:
    """Return the cards whose dependencies were changed."""
    return {json.loads(each["key"])["waiting_id"] for each in records if each["entity"] == "dependency"}


def items_of(row: Row) -> Iterable[Id]:
    """Return the items and applications whose cards one record may change; also the activity that a task left.

    An assignment may name a phase, whose id then matches no card.
    """
    if row["entity"] in ("item", "application"):
        yield json.loads(row["key"])["id"]
        left = json.loads(row["before"] or "{}").get("activity_id")
        if left:
            yield left
    elif row["entity"] == "dependency":
        yield from (json.loads(row["key"])[end] for end in ("waiting_id", "blocker_id"))
    elif row["entity"] == "assignment":
        yield json.loads(row["key"])["target_id"]
    elif row["entity"] in ("item_label", "item_field"):
        yield json.loads(row["key"])["item_id"]
    elif row["entity"] == "comment":
        yield json.loads(row["before"] or row["after"])["item_id"]
