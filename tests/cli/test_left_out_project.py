"""PROJECT is left out where a card is named by its key or a project is chosen: the README's commands all name it."""

from __future__ import annotations

import pytest

from tests.cli.conftest import CommandLine


def test_a_key_alone_names_a_card_in_any_project(run: CommandLine) -> None:
    key = add(run)
    run("use", "torq")
    run("task", "due", key, "2026-12-24")
    run("task", "assign", key, "mara")
    run("task", "edit", key, "--description", "Two sacks")
    run("task", "move", key, "doing")
    task = run.json("task", "show", key)["data"][0]
    assert (task["item"]["due"], task["item"]["status"]) == ("2026-12-24", "IN_PROGRESS")
    assert task["item"]["description"] == "Two sacks"
    assert [each["login"] for each in task["people"]] == ["mara.oduya"]


def test_the_current_project_is_meant_where_none_is_named(run: CommandLine) -> None:
    run("use", "slow")
    run("phase", "add", "Aftermath")
    run("task", "add", "Aftermath", "Sweep up")
    run("task", "due", "Sweep up", "2026-12-24")
    run("phase", "assign", "Aftermath", "mara")
    run("phase", "due", "Aftermath", "2026-12-31")
    lines = run.json("phase", "list", "slow")["data"]
    assert [(each["phase"]["name"], each["phase"]["due"]) for each in lines][-1] == ("Aftermath", "2026-12-31")
    assert run.task("slow", "Sweep up")["due"] == "2026-12-24"
    assert "Members: Mara Oduya" in run("phase", "show", "Aftermath").stdout


def test_a_project_that_is_named_goes_before_the_current_one(run: CommandLine) -> None:
    run("use", "torq")
    run("phase", "add", "slow", "Aftermath")
    run("phase", "due", "Aftermath", "2026-12-31", "-p", "slow")
    assert run.json("phase", "list", "slow")["data"][-1]["phase"]["due"] == "2026-12-31"
    assert "There is no phase “Aftermath”" in run("phase", "due", "Aftermath", "none", status=6).stderr


def test_only_what_ends_a_project_names_it_always(run: CommandLine) -> None:
    run("use", "torq")
    run("project", "edit", "--description", "Drills")
    run("project", "favourite")
    assert run.json("project", "show", "torq")["project"]["description"] == "Drills"
    for verb in ("archive", "delete"):
        assert "Missing argument 'PROJECT'" in run("project", verb, status=2).stderr


def test_a_new_title_that_looks_like_the_key_of_another_project_stays_here(run: CommandLine) -> None:
    run("use", "slow")
    torq = run.json("task", "list", "torq")["data"][0]["key"]
    run("task", "add", "Production", torq)
    run("phase", "add", torq)
    assert run.task("slow", torq)["title"] == torq
    assert run.json("phase", "list", "slow")["data"][-1]["phase"]["name"] == torq


def test_the_beginning_of_the_name_of_another_project_takes_no_command_while_one_is_chosen(run: CommandLine) -> None:
    run("use", "torq")
    phases = run.json("phase", "list", "slow")
    assert "There is no phase “slow”" in run("phase", "assign", "slow", "1", status=6).stderr
    assert run.json("phase", "list", "slow") == phases
    run("phase", "assign", "SLO", "Production", "mara")
    assert "Members: Mara Oduya" in run("phase", "show", "slow", "Production").stdout


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        (["task", "due", "slow", "Buy oats"], "DAY"),
        (["task", "due", "Buy oats"], "DAY"),
        (["phase", "add", "Slow Mornings campaign"], "NAME"),
        (["phase", "add", "SLO"], "NAME"),
        (["task", "add", "slow", "1"], "TITLE"),
    ],
)
def test_a_missing_word_is_told_for_what_is_missing(run: CommandLine, words: list[str], missing: str) -> None:
    add(run)
    run("use", "torq")
    said = run(*words, status=2).stderr
    assert f"Missing argument '{missing}'" in said
    assert "[PROJECT]" in said


def test_a_word_that_is_no_project_is_told_as_one_where_nothing_else_can_be_meant(run: CommandLine) -> None:
    assert "There is no project “nowhere”" in run("task", "due", "nowhere", "Buy oats", "fri", status=6).stderr
    assert "There is no project “nowhere”" in run("activity", "assign", "nowhere", "x", "mara", status=6).stderr


def add(run: CommandLine) -> str:
    run("task", "add", "slow", "3", "Buy oats")
    return str(run.task("slow", "Buy oats")["key"])
