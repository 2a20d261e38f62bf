"""``podium portfolio`` and ``podium workload``: all my projects at once."""

from __future__ import annotations

import re

import pytest

from core.actions.portfolio.workload import WEEKS
from tests.cli.conftest import CommandLine


def test_the_portfolio_lists_my_projects_with_the_phase_each_is_in(run: CommandLine) -> None:
    mine = [line["project"]["name"] for line in run.json("project", "list")["data"]]
    lines = run.json("portfolio")["data"]
    assert [line["summary"]["project"]["name"] for line in lines] == sorted(mine, key=str.casefold)
    drill = next(line for line in lines if line["summary"]["project"]["name"] == "Torq T4 drill launch")
    assert [phase["number"] for phase in drill["phases"]] == list(range(1, len(drill["phases"]) + 1))
    shown = next(row for row in run("portfolio").stdout.splitlines() if row.startswith("Torq T4"))
    assert drill["summary"]["phaseNow"] in shown
    assert max(phase["due"] for phase in drill["phases"]) in shown


@pytest.mark.parametrize("command", ["portfolio", "workload"])
def test_only_projects_of_a_client_count(run: CommandLine, command: str) -> None:
    everything = run.json(command)["data"]
    of_client = run.json(command, "--client", "Halden")["data"]
    assert 0 < len(of_client) < len(everything) or command == "workload"
    if command == "portfolio":
        assert {line["summary"]["links"][0] for line in of_client} == {"Halden Foods"}
    else:
        totals = [sum((line["late"], *line["weeks"], line["later"], line["undated"])) for line in of_client]
        assert (
            0
            < sum(totals)
            < sum(sum((line["late"], *line["weeks"], line["later"], line["undated"])) for line in everything)
        )


def test_the_workload_has_the_weeks_of_the_screen(run: CommandLine) -> None:
    assert {len(line["weeks"]) for line in run.json("workload")["data"]} == {WEEKS}


def test_the_workload_has_a_line_for_each_person_and_a_column_for_each_week(run: CommandLine) -> None:
    lines = run.json("workload", "--weeks", "3")["data"]
    assert run("workspace", "week-limit", "1").stdout.endswith("marked: 1.\n")
    head, *rows, _, legend = run("workload", "--weeks", "3").stdout.splitlines()
    assert legend == "! more than 1 open card in a week"
    assert head.split()[:2] == ["WHO", "LATE"]
    assert head.split()[-4:] == ["BEYOND", "NO", "DATE", "ALL"]
    assert [line["name"] for line in lines if line["userId"]] == [row.split("  ")[0] for row in rows][: len(lines)]
    for line, row in zip(lines, rows, strict=True):
        too_many = [many for many in line["weeks"] if many > 1] if line["userId"] else []
        assert re.findall(r"!(\d+)", row) == [str(many) for many in too_many]
        assert row.split()[-1] == str(sum((line["late"], *line["weeks"], line["later"], line["undated"])))


def test_wrong_input_is_refused_in_a_sentence(run: CommandLine) -> None:
    assert "A workload has 1 to 26 weeks." in run("workload", "--weeks", "99", status=2).stderr
    assert "There is no client “Nowhere”" in run("portfolio", "--client", "Nowhere", status=6).stderr


def test_empty_lists_say_so(run: CommandLine) -> None:
    run("user", "add", "Ada", "Ng", "ada@ng.example")
    ada = run.by("ada")
    assert ada("portfolio").stdout == "No projects here.\n"
    assert ada("workload").stdout == "No open cards.\n"
