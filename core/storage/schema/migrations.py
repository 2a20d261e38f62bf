"""The schema: the first one, and the migrations since. sqlite-utils records those that have run.

``user_version`` is the number of the schema. Other programs, and unreleased Podiums, can have changed the tables under
a number, so a schema is also known by its form: a hash of its tables, indexes and triggers.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from core.errors import DatabaseTooOld
from core.storage.schema.tables import FIRST_SCHEMA, STATISTICS

if TYPE_CHECKING:
    from sqlite_utils import Database as SqliteUtilsDatabase

FIRST_VERSION = 19
"""The number of the first schema: that of the oldest databases which are brought forward."""

LAST_UPGRADER = "c5e989be"
"""The last commit of Podium that brings databases of older schemas forward."""


def first_schema(db: SqliteUtilsDatabase) -> None:
    from core.storage import full_text

    for statement in FIRST_SCHEMA.split(";\n"):
        if statement.strip():
            db.execute(statement)
    for statement in full_text.search_schema():
        db.execute(statement)
    db.execute("INSERT INTO feed (id, seq) VALUES ('workspace', 0)")
    db.execute("ANALYZE sqlite_schema")  # creates the table of statistics, empty
    for index, rows in STATISTICS.items():
        db.execute("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('item', ?, ?)", [index, rows])


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
    """The history has the fields of presets to which schema 15 added labels and priority, for their undo.

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


def tasks_and_activities_share_messages(db: SqliteUtilsDatabase) -> None:
    """The messages that tasks and activities now share have one name, in the history and in requests for consent."""
    verbs = ("Move%s", "Reorder%s", "Set%sDueDate", "Archive%s", "Restore%s", "Delete%s")
    renamed = {verb % kind: verb % "Card" for verb in verbs for kind in ("Task", "Activity")}
    db.execute(
        "UPDATE change SET message = replace(replace(message, 'Task', 'Card'), 'Activity', 'Card')"
        f" WHERE message IN ({', '.join('?' * len(renamed))})",
        list(renamed),
    )

    def with_new_names(wanted: str) -> str:
        steps = json.loads(wanted)
        for step in steps:
            if new := renamed.get(step["message"]):
                step["message"] = new
                step["cardId"] = step.pop("taskId", None) or step.pop("activityId")
        return json.dumps(steps, ensure_ascii=False)

    requests = "SELECT project_id, id, wanted FROM notification WHERE wanted <> ''"
    for *place, wanted in db.execute(requests).fetchall():
        values = [with_new_names(wanted), *place]
        db.execute("UPDATE notification SET wanted = ? WHERE project_id = ? AND id = ?", values)
    for column in ("before", "after"):
        records = db.execute(
            f"SELECT project_id, seq, position, {column} FROM change_record"
            f" WHERE entity = 'notification' AND {column} LIKE '%\"wanted\": \"[%'"
        ).fetchall()
        for *place, text in records:
            record = json.loads(text)
            values = [json.dumps(record | {"wanted": with_new_names(record["wanted"])}), *place]
            where = "project_id = ? AND seq = ? AND position = ?"
            db.execute(f"UPDATE change_record SET {column} = ? WHERE {where}", values)


