"""The commands of the pages run as they are written. Other blocks run in tests/api and tests/end_to_end, and in CI."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.docs.readme import CLI, PAGES, README
from tests.support.paths import ROOT
from tests.support.system_programs import needs


def commands_of(page: Path) -> str:
    """The block of a page that begins with a new workspace."""
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL)
    (block,) = [block for block in blocks if block.startswith("podium init --name")]
    return str(block)


def run_on_a_fresh_machine(script: str, home: Path) -> tuple[str, Path]:
    """The output of a block, and the folder in which it ran."""
    programs = home / "bin"
    programs.mkdir()
    podium = programs / "podium"
    podium.write_text(f'#!/bin/sh\nexec {sys.executable} -m tui "$@"\n')
    podium.chmod(0o755)
    work = home / "work"
    work.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PODIUM_", "XDG_"))}
    if os.getuid() == 0:  # a founder of another login is not linked to root else
        script = script.replace("--login maya", "--login maya --allow-root")
    env = kept | {"HOME": str(home), "PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    script = "set -e\n" + script.replace(" && echo", "; echo")  # set -e looks past what stands before &&
    done = subprocess.run([needs("bash"), "-c", script], cwd=work, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, work


def rows(home: Path, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(home / ".local/share/podium/podium.db")) as database:
        return database.execute(sql).fetchall()


@pytest.mark.sweep
def test_the_commands_of_the_command_line_page_run_in_their_order(tmp_path: Path) -> None:
    printed, work = run_on_a_fresh_machine(commands_of(CLI), tmp_path)
    assert "ready for approval" in printed
    assert (work / "status.md").read_text().startswith("# Spring campaign")
    assert (tmp_path / "autumn.db").stat().st_size > 0
    names = rows(tmp_path, "SELECT name FROM project ORDER BY name")
    assert names == [("Autumn campaign",), ("Spring campaign",)]
    assert rows(tmp_path, "SELECT count(*) FROM application") == [(0,)], "the last change is undone"


@pytest.mark.sweep
def test_a_committee_can_follow_the_user_guide(tmp_path: Path) -> None:
    printed, work = run_on_a_fresh_machine(commands_of(ROOT / "tui" / "README.md"), tmp_path)
    assert printed.count("is approved") == 2
    assert "recorded by Maya, not voted" in printed
    assert (work / "gates.html").read_text().startswith("<!DOCTYPE html>")
    votes = "SELECT count(*) FROM gate_record WHERE decision LIKE 'VOTE%'"
    assert rows(tmp_path, votes) == [(5,)]


def test_the_commands_of_the_readme_run_in_their_order(tmp_path: Path) -> None:
    printed, work = run_on_a_fresh_machine(commands_of(README), tmp_path)
    assert '"title": "Write the brief"' in printed
    assert printed.rstrip().endswith("not ready")
    assert (work / "status.md").read_text().startswith("# Spring campaign")
    assert rows(tmp_path, "SELECT name FROM project") == [("Spring campaign",)]
    assert rows(tmp_path, "SELECT count(*) FROM item WHERE title = 'Write the brief'") == [(1,)]


def test_every_command_in_a_block_exists() -> None:
    from tui.cli.commands import COMMANDS as KNOWN

    blocks = re.findall(r"```console\n(.*?)```", "\n".join(page.read_text() for page in PAGES), re.DOTALL)
    named = {word for block in blocks for word in re.findall(r"(?:^|\s)podium ([a-z][a-z-]*)\b", block, re.MULTILINE)}
    accounts = {"podium"}
    assert len(named) > 20
    assert named - accounts <= set(KNOWN), named - accounts - set(KNOWN)
