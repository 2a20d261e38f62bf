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
from core.engine.counters import counts_in, miscounted
from core.storage.schema import migrations
from core.storage.schema.migrations import MIGRATIONS
from core.storage.sqlite.database import SqliteDatabase
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
    counts = counts_in(row_of(path, "feed", id=item["project_id"])["item_counts"])
    assert (counts["one"], counts["two"]) == (ItemCounts(1, 1, 2, 1), ItemCounts(completed=2))
    assert counts_in(row_of(path, "feed", id=WORKSPACE)["item_counts"]) == {}


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
    assert counts_in(feed["item_counts"])["one"] == ItemCounts(archived=2, archived_completed=1)
    assert json.loads(feed["completions"]) == {days[0].date().isoformat(): 1, days[1].date().isoformat(): 1}


def test_projects_of_before_get_keys_and_their_cards_numbers_in_the_order_of_their_creation(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_database(path, list(MIGRATIONS).index(migrations.projects_have_keys))
    project, phase, item = row_of(path, "project"), row_of(path, "phase"), row_of(path, "item")
    names = {"one": "Autumn", "two": "Autumn", "three": "春"}
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        for place, (name, called) in enumerate(names.items()):
            at = f"2030-01-0{place + 1}T00:00:00.000+00:00"
            add(file, "project", project | {"id": name, "name": called, "auth_id": name, "created_at": at})
            add(file, "feed", {"id": name, "seq": 0})
        add(file, "phase", phase | {"project_id": "one", "id": "p"})
        for name in ("c", "a", "b"):
            alone = {"activity_id": None, "assignee_id": None, "project_id": "one", "phase_id": "p"}
            add(file, "item", item | alone | {"id": name})
    after = opened(path)
    keys = {row["id"]: row["key"] for row in after["project"]}
    assert [keys[name] for name in names] == ["AUT", "AUTU", "PRO"]
    assert [row["number"] for row in after["item"] if row["project_id"] == "one"] == [1, 2, 3]
    assert [row["last_number"] for row in after["feed"] if row["id"] in ("one", "two")] == [3, 0]
    with closing(SqliteDatabase(path)) as database:
        rows = database.read(lambda tx: tx.tuples("SELECT project_id, key FROM project_key"))
        assert dict(rows) == keys
        assert database.read(miscounted) == ["one"]  # its cards were written past its counts
