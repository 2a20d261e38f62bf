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
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database as SqliteUtilsDatabase

from core.actions import load_catalog
from core.actions.cards.cards import MoveCard, SetCardDueDate
from core.actions.cards.tasks import CreateTask
from core.actions.catalog import BY_NAME
from core.actions.history.history import Redo, Undo
from core.codec.encoding import camel
from core.domain.model import WORKSPACE, Status
from core.engine.engine import Engine
from core.engine.unit_of_work import Actor
from core.errors import DatabaseDamaged, DatabaseTooNew
from core.net.this_host import host_id
from core.storage import full_text
from core.storage.schema import gate_history, migrations
from core.storage.schema.integrity import damage
from core.storage.schema.migrations import FORMS, MIGRATIONS, SCHEMA_VERSION
from core.storage.schema.renames import (
    gates_and_keys_in_plain_words,
    names_are_those_of_the_glossary,
    tasks_and_activities_share_messages,
)
from core.storage.schema.schema_hash import FORMS_BEFORE_THE_FIRST, form_of
from core.storage.schema.tables import FIRST_SCHEMA
from core.storage.sqlite.database import SqliteDatabase
from core.storage.values import check_readable
from core.wire.message_decoder import COMMANDS_FIELD, checked
from tests.support.database_forms import ROWS, fill, forms_before_the_first, make_database, rows_of, settle
from tests.support.postgres_cluster import about_the_file
from tests.support.workspace import new_database

pytestmark = about_the_file

