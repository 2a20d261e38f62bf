"""The history of a Canvas since a seq: which records changed, who changed them, and which cards they concern."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from core.domain.canvas import ActivitySummary
from core.domain.model import WORKSPACE, ChangeKind, Id
from core.engine.unit_of_work import Snapshot
from core.storage.database import Row
from core.storage.row_mapper import ORDER
from core.text.phrases import credit_author, person_name

MAX_RECORDS = 5_000
"""The most record changes that are returned one by one. Beyond it, reading the whole Canvas costs less."""


def history_since(view: Snapshot, project_id: Id, since: int) -> list[Row] | None:
    """Return each record's changes since ``since``, the oldest first, with the change that they belong to and the user
    who made it; ``entity`` is NULL for a change without records. None if they are too many."""
    found = view.rows(
        "SELECT change.seq, actor_id, change.kind, change.summary, change.through, first_name, last_name,"
        " entity, key, before, after FROM change"
        " LEFT JOIN change_record ON change_record.project_id = change.project_id AND change_record.seq = change.seq"
        " LEFT JOIN app_user ON app_user.id = change.actor_id"
        " WHERE change.project_id = :project_id AND change.seq > :since"
        " ORDER BY change.seq, position LIMIT :most",
        project_id=project_id,
        since=since,
        most=MAX_RECORDS + 1,
    )
    return found if len(found) <= MAX_RECORDS else None


def changes_in(history: Sequence[Row]) -> list[Row]:
    """Return one row for each change, the newest first."""
    return list({row["seq"]: row for row in reversed(history)}.values())


def workspace_records(view: Snapshot, since: int, seq: int) -> list[Row] | None:
    """Return the records of the workspace from ``since`` to ``seq``; None if they are too many."""
    if seq == since:
        return []
    sql = (
        "SELECT entity, key FROM change_record WHERE project_id = :workspace AND seq > :since"
        " ORDER BY seq, position LIMIT :most"
    )
    found = view.rows(sql, workspace=WORKSPACE, since=since, most=MAX_RECORDS + 1)
    return found if since < seq and len(found) <= MAX_RECORDS else None


def activity_since(rows: list[Row]) -> ActivitySummary | None:
    """Summarise changes for one sentence: the people who made them, their number, and the newest."""
    if not rows:
        return None
    names = dict.fromkeys(
        credit_author(person_name(row["first_name"], row["last_name"]), row["through"]) for row in rows
    )
    newest = rows[0]
    kind, summary = ChangeKind(newest["kind"]), newest["summary"]
    return ActivitySummary(names=tuple(names), changes=len(rows), kind=kind, summary=summary)


def keys_of(records: Sequence[Row], entity: str, column: str = "id") -> set[Id]:
    """Return the ids that the records of an entity have in a column of their key."""
    return {json.loads(each["key"])[column] for each in records if each["entity"] == entity}


def values_before(records: Sequence[Row], entity: str) -> dict[Id, dict[str, Any] | None]:
    """Return the values that the records of an entity had before these changes, in the columns that were changed.

    Of a record that was deleted since it has all columns; None stands for one that did not exist yet.
    """
    found: dict[Id, dict[str, Any] | None] = {}
    for each in reversed(records):
        if each["entity"] == entity:
            row_id, before = json.loads(each["key"])["id"], each["before"]
            found[row_id] = None if before is None else {**(found.get(row_id) or {}), **json.loads(before)}
    return found


def renames_cards(of_workspace: Sequence[Row]) -> bool:
    """Return True if records of the workspace change any card: a product, or the labels on cards."""
    return any(each["entity"] in ("product", "item_label") for each in of_workspace)


def deleted_in(records: Sequence[Row]) -> set[Id]:
    """Return the ids of the items and applications that were deleted."""
    return {
        json.loads(each["key"])["id"]
        for each in records
        if each["entity"] in ("item", "application") and each["after"] is None
    }


def renumbered_in(records: Sequence[Row]) -> set[Id]:
    """Return the ids of the records that have a new rank only because of a renumbering."""
    return {each for record in records if record["entity"] == ORDER for each in json.loads(record["after"])}


def fields_removed_in(records: Sequence[Row]) -> bool:
    """Return True if an own field was removed, or brought back by an undo."""
    return any(
        each["entity"] == "field" and '"removed"' in (each["after"] or "") and each["before"] for each in records
    )


def waiting_in(records: Sequence[Row]) -> set[Id]:
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
