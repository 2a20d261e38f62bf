"""``--dry-run``: every command that changes something prints what it would change, and changes nothing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from core.engine import dry_run
from tests.cli.conftest import CommandLine
from tests.support.predictions import every_row
from tui.cli.program import podium
from tui.cli.session_command import SessionCommand

PROJECT = "slow"

LOOK_ONLY = (
    "deliverable list; deliverable verify; gate diff; gate record; gate show;"
    " gate condition list; gate criteria list; permission review;"
    " activity list; application list; application products; application show; burn-up; filter list; gate check;"
    " field list; gate export; hierarchy list; history; member list; meta-role list; my-work; online; permission can;"
    " permission list; permission query; phase list; phase show; preset export; preset list; product list;"
    " product roles; product show; product role list; product token list; project export; project health;"
    " project list; project show; report; search; task links; task list; task show; template compare; template export;"
    " template list; template show; template versions; token gateway list; token list; user list; user show;"
    " os-account list; project orphaned; portfolio; workload; label list; comment list; settings list;"
    " workspace show"
)
"""Commands that read, and ``use``, which only keeps a name on this machine."""


def commands(command: click.Command, path: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(command)
    if not isinstance(command, click.Group):
        yield path, command
        return
    for name in command.list_commands(context):
        if (below := command.get_command(context, name)) is not None:
            yield from commands(below, f"{path} {name}".strip())


def test_every_command_that_sends_commands_has_the_option_and_no_other_has_it() -> None:
    have: set[str] = set()
    lack: set[str] = set()
    for path, command in commands(podium):
        if isinstance(command, SessionCommand):
            options = {name for each in command.params for name in each.opts}
            (have if "--dry-run" in options else lack).add(path)
        else:
            assert "--dry-run" not in {name for each in command.params for name in each.opts}, path
    assert {"task done", "task move", "undo", "launch", "project import", "run", "token create", "add"} <= have
    assert lack <= {*LOOK_ONLY.split("; "), "use"}, lack - {*LOOK_ONLY.split("; "), "use"}
    assert not have & {*LOOK_ONLY.split("; ")}


def test_a_task_that_would_be_moved_is_shown_before_and_after(run: CommandLine) -> None:
    run("task", "add", PROJECT, "production", "Print the flyers")
    rows = every_row(run.db)
    shown = run("task", "move", PROJECT, "Print the flyers", "doing", "--dry-run")
    head, *lines = shown.stdout.splitlines()[1:]
    assert head.split() == ["RECORD", "FIELD", "BEFORE", "AFTER"]
    assert [re.split(" {2,}", line) for line in lines] == [
        ["task SLO-37 “Print the flyers”", "status", "to do", "in progress"]
    ]
    assert shown.stderr == "Nothing was changed.\n"
    found = run.json("task", "move", PROJECT, "Print the flyers", "doing", "--dry-run")
    (change,) = found["changes"]
    assert (change["before"]["status"], change["after"]["status"]) == ("TO_DO", "IN_PROGRESS")
    assert (
        run("task", "move", PROJECT, "Print the flyers", "doing", "--dry-run", "-q").stdout.strip()
        == (change["after"]["id"])
    )
    assert every_row(run.db) == rows


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ("task move slow nothing doing", 6),
        ("project delete slow --yes", 1),
        ("run MoveCard card_id=x status=DONE", 2),
        ("user add Ida Ruiz robin", 2),
        ("project archive slow", 0),
    ],
)
@pytest.mark.parametrize("login", ["robin", "claire.whitlock"])
def test_a_dry_run_is_refused_with_the_exit_status_and_the_words_of_the_command(
    run: CommandLine, words: str, status: int, login: str
) -> None:
    rows = every_row(run.db)
    ended = [
        CliRunner().invoke(podium, [*words.split(), *more, "--db", str(run.db), "--as", login], catch_exceptions=False)
        for more in (["--dry-run"], [])
    ]
    assert ended[0].exit_code == ended[1].exit_code
    if ended[1].exit_code:
        assert ended[0].stderr == ended[1].stderr
        assert every_row(run.db) == rows
    if login == "robin":
        assert ended[1].exit_code == status


def test_what_asks_for_consent_does_not_ask_in_a_dry_run(run: CommandLine) -> None:
    run("task", "add", PROJECT, "production", "Print the flyers")
    run("task", "archive", PROJECT, "Print the flyers")
    shown = run("task", "delete", PROJECT, "Print the flyers", "--dry-run")
    assert "deleted task SLO-37 “Print the flyers”" in shown.stdout
    run("project", "archive", PROJECT)
    rows = every_row(run.db)
    assert re.search("member “Robin Ekholm” +role +owner +none", run("project", "delete", PROJECT, "--dry-run").stdout)
    assert every_row(run.db) == rows


def test_a_token_is_neither_made_nor_shown(run: CommandLine) -> None:
    rows = every_row(run.db)
    shown = run("token", "create", "nightly", "--dry-run")
    assert "new token “nightly”" in shown.stdout
    (change,) = run.json("token", "create", "nightly", "--dry-run")["changes"]
    assert not {"hash", "secret"} & change["after"].keys()
    assert every_row(run.db) == rows


def test_a_bulk_change_names_the_refused_steps_and_ends_with_status_1(run: CommandLine) -> None:
    for title in ("One", "Two"):
        run("task", "add", PROJECT, "production", title)
    first, second = (run.task(PROJECT, title) for title in ("One", "Two"))
    document = {
        "project_id": run.project("Slow")["project"]["id"],
        "commands": [
            {"message": "MoveCard", "card_id": first["id"], "status": "IN_PROGRESS"},
            {"message": "MoveCard", "card_id": second["id"], "status": "IN_PROGRESS", "seen_version": 9},
        ],
    }
    text = json.dumps(document).encode()
    rows = every_row(run.db)
    shown = run("run", "BulkUpdate", "--json-input", "-", "--dry-run", stdin=text, status=1)
    assert "“One”" in shown.stdout
    assert "“Two”" in shown.stderr
    assert every_row(run.db) == rows


def test_both_commands_of_an_edit_are_foreseen(run: CommandLine) -> None:
    run("project", "create", "Fair")
    found = run.json("project", "edit", "Fair", "--name", "Great fair", "--client", "halden", "--dry-run")
    renamed, linked = (change["after"] for change in found["changes"])
    assert (renamed["name"], renamed["clientId"]) == ("Great fair", None)
    assert (linked["name"], bool(linked["clientId"])) == ("Fair", True)


@pytest.mark.parametrize("words", ["init", "backup x.db", "restore x.db", "serve", "config", "use slow", "task list"])
def test_a_command_that_has_no_dry_run_refuses_the_option(run: CommandLine, words: str) -> None:
    assert "No such option" in run(*words.split(), "--dry-run", status=2).stderr


def test_more_changes_than_are_listed_are_counted(run: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    run("project", "archive", PROJECT)
    deletion = ("project", "delete", PROJECT, "--dry-run")
    every = run.json(*deletion)
    monkeypatch.setattr(dry_run, "MAX_CHANGES", 2)
    first = run.json(*deletion)
    assert (len(first["changes"]), first["moreChanges"]) == (2, len(every["changes"]) - 2)
    assert f"… and {first['moreChanges']:,} more records." in run(*deletion).stdout
