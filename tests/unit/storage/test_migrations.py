"""Files of older forms are brought forward with what they hold; what is of no known form is refused."""

from __future__ import annotations

import ast
import inspect
import io
import json
import re
import sqlite3
import tokenize
from contextlib import closing
from hashlib import sha256
from itertools import chain
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database as SqliteUtilsDatabase

from core.actions.cards.cards import MoveCard, SetCardDueDate
from core.actions.cards.tasks import CreateTask
from core.codec.encoding import camel
from core.domain.model import Status
from core.domain.view_settings import CardField
from core.errors import DatabaseDamaged, DatabaseTooNew, DatabaseTooOld
from core.storage import full_text
from core.storage.restoring import restore
from core.storage.schema import gate_history, migrations
from core.storage.schema.integrity import damage
from core.storage.schema.migrations import (
    FIRST_VERSION,
    FORMS,
    LAST_UPGRADER,
    MIGRATIONS,
    SCHEMA_VERSION,
    cards_have_origins,
    form_of,
    memberships_have_an_order,
    presets_can_be_undone,
    search_folds_letters,
    tasks_and_activities_share_messages,
    workspaces_have_a_week_limit,
)
from core.storage.schema.tables import FIRST_SCHEMA, STATISTICS
from core.storage.sqlite.database import SqliteDatabase
from core.text.excerpts import words_of
from core.wire.message_decoder import COMMANDS_FIELD, check_value
from tests.support.database_forms import ROWS, make_database, number_before, rows_of
from tests.support.postgres_cluster import about_the_file
from tests.support.typed_words import TYPED
from tests.support.workspace import new_database

pytestmark = about_the_file

TEXTS = {
    "first_schema": "db9d28d1efcfd7be",
    "gates_have_seals": "53885056241baffd",
    "notifications_carry_requests": "f44ad89d976eb8ae",
    "access_names_all_makers": "de0207c5860e5e89",
    "presets_can_be_undone": "098d6ac24a05fb99",
    "tasks_and_activities_share_messages": "4bea3c7f707222d3",
    "gates_have_panels": "e6a3146cb63398d9",
    "search_has_scopes": "c9845c869fba741a",
    "memberships_have_an_order": "b844ec58d0f8433d",
    "workspaces_have_a_week_limit": "9a91cb4394837f08",
    "cards_have_origins": "034b56daea70954d",
    "search_folds_letters": "3634c9f974bf68f6",
}
"""The code of each migration, as a hash. Add a line for a new one, and never change one of an older: its code has run
on people's files, so other code would make another form under the same number."""


def text_of(name: str) -> str:
    """The hash of a migration's code without docstring and comments, with the statements that it runs."""
    source = inspect.getsource(getattr(migrations, name))
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    docstring = ast.get_docstring(function, clean=False) or ""
    tokens = tokenize.generate_tokens(io.StringIO(source.replace(docstring, "", 1)).readline)
    parts = [token.string for token in tokens if token.type != tokenize.COMMENT]
    if name == "first_schema":
        parts += [FIRST_SCHEMA, *full_text.search_schema(), *chain(*STATISTICS.items())]
    if name == "search_folds_letters":
        parts += full_text.folding_schema()
    if name == "gates_have_seals":
        parts += [ast.unparse(ast.parse(inspect.getsource(gate_history)))]
    return sha256("".join("".join(parts).split()).encode()).hexdigest()[:16]


def test_no_migration_changes_its_text() -> None:
    assert {migration.__name__: text_of(migration.__name__) for migration in MIGRATIONS} == TEXTS


@pytest.mark.parametrize("number", range(FIRST_VERSION, SCHEMA_VERSION + 1))
def test_each_number_has_one_form(number: int) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        database = SqliteUtilsDatabase(connection, execute_plugins=False)
        for migration in list(MIGRATIONS)[: number - FIRST_VERSION + 1]:
            migration(database)
        assert form_of(connection) == FORMS[number - FIRST_VERSION]


# -- the form before is brought forward with its data --------------------------------------------------------------
#
# A new migration needs a test like these: make_database(path, number_before(MIGRATION)), open it, and say what became
# of the rows that the migration is about.


