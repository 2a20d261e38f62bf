"""Texts of options from stdin and from files. No other test walks all commands for what “-” means there."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tests.cli.conftest import CommandLine
from tests.support.system_programs import needs
from tui.cli.program import podium
from tui.cli.session_command import LONG_TEXTS, SessionCommand


def commands(group: click.Group, context: click.Context, path: str = "") -> Iterator[tuple[str, SessionCommand]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, click.Context(command, info_name=name, parent=context), f"{path} {name}")
        elif isinstance(command, SessionCommand):
            yield f"{path} {name}".strip(), command


EVERY = dict(commands(podium, click.Context(podium, info_name="podium")))


def test_every_text_of_an_option_can_stand_on_stdin_and_every_long_one_in_a_file() -> None:
    assert len(EVERY) > 150
    for path, command in EVERY.items():
        records = {each.form for each in command.parameters if each.noun}
        for each in command.params:
            if isinstance(each, click.Option) and each not in records and is_text(each):
                assert each in command.texts, f"{path} {each.opts}"
            if each.name in LONG_TEXTS:
                assert any(f"--{each.name}-file" in other.opts for other in command.params), f"{path} {each.opts}"


def is_text(option: click.Option) -> bool:
    is_free = isinstance(option.type, click.types.StringParamType) and not option.is_flag and not option.multiple
    return is_free and option.metavar is None and option.expose_value


def test_a_text_is_read_from_stdin(run: CommandLine) -> None:
    run("task", "add", "slow", "3", "Buy oats")
    key = run.task("slow", "Buy oats")["key"]
    run("task", "edit", key, "--description", "-", stdin="Zwei\nSäcke\n".encode())
    assert run.json("task", "show", key)["data"][0]["item"]["description"] == "Zwei\nSäcke"
    run("task", "edit", key, "--title", "-", stdin=b"Buy more oats\n")
    assert run.json("task", "show", key)["data"][0]["item"]["title"] == "Buy more oats"


def test_a_text_is_read_from_a_file(run: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "objectives.md").write_text("# Why\n\nOats.\n")
    run("phase", "edit", "slow", "4", "--objectives-file", str(tmp_path / "objectives.md"))
    assert run.json("phase", "show", "slow", "4")["phase"]["objectives"] == "# Why\n\nOats."


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--objectives", "-", "--outcomes", "-"], "only one option can be"),
        (["--objectives-file", "-", "--outcomes", "-"], "only one option can be"),
        (["--objectives", "a", "--objectives-file", "b"], "Give --objectives or --objectives-file, not both."),
        (["--objectives-file", "/nowhere"], "“/nowhere” cannot be read"),
    ],
)
def test_a_text_that_cannot_be_read_changes_nothing(run: CommandLine, words: list[str], said: str) -> None:
    before = run.json("phase", "show", "slow", "4")["phase"]
    assert said in run("phase", "edit", "slow", "4", *words, status=2, stdin=b"text").stderr
    assert run.json("phase", "show", "slow", "4")["phase"] == before


def test_the_reason_of_a_decision_is_read_from_stdin(run: CommandLine) -> None:
    run("task", "add", "slow", "3", "Buy oats")
    other = run.json("task", "add", "slow", "3", "Buy milk")
    run("task", "link", "Buy milk", "Buy oats", "-p", "slow")
    run("task", "override", "Buy milk", "-", "-p", "slow", stdin=b"The mill has milk\n")
    assert "The mill has milk" in run("task", "show", other["id"]).stdout


@pytest.mark.parametrize("ending", ["<&-", "</dev/null"])
def test_an_empty_or_closed_stdin_empties_no_text(run: CommandLine, ending: str) -> None:
    """As of a pipe whose first command has failed."""
    run("task", "add", "slow", "Production", "Kept", "--description", "keep me")
    words = ("task", "edit", "slow", "Kept", "--description", "-", "--db", str(run.db), "--as", "robin")
    command = shlex.join([sys.executable, "-m", "tui", *words])
    done = subprocess.run([needs("sh"), "-c", f"{command} {ending}"], capture_output=True, text=True, check=False)
    assert (done.returncode, "Nothing came on stdin for description" in done.stderr) == (2, True)
    assert run.json("task", "show", "Kept", "-p", "slow")["data"][0]["item"]["description"] == "keep me"
