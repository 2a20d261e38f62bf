"""``podium undo`` without a project undoes the person's last change of all, or says where that is."""

from __future__ import annotations

import re

from tests.cli.conftest import CommandLine


def deactivated(run: CommandLine, login: str) -> bool:
    (user,) = (line["user"] for line in run.json("user", "list")["data"] if line["user"]["login"] == login)
    return not user["active"]


def test_a_later_change_that_cannot_be_undone_keeps_an_older_one_from_being_undone(run: CommandLine) -> None:
    run("user", "deactivate", "jonas.weidmann")
    run("task", "add", "slow", "3", "Buy oats")
    run("task", "archive", "slow", "buy oats")
    run("task", "delete", "slow", "buy oats", "--yes")
    said = run("undo", status=1).stderr
    assert said.startswith("Nothing was changed: Your last change was in “Slow Mornings campaign” and cannot be undone")
    assert "To undo your last change to the workspace (deactivated" in said
    assert deactivated(run, "jonas.weidmann")
    assert "Undid: deactivated" in run("undo", "--workspace").stdout
    assert not deactivated(run, "jonas.weidmann")


def test_a_new_project_is_archived_by_undo_and_comes_back_by_redo(run: CommandLine) -> None:
    run("project", "create", "Temp")
    assert "Your last change was in “Temp”: created the project “Temp”" in run("undo", status=1).stderr
    assert "Undid: created the project “Temp”" in run("undo", "Temp").stdout
    assert "Temp" not in run("project", "list").stdout
    run("redo", "Temp")
    assert "Temp" in run("project", "list").stdout


def test_a_later_change_in_a_project_is_named_with_its_project(run: CommandLine) -> None:
    run("user", "deactivate", "jonas.weidmann")
    run("task", "add", "slow", "3", "Buy oats")
    said = run("undo", status=1).stderr
    assert "Your last change was in “Slow Mornings campaign”: added the task “Buy oats”" in said
    assert "podium undo 'Slow Mornings campaign'" in said
    assert deactivated(run, "jonas.weidmann")
    run("undo", "slow")
    assert "Undid: deactivated" in run("undo").stdout
    assert not deactivated(run, "jonas.weidmann")


def test_a_later_undo_in_a_project_is_what_redo_speaks_of(run: CommandLine) -> None:
    run("user", "deactivate", "jonas.weidmann")
    run("task", "add", "slow", "3", "Buy oats")
    run("undo", "--workspace")
    run("undo", "slow")
    said = run("redo", status=1).stderr
    assert "Your last undo was in “Slow Mornings campaign”: added the task “Buy oats”" in said
    assert not deactivated(run, "jonas.weidmann")
    run("redo", "slow")
    assert "Redid: deactivated" in run("redo").stdout


def test_what_was_undone_lies_in_the_way_of_no_older_change(run: CommandLine) -> None:
    run("user", "deactivate", "jonas.weidmann")
    run("user", "deactivate", "ines.carvalho")
    run("undo")
    run("undo")
    assert not deactivated(run, "jonas.weidmann")
    run("redo")
    assert deactivated(run, "jonas.weidmann")


def test_a_project_and_the_workspace_together_are_a_wrong_command_line(run: CommandLine) -> None:
    assert "not both" in run("undo", "slow", "--workspace", status=2).stderr


def test_a_project_that_is_named_says_so_too_where_its_last_change_cannot_be_undone(run: CommandLine) -> None:
    run("task", "add", "slow", "3", "Buy oats")
    run("task", "add", "slow", "3", "Buy milk")
    run("task", "archive", "slow", "buy milk")
    run("task", "delete", "slow", "buy milk", "--yes")
    said = run("undo", "slow", status=1).stderr
    assert "Your last change here cannot be undone: deleted “Buy milk” for good." in said
    while "--change" in said:
        number = said.partition("--change ")[2].partition("”")[0]
        assert f"“podium undo 'Slow Mornings campaign' --change {number}”." in said
        done = run("undo", "slow", "--change", number, status=0 if "(added the task “Buy oats”)" in said else 1)
        said = done.stderr
    assert "Undid: added the task “Buy oats”" in done.stdout
    assert not [task for task in run.json("task", "list", "slow")["data"] if task["title"] == "Buy oats"]
    run("redo", "slow")
    assert run.task("slow", "Buy oats")


