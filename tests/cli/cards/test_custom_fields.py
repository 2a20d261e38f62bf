"""Custom fields on the command line: podium field, --set of task edit and activity edit, and filters."""

from __future__ import annotations

from tests.cli.conftest import CommandLine

TITLE = "Edit the 45″ film"


def test_a_field_is_added_set_filtered_and_removed_with_one_undo(run: CommandLine) -> None:
    run("field", "add", "slow", "Cost", "number", "--sum")
    run("field", "add", "slow", "Look", "choice", "--choice", "Draft", "--choice", "Final")
    run("task", "edit", "slow", TITLE, "--set", "cost=2,5", "--set", "Look=draft")
    shown = run("task", "show", "-p", "slow", TITLE).stdout.splitlines()
    assert {"Cost: 2.5", "Look: Draft"} <= set(shown)
    assert TITLE in run("task", "list", "slow", "--filter", "cost:>2 look:draft").stdout
    assert run.task("slow", TITLE)["fields"] == {"cost": "2.5", "look": "Draft"}
    lines = {line["field"]["key"]: line for line in run.json("field", "list", "slow")["data"]}
    assert (lines["cost"]["cards"], lines["cost"]["total"]) == (1, "2.5")
    run("field", "remove", "slow", "cost", "--yes")
    assert "Cost" not in run("field", "list", "slow").stdout
    run("undo", "slow")
    assert "Cost: 2.5" in run("task", "show", "-p", "slow", TITLE).stdout


def test_texts_and_values_are_one_step(run: CommandLine) -> None:
    run("field", "add", "slow", "Cost", "number")
    run("task", "edit", "slow", TITLE, "--title", "Cut the film", "--set", "cost=3")
    run("undo", "slow")
    card = run.task("slow", TITLE)
    assert card["title"] == TITLE
    assert "Cost" not in run("task", "show", "-p", "slow", TITLE).stdout


def test_a_wrong_value_is_refused_with_the_name_of_the_field(run: CommandLine) -> None:
    run("field", "add", "slow", "Cost", "number")
    refused = run("task", "edit", "slow", TITLE, "--set", "cost=many", status=2)
    assert "Cost: “many” is not a number" in refused.stderr
    assert "is not FIELD=VALUE" in run("task", "edit", "slow", TITLE, "--set", "cost", status=2).stderr


def test_the_burn_up_and_the_workload_add_up_a_field(run: CommandLine) -> None:
    run("field", "add", "slow", "Cost", "number", "--sum")
    run("task", "edit", "slow", TITLE, "--set", "cost=41")
    assert run.json("burn-up", "slow", "--sum", "cost")["data"][-1]["toDo"] == 41
    assert " 41" in run("workload", "--sum", "cost").stdout
    run("task", "edit", "slow", TITLE, "--set", "cost=8.5")
    assert run("burn-up", "slow", "--sum", "cost").stdout.splitlines()[-3].split()[-4:] == ["8.5", "0", "0", "8.5"]
    assert run.json("burn-up", "slow", "--sum", "cost")["data"][-1]["toDo"] == 8.5
    assert run("workload", "--sum", "cost").stdout.splitlines()[-1].split()[-2:] == ["8.5", "8.5"]
