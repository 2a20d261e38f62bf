"""The dry run of whatever two people do, in whatever order: it is what the command then changes, or its refusal."""

from __future__ import annotations

from typing import Any

import pytest

from core.engine.messages import Command
from tests.properties.run_machine import run_machine
from tests.properties.test_workflow_model import Workflow
from tests.support.predictions import carry_out_as_foreseen


class ForeseenWorkflow(Workflow):
    """Two people at work who look at the dry run of each command first."""

    def do(self, command: Command[Any], who: str) -> Any:
        carry_out_as_foreseen(self.world, command, getattr(self.world, who))


def test_a_dry_run_answers_what_each_step_of_a_random_history_then_changes() -> None:
    run_machine(ForeseenWorkflow, examples=3, steps=20)


@pytest.mark.slow
def test_a_dry_run_answers_what_each_step_of_a_long_random_history_then_changes() -> None:
    run_machine(ForeseenWorkflow, examples=8, steps=40)
