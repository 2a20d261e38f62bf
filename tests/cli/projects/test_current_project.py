"""Commands that read one project take the current one where none is named."""

from __future__ import annotations

import pytest

from tests.cli.conftest import CommandLine

READING = (
    "activity list",
    "application list",
    "application products",
    "burn-up",
    "field list",
    "gate export",
    "member list",
    "phase list",
    "preset list",
    "project export",
    "project health",
    "project show",
    "report",
    "task links",
    "task list",
)


@pytest.mark.parametrize("command", READING)
def test_a_command_that_reads_a_project_takes_the_current_one(run: CommandLine, command: str) -> None:
    run("field", "add", "slow", "Cost", "number")
    refused = run(*command.split(), status=2)
    assert "No project is named" in refused.stderr
    run("use", "slow")
    found = run(*command.split()).stdout
    if command in ("report", "project export"):  # they have the time in them
        assert "Slow Mornings" in found
    else:
        assert found == run(*command.split(), "slow").stdout
