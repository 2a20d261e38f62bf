"""Refusals on the command line: one sentence, with a way out that works."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine


def test_a_token_that_cannot_be_printed_is_revoked(run: CommandLine) -> None:
    words = ("token", "create", "nightly")
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "tui", *words, "--db", str(run.db), "--as", "robin", "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ended.returncode == 74, ended.stderr
    (error,) = json.loads(ended.stderr)["errors"]
    assert error["errorCode"] == "OUTPUT_NOT_WRITTEN"
    assert "the new token was revoked" in error["errorMessage"]
    group = words[:-2]
    assert [line["state"] for line in run.json(*group, "list")["data"] if line["label"] == words[-1]] in (
        [],
        ["REVOKED"],
    )


@pytest.mark.parametrize("force", [(), ("--force",)])
def test_no_backup_or_export_replaces_a_folder_or_a_device(
    run: CommandLine, tmp_path: Path, force: tuple[str, ...]
) -> None:
    for target in (tmp_path, Path("/dev/full")):
        for words in (("backup", str(target)), ("project", "export", "slow", "-o", str(target))):
            said = run(*words, *force, status=2).stderr if words[0] != "backup" else _backup(run, target, force)
            assert "Choose another name" in said
            assert "--force" not in said


def _backup(run: CommandLine, target: Path, force: tuple[str, ...]) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "tui", "backup", str(target), *force, "--db", str(run.db)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    return done.stderr


def test_a_report_for_programs_is_json(run: CommandLine) -> None:
    assert "Slow Mornings" in json.dumps(run.json("report", "slow"))


def test_a_person_who_is_no_member_yet_is_told_apart_from_an_unknown_one(run: CommandLine) -> None:
    run("user", "add", "Bob", "O'Lind", "bob@example.com", "--login", "bob")
    project = run.json("project", "create", "Spring launch")["id"]
    run("phase", "add", "spring", "Discover")
    add = ("task", "add", "spring", "1", "Call the venue", "--assignee")
    said = run(*add, "bob", status=6).stderr
    assert "“bob” is not a member of “Spring launch”. Add them: “podium member add 'Spring launch' bob”." in said
    assert "not a member" in run("member", "role", "spring", "Bob O'Lind", "viewer", status=6).stderr
    assert "There is no person “bert” here, or you cannot see it." in run(*add, "bert", status=6).stderr
    assert run.json("task", "list", "spring")["data"] == []
    run(*shlex.split(said.partition("podium ")[2].partition("”")[0]))
    run(*add, "bob")
    (task,) = run.json("task", "list", "spring")["data"]
    assert "bob" in [line["user"]["login"] for line in run.json("member", "list", project)["data"]]
    assert task["assignees"] == ["bob"]
