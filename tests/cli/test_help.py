"""The help of the program and of its commands."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from click.testing import Result

from tui.cli.commands import COMMANDS, SECTIONS

Anywhere = Callable[..., Result]


def test_every_command_explains_itself(anywhere: Anywhere) -> None:
    listed = anywhere("--help").stdout
    for name in COMMANDS:
        assert f"  {name} " in listed
        assert anywhere(name, "--help").exit_code == 0
    assert anywhere("--version").stdout.startswith("podium, version ")


def test_help_lists_the_commands_by_section_each_on_one_line(anywhere: Anywhere) -> None:
    listed = anywhere("--help").stdout
    places = [listed.index(f"\n{title}:\n") for title in (*SECTIONS, "Options")]
    assert places == sorted(places)
    for name, entry in COMMANDS.items():
        assert f"\n  {name:12} {entry.line}\n" in listed
    assert max(map(len, listed.splitlines())) <= 80


def test_help_of_a_group_does_not_cut_what_its_commands_do(anywhere: Anywhere) -> None:
    for name in COMMANDS:
        assert "..." not in anywhere(name, "--help").stdout.partition("Commands:")[2], name
    told = " ".join(anywhere("task", "--help").stdout.split())
    assert "done Complete tasks by key, title or id, as one step." in told


def test_help_of_all_commands_imports_none_of_them() -> None:
    code = "import sys; sys.argv = ['podium', '--help']\nfrom tui.cli.program import podium\ntry: podium()\n"
    code += "finally: print([name for name in sys.modules if name.startswith('tui.cli.cards')], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


@pytest.mark.parametrize(("words", "shown"), [(("serve",), "--port 0..65535 "), (("history",), "--before NUMBER ")])
def test_numbers_show_their_bounds_where_they_mean_something(
    anywhere: Anywhere, words: tuple[str, ...], shown: str
) -> None:
    assert shown in anywhere(*words, "--help").stdout


def test_a_group_without_a_command_prints_its_help_line_by_line(anywhere: Anywhere) -> None:
    said = anywhere("task")
    assert said.exit_code == 2
    assert said.stderr.startswith("Usage: ")
    assert said.stderr.endswith("\nName a command.\n")
    assert said.stderr.count("Usage: ") == 1
    assert "  add " in said.stderr.splitlines()[said.stderr.splitlines().index("Commands:") + 1]


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (("serve",), {"--db"}),
        (("web",), {"--server"}),
        (("init",), {"--db", "--json"}),
        (("restore",), {"--db", "--json"}),
        (("backup",), {"--db", "--json"}),
        (("commands",), {"--json"}),
        (("demo",), {"--db", "--as"}),
        (("task", "list"), {"--db", "--direct", "--server", "--as", "--json"}),
    ],
)
def test_the_help_of_a_command_has_the_options_that_mean_something_there(
    anywhere: Anywhere, words: tuple[str, ...], options: set[str]
) -> None:
    shown = re.findall(r"^  (--[a-z-]+)", anywhere(*words, "--help").stdout, re.MULTILINE)
    assert options == set(shown) & {"--db", "--direct", "--server", "--as", "--json"}


def test_help_shows_the_help_of_any_command(anywhere: Anywhere) -> None:
    assert anywhere("help").stdout == anywhere("--help").stdout
    assert anywhere("help", "task").stdout == anywhere("task", "--help").stdout
    assert anywhere("help", "task", "move").stdout == anywhere("task", "move", "--help").stdout
    assert "Did you mean “list”?" in anywhere("help", "task", "lst").stderr
    assert "“podium task move” is one command." in anywhere("help", "task", "move", "x").stderr
