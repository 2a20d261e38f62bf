"""The items of older files are counted once, when the files are brought forward."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from core.domain.model import WORKSPACE
from core.domain.statuses import ItemCounts
from core.engine import item_counts
from core.engine.item_counts import miscounted
from core.storage.schema import migrations
from core.storage.schema.migrations import MIGRATIONS
from core.storage.sqlite import SqliteDatabase
from tests.support.database_forms import make_database
from tests.support.postgres_cluster import about_the_file
from tests.unit.storage.test_migrations import opened, row_of

pytestmark = about_the_file


def add(file: sqlite3.Connection, table: str, row: dict[str, Any]) -> None:
    file.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join(f':{each}' for each in row)})", row)


def test_the_items_of_before_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_database(path, list(MIGRATIONS).index(migrations.projects_keep_their_item_counts))
    phase, item = row_of(path, "phase"), row_of(path, "item")
    statuses = {"one": ("TO_DO", "IN_PROGRESS", "COMPLETED", "COMPLETED", "ARCHIVED"), "two": ("COMPLETED",) * 2}
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        for name, of_items in statuses.items():
            add(file, "phase", phase | {"id": name})
            for number, status in enumerate(of_items):
                add(file, "item", item | {"id": f"{name} {number}", "phase_id": name, "status": status})
    opened(path)
    with closing(SqliteDatabase(path)) as database:
        assert database.read(miscounted) == []
    counts = item_counts.loaded(row_of(path, "feed", id=item["project_id"])["item_counts"])
    assert (counts["one"], counts["two"]) == (ItemCounts(1, 1, 2, 1), ItemCounts(completed=2))
    assert item_counts.loaded(row_of(path, "feed", id=WORKSPACE)["item_counts"]) == {}


def test_archived_cards_that_were_completed_and_the_completions_of_before_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_database(path, list(MIGRATIONS).index(migrations.projects_keep_their_completions))
    phase, item = row_of(path, "phase"), row_of(path, "item")
    days = [(datetime.now(UTC) - timedelta(days=ago)) for ago in (0, 1, 60)]
    moves: list[tuple[datetime, dict[str, Any] | None, dict[str, Any]]] = [
        (days[0], {"status": "TO_DO"}, {"status": "COMPLETED"}),
        (days[0], {"status": "IN_PROGRESS"}, {"status": "COMPLETED"}),
        (days[0], {"status": "COMPLETED"}, {"status": "TO_DO"}),
        (days[0], {"status": "COMPLETED", "archived_from": None}, {"status": "ARCHIVED", "archived_from": "COMPLETED"}),
        (days[0], None, {"title": "imported", "status": "COMPLETED"}),
        (days[1], {"status": "TO_DO"}, {"status": "COMPLETED"}),
        (days[1], {"title": "x"}, {"title": '"status"'}),
        (days[2], {"status": "TO_DO"}, {"status": "COMPLETED"}),
    ]
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        add(file, "phase", phase | {"id": "one"})
        for number, was in enumerate(("COMPLETED", "TO_DO")):
            given = {"id": f"one {number}", "phase_id": "one", "status": "ARCHIVED", "archived_from": was}
            add(file, "item", item | given)
        change = row_of(path, "change", project_id=item["project_id"])
        for seq, (at, before, after) in enumerate(moves, 7000):
            add(file, "change", change | {"seq": seq, "at": at.isoformat(timespec="milliseconds")})
            values = [json.dumps(each) if each is not None else None for each in ({"id": "x"}, before, after)]
            file.execute(
                "INSERT INTO change_record VALUES (?, ?, 0, 'item', ?, ?, ?)", (item["project_id"], seq, *values)
            )
    opened(path)
    with closing(SqliteDatabase(path)) as database:
        assert database.read(miscounted) == []
    feed = row_of(path, "feed", id=item["project_id"])
    assert item_counts.loaded(feed["item_counts"])["one"] == ItemCounts(archived=2, archived_completed=1)
    assert json.loads(feed["completions"]) == {days[0].date().isoformat(): 1, days[1].date().isoformat(): 1}
