"""The schema, as a list of migrations. sqlite-utils records those that have run; ``user_version`` is their number."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from core.storage.schema.renames import (
    gates_and_keys_in_plain_words,
    names_are_those_of_the_glossary,
    tasks_and_activities_share_messages,
)
from core.storage.schema.tables import FIRST_SCHEMA

if TYPE_CHECKING:
    from sqlite_utils import Database as SqliteUtilsDatabase


def first_schema(db: SqliteUtilsDatabase) -> None:
    from core.storage import full_text

    for statement in FIRST_SCHEMA.split(";\n"):
        if statement.strip():
            db.execute(statement)
    for statement in full_text.search_schema():
        db.execute(statement)
    db.execute("INSERT INTO feed (id, seq) VALUES ('workspace', 0)")


def imports_name_their_importer(db: SqliteUtilsDatabase) -> None:
    """Comments and gate records name their importer. For earlier imports the name comes from the history."""
    db.execute(
        "CREATE TEMP TABLE imported AS"
        " SELECT change.project_id, change.actor_id, change.at, entity, json_extract(key, '$.id') AS id,"
        "  json_extract(key, '$.user_id') AS user_id, json_extract(after, '$.invited_by') AS invited_by"
        " FROM change JOIN change_record USING (project_id, seq)"
        " WHERE change.message = 'ImportProject' AND entity IN ('comment', 'gate_record', 'member')"
    )
    for table, person in (("comment", "author_id"), ("gate_record", "by_id")):
        for column in ("imported_by TEXT", "imported_at TEXT"):
            db.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
        for column in ("original_login", "original_name"):
            db.execute(f"ALTER TABLE {table} ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")
        db.execute(
            f"UPDATE {table} SET imported_by = imported.actor_id, imported_at = imported.at,"
            "  original_login = named.login, original_name = trim(named.first_name || ' ' || named.last_name),"
            f" {person} = imported.actor_id FROM imported, app_user AS named"
            f" WHERE named.id = {table}.{person} AND imported.entity = '{table}'"
            f"  AND imported.project_id = {table}.project_id AND imported.id = {table}.id"
        )
    db.execute(
        "UPDATE member SET invited_by = imported.actor_id FROM imported"
        " WHERE imported.entity = 'member' AND imported.project_id = member.project_id"
        "  AND imported.user_id = member.user_id AND imported.invited_by = member.invited_by"
    )
    db.execute("DROP TABLE temp.imported")


def products_have_tokens(db: SqliteUtilsDatabase) -> None:
    """Tokens of products. The token of a removed product stays and is refused, until the removal is undone."""
    db.execute(
        "CREATE TABLE product_token ("
        " id TEXT PRIMARY KEY, product_id TEXT NOT NULL, label TEXT NOT NULL, hash TEXT NOT NULL UNIQUE,"
        " created_at TEXT NOT NULL, expires_at TEXT NOT NULL, revoked_at TEXT, version INTEGER NOT NULL) STRICT"
    )
    db.execute("CREATE INDEX product_token_product ON product_token(product_id)")


def access_made_by_others_says_so(db: SqliteUtilsDatabase) -> None:
    """Tokens, linked accounts and changes name the user who made the access. Earlier ones get it from the history."""
    db.execute("ALTER TABLE token ADD COLUMN made_by TEXT")
    db.execute("ALTER TABLE token ADD COLUMN through TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE enrolment ADD COLUMN made_by TEXT")
    for table in ("change", "comment", "gate_record"):
        db.execute(f"ALTER TABLE {table} ADD COLUMN through TEXT NOT NULL DEFAULT ''")
    db.execute(
        "CREATE TEMP TABLE made AS SELECT entity, actor_id, trim(first_name || ' ' || last_name) AS name,"
        "  coalesce(json_extract(key, '$.id'), json_extract(key, '$.os_user')) AS id,"
        "  json_extract(after, '$.at') AS at"
        " FROM change JOIN change_record USING (project_id, seq) JOIN app_user ON app_user.id = actor_id"
        " WHERE change.project_id = 'workspace' AND before IS NULL AND entity IN ('token', 'enrolment')"
    )
    db.execute(
        "UPDATE token SET made_by = made.actor_id,"
        " through = CASE made.actor_id WHEN token.user_id THEN '' ELSE 'with a token made by ' || made.name END"
        " FROM made WHERE made.entity = 'token' AND made.id = token.id"
    )
    db.execute(
        "UPDATE enrolment SET made_by = made.actor_id"
        " FROM made WHERE made.entity = 'enrolment' AND made.id = enrolment.os_user AND made.at = enrolment.at"
    )
    db.execute("DROP TABLE temp.made")


def gateways_open_sessions(db: SqliteUtilsDatabase) -> None:
    """Tokens of gateways, and the gateway that opened a session. Earlier sessions have none."""
    db.execute(
        "CREATE TABLE gateway_token ("
        " id TEXT PRIMARY KEY, label TEXT NOT NULL, hash TEXT NOT NULL UNIQUE, made_by TEXT NOT NULL,"
        " created_at TEXT NOT NULL, expires_at TEXT NOT NULL, revoked_at TEXT, version INTEGER NOT NULL) STRICT"
    )
    db.execute("ALTER TABLE token ADD COLUMN gateway_id TEXT")


def notices_say_through_what(db: SqliteUtilsDatabase) -> None:
    """Notifications of actions with a token that another user made say so, as the history does."""
    db.execute("ALTER TABLE notice ADD COLUMN through TEXT NOT NULL DEFAULT ''")


def large_projects_come_in_slices(db: SqliteUtilsDatabase) -> None:
    """The projects whose import is not finished, and statistics about a large project for SQLite's query planner.

    Without them the planner expects ten rows in a project, and reads all cards to find the tasks of an activity.
    """
    db.execute(
        "CREATE TABLE unfinished (project_id TEXT PRIMARY KEY, pid INTEGER NOT NULL, at TEXT NOT NULL) STRICT,"
        " WITHOUT ROWID"
    )
    rows_and_rows_with_the_same_first_columns = {
        "item": "50000 5000 1",
        "item_id": "50000 1",
        "item_phase": "50000 5000 500 100",
        "item_order": "50000 5000 500 1",
        "item_due": "50000 5000 1000 10",
        "item_activity": "50000 5000 10 3",
        "item_assignee": "50000 5000 100",
        "item_mine": "50000 500 5",
    }
    db.execute("ANALYZE sqlite_schema")  # creates the table of statistics, empty
    for index, rows in rows_and_rows_with_the_same_first_columns.items():
        db.execute("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('item', ?, ?)", [index, rows])


def people_have_quotas(db: SqliteUtilsDatabase) -> None:
    """The amount that each user has added in a day, by kind (``core.engine.quotas``)."""
    db.execute(
        "CREATE TABLE usage (user_id TEXT NOT NULL, kind TEXT NOT NULL, day TEXT NOT NULL, amount INTEGER NOT NULL,"
        " PRIMARY KEY (user_id, kind)) STRICT, WITHOUT ROWID"
    )


def accounts_and_imports_name_their_host(db: SqliteUtilsDatabase) -> None:
    """Linked accounts and unfinished imports belong to a machine; those of before to the one that migrates."""
    from core.net.this_host import host_id

    db.execute(
        "CREATE TABLE linked_account_of_a_host ("
        " host TEXT NOT NULL, os_user TEXT NOT NULL, uid INTEGER NOT NULL, user_id TEXT NOT NULL REFERENCES"
        " app_user(id), at TEXT NOT NULL, version INTEGER NOT NULL, made_by TEXT,"
        " PRIMARY KEY (host, os_user), UNIQUE (host, uid)) STRICT, WITHOUT ROWID"
    )
    db.execute(
        "INSERT INTO linked_account_of_a_host (host, os_user, uid, user_id, at, version, made_by)"
        " SELECT ?, os_user, uid, user_id, at, version, made_by FROM linked_account",
        [host_id()],
    )
    db.execute("DROP TABLE linked_account")
    db.execute("ALTER TABLE linked_account_of_a_host RENAME TO linked_account")
    db.execute("CREATE INDEX linked_account_user ON linked_account(user_id)")
    db.execute("ALTER TABLE unfinished ADD COLUMN host TEXT NOT NULL DEFAULT ''")
    db.execute("UPDATE unfinished SET host = ?", [host_id()])


def projects_keep_their_item_counts(db: SqliteUtilsDatabase) -> None:
    """The number of items of each phase in each status (``core.engine.counters``), counted once here."""
    db.execute("ALTER TABLE feed ADD COLUMN item_counts TEXT NOT NULL DEFAULT '{}'")
    statuses = ("TO_DO", "IN_PROGRESS", "COMPLETED", "ARCHIVED")
    numbers = ", ".join(f"count(*) FILTER (WHERE status = '{status}')" for status in statuses)
    counted = f"SELECT project_id, phase_id, {numbers} FROM item GROUP BY project_id, phase_id ORDER BY phase_id"
    phases: dict[str, dict[str, list[int]]] = {}
    for project_id, phase_id, *of_phase in db.execute(counted).fetchall():
        phases.setdefault(project_id, {})[phase_id] = of_phase
    for project_id, counts in phases.items():
        db.execute("UPDATE feed SET item_counts = ? WHERE id = ?", [json.dumps(counts), project_id])


def projects_keep_their_completions(db: SqliteUtilsDatabase) -> None:
    """The items completed on each of the last days, from the history; and item counts that tell how many of the
    archived items were completed (``core.engine.counters``, ``core.engine.counters``)."""
    db.execute("ALTER TABLE feed ADD COLUMN completions TEXT NOT NULL DEFAULT '{}'")
    statuses = ("TO_DO", "IN_PROGRESS", "COMPLETED", "ARCHIVED")
    numbers = ", ".join(f"count(*) FILTER (WHERE status = '{status}')" for status in statuses)
    numbers += ", count(*) FILTER (WHERE status = 'ARCHIVED' AND archived_from = 'COMPLETED')"
    counted = f"SELECT project_id, phase_id, {numbers} FROM item GROUP BY project_id, phase_id ORDER BY phase_id"
    phases: dict[str, dict[str, list[int]]] = {}
    for project_id, phase_id, *of_phase in db.execute(counted).fetchall():
        phases.setdefault(project_id, {})[phase_id] = of_phase
    for project_id, counts in phases.items():
        db.execute("UPDATE feed SET item_counts = ? WHERE id = ?", [json.dumps(counts), project_id])
    first = (datetime.now(UTC) - timedelta(days=16)).date().isoformat()
    moves = (
        "SELECT change.project_id, change.at, before, after FROM change JOIN change_record USING (project_id, seq)"
        " WHERE change.at > ? AND entity = 'item' AND before IS NOT NULL AND after LIKE '%\"status\"%'"
        " ORDER BY change.project_id, change.at"
    )
    completed: dict[str, dict[str, int]] = {}
    for project_id, at, *values in db.execute(moves, [first]).fetchall():
        before, after = map(json.loads, values)
        done = [
            each["status"] == "COMPLETED" or (each["status"] == "ARCHIVED" and each.get("archived_from") == "COMPLETED")
            for each in (before, after)
            if "status" in before and "status" in after
        ]
        if len(set(done)) == 2:
            days = completed.setdefault(project_id, {})
            days[at[:10]] = days.get(at[:10], 0) + (1 if done[1] else -1)
    for project_id, days in completed.items():
        db.execute("UPDATE feed SET completions = ? WHERE id = ?", [json.dumps(days), project_id])


def projects_have_keys(db: SqliteUtilsDatabase) -> None:
    """The keys of projects, from their names, and the numbers of cards, in the order of their creation."""
    from core.text.short_keys import keys_for

    db.execute("ALTER TABLE project ADD COLUMN key TEXT NOT NULL DEFAULT ''")
    db.execute(
        "CREATE TABLE project_key (key TEXT PRIMARY KEY, project_id TEXT NOT NULL REFERENCES project(id),"
        " version INTEGER NOT NULL) STRICT, WITHOUT ROWID"
    )
    db.execute("CREATE INDEX project_key_project ON project_key(project_id)")
    given: set[str] = set()
    for project_id, name in db.execute("SELECT id, name FROM project ORDER BY created_at, id").fetchall():
        key = next(each for each in keys_for(name) if each not in given)
        given.add(key)
        db.execute("UPDATE project SET key = ? WHERE id = ?", [key, project_id])
        db.execute("INSERT INTO project_key (key, project_id, version) VALUES (?, ?, 1)", [key, project_id])
    db.execute("ALTER TABLE item ADD COLUMN number INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE feed ADD COLUMN last_number INTEGER NOT NULL DEFAULT 0")
    db.execute(
        "UPDATE item SET number = counted.number FROM ("
        " SELECT project_id, id, row_number() OVER (PARTITION BY project_id ORDER BY id) AS number FROM item"
        ") AS counted WHERE counted.project_id = item.project_id AND counted.id = item.id"
    )
    db.execute("CREATE UNIQUE INDEX item_number ON item(number, project_id)")
    db.execute("UPDATE feed SET last_number = coalesce((SELECT max(number) FROM item WHERE project_id = feed.id), 0)")


def cards_have_labels(db: SqliteUtilsDatabase) -> None:
    """Labels of projects and of the workspace, those of cards, and the priority of cards, which begins as normal.

    Presets that show all fields of cards show these, too."""
    db.execute("ALTER TABLE item ADD COLUMN priority TEXT NOT NULL DEFAULT 'NORMAL'")
    db.execute(
        "CREATE TABLE label (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, name TEXT NOT NULL, colour TEXT NOT NULL,"
        " sign TEXT NOT NULL, version INTEGER NOT NULL) STRICT"
    )
    db.execute("CREATE INDEX label_project ON label(project_id)")
    db.execute(
        "CREATE TABLE item_label (project_id TEXT NOT NULL, item_id TEXT NOT NULL,"
        " label_id TEXT NOT NULL REFERENCES label(id), version INTEGER NOT NULL,"
        " PRIMARY KEY (project_id, item_id, label_id),"
        " FOREIGN KEY (project_id, item_id) REFERENCES item(project_id, id)) STRICT, WITHOUT ROWID"
    )
    db.execute("CREATE INDEX item_label_label ON item_label(label_id, project_id)")
    every = {"ASSIGNEES", "DUE", "TASKS", "COMMENTS", "LINK", "PRODUCT"}
    for preset_id, text in db.execute("SELECT id, fields FROM preset").fetchall():
        if set(shown := json.loads(text)) == every:
            shown += ["LABELS", "PRIORITY"]
            db.execute("UPDATE preset SET fields = ? WHERE id = ?", [json.dumps(shown), preset_id])


def projects_have_fields(db: SqliteUtilsDatabase) -> None:
    """The own fields of projects, and their values on cards."""
    db.execute(
        "CREATE TABLE field ("
        " project_id TEXT NOT NULL REFERENCES project(id), id TEXT NOT NULL, rank TEXT NOT NULL, name TEXT NOT NULL,"
        " key TEXT NOT NULL, kind TEXT NOT NULL, choices TEXT NOT NULL, sums INTEGER NOT NULL,"
        " removed INTEGER NOT NULL, version INTEGER NOT NULL, PRIMARY KEY (project_id, id)) STRICT, WITHOUT ROWID"
    )
    db.execute("CREATE UNIQUE INDEX field_id ON field(id)")
    db.execute("CREATE UNIQUE INDEX field_key ON field(project_id, key) WHERE removed = 0")
    db.execute(
        "CREATE TABLE item_field ("
        " project_id TEXT NOT NULL, item_id TEXT NOT NULL, field_id TEXT NOT NULL, value TEXT NOT NULL, user_id TEXT,"
        " version INTEGER NOT NULL, PRIMARY KEY (project_id, item_id, field_id),"
        " FOREIGN KEY (project_id, item_id) REFERENCES item(project_id, id),"
        " FOREIGN KEY (project_id, field_id) REFERENCES field(project_id, id),"
        " FOREIGN KEY (project_id, user_id) REFERENCES member(project_id, user_id)) STRICT, WITHOUT ROWID"
    )
    db.execute("CREATE INDEX item_field_field ON item_field(project_id, field_id)")
    db.execute("CREATE INDEX item_field_user ON item_field(project_id, user_id) WHERE user_id IS NOT NULL")


def cards_wait(db: SqliteUtilsDatabase) -> None:
    """Dependencies between cards. The card that another one waits for may be deleted, so nothing refers to it."""
    db.execute(
        "CREATE TABLE dependency ("
        " project_id TEXT NOT NULL, waiting_id TEXT NOT NULL, blocker_id TEXT NOT NULL,"
        " blocker_project_id TEXT NOT NULL, lag_days INTEGER NOT NULL, override_reason TEXT NOT NULL,"
        " overridden_by TEXT, overridden_at TEXT, through TEXT NOT NULL, version INTEGER NOT NULL,"
        " PRIMARY KEY (project_id, waiting_id, blocker_id),"
        " FOREIGN KEY (project_id, waiting_id) REFERENCES item(project_id, id)) STRICT, WITHOUT ROWID"
    )
    db.execute("CREATE INDEX dependency_blocker ON dependency(blocker_project_id, blocker_id)")
    elsewhere = "WHERE project_id <> blocker_project_id"
    db.execute(f"CREATE INDEX dependency_elsewhere ON dependency(project_id, blocker_project_id) {elsewhere}")
    db.execute(f"CREATE INDEX dependency_from_elsewhere ON dependency(blocker_project_id, project_id) {elsewhere}")


def projects_are_found_by_name(db: SqliteUtilsDatabase) -> None:
    """An index of the names of projects, by which ``podium open NAME`` finds one among thousands."""
    db.execute("CREATE INDEX project_name ON project(name)")


def sections_are_in_order(db: SqliteUtilsDatabase) -> None:
    """An index has the cards of each section in order, for those that a screen shows first; with its statistics."""
    db.execute("CREATE INDEX item_section ON item(project_id, phase_id, status, rank)")
    db.execute("DROP INDEX IF EXISTS item_phase")
    db.execute("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('item', 'item_section', '50000 5000 500 100 1')")


def gates_have_seals(db: SqliteUtilsDatabase) -> None:
    """Seals of decisions; and what was in the history alone: who completed cards, delivered, and withdrew decisions.

    Gates that require evidence go on to accept statements, since all evidence was a text until now.
    """
    from core.storage.schema.gate_history import bring_gates_forward

    bring_gates_forward(db)


def notifications_carry_requests(db: SqliteUtilsDatabase) -> None:
    """A notification can ask for consent: its sentence, and the messages that were wanted."""
    for column in ("words", "wanted"):
        db.execute(f"ALTER TABLE notification ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")


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


MIGRATIONS: Mapping[Callable[[SqliteUtilsDatabase], None], str] = {
    first_schema: "ede9ba276821a31a",
    imports_name_their_importer: "52b088725a1bf553",
    products_have_tokens: "7f4e44e80e7916f0",
    access_made_by_others_says_so: "eb207f750a69ab6d",
    gateways_open_sessions: "d11ad1680c1d5011",
    notices_say_through_what: "9af880d316e2f586",
    large_projects_come_in_slices: "08b2161c92220203",
    people_have_quotas: "aff2e2d43b79b4d7",
    names_are_those_of_the_glossary: "431358c6e6b07c5e",
    gates_and_keys_in_plain_words: "431358c6e6b07c5e",
    accounts_and_imports_name_their_host: "391959487a5de76a",
    projects_keep_their_item_counts: "9d8209546fd9510f",
    projects_keep_their_completions: "61bea2baead9553c",
    projects_have_keys: "c57270715134b764",
    cards_have_labels: "f24820402733f1a5",
    projects_have_fields: "62fe1e175b7db894",
    cards_wait: "506012d8081d4a74",
    projects_are_found_by_name: "b05775af9f8ad93e",
    sections_are_in_order: "268d971461c70725",
    gates_have_seals: "97fe8046828ba21e",
    notifications_carry_requests: "d18bee2a58cc369d",
    access_names_all_makers: "a31b44a5416fd8b4",
    presets_can_be_undone: "a31b44a5416fd8b4",
    tasks_and_activities_share_messages: "a31b44a5416fd8b4",
}
"""The migrations in order, each with the form of the schema after it (``schema_hash.form_of``).

