"""Lists that are cut say so, and print the rest when asked."""

from __future__ import annotations

import pytest

from core.actions.cards import comments
from core.actions.history import entries
from tests.cli.conftest import CommandLine
from tui.cli.projects import history


def test_a_list_of_comments_counts_those_that_it_leaves_out(run: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    run("task", "add", "slow", "3", "Buy oats")
    key = run("task", "show", run.task("slow", "Buy oats")["id"]).stdout.split()[0]
    for number in range(comments.FIRST_PART + 1):
        run("comment", "add", key, f"Note {number}")
    shown = run("task", "show", key).stdout
    assert f"1 older comment: “podium comment list {key} --all”" in shown
    assert "Note 20" in shown
    assert "Note 0\n" not in shown
    monkeypatch.setattr(comments, "PART", 8)
    listed = run("comment", "list", key).stdout
    assert listed.endswith("13 older comments not listed: --all lists them.\n")
    assert [each["text"] for each in run.json("comment", "list", key, "--all")["data"]] == [
        f"Note {number}" for number in range(21)
    ]


def test_a_page_of_the_history_names_the_next_one(run: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    every = run.json("history", "slow", "--all")["data"]
    monkeypatch.setattr(entries, "PAGE", 5)
    monkeypatch.setattr(history, "PAGE", 5)
    seq = every[4]["seq"]
    assert f"before #{seq} are not listed: --before {seq}" in run("history", "slow").stdout
    assert run.json("history", "slow", "--all")["data"] == every
    assert "not listed" not in run("history", "slow", "--all").stdout
