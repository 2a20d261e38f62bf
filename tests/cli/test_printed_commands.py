"""A command that Podium prints with the name of a project or person in it does what its sentence says, as printed."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.support.sweeps import sweep
from tests.support.system_programs import needs
from tui.cli.program import podium


@dataclass
class Terminal:
    """Podium on one workspace, and a shell that runs what Podium printed."""

    db: Path

    def __call__(self, *args: str, status: int = 0, typed: str = "") -> str:
        """The output of a command that reads what is typed on standard input, and must end with this status."""
        result = CliRunner().invoke(podium, args, input=typed, catch_exceptions=False)
        assert result.exit_code == status, result.output
        return result.output

    def project(self, name: str) -> str:
        """The id of a new project with a phase. Its name comes on standard input, since it may be “-”."""
        made: str = json.loads(self("project", "create", "--json", "-", typed=name))["id"]
        self("phase", "add", made, "Build")
        return made

    def shell(self, said: str) -> str:
        """The output of the first command in a sentence, run by a shell exactly as printed."""
        printed = re.findall("“(podium [^”]*)”", said)[0]
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        done = subprocess.run(
            [needs("sh"), "-c", printed], env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{printed}: {done.stderr}"
        return done.stdout

    def rows(self, statement: str, *values: str) -> list[tuple[str, ...]]:
        with closing(sqlite3.connect(self.db)) as connection:
            return connection.execute(statement, values).fetchall()

    def tasks(self, project_id: str) -> set[str]:
        return {title for (title,) in self.rows("SELECT title FROM item WHERE project_id = ?", project_id)}

    def changes_elsewhere(self, project_id: str) -> list[tuple[str, ...]]:
        return self.rows("SELECT project_id, seq FROM change WHERE project_id <> ? ORDER BY 1, 2", project_id)


@pytest.fixture
def terminal(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    db = Path(shutil.copy(demo, tmp_path / "work.db"))
    monkeypatch.setenv("PODIUM_DB", str(db))
    monkeypatch.setenv("PODIUM_AS", "robin")
    return Terminal(db)


NAMES = [
    *("Spring launch", "x", "x.", "...", "it's", 'say "hi"', "“curly”", "a;b", "$(exit 3)", "*", "~", "!boom", "#hash"),
    *("--workspace", "--change", "--db", "--help", "--", "-", "-x", "-x y", "0000000000ABCDEFGHJKMNPQRS", "名前"),
]
SAMPLED = ("Spring launch", "$(exit 3)", "--change", "名前")
"""Those that each run takes: what a shell takes for a sign, an option, and words."""


@pytest.mark.parametrize("name", sweep(NAMES, lambda name: name in SAMPLED))
def test_undo_and_redo_print_commands_that_act_on_the_project_that_they_speak_of(terminal: Terminal, name: str) -> None:
    project_id = terminal.project(name)
    terminal("task", "add", project_id, "Build", "Oats")
    elsewhere = terminal.changes_elsewhere(project_id)
    assert "Undid: added the task “Oats”" in terminal.shell(terminal("undo", status=1))
    assert terminal.tasks(project_id) == set()
    assert "Redid: added the task “Oats”" in terminal.shell(terminal("redo", status=1))
    assert terminal.tasks(project_id) == {"Oats"}
    terminal("task", "add", project_id, "Build", "Milk")
    terminal("task", "archive", project_id, "Milk")
    terminal("task", "delete", project_id, "Milk", "--yes")
    said = terminal("undo", project_id, status=1)
    while "(redid" not in said and "(added the task “Oats”)" not in said:
        number = said.rpartition("--change ")[2].partition("”")[0]
        said = terminal("undo", project_id, "--change", number, status=1)
    terminal.shell(said)
    assert terminal.tasks(project_id) == set()
    assert terminal.changes_elsewhere(project_id) == elsewhere


def test_of_two_projects_of_one_name_the_command_means_the_one_that_was_changed(terminal: Terminal) -> None:
    ids = [terminal.project("Same") for _ in range(2)]
    for project_id in ids:
        terminal("task", "add", project_id, "Build", "Oats")
        terminal.shell(terminal("undo", status=1))
        assert terminal.tasks(project_id) == set()


def test_a_name_in_its_own_case_means_that_project_and_none_that_differs_by_case(terminal: Terminal) -> None:
    for name in ("autumn", "AUTUMN", "Autumn fair"):
        project_id = terminal.project(name)
        terminal("task", "add", name, "Build", "Oats")
        assert terminal.tasks(project_id) == {"Oats"}
        terminal.shell(terminal("undo", status=1))
        assert terminal.tasks(project_id) == set()
    assert "may be several" in terminal("task", "list", "Autumn", status=2)


def test_a_project_with_the_id_of_another_as_its_name_is_named_by_its_own_id(terminal: Terminal) -> None:
    other = terminal.project("Other")
    project_id = terminal.project(other)
    terminal("task", "add", other, "Build", "Oats")
    terminal("task", "add", project_id, "Build", "Milk")
    terminal.shell(terminal("undo", status=1))
    assert terminal.tasks(other) == {"Oats"}
    assert terminal.tasks(project_id) == set()


def test_a_project_is_reached_by_a_name_that_has_the_form_of_an_id(terminal: Terminal) -> None:
    name = "01M81VQN1K9JD8SYE5WBWDSSPX"
    project_id = terminal.project(name)
    terminal("task", "add", name, "Build", "Oats")
    assert terminal.tasks(project_id) == {"Oats"}
    assert "no such project" in terminal("task", "list", "01M81VQN1K9JD8SYE5WBWDSSPY", status=6)


@pytest.mark.parametrize("name", ["--role", "Same", "it's"])
def test_a_person_who_is_no_member_yet_is_added_by_the_command_of_the_refusal(terminal: Terminal, name: str) -> None:
    terminal.project(name)
    project_id = terminal.project(name)
    terminal("user", "add", "Bob", "Lind", "bob@example.com", "--login", "bob")
    terminal("user", "add", "Eve", "Lindberg", "eve@example.com", "--login", "bob2")
    terminal.shell(terminal("task", "add", project_id, "Build", "Oats", "--assignee", "Lind", status=6))
    added = "SELECT login FROM member JOIN app_user ON app_user.id = user_id WHERE project_id = ? AND login <> 'robin'"
    assert terminal.rows(added, project_id) == [("bob",)]


def test_a_command_with_a_path_is_quoted_for_the_shell(terminal: Terminal, tmp_path: Path) -> None:
    path = tmp_path / "my demo.db"
    said = terminal("demo", "--db", str(path))
    assert f"“podium --db '{path}' --as robin” opens it." in said
