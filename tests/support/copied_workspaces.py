"""Copies of workspaces from one database to another, and whether these can be worked in."""

from __future__ import annotations

import itertools
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import pytest

from core.errors import DatabaseMissing, DatabaseMoved
from core.net.database_url import DatabasePlace, DatabaseUrl
from core.storage.copying import CopiedWorkspace, copy_workspace, read_content, store_of
from core.storage.opening import open_database
from core.storage.progress import Progress
from core.storage.schema.copied_tables import copied_tables

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)

KINDS = ("file", "database")
WAYS = tuple(itertools.product(KINDS, KINDS))


def copy(source: DatabasePlace, target: DatabasePlace, progress: Progress | None = None) -> CopiedWorkspace:
    return copy_workspace(source, target, NOON, progress or Progress())


def content_of(place: DatabasePlace) -> dict[str, Any]:
    with closing(store_of(place)) as store:
        store.begin(is_source=False)
        return read_content(store, copied_tables(), lambda: None)


def text_of(place: DatabasePlace) -> str:
    """The place as it is written on a command line, with its password."""
    return place.secret if isinstance(place, DatabaseUrl) else str(place)


def can_be_worked_in(place: DatabasePlace) -> bool:
    try:
        with closing(open_database(place)) as database:
            return bool(database.read(lambda tx: tx.tuples("SELECT id FROM workspace")))
    except (DatabaseMissing, DatabaseMoved):
        return False


def refused(place: DatabasePlace) -> str:
    with pytest.raises(DatabaseMoved) as refusal:
        open_database(place).close()
    assert "s3cret" not in str(refusal.value)
    return str(refusal.value)