def gates_have_panels(db: SqliteUtilsDatabase) -> None:
    """Policies and criteria of gates, conditions of decisions, votes in the record, and phases on hold."""
    db.execute("ALTER TABLE phase ADD COLUMN on_hold INTEGER NOT NULL DEFAULT 0")
    for column in ("ground TEXT NOT NULL DEFAULT ''", "meeting TEXT", "recorded_by TEXT"):
        db.execute(f"ALTER TABLE gate_record ADD COLUMN {column}")
    of_phase = (
        "PRIMARY KEY (project_id, {key}), FOREIGN KEY (project_id, phase_id) REFERENCES phase(project_id, id)) STRICT,"
        " WITHOUT ROWID"
    )
    db.execute(
        "CREATE TABLE gate_policy (project_id TEXT NOT NULL, phase_id TEXT NOT NULL, deciders TEXT NOT NULL,"
        " meta_role_id TEXT REFERENCES meta_role(id), people TEXT NOT NULL, needed INTEGER, four_eyes INTEGER NOT NULL,"
        f" decide_by TEXT, secretary_id TEXT, version INTEGER NOT NULL, {of_phase.format(key='phase_id')}"
    )
    db.execute(
        "CREATE TABLE gate_criterion (project_id TEXT NOT NULL, id TEXT NOT NULL, phase_id TEXT NOT NULL,"
        " rank TEXT NOT NULL, text TEXT NOT NULL, kind TEXT NOT NULL, person_id TEXT, met_by TEXT, met_at TEXT,"
        " filter TEXT NOT NULL, field_id TEXT, at_least INTEGER NOT NULL, amount TEXT NOT NULL,"
        " may_be_empty INTEGER NOT NULL, matched TEXT NOT NULL, version INTEGER NOT NULL,"
        f" {of_phase.format(key='id')}"
    )
    db.execute(
        "CREATE TABLE gate_condition (project_id TEXT NOT NULL REFERENCES project(id), id TEXT NOT NULL,"
        " phase_id TEXT NOT NULL, vote_id TEXT NOT NULL, text TEXT NOT NULL, person_id TEXT NOT NULL,"
        " due TEXT NOT NULL, decision_id TEXT, item_id TEXT, next_phase_id TEXT, met_by TEXT, met_at TEXT,"
        " waived_by TEXT, waived_at TEXT, waiver TEXT NOT NULL, version INTEGER NOT NULL,"
        " PRIMARY KEY (project_id, id)) STRICT, WITHOUT ROWID"
    )
    db.execute("CREATE INDEX gate_policy_meta_role ON gate_policy(meta_role_id) WHERE meta_role_id IS NOT NULL")
    db.execute("CREATE INDEX gate_criterion_phase ON gate_criterion(project_id, phase_id)")
    for of in ("next_phase_id", "item_id"):
        db.execute(f"CREATE INDEX gate_condition_{of} ON gate_condition(project_id, {of})")
    db.execute("CREATE UNIQUE INDEX gate_criterion_id ON gate_criterion(id)")
    db.execute("CREATE UNIQUE INDEX gate_condition_id ON gate_condition(id)")


def search_has_scopes(db: SqliteUtilsDatabase) -> None:
    """The indexes of search on PostgreSQL have the scope of each document, as the index of SQLite has.

    ``podium migrate`` makes all indexes that are missing, so there is nothing to do here.
    """


def memberships_have_an_order(db: SqliteUtilsDatabase) -> None:
    """Memberships are in the order in which their user's projects are listed, so that a page reads itself alone.

    Podium folds the case of names, since engines do it differently. Triggers bring the rest to the memberships.
    """
    db.execute("ALTER TABLE project ADD COLUMN sort_name TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE member ADD COLUMN project_archived INTEGER NOT NULL DEFAULT 0")
    db.execute("ALTER TABLE member ADD COLUMN project_sort_name TEXT NOT NULL DEFAULT ''")
    for project_id, name in db.execute("SELECT id, name FROM project").fetchall():
        db.execute("UPDATE project SET sort_name = ? WHERE id = ?", [name.casefold(), project_id])
    as_its_project = (
        "UPDATE member SET project_archived = project.archived, project_sort_name = project.sort_name FROM project"
        " WHERE project.id = member.project_id"
    )
    db.execute(as_its_project)
    db.execute("CREATE INDEX member_order ON member(user_id, project_archived, project_sort_name, project_id)")
    db.execute(
        "CREATE TRIGGER member_ordered AFTER INSERT ON member"
        f" BEGIN {as_its_project} AND member.project_id = NEW.project_id AND member.user_id = NEW.user_id; END"
    )
    db.execute(
        "CREATE TRIGGER project_ordered AFTER UPDATE OF archived, sort_name ON project"
        " WHEN NEW.archived <> OLD.archived OR NEW.sort_name <> OLD.sort_name BEGIN UPDATE member"
        " SET project_archived = NEW.archived, project_sort_name = NEW.sort_name WHERE project_id = NEW.id; END"
    )


def workspaces_have_a_week_limit(db: SqliteUtilsDatabase) -> None:
    """The open cards of one person in a week above which the workload marks the week."""
    db.execute("ALTER TABLE workspace ADD COLUMN week_limit INTEGER NOT NULL DEFAULT 5")


def cards_have_origins(db: SqliteUtilsDatabase) -> None:
    """The program and the id that an imported card had there, and its values as they were last imported."""
    db.execute(
        "CREATE TABLE card_origin ("
        " project_id TEXT NOT NULL, item_id TEXT NOT NULL, program TEXT NOT NULL, source_id TEXT NOT NULL,"
        " last TEXT NOT NULL, version INTEGER NOT NULL, PRIMARY KEY (project_id, item_id),"
        " FOREIGN KEY (project_id, item_id) REFERENCES item(project_id, id)) STRICT, WITHOUT ROWID"
    )


