"""The migration that mends what the history says of presets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite_utils import Database as SqliteUtilsDatabase


def presets_can_be_undone(db: SqliteUtilsDatabase) -> None:
    """The history has the fields of presets to which ``cards_have_labels`` added labels and priority, for their undo.

    The newest record of such a preset says all the same but these two. Removing them has made a newer one.
    """
    shown = dict(db.execute("SELECT id, fields FROM preset").fetchall())
    records = db.execute(
        "SELECT project_id, seq, position, key, after FROM change_record"
        " WHERE entity = 'preset' AND after LIKE '%\"fields\"%' ORDER BY project_id, seq, position"
    ).fetchall()
    for *place, key, text in {key: (*place, key, after) for *place, key, after in records}.values():
        after = json.loads(text)
        now = shown.get(json.loads(key)["id"])
        if now and json.loads(now) == [*json.loads(after["fields"]), "LABELS", "PRIORITY"]:
            db.execute(
                "UPDATE change_record SET after = ? WHERE project_id = ? AND seq = ? AND position = ?",
                [json.dumps(after | {"fields": now}), *place],
            )