def opened(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows after this Podium opened the file, which must be undamaged and of the newest form."""
    with closing(SqliteDatabase(path)) as database:
        assert form_of(database.connection) == FORMS[-1]
        assert damage(database.connection) == []
    return rows_of(path)


@pytest.mark.parametrize("number", range(FIRST_VERSION, SCHEMA_VERSION + 1))
def test_every_row_of_an_older_form_is_there_after_it_is_brought_forward(tmp_path: Path, number: int) -> None:
    path = tmp_path / "podium.db"
    make_database(path, number)
    before = rows_of(path)
    after = opened(path)
    for table, rows in before.items():
        assert len(after[table]) == len(rows) > 0, table
    assert (tmp_path / "backups" / "podium-before-upgrade.db").exists() == (number < SCHEMA_VERSION)


def test_the_rows_of_the_first_form_keep_their_values(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_database(path, FIRST_VERSION)
    after = opened(path)
    for table, rows in ROWS.items():
        for row in rows:
            assert any(row.items() <= found.items() for found in after[table]), (table, row)


@pytest.mark.parametrize("number", [FIRST_VERSION, number_before(presets_can_be_undone)])
def test_what_the_history_says_of_a_preset_is_what_the_upgrade_made_of_it(tmp_path: Path, number: int) -> None:
    path = tmp_path / "podium.db"
    make_database(path, number)
    of_before = [each for each in CardField if each not in ("LABELS", "PRIORITY")]
    fields = {"upgraded": json.dumps([*of_before, "LABELS", "PRIORITY"]), "narrowed": json.dumps(of_before)}
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        for seq, (name, now) in enumerate(fields.items(), 9001):
            shared = ROWS["preset"][0] | {"id": name, "name": name, "fields": now}
            record = {"project_id": shared["project_id"], "seq": seq, "position": 0, "entity": "preset", "before": None}
            record |= {"key": json.dumps({"id": name}), "after": json.dumps(shared | {"fields": json.dumps(of_before)})}
            change = ROWS["change"][0] | {"project_id": shared["project_id"], "seq": seq, "message": "SharePreset"}
            for table, row in (("preset", shared), ("change", change), ("change_record", record)):
                names = ", ".join(row)
                file.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join(f':{each}' for each in row)})", row)
    shown = {row["id"]: row["fields"] for row in opened(path)["preset"] if row["id"] in fields}
    with closing(sqlite3.connect(path)) as file:
        records = file.execute("SELECT key, after FROM change_record WHERE entity = 'preset'").fetchall()
    said = {json.loads(key)["id"]: json.loads(after)["fields"] for key, after in records}
    assert {name: said[name] for name in fields} == shown == fields


# -- other forms ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE item ADD COLUMN colour TEXT",
        "DROP INDEX item_due",
        "DROP TRIGGER search_item_inserted",
        "CREATE TABLE notes (text TEXT)",
        "CREATE TRIGGER spy AFTER INSERT ON item BEGIN DELETE FROM favourite; END",
    ],
)
def test_a_form_that_no_podium_made_is_refused_and_left_alone(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "podium.db"
    new_database(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
    before = path.read_bytes()
    with pytest.raises(
        DatabaseDamaged, match=r"are not those of Podium's schema .* “podium restore”.*export"
    ) as refused:
        SqliteDatabase(path)
    assert str(path) in str(refused.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize("number", [1, FIRST_VERSION - 1])
def test_a_file_from_before_the_first_schema_is_refused_and_left_alone(tmp_path: Path, number: int) -> None:
    path, target = tmp_path / "podium.db", tmp_path / "other.db"
    make_database(path, FIRST_VERSION)
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute(f"PRAGMA user_version = {number}")
    before = path.read_bytes()
    for attempt in (lambda: SqliteDatabase(path), lambda: restore(path, target)):
        with pytest.raises(DatabaseTooOld) as refused:
            attempt()
        assert re.fullmatch(
            rf"{path} has schema {number}, .* of its commit {LAST_UPGRADER} on it once.*", str(refused.value)
        )
    assert path.read_bytes() == before
    assert {each.name for each in tmp_path.iterdir()} <= {"podium.db", "podium.db.lock", "other.db.lock"}


def test_notes_of_tools_and_statistics_of_sqlite_are_no_other_form(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    new_database(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)")
        connection.execute("CREATE INDEX _litestream_seq_seq ON _litestream_seq(seq)")
        connection.execute("ANALYZE")
        connection.execute("VACUUM")
    SqliteDatabase(path).close()


# -- a program that has the file open while another migrates it ----------------------------------------------------


def test_a_program_that_has_it_open_stops_when_another_has_migrated_it(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    with closing(new_database(path)) as database:
        with closing(sqlite3.connect(path, isolation_level=None)) as newer:
            newer.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
        for attempt in (
            lambda: database.read(lambda tx: tx.query("SELECT * FROM feed")),
            lambda: database.write(lambda tx: tx.execute("INSERT INTO feed (id, seq) VALUES ('gone', 1)")),
        ):
            with pytest.raises(DatabaseTooNew, match="upgraded by a newer Podium while this one had it open"):
                attempt()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT id FROM feed").fetchall() == [("workspace",)]


MOMENT = "2026-03-02T12:00:00.000+00:00"


def row_of(path: Path, table: str, **values: object) -> dict[str, Any]:
    """The first row with these values."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        rows = map(dict, connection.execute(f"SELECT * FROM {table}"))
        return next(row for row in rows if values.items() <= row.items())


def test_what_was_done_and_wanted_of_a_task_or_an_activity_is_now_of_a_card(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_database(path, number_before(tasks_and_activities_share_messages))
    user, (item, *_) = ROWS["app_user"][0]["id"], ROWS["item"]
    place = {"project_id": item["project_id"], "seq": 9001}
    wanted = [
        {"message": "MoveActivity", "activityId": "a1", "status": "COMPLETED"},
        {"message": "SetTaskDueDate", "taskId": "t1", "due": None},
        {"message": "CreateTask", "phaseId": "p1", "title": "Ünder"},
    ]
    asked = {
        "project_id": item["project_id"],
        "id": "asked",
        "user_id": user,
        "kind": "CONSENT",
        "target_id": item["id"],
    }
    asked |= {"by_id": user, "at": MOMENT, "version": 1, "wanted": json.dumps(wanted, ensure_ascii=False)}
    change = {
        "at": MOMENT,
        "actor_id": user,
        "kind": "DO",
        "message": "MoveTask",
        "summary": "moved",
        "permissions": "",
    }
    record = {"position": 0, "entity": "notification", "key": json.dumps({"id": "asked"}), "after": json.dumps(asked)}
    rows = (("notification", asked), ("change", place | change), ("change_record", place | record))
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        for table, row in rows:
            file.execute(
                f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join(f':{each}' for each in row)})", row
            )
    opened(path)
    assert row_of(path, "change", seq=9001)["message"] == "MoveCard"
    now = row_of(path, "notification", id="asked")["wanted"]
    assert json.loads(row_of(path, "change_record", seq=9001)["after"])["wanted"] == now
    assert check_value(COMMANDS_FIELD, tuple, json.loads(now), camel) == (
        MoveCard(card_id="a1", status=Status.COMPLETED),
        SetCardDueDate(card_id="t1", due=None),
        CreateTask(phase_id="p1", title="Ünder"),
    )