They have run on people's files, so they are never changed. A new schema is a new function at the end.
"""

FORMS = tuple(MIGRATIONS.values())

SCHEMA_VERSION = len(FORMS)
"""The number of migrations; a file with a higher number was made by a newer Podium."""

COMPATIBLE: frozenset[Callable[[SqliteUtilsDatabase], None]] = frozenset(
    {
        projects_are_found_by_name,
        sections_are_in_order,
        notifications_carry_requests,
        access_names_all_makers,
        presets_can_be_undone,
    }
)
"""Migrations after which servers of the version before go on, on PostgreSQL.

They add tables, indexes (also wider ones in the place of others), and columns with defaults that those servers need not
fill. A migration that removes, renames, or gives a column another meaning is not one of them.
"""


def least_program() -> int:
    """The lowest SCHEMA_VERSION of a program that can use a database with all migrations."""
    return max(number for number, each in enumerate(MIGRATIONS, 1) if each not in COMPATIBLE)


def migrate(db: SqliteUtilsDatabase) -> None:
    """Bring a database up to date. The caller holds the write lock; foreign keys are off meanwhile."""
    from sqlite_utils.migrations import Migrations

    from core.storage.schema.schema_hash import FORMS_BEFORE_THE_FIRST, bring_forward, form_of

    if form_of(db.conn) in FORMS_BEFORE_THE_FIRST:
        bring_forward(db.conn, lambda: first_schema(db))
    migrations = Migrations("podium")
    for migration in MIGRATIONS:
        migrations()(migration)
    migrations.apply(db)
    db.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
