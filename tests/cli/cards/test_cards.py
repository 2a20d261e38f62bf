"""``podium task`` and ``podium activity``, from the list to the row."""

from __future__ import annotations

from tests.cli.conftest import CommandLine


def test_a_task_lives_its_life(run: CommandLine) -> None:
    run("task", "add", "slow", "3", "Buy oats", "--assignee", "mara", "--due", "2030-01-02")
    task = run.task("slow", "Buy oats")
    assert (task["due"], task["status"]) == ("2030-01-02", "TO_DO")
    run("task", "edit", "slow", "buy", "--title", "Buy more oats", "--description", "Rolled")
    run("task", "move", "slow", "buy more", "in_progress")
    run("task", "due", "slow", "buy more", "-")
    run("task", "assign", "slow", "buy more", "nobody")
    task = run.task("slow", "Buy more oats")
    assert (task["due"], task["status"], task["assignees"]) == (None, "IN_PROGRESS", [])
    assert run.json("task", "show", task["key"])["data"][0]["item"]["description"] == "Rolled"
    run("task", "archive", "slow", "buy more")
    assert run.task("slow", "Buy more oats")["status"] == "ARCHIVED"
    assert run("task", "restore", "slow", "buy more").stdout == "“Buy more oats” is in progress.\n"
    assert run.task("slow", "Buy more oats")["status"] == "IN_PROGRESS"
    assert (
        run("task", "restore", "slow", "buy more").stdout == "“Buy more oats” is in progress.\n"
    )  # not archived any more
    run("task", "archive", "slow", "buy more")
    run("task", "delete", "slow", "buy more", "--yes")
    run("task", "archive", "slow", "buy more", status=6)


def test_tasks_are_listed_by_phase_and_by_me(run: CommandLine) -> None:
    every = run.json("task", "list", "slow")["data"]
    mine = run.json("task", "list", "slow", "--mine")["data"]
    production = run.json("task", "list", "slow", "--phase", "production")["data"]
    assert 0 < len(mine) < len(every)
    assert 0 < len(production) < len(every)
    assert "Robin Ekholm" in run("task", "list", "slow", "--mine").stdout


def test_an_activity_lives_its_life(run: CommandLine) -> None:
    run("activity", "add", "slow", "production", "Print", "--link", "https://example.com/print", "--due", "2030-01-02")
    run("task", "add", "slow", "production", "Proof", "--activity", "print")
    run("activity", "assign", "slow", "print", "hanna", "yuki")
    assert "one task is still open" in run("activity", "move", "slow", "print", "completed", status=1).stderr
    run("task", "move", "slow", "proof", "completed")
    run("activity", "move", "slow", "print", "completed")
    activities = run.json("activity", "list", "slow")["data"]
    card = next(card for card in activities if card["title"] == "Print")
    assert (card["status"], card["tasksDone"]) == ("COMPLETED", 1)
    assert sorted(card["assignees"]) == ["hanna.lindqvist", "yuki.tanabe"]
    assert "Hanna Lindqvist" in run("activity", "list", "slow").stdout
    run("activity", "edit", "slow", "print", "--title", "Print run")
    run("activity", "due", "slow", "print run", "none")
    run("activity", "archive", "slow", "print run")
    run("activity", "restore", "slow", "print run")
    run("activity", "archive", "slow", "print run")
    run("activity", "delete", "slow", "print run", "--yes")
    assert "Print run" not in run("activity", "list", "slow", "--archived").stdout
