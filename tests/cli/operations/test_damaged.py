"""Damaged files: commands end in one sentence, doctor names the damage, and restore works."""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from types import NoneType
from typing import get_args, get_type_hints

import pytest
from click.testing import CliRunner, Result

from core.storage.row_mapper import stored_records
from tests.cli.conftest import CommandLine
from tests.support.message_examples.people import OS_USER
from tests.support.sweeps import sweep
from tui.cli.program import podium

NAME = "Slow Mornings campaign"
GATE = "torq"
"""The project at a gate."""

FIELDS = "Booking app 3.0"
"""The project with fields of its own."""

ADMIN = "amara.nwosu"
"""The platform admin, who alone sees the tokens of gateways."""

COMMANDS = (
    ("project", "list"), ("task", "list", NAME), ("phase", "list", NAME), ("history", NAME), ("my-work",), ("inbox",),
    ("search", "the"), ("template", "list"), ("preset", "list", NAME), ("token", "list"), ("undo", NAME),
    ("task", "add", NAME, "Production", "More"), ("product", "list"), ("member", "list", NAME),
    ("product", "token", "list"), ("os-account", "list"), ("filter", "list"),
    ("label", "list", "--project", NAME), ("field", "list", FIELDS), ("task", "links", NAME), ("task", "list", FIELDS),
    ("phase", "show", GATE, "readiness"), ("gate", "criteria", "list", GATE, "readiness"), ("gate", "record", GATE),
    ("gate", "condition", "list", GATE),
)  # fmt: skip

BAD = {
    "item": {
        "kind": "X",
        "status": "X",
        "archived_from": "X",
        "due": "soon",
        "rank": "",
        "phase_id": "gone",
        "priority": "X",
        "completed_at": "then",
    },
    "deliverable": {"evidence_kind": "X", "delivered_at": "then"},
    "dependency": {"overridden_at": "then", "blocker_id": "gone", "blocker_project_id": "gone", "lag_days": "-1"},
    "label": {"colour": "X"},
    "item_label": {"label_id": "gone"},
    "field": {"kind": "X", "choices": "["},
    "item_field": {"value": "soon", "field_id": "gone"},
    "phase": {"gate": "X", "gate_state": "X", "due": "2026-13-01", "rank": "!"},
    "project": {"created_at": "then", "start": "soon"},
    "member": {"role": "KING"},
    "app_user": {"platform_roles": "KING"},
    "hierarchy_node": {"kind": "X"},
    "comment": {"at": "then", "imported_at": "then"},
    "gate_record": {"decision": "X", "at": "then", "imported_at": "then", "way": "X", "meeting": "soon"},
    "gate_seal": {"body": "7"},
    "gate_policy": {"deciders": "X", "people": "[", "decide_by": "soon"},
    "gate_criterion": {"kind": "X", "met_at": "then", "matched": "[", "filter": "["},
    "gate_condition": {"due": "soon", "met_at": "then", "waived_at": "then"},
    "product": {"kind": "X", "command": "[", "required_context": "[", "permission_codes": "7"},
    "application_role": {"permission_codes": "[", "meta_role_ids": "null"},
    "application": {"due": "soon", "phase_id": "gone"},
    "launch": {"at": "then", "exchanged_at": "then", "context": "{"},
    "template": {"tags": "7"},
    "template_version": {"at": "then", "body": "{"},
    "preset": {"fields": "[", "sections": "{", "layout": "X", "filter": "X:", "sort": "X", "density": "X"},
    "active_preset": {"preset_id": "gone"},
    "saved_filter": {"text": "X:"},
    "notification": {"at": "then", "read_at": "then", "kind": "X"},
    "token": {"created_at": "then", "expires_at": "0", "revoked_at": "then"},
    "linked_account": {"at": "then", "user_id": "gone"},
    "product_token": {"created_at": "then", "expires_at": "0", "revoked_at": "then", "product_id": "gone"},
    "gateway_token": {"created_at": "then", "expires_at": "0", "revoked_at": "then", "made_by": "gone"},
    "role_mapping": {"project_role": "KING"},
    "change": {"at": "then", "kind": "X", "permissions": "KING"},
    "change_record": {"before": "{", "after": "[", "key": "7"},
    "preference": {"value": "{"},
    "last_seen": {"at": "then"},
    "feed": {"seq": "-1"},
}
"""Values that the types of the columns take, and that mean nothing there."""

