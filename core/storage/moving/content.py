"""The content of a database, short enough to compare: number and SHA-256 of the rows of each table."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any

from core.record import Record
from core.storage.moving.stores import Store
from core.storage.schema.copied_tables import CopiedTable


class TableContent(Record, kw_only=False):
    """The content of one table."""

    rows: int
    sha256: str
    """In hexadecimal, over the rows in the order of the key, each as a line of JSON."""


def content(store: Store, tables: Iterable[CopiedTable], tick: Callable[[], None]) -> dict[str, TableContent]:
    """The content of each table by its name. ``tick`` is called for each row. The store has a transaction."""
    return {table.name: _of(store.rows(table), tick) for table in tables}


def _of(rows: Iterable[tuple[Any, ...]], tick: Callable[[], None]) -> TableContent:
    digest, number = sha256(), 0
    for row in rows:
        digest.update(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        number += 1
        tick()
    return TableContent(number, digest.hexdigest())
