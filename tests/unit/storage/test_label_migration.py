"""Cards of older files get the normal priority, and presets that showed all fields show labels and priority too."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database as SqliteUtilsDatabase
from sqlite_utils.migrations import Migrations

from core.domain.view_settings import CardField
from core.storage.schema.migrations import MIGRATIONS, access_names_all_makers, cards_have_labels, presets_can_be_undone
from tests.support.database_forms import make_database
from tests.support.postgres_cluster import about_the_file
from tests.unit.storage.test_migrations import opened, row_of

pytestmark = about_the_file


def test_only_presets_that_showed_all_fields_show_those_that_came(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_database(path, list(MIGRATIONS).index(cards_have_labels))
    preset = row_of(path, "preset")
    few = preset | {"id": "few", "name": "Few", "fields": '["DUE"]'}
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute(f"INSERT INTO preset ({', '.join(few)}) VALUES ({', '.join(f':{each}' for each in few)})", few)
    rows = opened(path)
    assert {row["priority"] for row in rows["item"]} == {"NORMAL"}
    shown = {row["id"]: json.loads(row["fields"]) for row in rows["preset"]}
    assert set(shown[preset["id"]]) == set(CardField)
    assert shown["few"] == ["DUE"]


ALL_OF_BEFORE = '["ASSIGNEES", "DUE", "TASKS", "COMMENTS", "LINK", "PRODUCT"]'


def shared_before(path: Path, number: int) -> None:
    """Share two presets that show all fields with the Podium of a schema, and bring the file to it, by its code."""
    make_database(path, list(MIGRATIONS).index(cards_have_labels))
    preset = row_of(path, "preset")
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        (project_id,) = file.execute("SELECT id FROM project").fetchone()
        change = row_of(path, "change") | {"project_id": project_id, "message": "SharePreset", "kind": "DO"}
        for seq, name in ((9001, "kept"), (9002, "narrowed")):
            shared = preset | {"id": name, "name": name, "project_id": project_id, "owner_id": None}
            shared["fields"] = ALL_OF_BEFORE
            record = {"project_id": project_id, "seq": seq, "position": 0, "entity": "preset", "before": None}
            record |= {"key": json.dumps({"id": name}), "after": json.dumps(shared)}
            for table, row in (("preset", shared), ("change", change | {"seq": seq}), ("change_record", record)):
                names = ", ".join(row)
                file.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join(f':{each}' for each in row)})", row)
    bring_to(path, number)
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("UPDATE preset SET fields = ? WHERE id = 'narrowed'", [ALL_OF_BEFORE])


def bring_to(path: Path, number: int) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        database = SqliteUtilsDatabase(file, execute_plugins=False)
        applied = Migrations("podium")
        for migration in list(MIGRATIONS)[:number]:
            applied()(migration)
        applied.apply(database)
        file.execute(f"PRAGMA user_version = {number}")


@pytest.mark.parametrize(
    "number",
    [
        list(MIGRATIONS).index(cards_have_labels) + 1,
        list(MIGRATIONS).index(presets_can_be_undone),
        list(MIGRATIONS).index(access_names_all_makers),
    ],
)
def test_what_the_history_says_of_a_preset_is_what_the_upgrade_made_of_it(tmp_path: Path, number: int) -> None:
    path = tmp_path / "podium.db"
    shared_before(path, number)
    rows = opened(path)
    shown = {row["id"]: row["fields"] for row in rows["preset"]}
    with closing(sqlite3.connect(path)) as file:
        records = file.execute("SELECT key, after FROM change_record WHERE entity = 'preset'").fetchall()
    said = {json.loads(key)["id"]: json.loads(after)["fields"] for key, after in records}
    assert set(json.loads(said["kept"])) == set(CardField)
    assert said["kept"] == shown["kept"]
    assert said["narrowed"] == shown["narrowed"] == ALL_OF_BEFORE
