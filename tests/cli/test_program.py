"""The program around the commands: options, exit statuses, names that are found or not, what is printed."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click import Context
from click.testing import Result

from core import VERSION
from core.demo import make_demo
from tests.cli.conftest import CommandLine
from tests.support.paths import ROOT
from tui.cli import output
from tui.cli.commands import COMMANDS
from tui.cli.program import podium

Anywhere = Callable[..., Result]


def test_options_stand_before_or_after_the_command(run: CommandLine, anywhere: Anywhere) -> None:
    place = ("--db", str(run.db), "--as", "robin")
    before = anywhere(*place, "--json", "project", "list")
    after = anywhere("project", "list", *place, "--json")
    assert before.stdout == after.stdout
    assert json.loads(before.stdout)["data"]


def test_the_environment_names_database_and_person(
    run: CommandLine, anywhere: Anywhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PODIUM_DB", str(run.db))
    monkeypatch.setenv("PODIUM_AS", "mara.oduya")
    assert "Slow Mornings" in anywhere("project", "list").stdout
    assert "Slow Mornings" not in anywhere("project", "list", "--as", "priya.raman").stdout


def test_a_command_of_many_groups_is_answered_with_the_groups_that_have_it(anywhere: Anywhere) -> None:
    said = anywhere("list").stderr
    assert "such as “podium task list”. The groups with it are task, comment, project, phase" in said
    assert len(said) < 400


def test_a_number_that_is_none_or_out_of_its_bounds_is_refused_in_words(run: CommandLine) -> None:
    assert "“soon” is not a whole number." in run("history", "slow", "--before", "soon", status=2).stderr
    assert "0 is not between 1 and 365." in run("token", "create", "x", "--days", "0", status=2).stderr


@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        (("project", "show", "no such"), 6, "NOT_FOUND"),
        (("phase", "show", "slow", "9"), 6, "NOT_FOUND"),
        (("project", "delete", "slow", "--yes"), 1, "RULE_VIOLATION"),
        (("task", "add", "slow", "3", " "), 2, "INVALID_INPUT"),
        (("task", "add", "slow", "3", "a\x1b[31mb"), 2, "INVALID_INPUT"),
        (("task", "due", "slow", "edit the", "31 feb"), 2, "INVALID_INPUT"),
        (("task", "move", "slow", "edit the", "ARCHIVED"), 2, "USAGE"),
        (("task", "move", "slow"), 2, "USAGE"),
        (("no-such-command",), 2, "USAGE"),
        (("phase", "add", "booking", "X"), 3, "FORBIDDEN"),
        (("gate", "approve", "casa", "1"), 3, "FORBIDDEN"),
    ],
)
def test_each_kind_of_failure_has_its_exit_status_and_code(
    run: CommandLine, words: tuple[str, ...], status: int, code: str
) -> None:
    error = run.error(*words, status=status)
    assert (error["errorCode"], error["link"]) == (code, f"/v1/errors/{code}")
    said = run(*words, status=status)
    assert said.stderr
    assert "Traceback" not in said.output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("template", "show", "Event", "--version", "9" * 20), "is not between"),
        (("template", "merge", "slow", "--version", "9" * 20), "is not between"),
        (("project", "create", "T", "--template", "Event", "--version", "9" * 20), "is not between"),
        (("history", "slow", "--before", "9" * 20), "is not between"),
        (("project", "list", "--as", "\udcff"), "“\ufffd” is not UTF-8 text."),
        (("run", "BulkUpdate", "project_id=x", "commands=" + "[" * 90_000), "must be a list"),
        (("run", "NoSuchMessage\udcff"), "is not UTF-8 text."),
    ],
    ids=lambda value: str(value)[:30],
)
def test_numbers_texts_and_lists_that_nothing_can_hold_are_refused(
    run: CommandLine, words: tuple[str, ...], sentence: str
) -> None:
    said = run(*words, status=2)
    assert sentence in " ".join(said.stderr.split())
    assert "fault" not in said.stderr


@pytest.mark.parametrize("value", ["9" * 5000, "0x" + "f" * 5000, "[0x" + "f" * 5000 + "]", "2026-01-01", "true"])
def test_a_setting_of_the_wrong_kind_is_refused_as_the_file_spells_it(
    anywhere: Anywhere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f"max_tokens = {value}\n")
    monkeypatch.setenv("PODIUM_CONFIG", str(path))
    said = anywhere("config")
    assert said.exit_code == 2
    assert str(path) in said.stderr
    assert not any(word in said.stderr for word in ("datetime", "True", "fault"))


def test_a_project_of_others_is_not_there_whatever_is_asked(run: CommandLine) -> None:
    foreign = run.project("Slow")["project"]["id"]
    assert run.by("priya.raman").error("phase", "list", foreign, status=6)["errorCode"] == "NOT_FOUND"


@pytest.mark.parametrize("content", [None, b"", b"no database at all, but long enough to be looked at" * 50])
def test_a_database_that_is_none_ends_with_5(run: CommandLine, tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "other.db"
    if content is not None:
        path.write_bytes(content)
    assert CommandLine(path).error("project", "list", status=5)["errorCode"].startswith("DATABASE_")


def test_a_person_who_is_not_here_is_told_so(run: CommandLine) -> None:
    assert "There is no person with the login “stranger”" in run.by("stranger")("project", "list", status=6).stderr


def test_an_ambiguous_name_lists_the_candidates(run: CommandLine) -> None:
    said = run("task", "move", "slow", "route", "TO_DO", status=2).stderr
    assert all(name in said for name in ("Route A: The long table", "Route B", "Route C", "by its key"))


def test_an_exact_name_wins_over_longer_ones(run: CommandLine) -> None:
    run("project", "create", "Torq")
    assert run.json("project", "show", "torq")["project"]["name"] == "Torq"


def test_hostile_text_in_the_database_is_shown_and_never_acts(run: CommandLine) -> None:
    with closing(sqlite3.connect(run.db)) as connection, connection:
        connection.execute("UPDATE project SET name = 'Bad\x1b]0;pwned\x07\nline\u202e' WHERE name LIKE 'Slow%'")
    for shown in (run("project", "list").stdout, run("project", "show", "bad").stdout, run.json("project", "list")):
        assert not any(sign in str(shown) for sign in "\x1b\x07")
    assert len(run("project", "list").stdout.splitlines()) == 8


def test_colours_are_for_terminals_that_want_them(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    rows = [("Torq", "overdue"), ("天気 board", "on track")]
    output.table(("NAME", "HEALTH"), rows, "")
    plain = capsys.readouterr().out
    assert "\x1b" not in plain
    assert plain.splitlines()[1] == "Torq        overdue"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    output.table(("NAME", "HEALTH"), rows, "")
    assert "\x1b[31moverdue\x1b[0m" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "")
    output.table(("NAME", "HEALTH"), rows, "")
    assert "\x1b" in capsys.readouterr().out
    monkeypatch.setenv("NO_COLOR", "1")
    output.table(("NAME", "HEALTH"), rows, "")
    assert capsys.readouterr().out == plain


def test_a_command_that_is_named_without_its_group_is_refused_with_the_whole_of_it(
    anywhere: Anywhere,
) -> None:
    refused = anywhere("can")
    assert refused.exit_code == 2
    assert "There is no command “podium can”. Try “podium permission can --help”." in refused.stderr
    assert "“podium product retire --help”" in anywhere("retire").stderr
    assert "Try “" not in anywhere("no-such-command").stderr
    assert "There is no command “podium tsk”. Did you mean “task”?" in anywhere("tsk", "list").stderr
    assert "There is no command “podium task lst”. Did you mean “list”?" in anywhere("task", "lst").stderr
    told = anywhere("permission", "can", "--help").stdout
    assert "podium permission can maya MoveCard" in " ".join(told.split())


@pytest.mark.parametrize(
    ("words", "wrong", "right"),
    [
        (("project", "show", "Slow Mornigns"), "project", "Slow Mornings campaign"),
        (("project", "show", "Tork T4"), "project", "Torq T4 drill launch"),
        (("phase", "show", "slow", "Prodcution"), "phase", "Production"),
        (("task", "due", "slow", "Edit teh", "fri"), "task", "Edit the 45"),
        (("task", "assign", "slow", "edit the", "Mraa"), "person", "Mara Oduya"),
        (("user", "show", "Pryia Raman"), "person", "Priya Raman"),
    ],
)
def test_a_mistyped_name_is_answered_with_the_name_that_may_be_meant(
    run: CommandLine, words: tuple[str, ...], wrong: str, right: str
) -> None:
    said = run(*words, status=6).stderr
    assert f"There is no {wrong} “" in said
    assert "Did you mean “" in said
    assert right in said
    assert said.count("There is no") == 1


def test_a_name_of_others_is_never_suggested(run: CommandLine) -> None:
    assert "campaign" not in run.by("priya.raman")("project", "show", "Slow Mornigns", status=6).stderr


@pytest.mark.parametrize(
    ("typed", "status"),
    [
        ("done", "COMPLETED"), ("Completed", "COMPLETED"), ("finished", "COMPLETED"), ("doing", "IN_PROGRESS"),
        ("in progress", "IN_PROGRESS"), ("in_progress", "IN_PROGRESS"), ("In-Progress", "IN_PROGRESS"),
        ("started", "IN_PROGRESS"), ("todo", "TO_DO"), ("to do", "TO_DO"), ("TO_DO", "TO_DO"),
    ],
)  # fmt: skip
def test_a_status_is_understood_as_it_is_printed_and_as_people_say_it(
    run: CommandLine, typed: str, status: str
) -> None:
    for first in ("doing", "todo"):
        run("task", "move", "slow", "Edit the 45", first)
    moved = run.json("task", "move", "slow", "Edit the 45", typed)
    assert moved["status"] == status
    assert run.task("slow", moved["title"])["status"] == status
    shown = next(line for line in run("task", "list", "slow").stdout.splitlines() if moved["title"] in line)
    assert status.replace("_", " ").lower() in shown


def test_a_word_that_is_no_status_is_refused_with_those_that_are(run: CommandLine) -> None:
    said = run("task", "move", "slow", "Edit the 45", "dnoe", status=2).stderr
    assert "“dnoe” is not one of “todo”, “doing” and “done”. Did you mean “done”" in said


def test_json_has_letters_as_they_are_and_escapes_what_could_act(
    run: CommandLine, anywhere: Anywhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(run.db)) as connection, connection:
        connection.execute(
            "UPDATE project SET name = 'Slow “Größe” 天気 \x1b[31m\x9b\u202e\U000e0041' WHERE name LIKE 'Slow%'"
        )
    said = run("project", "list", "--json")
    assert "“Größe” 天気 \\u001b[31m\\u009b\\u202e\\udb40\\udc41" in said.stdout
    assert not set("\x1b\x9b\u202e\U000e0041") & set(said.stdout)
    assert "“" in run("project", "show", "no such", "--json", status=6).stderr
    narrow = subprocess.run(
        [sys.executable, "-m", "tui", "project", "list", "--json", "--db", str(run.db), "--as", "robin"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    ).stdout
    assert json.loads(narrow) == json.loads(said.stdout)


def test_a_gate_that_is_not_ready_ends_with_1_and_an_error_with_another_status(run: CommandLine) -> None:
    assert "cannot be approved" in run("gate", "check", "slow", "Production", status=1).stdout
    assert "is ready" in run("gate", "check", "torq", "Readiness").stdout
    assert "Did you mean “Readiness”?" in run("gate", "check", "torq", "Readyness", status=6).stderr
    assert run("gate", "check", "tork t4", "Readiness", status=6).stdout == ""
    assert run("gate", "check", "torq", status=2).stdout == ""


def test_init_makes_a_workspace_once(tmp_path: Path) -> None:
    here = CommandLine(tmp_path / "deep" / "new.db", "ada")
    here("init", "--name", "Studio", "--first-name", "Ada", "--last-name", "Ng", "--email", "ada@example.com")
    assert stat.S_IMODE(here.db.stat().st_mode) == 0o600
    me = here.json("run", "GetCurrentUser")
    assert (me["workspace"]["name"], me["user"]["platformRoles"]) == ("Studio", ["WORKSPACE_ADMIN"])
    assert here.json("project", "list") == {"data": []}
    assert "podium project create" in here("project", "list").stdout
    assert here.error("init", "--name", "Again", status=1)["errorCode"] == "RULE_VIOLATION"
    other = CommandLine(tmp_path / "other.db", "bo")
    assert other.json("init", "--name", "Only a name")["login"] == "bo"


def test_config_shows_every_value_and_where_it_came_from(
    run: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.toml").write_text('synchronous = "FULL"\n')
    monkeypatch.setenv("PODIUM_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("PODIUM_DAILY_BACKUP", "no")
    shown = {each["name"]: (each["value"], each["source"]) for each in run.json("config")["data"]}
    assert shown["db"] == (str(run.db), "--db")
    assert shown["synchronous"] == ("FULL", str(tmp_path / "config.toml"))
    assert shown["daily_backup"] == ("false", "PODIUM_DAILY_BACKUP")
    assert shown["as"][0] == "robin"
    assert shown["server"][0] is shown["token_file"][0] is None
    rows = run("config").stdout.partition("\n\n")[0].splitlines()[1:]
    assert all(len(row.split("  ")) > 2 and row.split()[1] for row in rows)
    assert "None" not in "".join(rows)
    assert "not set" in next(row for row in rows if row.startswith("token_file"))
    assert "PODIUM_DAILY_BACKUP" in run("config").stdout
    (tmp_path / "config.toml").write_text("synchronous = 5\n")
    assert "NORMAL or FULL" in run.error("config", status=2)["errorMessage"]


def test_doctor_says_what_is_wrong_with_the_file(run: CommandLine) -> None:
    findings = {each["what"]: each for each in run.json("doctor")["data"]}
    assert findings["SQLite"]["found"].startswith(sqlite3.sqlite_version)
    assert findings["Quick check"]["found"] == "ok"
    assert findings["Access to work.db"]["found"] == "0600"
    assert "MB free on its disk" in findings["Disk space"]["found"]
    run.db.chmod(0o644)
    assert "chmod o=" in run("doctor", status=5).stdout
    run.db.write_bytes(os.urandom(50_000))
    assert "BAD" in run("doctor", status=5).stdout


def test_doctor_counts_the_items_of_a_project_again_whose_numbers_are_wrong(run: CommandLine) -> None:
    name = run.json("project", "list")["data"][0]["project"]["name"]
    with closing(sqlite3.connect(run.db)) as file, file:
        file.execute("UPDATE feed SET item_counts = '{}' WHERE id = (SELECT id FROM project WHERE name = ?)", [name])
    told = run("doctor").stdout
    assert f"were wrong in “{name}”, and the items have been counted again" in told
    findings = {each["what"]: each for each in run.json("doctor")["data"]}
    assert findings["Item counts"] == {"what": "Item counts", "found": "ok", "verdict": "GOOD"}


def test_doctor_says_so_where_a_file_may_not_be_looked_at(run: CommandLine, anywhere: Anywhere) -> None:
    told = anywhere("doctor", "--db", str(run.db / "within-a-file.db"))
    assert told.exit_code == 5
    assert "BAD   Workspace" in told.stdout
    assert "Where a server has it, name that" in told.stdout


def test_demo_makes_a_file_where_there_is_no_terminal(tmp_path: Path, anywhere: Anywhere) -> None:
    path = tmp_path / "demo.db"
    assert str(path) in anywhere("demo", "--db", str(path), "--as", "dana").stdout
    assert len(CommandLine(path, "dana").json("project", "list")["data"]) == 7
    assert anywhere("demo", "--db", str(path)).exit_code == 1


@pytest.mark.parametrize("words", [("demo",), ("open", "slow"), ()])
def test_without_a_terminal_no_screen_is_opened(run: CommandLine, anywhere: Anywhere, words: tuple[str, ...]) -> None:
    result = anywhere(*words)
    assert (result.exit_code, "needs a terminal" in result.stderr) == (2, True)


def test_the_program_is_the_one_list_of_commands(tmp_path: Path) -> None:
    make_demo(tmp_path / "demo.db", login="robin")
    context = Context(podium)
    found = [podium.get_command(context, name) for name in COMMANDS]
    assert {each.name for each in found if each} == set(COMMANDS)


@pytest.mark.parametrize("is_editable", [True, False])
def test_an_editable_installation_runs_the_checkout_and_not_the_copy_in_it(is_editable: bool, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tui" / "installed" / "podium", tmp_path / "podium")
    copied = tmp_path / "podium" / "_app" / "tui"
    copied.mkdir(parents=True)
    (copied / "__init__.py").touch()
    (copied / "__main__.py").write_text("def main():\n    print('the copy')\n")
    if is_editable:
        (tmp_path / "_podium_tui.pth").write_text(str(ROOT))
    argv = [sys.executable, "-c", "from podium import main; main()", "--version"]
    env = {"PYTHONPATH": f"{tmp_path}:{ROOT}", "HOME": str(tmp_path)}
    said = subprocess.run(argv, cwd=tmp_path, env=env, capture_output=True, text=True, check=True).stdout
    assert said == (f"podium, version {VERSION}\n" if is_editable else "the copy\n")
