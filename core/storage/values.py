"""Checks that every row can be read. SQLite's own check does not find an invalid date, status or JSON text."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, cast

from fractional_indexing import validate_order_key

from core.domain.model import ChangeKind
from core.domain.permissions import Permission
from core.errors import DatabaseDamaged
from core.storage.row_mapper import stored_records, table_named

WITHOUT_RECORDS = ("feed", "change", "change_record", "receipt")


def _permissions(text: str) -> None:
    for word in text.split():
        Permission(word)


def _an_object(text: str) -> None:
    if not isinstance(json.loads(text), dict):
        raise ValueError("no object")


def _values(text: str | None) -> None:
    if text and not isinstance(json.loads(text), dict | list):
        raise ValueError("no values")


_COLUMNS: Mapping[str, Mapping[str, Callable[[Any], object]]] = {
    "phase": {"rank": validate_order_key},
    "deliverable": {"rank": validate_order_key},
    "item": {"rank": validate_order_key},
    "application": {"rank": validate_order_key},
    "gate_criterion": {"rank": validate_order_key},
    "template_version": {"body": _an_object},
    "gate_seal": {"body": _an_object},
    "launch": {"context": _an_object},
    "change": {"at": datetime.fromisoformat, "kind": ChangeKind, "permissions": _permissions},
    "change_record": {"key": _an_object, "before": _values, "after": _values},
    "feed": {"item_counts": _an_object, "completions": _an_object},
    "receipt": {"at": datetime.fromisoformat},
}
"""Checks of columns beyond the types of a record's fields, and of tables without records."""


_REFERENCES = (
    ("item", "completed_by", "app_user", "app_user.id = item.completed_by"),
    ("deliverable", "delivered_by", "app_user", "app_user.id = deliverable.delivered_by"),
    ("comment", "author_id", "app_user", "app_user.id = comment.author_id"),
    ("gate_record", "by_id", "app_user", "app_user.id = gate_record.by_id"),
    (
        "gate_record",
        "of_id",
        "gate_record AS decision",  # not in a project that is imported or deleted in slices
        "decision.project_id = gate_record.project_id AND decision.id = gate_record.of_id"
        " UNION SELECT 1 FROM unfinished WHERE project_id = gate_record.project_id",
    ),
    (
        "gate_seal",
        "record_id",
        "gate_record",
        "gate_record.project_id = gate_seal.project_id AND gate_record.id = gate_seal.record_id",
    ),
    (
        "template",
        "number",
        "template_version",
        "template_id = template.id AND template_version.number = template.number",
    ),
)
"""References without a foreign key in the schema: table, column, other table, and the condition that joins them."""


def check_readable(connection: sqlite3.Connection) -> None:
    """Raise DatabaseDamaged for the first row that cannot be read, with its table and key. Reads everything."""
    for table in (
        *stored_records(),
        "change",
        "change_record",
        "receipt",
    ):
        for row in _rows(connection, table):
            _check_row(table, row)
    for table, column, other, condition in _REFERENCES:
        found = f"SELECT 1 FROM {other} WHERE {condition}"
        for row in _rows(connection, table, f" WHERE {column} IS NOT NULL AND NOT EXISTS ({found}) LIMIT 1"):
            raise table_named(table).unreadable(cast(Mapping[str, Any], row), column)


def _rows(connection: sqlite3.Connection, table: str, condition: str = "") -> Iterator[sqlite3.Row]:
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    yield from cursor.execute(f"SELECT * FROM {table}{condition}")


def _check_row(table: str, row: sqlite3.Row) -> None:
    if table not in WITHOUT_RECORDS:
        table_named(table).load(cast(Mapping[str, Any], row))
    for column, read in _COLUMNS.get(table, {}).items():
        try:
            read(row[column])
        except Exception as error:
            key = " ".join(str(row[each]) for each in row.keys()[:2])
            raise DatabaseDamaged(
                f"The row {key} of the table {table} cannot be read: “{str(row[column])[:60]}” stands in {column}. "
                "“podium restore” restores a backup; the file is kept."
            ) from error