def test_a_refused_redo_and_undo_say_once_what_is_the_matter(run: CommandLine) -> None:
    run("project", "create", "Fair")
    redo = run("redo", "Fair", status=1).stderr
    assert redo == "Nothing was changed: There is no change here that you undid and could redo.\n"
    run("phase", "add", "Fair", "Build")
    run("task", "add", "Fair", "Build", "Stand")
    run("phase", "add", "Fair", "Sell")
    number = next(each["seq"] for each in run.json("history", "Fair")["data"] if "Build" in each["summary"])
    refused = run("undo", "Fair", "--change", str(number), status=1).stderr
    assert refused.startswith("Nothing was changed: ")
    assert refused.count("cannot be undone") == 1


def test_without_a_terminal_nothing_is_asked_and_the_refusal_names_the_option(run: CommandLine) -> None:
    run("project", "create", "Fair")
    run("phase", "add", "Fair", "Build")
    run("task", "add", "Fair", "Build", "Stand")
    run("field", "add", "Fair", "Cost", "number")
    for command in (("task", "delete", "Fair", "Stand"), ("field", "remove", "Fair", "cost")):
        (said,) = run(*command, status=2).stderr.splitlines()
        assert said.startswith("Invalid input: Without a terminal you cannot be asked. Add --yes if you mean it.")
    assert run.task("Fair", "Stand")["title"] == "Stand"
    assert "Cost" in run("field", "list", "Fair").stdout


def test_history_undo_and_redo(run: CommandLine) -> None:
    run("task", "add", "slow", "3", "Buy oats")
    assert "added the task “Buy oats”" in run("history", "slow").stdout.splitlines()[1]
    assert re.search(r"Undid: added the task “Buy oats” \(\d{4}-\d\d-\d\d \d\d:\d\d\)", run("undo", "slow").stdout)
    assert "undid: added" in run("history", "slow").stdout.splitlines()[1]
    assert "Buy oats" not in run("task", "list", "slow").stdout
    assert run.json("redo", "slow")["summary"] == "added the task “Buy oats”"
    assert run.error("redo", "slow", status=1)["errorCode"] == "NOTHING_TO_UNDO"
    assert "deactivated Erik Solberg" in run("history").stdout
    seq = run.json("history", "slow")["data"][0]["seq"]
    assert run.json("history", "slow", "--before", str(seq))["data"][0]["seq"] == seq - 1


def test_the_history_prints_old_and_new_values(run: CommandLine) -> None:
    run("phase", "edit", "slow", "production", "--name", "Shooting", "--objectives", "Two films")
    name = run.json("phase", "show", "slow", "Shooting")["deliverables"][0]["deliverable"]["name"]
    for link in ("https://a.example/1", "https://a.example/2"):
        run("deliverable", "deliver", "slow", "Shooting", name, "--link", link)
    run("task", "add", "slow", "shooting", "Buy oats")
    run("task", "edit", "slow", "Buy oats", "--title", "Buy milk")
    run("task", "move", "slow", "Buy milk", "doing")
    shown = [line.strip() for line in run("history", "slow").stdout.splitlines()[1:]]
    assert shown[0].endswith("started “Buy milk” (status: from “to do” to “in progress”)")
    assert shown[1].endswith("renamed “Buy oats” to “Buy milk”")
    assert shown[2].endswith("added the task “Buy oats”")
    assert shown[3].endswith("with other evidence (evidence: from “https://a.example/1” to “https://a.example/2”)")
    assert shown[4].endswith(f"delivered “{name}”")
    assert shown[5:8] == [
        f"- deliverable “{name}”, evidence kind: from none to “link”",
        f"- deliverable “{name}”, evidence: from none to “https://a.example/1”",
        f"- deliverable “{name}”, done: from “no” to “yes”",
    ]
    assert "renamed phase “Production” to “Shooting” and changed its objectives" in shown[8]
    assert shown[10].startswith("- phase “Shooting”, objectives: from “")
    assert shown[10].endswith("to “Two films”")
    line = run.json("history", "slow")["data"][0]
    assert line["values"] == [
        {
            "kind": "task",
            "key": "SLO-37",
            "name": "Buy milk",
            "field": "status",
            "before": "to do",
            "after": "in progress",
        }
    ]
    assert line["moreValues"] == 0


def test_many_values_are_counted(run: CommandLine) -> None:
    run("phase", "add", "slow", "Audit")
    texts = ("--objectives", "Show it", "--outcomes", "A stamp")
    run("phase", "edit", "slow", "Audit", *texts, "--gate", "review", "--evidence-required")
    first, *values = run("history", "slow").stdout.splitlines()[1:6]
    assert first.endswith("changed objectives, outcomes, gate and the need for evidence of “Audit”")
    assert [value.strip() for value in values] == [
        "- phase “Audit”, objectives: from none to “Show it”",
        "- phase “Audit”, outcomes: from none to “A stamp”",
        "- phase “Audit”, gate: from “automatic” to “review”",
        "- and 1 more",
    ]