PAIRS = [(table, column) for table, columns in BAD.items() for column in columns]


def ended(path: Path, *words: str) -> Result:
    """A command that ended by itself, with a status that says how."""
    result = CliRunner().invoke(podium, [*words, "--db", str(path)])
    assert result.exception is None or isinstance(result.exception, SystemExit), (words, result.exception)
    assert result.exit_code in (0, 1, 2, 3, 4, 5, 6), (words, result.output)
    if result.exit_code and "--json" in words:
        assert json.loads(result.stderr)["errors"][0]["errorMessage"]
    return result


def tried(path: Path, backup: Path) -> list[Result]:
    """Every command, then doctor and a restore, on a damaged workspace. What the commands said."""
    said = [ended(path, *command, "--as", "robin", "--json") for command in COMMANDS]
    said.append(ended(path, "token", "gateway", "list", "--as", ADMIN, "--json"))
    assert ended(path, "doctor").output
    assert ended(path, "restore", str(backup)).exit_code == 0
    assert ended(path, "project", "list", "--as", "robin").exit_code == 0
    return said


@pytest.fixture(scope="session")
def whole(demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of the demo with what it lacks: presets, a filter, tokens, an account, a setting. It is one file."""
    path = tmp_path_factory.mktemp("whole") / "backup.db"
    run = CommandLine(Path(shutil.copy(demo, path.with_name("demo.db"))))
    run("preset", "save", NAME, "Mine", "--filter", "assignee:me")
    run("preset", "choose", NAME, "Mine")
    run("filter", "save", "Late", "due:late")
    run("token", "create", "CI")
    run.by(ADMIN)("token", "gateway", "create", "Proxy")
    run("product", "token", "create", "Asset library", "Server")
    run("os-account", "link", OS_USER, "priya")
    run("run", "SetPreference", "name=theme", "value=dark")
    run("backup", str(path))
    return path


@pytest.fixture
def damaged(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PODIUM_DAILY_BACKUP", "off")
    return Path(shutil.copy(whole, tmp_path / "damaged.db"))


@pytest.mark.parametrize(
    ("table", "column"), sweep(PAIRS, lambda pair: PAIRS.index(pair) % 8 == 0), ids=[".".join(pair) for pair in PAIRS]
)
def test_a_row_that_cannot_be_read_ends_no_command_in_a_traceback(
    damaged: Path, whole: Path, table: str, column: str
) -> None:
    with closing(sqlite3.connect(damaged, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        changed = connection.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", (BAD[table][column],)).rowcount
    assert changed, f"the workspace of this test has no row of {table}"
    tried(damaged, whole)


def test_every_column_that_is_read_as_more_than_a_text_is_tried() -> None:
    plain = ({str}, {int}, {bool}, {str, NoneType}, {int, NoneType})
    read = {
        (table, column)
        for table, record in stored_records().items()
        for column, kind in get_type_hints(record).items()
        if {*(get_args(kind) or (kind,))} not in plain
    }
    assert len(read) > 40
    assert read <= {*PAIRS}


def test_a_command_that_fails_before_it_begins_closes_the_database(damaged: Path) -> None:
    """A restore in the same program would find it in use."""
    with closing(sqlite3.connect(damaged)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    result = CliRunner().invoke(podium, ["project", "list", "--db", str(damaged), "--as", "ghost", "--json"])
    assert "ghost" in json.loads(result.stderr)["errors"][0]["errorMessage"]
    assert {each.name for each in damaged.parent.iterdir()} <= {damaged.name, f"{damaged.name}.lock"}


@pytest.mark.parametrize("seed", sweep(range(40), lambda seed: seed < 5))
def test_bytes_that_flip_end_no_command_in_a_traceback(damaged: Path, whole: Path, seed: int) -> None:
    dice = random.Random(seed)
    content = bytearray(damaged.read_bytes())
    for _ in range(dice.choice((1, 4, 30))):
        place = dice.randrange(100, 40_000 if seed % 2 else len(content))
        content[place] = dice.randrange(256)
    damaged.write_bytes(content)
    tried(damaged, whole)


def test_bytes_of_the_schema_that_are_no_text_are_said_by_a_sentence(damaged: Path, whole: Path) -> None:
    content = damaged.read_bytes()
    damaged.write_bytes(content.replace(b"CREATE TABLE project (", b"CREATE TABLE pro\xff\xfe\xfd\xfc (", 1))
    for result in tried(damaged, whole):
        assert result.exit_code == 5, result.output
        assert "DATABASE_DAMAGED" in result.stderr


def test_doctor_names_the_row_that_cannot_be_read(damaged: Path) -> None:
    with closing(sqlite3.connect(damaged, isolation_level=None)) as connection:
        connection.execute("UPDATE item SET due = 'soon' WHERE id = (SELECT min(id) FROM item)")
        (wrong,) = connection.execute("SELECT min(id) FROM item").fetchone()
    said = " ".join(ended(damaged, "doctor").output.split())
    assert wrong in said
    assert "of the table item cannot be read: “soon” stands in due" in said


def test_a_card_without_its_phase_is_left_out_of_lists_over_projects_and_named_by_the_doctor(damaged: Path) -> None:
    with closing(sqlite3.connect(damaged, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("UPDATE item SET phase_id = 'gone' WHERE title = 'Write the invitation'")
    shown = ended(damaged, "my-work", "--as", "robin")
    assert (shown.exit_code, "Write the invitation" in shown.output) == (0, False)
    assert ended(damaged, "project", "list", "--as", "robin").exit_code == 0
    assert ended(damaged, "doctor").exit_code == 5


@pytest.mark.parametrize(
    ("table", "column"),
    [("item", "completed_by"), ("deliverable", "delivered_by"), ("gate_record", "of_id"), ("gate_seal", "record_id")],
)
def test_the_doctor_names_a_reference_to_a_missing_row(damaged: Path, table: str, column: str) -> None:
    with closing(sqlite3.connect(damaged, isolation_level=None)) as connection:
        connection.execute(f"UPDATE {table} SET {column} = 'gone' || coalesce({column}, '')")
    assert f"of the table {table} cannot be read: “gone" in " ".join(ended(damaged, "doctor").output.split())


def test_a_command_that_meets_such_a_row_says_which_it_is(damaged: Path) -> None:
    with closing(sqlite3.connect(damaged, isolation_level=None)) as connection:
        connection.execute("UPDATE change SET at = 'then'")
    error = CommandLine(damaged).error("history", NAME, status=5)
    assert error["errorCode"] == "DATABASE_DAMAGED"
    assert "of the table change cannot be read: “then” stands in at" in error["errorMessage"]


@pytest.mark.parametrize(
    ("wrong", "command", "said"),
    [
        ("UPDATE template SET number = 0", ("template", "list"), "of the table template cannot be read: “0” stands in"),
        ("UPDATE template_version SET number = -1", ("template", "list"), "of the table template cannot be read"),
        (
            "UPDATE comment SET author_id = '\"'",
            ("project", "export", NAME),
            'of the table comment cannot be read: “"”',
        ),
        (
            "UPDATE gate_record SET by_id = 'x'",
            ("project", "export", NAME),
            "of the table gate_record cannot be read",
        ),
    ],
)
def test_a_row_that_refers_to_a_missing_one_is_named(
    damaged: Path, wrong: str, command: tuple[str, ...], said: str
) -> None:
    assert "cannot be read" not in ended(damaged, "doctor").output
    with closing(sqlite3.connect(damaged, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(wrong.replace("UPDATE", "UPDATE OR IGNORE", 1))
    error = CommandLine(damaged).error(*command, status=5)
    assert error["errorCode"] == "DATABASE_DAMAGED"
    assert said in error["errorMessage"]
    assert said[:30] in " ".join(ended(damaged, "doctor").output.split())
