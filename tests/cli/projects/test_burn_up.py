"""``podium burn-up``."""

from __future__ import annotations

from tests.cli.conftest import CommandLine

CAMPAIGN = "Slow Mornings campaign"


def test_a_line_a_day_says_where_the_cards_stood(run: CommandLine) -> None:
    head, *lines, blank, outlook = run("burn-up", CAMPAIGN).stdout.splitlines()
    assert blank == ""
    assert outlook.startswith("At the current pace (")
    assert head.split() == ["DAY", "TO", "DO", "IN", "PROGRESS", "COMPLETED", "ALL"]
    to_do, begun, completed, every = (int(number) for number in lines[-1].split()[-4:])
    assert to_do + begun + completed == every
    shown = run.project(CAMPAIGN)["tally"]
    assert (to_do, begun, completed) == (shown["toDo"], shown["inProgress"], shown["completed"])
    assert len(run.json("burn-up", CAMPAIGN)["data"]) == len(lines)
