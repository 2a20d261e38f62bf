"""Cards of older files get the normal priority, and presets that showed all fields show labels and priority too."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from core.domain.view_settings import CardField
from core.storage.schema import migrations
from core.storage.schema.migrations import MIGRATIONS
from tests.support.database_forms import make_database
from tests.support.postgres_cluster import about_the_file
from tests.unit.storage.test_migrations import opened, row_of

pytestmark = about_the_file


def test_only_presets_that_showed_all_fields_show_those_that_came(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_database(path, list(MIGRATIONS).index(migrations.cards_have_labels))
    preset = row_of(path, "preset")
    few = preset | {"id": "few", "name": "Few", "fields": '["DUE"]'}
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute(f"INSERT INTO preset ({', '.join(few)}) VALUES ({', '.join(f':{each}' for each in few)})", few)
    rows = opened(path)
    assert {row["priority"] for row in rows["item"]} == {"NORMAL"}
    shown = {row["id"]: json.loads(row["fields"]) for row in rows["preset"]}
    assert set(shown[preset["id"]]) == set(CardField)
    assert shown["few"] == ["DUE"]
