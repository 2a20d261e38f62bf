"""``podium project health``."""

from __future__ import annotations

from tests.cli.conftest import CommandLine

CAMPAIGN = "Slow Mornings campaign"


def test_it_says_the_same_as_the_list_and_names_what_is_behind_it(run: CommandLine) -> None:
    found = run.json("project", "health", CAMPAIGN)
    assert found["health"] == run.project(CAMPAIGN)["health"] == "AT_RISK"
    said = run("project", "health", CAMPAIGN).stdout
    assert said.startswith(f"“{CAMPAIGN}” is at risk.\n")
    for reason in found["data"]:
        assert reason["sentence"] in said
        assert all(item["title"] in said for item in reason["items"])
    assert said.count(found["outlook"]) == 1
    assert found["outlook"] in run("burn-up", CAMPAIGN).stdout
    assert found["outlook"].rstrip(".").split("–")[0] in run("report", CAMPAIGN).stdout


def test_an_unknown_project_has_none(run: CommandLine) -> None:
    assert run("project", "health", "Nothing of the kind", status=6).stdout == ""
