"""The command line as the client of a server: the same output, and a clear word when there is nobody or no right."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import Result

from core.actions.projects.presence import ReportPresence
from tests.support.api.server import ServerOfTests, token_for
from tests.support.predictions import every_row
from tests.support.workspace import World

Anywhere = Callable[..., Result]

READ = (
    "project list", "project list --json", "project show Spring", "project export Spring --format csv", "report Spring",
    "phase list Spring", "phase show Spring 1", "gate check Spring 2", "task list Spring",
    "activity list Spring", "application list Spring", "member list Spring", "hierarchy list", "product list",
    "meta-role list", "user list --json", "permission query PROJECT_VIEW", "template list", "preset list Spring",
    "filter list", "inbox", "my-work", "search brief", "history Spring", "commands",
)  # fmt: skip


@pytest.fixture
def server(world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[ServerOfTests]:
    """A server that knows Maya by the token in the environment."""
    monkeypatch.setattr(world.engine, "clock", lambda: datetime.now(UTC))  # as the command line has it
    world.task("Write the brief")
    world.activity("Interviews")
    monkeypatch.setenv("PODIUM_TOKEN", token_for(world, world.maya))
    with ServerOfTests(world) as server:
        yield server


def test_what_is_read_is_the_same_as_in_the_file(world: World, server: ServerOfTests, anywhere: Anywhere) -> None:
    for line in READ:
        local = anywhere(*line.split(), "--db", str(world.database.path), "--as", "maya")
        remote = anywhere(*line.split(), "--server", server.address)
        assert (remote.exit_code, remote.output) == (local.exit_code, local.output), line
        assert local.exit_code in (0, 1), (line, local.output)


def test_the_environment_names_the_server_and_a_file_on_the_command_line_goes_before_it(
    world: World, server: ServerOfTests, anywhere: Anywhere, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PODIUM_SERVER", server.address)
    assert anywhere("task", "add", "Spring", "1", "Over the wire").exit_code == 0
    assert world.row("item", title="Over the wire")["version"] == 1
    assert anywhere("project", "list", "--db", str(tmp_path / "none.db")).exit_code == 5
    assert server.address in anywhere("config").stdout


def test_tasks_are_captured_and_completed_behind_a_server(
    world: World, server: ServerOfTests, anywhere: Anywhere, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PODIUM_SERVER", server.address)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert anywhere("use", "Spring").exit_code == 0
    said = anywhere("add", "Over the wire @bob")
    number = world.row("item", title="Over the wire")["number"]
    assert said.stdout == f"Added “Over the wire” (SPR-{number}) to “Discover” of “Spring launch”, for Bob Lind.\n"
    assert anywhere("add", "-", input="One\nTwo\n").exit_code == 0
    assert anywhere("task", "done", "One", "Two").exit_code == 0
    assert world.row("item", title="Over the wire")["assignee_id"] == world.bob.user_id
    assert world.row("item", title="Two")["status"] == "COMPLETED"
    quick = subprocess.run([sys.executable, "-m", "tui", "add", "Quick"], capture_output=True, text=True, check=True)
    assert quick.stdout == f"Added “Quick” (SPR-{number + 3}) to “Discover” of “Spring launch”.\n"


@pytest.mark.parametrize(
    "line",
    [
        "task move Spring Write doing",
        "task done Write -p Spring",
        "project archive Spring",
        "phase reschedule Spring 1 +3d",
        "member remove Spring bob",
        "run EditTask task_id=nowhere title=New",
    ],
)
def test_a_dry_run_is_the_same_as_in_the_file_and_changes_nothing(
    world: World, server: ServerOfTests, anywhere: Anywhere, line: str
) -> None:
    rows = every_row(world.database.path)
    for more in (["--dry-run"], ["--dry-run", "--json"]):
        local = anywhere(*line.split(), *more, "--db", str(world.database.path), "--as", "maya")
        remote = anywhere(*line.split(), *more, "--server", server.address)
        assert (remote.exit_code, _timeless(remote.stdout)) == (local.exit_code, _timeless(local.stdout))
    assert every_row(world.database.path) == rows


def _timeless(text: str) -> str:
    """The answer without the moment of a completion: the two commands are sent one after the other."""
    return re.sub(r'("completedAt": )"[^"]+"', r"\1NOW", text)


def test_who_is_here_and_on_which_card_is_told_by_a_server_alone(
    world: World, server: ServerOfTests, anywhere: Anywhere
) -> None:
    card = world.task("Print the flyers").id
    world.ask(ReportPresence(project_id=world.project.id, card_id=card, via="ssh"), world.bob)
    behind = ("--server", server.address)
    shown = anywhere("online", *behind).stdout
    assert re.search(r"^Bob Lind  Spring launch  Print the flyers  ssh ", shown, re.MULTILINE)
    (line,) = json.loads(anywhere("online", "Spring", "--json", *behind).stdout)["data"]
    assert (line["name"], line["place"]) == ("Bob Lind", "Print the flyers")
    world.engine.presence.leave(world.bob.user_id)
    assert anywhere("online", *behind).stdout == "No users online.\n"
    local = ("--db", str(world.database.path), "--as", "maya")
    assert "Only a server (--server) knows who is online" in anywhere("online", *local).stdout
    assert json.loads(anywhere("online", "--json", *local).stdout) == {"formatVersion": 1, "data": []}


@pytest.mark.parametrize(
    "words",
    [("init", "--name", "Mine"), ("backup", "a.db"), ("restore", "a.db"), ("serve", "--socket", "s"), ("demo",)],
)
def test_a_command_that_works_on_a_database_refuses_a_server(anywhere: Anywhere, words: tuple[str, ...]) -> None:
    refused = anywhere(*words, "--server", "unix:/run/podium/socket")
    assert refused.exit_code == 2
    assert f"“podium {words[0]}” works on a database, and a server is named" in refused.stderr


@pytest.mark.parametrize("words", [("project", "list"), ("open", "Spring")])
def test_a_linked_account_behind_a_server_cannot_act_as_another_user(
    server: ServerOfTests, anywhere: Anywhere, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.terminal.lifecycle.has_terminal", lambda: True)
    refused = anywhere(*words, "--server", server.address, "--as", "bob")
    assert refused.exit_code == 2
    assert "knows who you are; --as is for a database file" in refused.stderr


@pytest.mark.parametrize("words", [("project", "list"), ("task", "add", "Spring", "1", "Never"), ("open", "Spring")])
def test_a_server_that_is_not_there_ends_with_5_and_says_so(
    anywhere: Anywhere, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.terminal.lifecycle.has_terminal", lambda: True)
    address = f"unix:{tmp_path}/none"
    refused = anywhere(*words, "--server", address)
    assert refused.exit_code == 5
    assert f"The server at {address} cannot be reached." in refused.stderr


@pytest.mark.parametrize("words", [("project", "list"), ("open", "Spring")])
def test_a_server_that_does_not_let_one_in_ends_with_3(
    server: ServerOfTests, anywhere: Anywhere, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.terminal.lifecycle.has_terminal", lambda: True)
    monkeypatch.setenv("PODIUM_TOKEN", "nobodys")
    refused = anywhere(*words, "--server", server.address)
    assert refused.exit_code == 3
    assert "This token is not valid" in refused.stderr


def test_what_is_no_address_of_a_server_is_refused(anywhere: Anywhere) -> None:
    for address in ("unix:relative", "http://example.com", "ftp://x", "nonsense"):
        refused = anywhere("project", "list", "--server", address)
        assert refused.exit_code == 2, address
        assert "server" in refused.stderr
