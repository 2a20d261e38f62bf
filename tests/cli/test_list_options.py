"""--fields, --sort and --limit of every command that prints a list, and the same fields for tasks and activities."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import CommandLine
from tests.cli.test_texts import EVERY


def lines(run: CommandLine, *words: str) -> list[str]:
    return run(*words).stdout.splitlines()


def test_the_fields_of_a_list_are_lines_with_tabs_or_json(run: CommandLine) -> None:
    listed = run.json("task", "list", "slow")["data"]
    found = lines(run, "task", "list", "slow", "--fields", "key,title,assignees")
    assert found == ["\t".join((each["key"], each["title"], ",".join(each["assignees"]))) for each in listed]
    assert run.json("task", "list", "slow", "--fields", "key,title") == {
        "data": [{"key": each["key"], "title": each["title"]} for each in listed]
    }


def test_a_field_is_also_the_head_of_a_column_or_stands_in_a_record(run: CommandLine) -> None:
    phases = run.json("phase", "list", "slow")["data"]
    assert lines(run, "phase", "list", "slow", "--fields", "number,phase.name,name,state,due") == [
        "\t".join(
            (str(each["number"]), each["phase"]["name"], each["phase"]["name"], each["state"], each["phase"]["due"])
        )
        for each in phases
    ]
    people = run.json("member", "list", "slow")["data"]
    assert lines(run, "member", "list", "slow", "--fields", "LOGIN") == [each["user"]["login"] for each in people]


def test_a_list_is_sorted_in_either_direction_with_what_has_no_value_last(run: CommandLine) -> None:
    run("task", "add", "slow", "3", "Buy oats")
    due = [each["due"] for each in run.json("task", "list", "slow")["data"]]
    dated, undated = sorted(filter(None, due)), [""] * due.count(None)
    assert len(set(dated)) > 1
    assert undated
    assert lines(run, "task", "list", "slow", "--sort", "due", "--fields", "due") == [*dated, *undated]
    assert lines(run, "task", "list", "slow", "--sort=-due", "--fields", "due") == [*reversed(dated), *undated]


def test_a_limit_cuts_the_table_the_json_and_the_ids(run: CommandLine) -> None:
    assert len(lines(run, "task", "list", "slow", "--limit", "2")) == 3
    assert len(run.json("task", "list", "slow", "--limit", "2")["data"]) == 2
    assert len(lines(run, "task", "list", "slow", "--limit", "2", "-q")) == 2
    run("task", "list", "slow", "--limit", "0", status=2)


def test_a_field_that_is_not_there_is_refused_with_those_that_are(run: CommandLine) -> None:
    said = run("task", "list", "slow", "--fields", "titel", status=2).stderr
    assert "There is no field “titel” here, but id, key" in said
    assert "Did you mean “title”" in said


def test_tasks_and_activities_have_the_same_fields(run: CommandLine) -> None:
    task, activity = (run.json(kind, "list", "slow")["data"][0] for kind in ("task", "activity"))
    assert task.keys() == activity.keys()
    assert task["key"].startswith("SLO-")
    assert task["project"] == "Slow Mornings campaign"
    assert (task["kind"], activity["kind"]) == ("TASK", "ACTIVITY")
    shown = json.loads(run("task", "show", task["key"], "--json").stdout)["data"][0]
    assert [each["login"] for each in shown["people"]] == task["assignees"]
    assert shown["phase"]["name"] == task["phase"]


LISTS = sorted(path for path in EVERY if path.endswith(" list") or path in ("my-work", "inbox", "history", "search"))


@pytest.mark.parametrize("path", LISTS)
def test_every_list_takes_them(path: str) -> None:
    options = {name for each in EVERY[path].params for name in each.opts}
    assert {"--fields", "--sort", "--limit"} <= options


def test_priorities_and_keys_have_an_order_of_their_own(run: CommandLine) -> None:
    run("project", "create", "Sorted")
    run("phase", "add", "Sorted", "Only")
    for number, priority in enumerate(("low", "urgent", "normal", "high", *["normal"] * 7), 1):
        run("task", "add", "Sorted", "Only", f"Task {number}", "--priority", priority)
    ranked = run("task", "list", "Sorted", "--fields", "priority", "--sort=-priority", "--limit", "3").stdout.split()
    assert ranked == ["URGENT", "HIGH", "NORMAL"]
    keys = run("task", "list", "Sorted", "--fields", "key", "--sort", "key").stdout.split()
    numbers = [key.rpartition("-")[2] for key in keys]
    assert numbers == [str(number) for number in range(1, 12)]


def test_a_custom_field_is_printed_and_sorted_by_also_where_cards_have_no_value(run: CommandLine) -> None:
    run("project", "create", "Sorted")
    run("phase", "add", "Sorted", "Only")
    run("field", "add", "Sorted", "Estimate", "number")
    assert run("task", "add", "Sorted", "Only", "Bare")
    assert run("task", "list", "Sorted", "--fields", "title,estimate").stdout == "Bare\t\n"
    run("task", "add", "Sorted", "Only", "Sized")
    run("task", "edit", "Sorted", "Sized", "--set", "estimate=3")
    lines = run("task", "list", "Sorted", "--fields", "title,estimate", "--sort", "estimate").stdout
    assert lines == "Sized\t3\nBare\t\n"