TEXTS = {
    "first_schema": "43be239e257ec9d8",
    "imports_name_their_importer": "66257da535a271fe",
    "products_have_tokens": "6139fc332294d39b",
    "access_made_by_others_says_so": "62cba074ed213d18",
    "gateways_open_sessions": "ef1c888cac443a4b",
    "notices_say_through_what": "2cac456d1e2ce348",
    "large_projects_come_in_slices": "da7487227891a5c7",
    "people_have_quotas": "c0ad2fc5ca0452b4",
    "names_are_those_of_the_glossary": "557f6e29fe4fba85",
    "gates_and_keys_in_plain_words": "7f14b16fbbac5797",
    "accounts_and_imports_name_their_host": "1ed56f795e4e2bc5",
    "projects_keep_their_item_counts": "7d314f094399380e",
    "projects_keep_their_completions": "f323c94f9527cd98",
    "projects_have_keys": "fe2c711ee378fbb2",
    "cards_have_labels": "0310919e446642c7",
    "projects_have_fields": "2c78880ec4a0e607",
    "cards_wait": "c6071a1e124fe624",
    "projects_are_found_by_name": "f963ede48f3c3984",
    "sections_are_in_order": "d178eaf12964c583",
    "gates_have_seals": "53885056241baffd",
    "notifications_carry_requests": "f44ad89d976eb8ae",
    "access_names_all_makers": "de0207c5860e5e89",
    "presets_can_be_undone": "098d6ac24a05fb99",
    "tasks_and_activities_share_messages": "4bea3c7f707222d3",
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
        parts += [FIRST_SCHEMA, *full_text.search_schema()]
    if name == "gates_have_seals":
        parts += [ast.unparse(ast.parse(inspect.getsource(gate_history)))]
    return sha256("".join("".join(parts).split()).encode()).hexdigest()[:16]


def test_no_migration_changes_its_text() -> None:
    assert {migration.__name__: text_of(migration.__name__) for migration in MIGRATIONS} == TEXTS


@pytest.mark.parametrize("number", range(1, SCHEMA_VERSION + 1))
def test_each_number_has_one_form(number: int) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        database = SqliteUtilsDatabase(connection, execute_plugins=False)
        for migration in list(MIGRATIONS)[:number]:
            migration(database)
        assert form_of(connection) == FORMS[number - 1]


# -- the form before is brought forward with its data --------------------------------------------------------------
#
# A new migration needs a test like the next two: make_database(path, NUMBER_BEFORE), open it, and say what became of
# the rows that the migration is about.


def opened(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows after this Podium opened the file, which must be undamaged and of the newest form."""
    with closing(SqliteDatabase(path)) as database:
        assert form_of(database.connection) == FORMS[-1]
        assert damage(database.connection) == []
    return rows_of(path)


@pytest.mark.parametrize("number", range(1, SCHEMA_VERSION + 1))
def test_every_row_of_an_older_form_is_there_after_it_is_brought_forward(tmp_path: Path, number: int) -> None:
    path = tmp_path / "podium.db"
    make_database(path, number)
    before = rows_of(path)
    after = opened(path)
    for table, rows in before.items():
        assert len(after[table]) == len(rows) > 0, table
    assert (tmp_path / "backups" / "podium-before-upgrade.db").exists() == (number < SCHEMA_VERSION)


def brought(row: dict[str, Any]) -> dict[str, Any]:
    """A row as it is brought forward: a preset with all fields of cards has those that came since."""
    fields = json.loads(row.get("fields", "[]"))
    return {**row, "fields": json.dumps([*fields, "LABELS", "PRIORITY"])} if fields else row


def test_the_rows_of_the_first_form_keep_their_values(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_database(path, 1)
    after = opened(path)
    for table, rows in ROWS.items():
        for row in rows:
            assert any(brought(row).items() <= found.items() for found in after[table]), (table, row)


# -- forms under the number 1 before the first schema was settled --------------------------------------------------


BEFORE = list(forms_before_the_first())


def make_unsettled(path: Path, statements: list[str]) -> str:
    """A database of such a form, with the rows that fit it; its form."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
        fill(connection)
        settle(connection, 1, ["first_schema"])
        return form_of(connection)


def test_all_forms_before_the_first_are_known(tmp_path: Path) -> None:
    made = [make_unsettled(tmp_path / f"{number}.db", form) for number, form in enumerate(BEFORE)]
    assert set(made) == FORMS_BEFORE_THE_FIRST
    assert len(made) == len(FORMS_BEFORE_THE_FIRST)


@pytest.mark.parametrize("form", BEFORE, ids=[f"{number} edits before" for number in range(1, len(BEFORE) + 1)])
def test_a_form_before_the_first_is_brought_forward_with_its_rows(tmp_path: Path, form: list[str]) -> None:
    path = tmp_path / "podium.db"
    make_unsettled(path, form)
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        before = {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in ROWS if table in tables}
    after = opened(path)
    for table, rows in before.items():
        for row in rows:
            assert any(brought(dict(row)).items() <= found.items() for found in after[table]), (table, dict(row))
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT rowid FROM search_text WHERE search_text MATCH 'title : maya'").fetchall()
        left = connection.execute("SELECT name FROM sqlite_master WHERE name LIKE 'older%'").fetchall()
    assert (bool(found), left) == (True, [])


def test_roles_that_were_words_are_a_list_after_it(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_unsettled(path, BEFORE[-1])
    written = {0: "", 1: "INTERNAL", 2: "WORKSPACE_ADMIN PLATFORM_ADMIN"}
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        ids = [row[0] for row in connection.execute("SELECT id FROM app_user ORDER BY id")]
        for position, role in written.items():
            connection.execute("UPDATE app_user SET platform_roles = ? WHERE id = ?", (role, ids[position]))
    roles = {row["id"]: row["platform_roles"] for row in opened(path)["app_user"]}
    assert [roles[each] for each in ids] == ["[]", '["INTERNAL"]', '["WORKSPACE_ADMIN", "PLATFORM_ADMIN"]']


# -- other forms ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE item ADD COLUMN colour TEXT",
        "DROP INDEX item_due",
        "DROP TRIGGER search_item_inserted",
        "CREATE TABLE notes (text TEXT)",
        "CREATE TRIGGER spy AFTER INSERT ON item BEGIN DELETE FROM star; END",
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


def test_tokens_of_before_are_those_of_people_and_no_gateway_has_one(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_database(path, list(MIGRATIONS).index(migrations.gateways_open_sessions))
    before = rows_of(path)["token"]
    after = opened(path)
    assert [row | {"gateway_id": None} for row in before] == after["token"] != []
    assert SqliteDatabase(path).read(lambda tx: tx.tuples("SELECT count(*) FROM gateway_token")) == [(0,)]


def test_linked_accounts_and_imports_of_before_belong_to_the_machine_that_migrates(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_database(path, list(MIGRATIONS).index(migrations.accounts_and_imports_name_their_host))
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("INSERT INTO unfinished VALUES ('p', 7, ?)", [MOMENT])
    before = rows_in(path, "linked_account")
    opened(path)
    assert rows_in(path, "linked_account") == [row | {"host": host_id(), "through": ""} for row in before] != []
    assert rows_in(path, "unfinished") == [{"project_id": "p", "pid": 7, "at": MOMENT, "host": host_id()}]


# -- names of before -----------------------------------------------------------------------------------------------


def names_before(path: Path) -> dict[str, str]:
    """A file of the form before the names of the glossary, with changes that its history names as it did then."""
    make_database(path, list(MIGRATIONS).index(names_are_those_of_the_glossary))
    rows = {table: row[0]["id"] for table in ("app_user", "project", "phase") if (row := ROWS[table])}
    node, phase = {"id": "01M815D9F0NODE000000000000"}, {"project_id": rows["project"], "id": rows["phase"]}
    due, passed = {"due": "2026-04-01", "version": 2}, {"verdict": "SENT_BACK", "version": 3}
    made = node | {"kind": "CLIENT", "name": "Fjord", "auth_id": "f1", "parent_id": None, "version": 1}
    account = {"os_user": "fjord", "uid": 77777, "user_id": rows["app_user"], "at": MOMENT, "version": 1}
    changes: list[tuple[str, int, str, str, dict[str, Any], dict[str, Any] | None, dict[str, Any]]] = [
        (rows["project"], 3, "SchedulePhase", "phase", phase, {"due": None, "version": 1}, due),
        (rows["project"], 4, "DecideGate", "phase", phase, {"verdict": "NONE", "version": 2}, passed),
        ("workspace", 9001, "EnrolOsUser", "enrolment", {"os_user": "fjord"}, None, account),
        ("workspace", 9002, "AddNode", "node", node, None, made),
    ]
    may = ("WORKFLOW_MANAGE", "PROJECT_TAKE_OVER USER_MANAGE")
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        file.execute("UPDATE phase SET due = '2026-04-01', verdict = 'SENT_BACK', version = 3 WHERE id = :id", phase)
        file.execute("INSERT INTO node VALUES (:id, :kind, :name, :auth_id, :parent_id, :version)", made)
        columns = ", ".join(account)
        file.execute(f"INSERT INTO enrolment ({columns}) VALUES (:os_user, :uid, :user_id, :at, :version)", account)
        file.execute("INSERT INTO preference VALUES (?, 'keymap', 'access.enrol = f5', 1)", [rows["app_user"]])
        for scope, seq, message, entity, key, before, after in changes:
            file.execute("INSERT OR REPLACE INTO feed (id, seq) VALUES (?, ?)", (scope, seq))
            file.execute(
                "INSERT INTO change (project_id, seq, at, actor_id, kind, message, summary, permissions)"
                " VALUES (?, ?, ?, ?, 'DO', ?, 'did it', ?)",
                (scope, seq, MOMENT, rows["app_user"], message, may[scope == "workspace"]),
            )
            values = [json.dumps(each) if each is not None else None for each in (key, before, after)]
            file.execute("INSERT INTO change_record VALUES (?, ?, 0, ?, ?, ?, ?)", (scope, seq, entity, *values))
    return rows


MOMENT = "2026-03-02T12:00:00.000+00:00"


def test_what_was_done_under_old_names_is_undone_after_the_migration(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    ids = names_before(path)
    with closing(SqliteDatabase(path)) as database:
        check_readable(database.connection)
        engine = Engine(database, load_catalog, clock=lambda: datetime.fromisoformat(MOMENT))
        actor = Actor(ids["app_user"])
        phases = []
        for _ in range(2):
            engine.execute(Undo(project_id=ids["project"]), actor)
            phases.append(row_of(path, "phase"))
        assert [(row["gate_state"], row["due"]) for row in phases] == [("NONE", "2026-04-01"), ("NONE", None)]
        engine.execute(Redo(project_id=ids["project"]), actor)
        assert row_of(path, "phase")["due"] == "2026-04-01"
        assert row_of(path, "hierarchy_node", name="Fjord")["kind"] == "CLIENT"
        engine.execute(Undo(project_id=WORKSPACE), actor)
        assert "Fjord" not in [row["name"] for row in rows_in(path, "hierarchy_node")]
    assert row_of(path, "linked_account", os_user="fjord")["uid"] == 77777
    messages = {row["message"] for row in rows_in(path, "change")}
    assert {"SetPhaseDueDate", "LinkOsAccount", "Undo"} <= messages <= BY_NAME.keys()
    assert {"PROJECT_CLAIM USER_MANAGE"} < {row["permissions"] for row in rows_in(path, "change")}
    assert row_of(path, "preference", name="keymap")["value"] == "access.link_account = f5"


def test_what_was_done_and_wanted_of_a_task_or_an_activity_is_now_of_a_card(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_database(path, list(MIGRATIONS).index(tasks_and_activities_share_messages))
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
    assert checked(COMMANDS_FIELD, tuple, json.loads(now), camel) == (
        MoveCard(card_id="a1", status=Status.COMPLETED),
        SetCardDueDate(card_id="t1", due=None),
        CreateTask(phase_id="p1", title="Ünder"),
    )


def test_a_gate_that_was_passed_is_approved_in_the_history_and_in_the_keys(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    make_database(path, list(MIGRATIONS).index(gates_and_keys_in_plain_words))
    user, project = ROWS["app_user"][0]["id"], ROWS["project"][0]["id"]
    decided = {
        101: ("DecideGate", "passed phase “passed phase”: ok", "approved phase “passed phase”: ok"),
        102: ("DecideGate", "opened by override phase “Launch”: now", "overrode the lock of phase “Launch”: now"),
        103: ("DecideGate", "held phase “Launch”", "held phase “Launch”"),
        104: ("AddComment", "passed phase two", "passed phase two"),
    }
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        keys = "canvas.pass_gate = f5\nphase.pass_gate = f6\ncanvas.news = f7"
        file.execute("INSERT INTO preference VALUES (?, 'keymap', ?, 1)", [user, keys])
        for seq, (message, summary, _) in decided.items():
            file.execute(
                "INSERT INTO change (project_id, seq, at, actor_id, kind, message, summary, permissions)"
                " VALUES (?, ?, ?, ?, 'DO', ?, ?, 'WORKFLOW_MANAGE')",
                (project, seq, MOMENT, user, message, summary),
            )
    with closing(SqliteDatabase(path)) as database:
        check_readable(database.connection)
    keys = "canvas.approve_gate = f5\nphase.approve_gate = f6\ncanvas.since_last_visit = f7"
    assert row_of(path, "preference", name="keymap")["value"] == keys
    summaries = {row["seq"]: row["summary"] for row in rows_in(path, "change") if row["seq"] in decided}
    assert summaries == {seq: after for seq, (_, _, after) in decided.items()}


def rows_in(path: Path, table: str) -> list[dict[str, Any]]:
    """The rows of a table."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(f"SELECT * FROM {table}")]


def row_of(path: Path, table: str, **values: object) -> dict[str, Any]:
    """The first row with these values."""
    return next(row for row in rows_in(path, table) if values.items() <= row.items())


def test_no_name_that_was_changed_is_that_of_a_message_of_today() -> None:
    source = inspect.getsource(names_are_those_of_the_glossary)
    pairs = dict(re.findall(r'\("([A-Z]\w+)", "([A-Z]\w+)"\)', source))
    assert len(pairs) > 50
    assert pairs.keys().isdisjoint(BY_NAME)
    changed_again = {re.sub("Task|Activity", "Card", name) for name in pairs.values() if name not in BY_NAME}
    assert changed_again == {"ReorderCard", "SetCardDueDate"} < BY_NAME.keys()
