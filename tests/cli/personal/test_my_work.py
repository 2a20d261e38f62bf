"""``podium my-work``, ``podium inbox`` and the news of a project."""

from __future__ import annotations

from datetime import date

from tests.cli.conftest import CommandLine

DRILL, EVENT = "Torq T4 drill launch", "Partner Days in Leeds"


def test_my_work_is_listed_by_date_over_all_projects(run: CommandLine) -> None:
    lines = run.json("my-work")["data"]
    dates = [line["due"] for line in lines if line["due"]]
    assert dates == sorted(dates)
    assert len({line["project"] for line in lines}) >= 4
    head, first, *_ = run("my-work").stdout.splitlines()
    assert head.split() == ["DUE", "WHAT", "PRIORITY", "PROJECT", "PHASE", "STATUS", "KEY"]
    assert lines[0]["title"] in first
    late = run.json("my-work", "--late")["data"]
    assert late
    assert all(line["due"] < date.today().isoformat() for line in late)


def test_an_empty_list_says_so(run: CommandLine) -> None:
    run("user", "add", "Ada", "Ng", "ada@ng.example")
    ada = run.by("ada")
    assert ada("my-work").stdout == "No open work.\n"
    assert ada("my-work", "--late").stdout == "Nothing is late.\n"
    assert ada("inbox").stdout == "Your inbox is empty.\n"


def test_the_inbox_is_shown_and_marked_read(run: CommandLine) -> None:
    assert "ready for your vote: 1 of 2 votes go" in run("inbox").stdout
    task = run.task(EVENT, "Write the invitation")
    run.by("priya.raman")("run", "AddComment", f"item_id={task['id']}", "text=@robin when?")
    assert "Priya Raman mentioned you: @robin when?" in run("inbox").stdout
    assert any(line["unread"] for line in run.json("inbox", "--read")["data"])
    assert "mentioned" not in run("inbox").stdout
    assert "mentioned" in run("inbox", "--all").stdout


def test_the_history_since_the_last_visit_is_what_others_did(run: CommandLine) -> None:
    shown = run("history", DRILL, "--since-last-visit").stdout
    assert "Priya Raman" in shown
    assert "Robin Ekholm" not in shown
    run.error("history", "--since-last-visit", status=2)
