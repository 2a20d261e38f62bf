"""A start of Podium beside one of the bare app: instructions, which do not depend on the machine's other work."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks import instructions, workspace
from tests.benchmarks.notes import Notes
from tests.support.system_programs import needs

BEST = 1.44
"""The lowest ratio that was reached. Lower it with each gain."""

LEEWAY = 1.05


@pytest.mark.slow
def test_a_start_takes_no_more_instructions_than_the_best_reached(tmp_path: Path) -> None:
    needs("valgrind")
    notes, database = Notes(), tmp_path / "workspace.db"
    workspace.generate(database, sum(workspace.SIZES) + workspace.LINKED_CARDS)
    instructions.measure(database, notes)
    assert notes.ratio("100 instructions", "hello instructions") <= BEST * LEEWAY
