"""``podium task done|start|show`` and ``podium comment add``: cards of the current project, several at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine

EDIT, TEST = "Edit the 45″ film", "Recipe leaflet: 12 recipes"


@pytest.fixture(autouse=True)
def _current(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: CommandLine) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    run("use", "slow")
    run("add", "-", stdin=b"Buy oats\nBuy milk\nBuy honey\n")


def status(run: CommandLine, *titles: str) -> list[str]:
    return [run.task("slow", title)["status"] for title in titles]


def test_several_tasks_are_started_and_completed_as_one_step(run: CommandLine) -> None:
    said = run("task", "start", "buy o", "Buy milk").stdout
    assert said == "“Buy oats” is in progress.\n“Buy milk” is in progress.\n"
    assert status(run, "Buy oats", "Buy milk", "Buy honey") == ["IN_PROGRESS", "IN_PROGRESS", "TO_DO"]
    assert run("task", "done", "Buy oats", "Buy milk", "-q").stdout.splitlines() == [
        run.task("slow", title)["id"] for title in ("Buy oats", "Buy milk")
    ]
    assert status(run, "Buy oats", "Buy milk") == ["COMPLETED", "COMPLETED"]
    run("undo", "slow")
    assert status(run, "Buy oats", "Buy milk") == ["IN_PROGRESS", "IN_PROGRESS"]
    assert run("task", "done", "Buy honey").stdout == "“Buy honey” is completed.\n"


def test_a_name_that_is_wrong_changes_nothing(run: CommandLine) -> None:
    assert "Did you mean “Buy milk”" in run("task", "done", "Buy oats", "Buy mlik", status=6).stderr
    assert "Buy oats" in run("task", "done", "buy", status=2).stderr
    assert "named twice" in run("task", "done", "Buy oats", "buy o", status=2).stderr
    assert status(run, "Buy oats", "Buy milk") == ["TO_DO", "TO_DO"]


def test_a_task_that_is_refused_is_told_with_its_reason_and_the_others_are_done(run: CommandLine) -> None:
    locked = run.json("task", "add", "slow", "4", "Too early")["title"]
    said = run("task", "done", "Buy oats", locked, status=1)
    assert said.stdout == "“Buy oats” is completed.\n"
    assert "“Too early”: " in said.stderr
    assert "locked" in said.stderr
    assert status(run, "Buy oats", locked) == ["COMPLETED", "TO_DO"]


def test_ids_need_no_project_and_show_prints_each_task(run: CommandLine) -> None:
    ids = [run.task("slow", title)["id"] for title in ("Buy oats", "Buy milk")]
    run("task", "assign", "slow", "Buy oats", "mara")
    run("comment", "add", "Buy oats", "Rolled", "ones", "@mara.oduya")
    run("use", "torq")
    shown = run("task", "show", *ids).stdout
    for words in ("Buy oats: to do", "Buy milk: to do", "Assigned to: Mara Oduya", "Rolled ones @mara.oduya", ids[0]):
        assert words in shown
    assert run.json("task", "show", ids[0])["data"][0]["item"]["title"] == "Buy oats"
    assert [each["item"]["id"] for each in run.json("task", "show", *ids)["data"]] == ids
    run("task", "done", *ids)
    assert status(run, "Buy oats", "Buy milk") == ["COMPLETED", "COMPLETED"]
    assert "There is no task" in run("task", "done", "Buy honey", status=6).stderr
    run("task", "done", "Buy honey", "-p", "slow")


def test_a_comment_is_added_to_a_task_or_an_activity(run: CommandLine) -> None:
    assert run("comment", "add", "Buy oats", "-", stdin=b"Zwei\nZeilen").stdout == "Commented on “Buy oats”.\n"
    [comment] = run.json("task", "show", "Buy oats")["data"][0]["comments"]
    assert comment["text"] == "Zwei\nZeilen"
    activity = run.json("activity", "list", "slow")["data"][0]
    assert run("comment", "add", activity["title"], "Fine").stdout == f"Commented on “{activity['title']}”.\n"
    assert run("comment", "add", activity["id"], " ", status=2).stdout == ""
    assert "is an activity" in run("task", "done", activity["id"], status=2).stderr
