"""What the history says of a Canvas since a seq: which records changed, by whom, and which cards that concerns."""

from __future__ import annotations

import json
from collections.abc import Iterable

from core.domain.canvas import ActivitySummary
from core.domain.model import ChangeKind, Id
from core.engine.unit_of_work import Snapshot
from core.storage.database import Row
from core.storage.row_mapper import ORDER
from core.text.phrases import credited, full_name


def records_since(view: Snapshot, project_id: Id, since: int) -> list[Row]:
    """What was done to each record since, and by whom."""
    return view.rows(
        "SELECT actor_id, entity, key, before, after FROM change_record"
        " JOIN change ON change.project_id = change_record.project_id AND change.seq = change_record.seq"
        " WHERE change_record.project_id = :project_id AND change_record.seq > :since",
        project_id=project_id,
        since=since,
    )


def history_since(view: Snapshot, project_id: Id, since: int) -> list[Row]:
    """The changes since, the newest first, and who made them."""
    return view.rows(
        "SELECT actor_id, change.kind, change.summary, change.through, first_name, last_name FROM change"
        " LEFT JOIN app_user ON app_user.id = change.actor_id"
        " WHERE change.project_id = :project_id AND change.seq > :since"
        " ORDER BY change.seq DESC",
        project_id=project_id,
        since=since,
    )


def doings_of(rows: list[Row]) -> ActivitySummary | None:
    """The changes in a sentence's parts: who made them, and the newest."""
    if not rows:
        return None
    names = dict.fromkeys(
        credited(full_name(row["first_name"], row["last_name"]) or "somebody", row["through"]) for row in rows
    )
    newest = rows[0]
    kind, summary = ChangeKind(newest["kind"]), newest["summary"]
    return ActivitySummary(names=tuple(names), changes=len(rows), kind=kind, summary=summary)


def deleted_in(records: list[Row]) -> set[Id]:
    """The items and applications that are gone."""
    return {
        json.loads(each["key"])["id"]
        for each in records
        if each["entity"] in ("item", "application") and each["after"] is None
    }


def renumbered_in(records: list[Row]) -> set[Id]:
    """Those whose key of order is another one since: nobody touched them."""
    return {each for record in records if record["entity"] == ORDER for each in json.loads(record["after"])}


def items_of(row: Row) -> Iterable[Id]:
    """The items and applications whose cards one record may change; what left its activity names that too.

    What people are assigned to may also be a phase: then no card is found by its id.
    """
    if row["entity"] in ("item", "application"):
        yield json.loads(row["key"])["id"]
        left = json.loads(row["before"] or "{}").get("activity_id")
        if left:
            yield left
    elif row["entity"] == "assignment":
        yield json.loads(row["key"])["target_id"]
    elif row["entity"] == "comment":
        yield json.loads(row["before"] or row["after"])["item_id"]