def search_folds_letters(db: SqliteUtilsDatabase) -> None:
    """Search finds words inside runs of Chinese, Japanese, Korean and Thai, and “Straße” by “strasse”.

    PostgreSQL does not run these statements: those of ``core.storage.postgres.search.folding_schema`` are its own.
    """
    from core.storage import full_text

    for statement in full_text.folding_schema():
        db.execute(statement)


MIGRATIONS: Mapping[Callable[[SqliteUtilsDatabase], None], str] = {
    first_schema: "268d971461c70725",
    gates_have_seals: "97fe8046828ba21e",
    notifications_carry_requests: "d18bee2a58cc369d",
    access_names_all_makers: "a31b44a5416fd8b4",
    presets_can_be_undone: "a31b44a5416fd8b4",
    tasks_and_activities_share_messages: "a31b44a5416fd8b4",
    gates_have_panels: "68d7ada8942891af",
    search_has_scopes: "68d7ada8942891af",
    memberships_have_an_order: "385b418887a2c143",
    workspaces_have_a_week_limit: "df325917db7a11d3",
    cards_have_origins: "0982c60e2d3386c3",
    search_folds_letters: "d9501011b8702ee2",
}
"""The migrations in order, each with the form of the schema after it (``form_of``).

They have run on people's files, so they are never changed. A new schema is a new function at the end.
"""


def _sha256() -> Callable[[bytes], Any]:
    """The hash from the module behind ``hashlib``, which would load OpenSSL: that takes longer than opening a file."""
    for name in ("_sha2", "_sha256"):  # of Python 3.12 and later, and of 3.11
        with contextlib.suppress(ImportError):
            found: Callable[[bytes], Any] = import_module(name).sha256
            return found
    from hashlib import sha256

    return sha256


SHA256 = _sha256()


def form_of(connection: sqlite3.Connection) -> str:
    """The hash of the schema, independent of white space and of the quotes that ALTER TABLE puts around names.

    It leaves out tables that SQLite makes itself (its own, and those of the full text index), and tables whose names
    begin with ``_``, in which tools such as sqlite-utils and Litestream store their data.
    """
    rows = connection.execute(
        "SELECT type || '|' || name || '|' || tbl_name || '|' || coalesce(sql, 'None') FROM sqlite_master"
        " WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        " AND name NOT LIKE 'search\\_text\\_%' ESCAPE '\\' AND tbl_name NOT LIKE '\\_%' ESCAPE '\\'"
        " ORDER BY type, name"
    )
    text = "\n".join("".join(row.replace('"', "").split()) for (row,) in rows)
    return str(SHA256(text.encode()).hexdigest())[:16]


FORMS = tuple(MIGRATIONS.values())

SCHEMA_VERSION = FIRST_VERSION + len(FORMS) - 1
"""The number of the schema that all migrations make; a file with a higher number was made by a newer Podium."""

COMPATIBLE: frozenset[Callable[[SqliteUtilsDatabase], None]] = frozenset(
    {
        notifications_carry_requests,
        access_names_all_makers,
        presets_can_be_undone,
        search_has_scopes,
        workspaces_have_a_week_limit,
        search_folds_letters,
    }
)
"""Migrations after which servers of the version before go on, on PostgreSQL.

They add tables, indexes (also wider ones in the place of others), and columns with defaults that those servers need not
fill. A migration that removes, renames, or gives a column another meaning is not one of them.
"""


def least_program() -> int:
    """The lowest SCHEMA_VERSION of a program that can use a database with all migrations."""
    return max(number for number, each in enumerate(MIGRATIONS, FIRST_VERSION) if each not in COMPATIBLE)


def check_not_too_old(version: int, place: object) -> None:
    """Raise DatabaseTooOld for a database from before the first schema."""
    if version < FIRST_VERSION:
        raise DatabaseTooOld(
            f"{place} has schema {version}, and this Podium opens databases from schema {FIRST_VERSION} on: run "
            f"“podium migrate” of its commit {LAST_UPGRADER} on it once, and open it with this one then."
        )


def migrate(connection: sqlite3.Connection, application_id: int) -> None:
    """Create or upgrade the schema under the write lock, so that programs starting together do it once."""
    from sqlite_utils import Database as SqliteUtilsDatabase
    from sqlite_utils.migrations import Migrations

    migrations = Migrations("podium")
    for migration in MIGRATIONS:
        migrations()(migration)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("BEGIN IMMEDIATE")
    try:
        migrations.apply(SqliteUtilsDatabase(connection, execute_plugins=False))
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute(f"PRAGMA application_id = {application_id}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    finally:
        connection.execute("PRAGMA foreign_keys = ON")
