"""``podium search``: what is found, in columns and as JSON."""

from __future__ import annotations

import pytest

from tests.cli.conftest import CommandLine
from tests.support.typed_words import TYPED
from tui.cli.completion.answer import candidates, typed_line


def test_what_is_found_is_listed_with_its_place_and_id(run: CommandLine) -> None:
    head, *lines = run("search", "brief").stdout.splitlines()
    assert head.split() == ["WHAT", "FOUND", "PROJECT", "PHASE", "KEY", "OR", "ID"]
    assert any(line.startswith("task, completed") and "Write the creative brief" in line for line in lines)
    task = run.task("slow", "Write the creative brief")
    (found,) = run.json("search", task["id"])["data"]
    assert (found["kind"], found["title"], found["targetId"]) == ("TASK", "Write the creative brief", task["id"])
    assert run.json("search", "creative", "brief")["data"] == run.json("search", "creative brief")["data"]


def test_a_search_keeps_to_a_project_and_to_a_limit(run: CommandLine) -> None:
    found = run.json("search", "film", "--project", "slow")["data"]
    assert {each["project"] for each in found} == {"Slow Mornings campaign"}
    assert len(run.json("search", "film", "--limit", "2")["data"]) == 2
    assert "more than these 2" in run("search", "film", "--limit", "2").stdout
    run("search", "film", "--limit", "0", status=2)
    run("search", status=2)


def test_search_the_filter_and_completion_find_a_title_by_the_same_words(
    run: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for title in TYPED:
        run("task", "add", "slow", "Production", title)
    monkeypatch.setenv("PODIUM_DB", str(run.db))
    monkeypatch.setenv("PODIUM_AS", run.login)
    for title, (typed, *_) in TYPED.items():
        assert [each["title"] for each in run.json("search", typed)["data"]] == [title], typed
        assert [each["title"] for each in run.json("task", "list", "slow", "--filter", typed)["data"]] == [title], typed
    for typed, found in (("foret", []), ("die strasse", ["Die Straße nach Größe"]), ("smo", ["Smørrebrød, Æbler"])):
        assert candidates(typed_line(["task", "show", "-p", "slow", typed])) == found


def test_that_nothing_is_found_is_said(run: CommandLine) -> None:
    for words in ("zzzz", "(", "🚀"):
        assert "Nothing that you can see" in run("search", words).stdout
