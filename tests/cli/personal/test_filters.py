"""Filters on the command line: what they leave of a project, those that are kept, and where one is wrong."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from tests.cli.conftest import CommandLine


def test_tasks_are_listed_as_a_filter_leaves_them(run: CommandLine) -> None:
    every = run.json("task", "list", "slow")["data"]
    left = run.json("task", "list", "slow", "--filter", "assignee:me status:open phase:production")["data"]
    assert 0 < len(left) < len(every)
    assert {task["status"] for task in left} <= {"TO_DO", "IN_PROGRESS"}
    assert {tuple(task["assignees"]) for task in left} == {("robin",)}
    rest = run.json("task", "list", "slow", "--filter", "-assignee:me")["data"]
    mine = run.json("task", "list", "slow", "--filter", "assignee:me")["data"]
    assert len(rest) + len(mine) == len(every)
    assert "No task is left" in run("task", "list", "slow", "--filter", "zebra").stdout


def test_a_filter_that_asks_for_the_archive_needs_no_other_flag(run: CommandLine) -> None:
    run("task", "archive", "slow", "record the voice-over")
    left = run.json("task", "list", "slow", "--filter", "status:archived voice")["data"]
    assert [task["title"] for task in left] == ["Record the voice-over"]


def test_a_filter_that_is_wrong_ends_with_2_and_points_at_the_place(run: CommandLine) -> None:
    said = run("task", "list", "slow", "--filter", "oat due:<frx me", status=2).stderr.splitlines()
    assert said[0].startswith("Invalid filter: “frx” is not a day.")
    assert said[1:] == ["  oat due:<frx me", "           ^^^"]
    said = run("task", "list", "slow", "--filter", "着陸 status:x", status=2).stderr.splitlines()
    assert said[2] == "              ^"
    assert said[2].index("^") == 2 + len("着陸 status:") + 2  # each of the first two letters takes two cells


def test_filters_are_kept_listed_and_forgotten(run: CommandLine) -> None:
    assert "No saved filters yet" in run("filter", "list").stdout
    run("filter", "save", "Late", "due:late")
    run("filter", "save", "late", "due:late status:open")
    assert [each["name"] for each in run.json("filter", "list")["data"]] == ["Late", "late"]
    run("filter", "delete", "late")
    assert "which was “due:late”" in run("filter", "delete", "la").stdout
    run("filter", "delete", "late", status=6)
    assert "^" in run("filter", "save", "Broken", "foo:1", status=2).stderr


def test_a_gate_requires_evidence_on_the_command_line_too(run: CommandLine) -> None:
    run("phase", "add", "torq", "Sign-off", "--gate", "review", "--evidence-required")
    phase = next(each["phase"] for each in run.json("phase", "list", "torq")["data"] if "Sign" in each["phase"]["name"])
    assert (phase["gate"], phase["evidenceRequired"]) == ("REVIEW", True)
    assert "review with evidence" in run("phase", "list", "torq").stdout
    run("phase", "edit", "torq", "sign", "--no-evidence-required")
    assert "review with evidence" not in run("phase", "list", "torq").stdout
    refused = run("phase", "edit", "torq", "sign", "--gate", "automatic", "--evidence-required", status=2)
    assert "Only a review gate" in refused.stderr


def test_the_gate_record_leaves_as_markdown_csv_and_json(run: CommandLine, tmp_path: Path) -> None:
    run("gate", "hold", "slow", "3", "--reason", "=SUM(A1) | *not* yet\nreally")
    markdown = run("gate", "export", "slow").stdout
    assert markdown.startswith("# Gate record of Slow Mornings campaign\n")
    assert "- Reason: \\=SUM(A1) \\| \\*not\\* yet really\n" in markdown
    run("gate", "export", "slow", "--format", "csv", "-o", str(tmp_path / "record.csv"))
    exported = (tmp_path / "record.csv").read_text()
    assert exported.startswith("\ufeff"), "so that Excel takes it for UTF-8"
    printed = run("gate", "export", "slow", "--format", "csv").stdout
    rows = list(csv.reader(io.StringIO(printed)))
    assert rows == list(csv.reader(io.StringIO(exported.removeprefix("\ufeff"))))
    held = dict(zip(rows[0], rows[-1], strict=True))
    assert (held["Phase"], held["Entry"], held["By"]) == ("3 Production", "held", "Robin Ekholm")
    assert (held["When"][-1], held["Reason"][:5], len(held["SHA-256"])) == ("Z", "'=SUM", 64)
    lines = run.json("gate", "export", "slow")["data"]
    assert len(lines) == len(rows) - 1
    assert (lines[-1]["phase"], lines[-1]["record"]["decision"]) == ("Production", "HOLD")
    assert "No gate decisions yet" in run("gate", "export", "trade fair").stdout
