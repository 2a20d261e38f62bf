"""The figures of load that do not depend on the machine, measured in their quick form: memory, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks import load
from tests.benchmarks.figures import Line, worst
from tests.benchmarks.notes import Notes


@pytest.mark.slow
@pytest.mark.parametrize("part", ["refused", "dear", "strangers", "tokens", "end", "unread", "one person"])
def test_memory_and_counts_stay_within_their_limits(tmp_path: Path, part: str) -> None:
    notes = Notes()
    load.PARTS[part](tmp_path, notes, True)
    lines = [line for line in load.LINES if line.unit != "ms" and line.is_measured(notes)]
    assert lines
    assert [row for line in lines if (row := line.row(notes))[3] != "yes"] == []


def test_a_figure_says_of_what_its_largest_sample_was_measured() -> None:
    notes = Notes()
    line = Line("wait", 5, "ms", *worst("wait"))
    for value, what in ((3.0, "a BulkUpdate"), (7.0, "an import"), (5.0, "a search")):
        notes.add_named("wait", value, what)
    assert line.row(notes) == ("wait", "7.00 ms", "≤ 5 ms", "NO", "", "5, n=3, an import")


def test_every_part_has_a_line_and_every_line_a_limit_that_can_be_missed() -> None:
    notes = Notes()
    assert not any(line.is_measured(notes) for line in load.LINES)
    for line in load.LINES:
        notes.add(line.samples, line.limit + 1)
        if line.unit == load.SQLITE:
            notes.add(line.samples.replace("PG", "SQLite"), 1)
    assert [line.row(notes)[3] for line in load.LINES] == ["NO"] * len(load.LINES)
