"""The migration by which access says how its maker was signed in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlite_utils import Database as SqliteUtilsDatabase


def access_names_all_makers(db: SqliteUtilsDatabase) -> None:
    """Access says how its maker was signed in, also for those of before; and launches, by what they were made."""
    for table, column in (("linked_account", "through"), ("gateway_token", "through"), ("launch", "sign_in")):
        db.execute(f"ALTER TABLE {table} ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")
    made = db.execute(
        "SELECT entity, change_record.key, after, change.through FROM change JOIN change_record"
        " ON change_record.project_id = change.project_id AND change_record.seq = change.seq"
        " WHERE change.project_id = 'workspace' AND change.through <> '' AND before IS NULL"
        " AND entity IN ('token', 'gateway_token', 'linked_account')"
    ).fetchall()
    name = "(SELECT trim(first_name || ' ' || last_name) FROM app_user WHERE app_user.id = made_by)"
    by_token = f"through = 'with a token made by ' || {name} || ' (who was signed in ' || ? || ')'"
    for entity, key, after, means in made:
        if entity == "linked_account":
            row = [means, json.loads(key)["os_user"], json.loads(after)["at"]]
            db.execute("UPDATE linked_account SET through = ? WHERE os_user = ? AND at = ?", row)
            continue
        said = f"{by_token} WHERE made_by <> user_id AND" if entity == "token" else "through = ? WHERE"
        db.execute(f"UPDATE {entity} SET {said} id = ?", [means, json.loads(key)["id"]])