def test_a_membership_has_the_place_of_its_project_in_the_lists(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_database(path, number_before(memberships_have_an_order))
    names = {row["id"]: (f"STRAßE {at} Ä", at) for at, row in enumerate(ROWS["project"])}
    assert {row["project_id"] for row in ROWS["member"]} <= names.keys()
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        for project_id, (name, archived) in names.items():
            file.execute("UPDATE project SET name = ?, archived = ? WHERE id = ?", [name, archived, project_id])
    after = opened(path)
    assert [row["sort_name"] for row in after["project"]] == [row["name"].casefold() for row in after["project"]]
    for row in after["member"]:
        name, archived = names[row["project_id"]]
        assert (row["project_archived"], row["project_sort_name"]) == (archived, name.casefold())


def test_the_texts_of_an_older_file_are_found_by_folded_words(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_database(path, number_before(search_folds_letters))
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        for number, title in enumerate(TYPED):
            row = ["p", "ITEM", f"r{number}", title, title]
            file.execute("INSERT INTO search_doc (scope, kind, ref_id, title, body) VALUES (?, ?, ?, ?, ?)", row)
    with closing(SqliteDatabase(path)) as database:
        for title, words in TYPED.items():
            for typed in words:
                rows = database.read(methodcaller("search", words_of(typed), ["p"], 9))
                assert [row["title"] for row in rows] == [title], typed
        database.connection.execute("INSERT INTO search_text (search_text, rank) VALUES ('integrity-check', 1)")


def test_the_limit_of_a_week_is_five_cards_until_the_workspace_says_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_database(path, number_before(workspaces_have_a_week_limit))
    assert [row["week_limit"] for row in opened(path)["workspace"]] == [5]


def test_no_card_of_an_older_form_has_an_origin_until_the_next_import(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_database(path, number_before(cards_have_origins))
    after = opened(path)
    assert after.get("card_origin", []) == []
    assert len(after["item"]) == len(ROWS["item"])
