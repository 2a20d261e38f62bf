"""The simulation: its forecast follows from its costs, and nobody is left out."""

from __future__ import annotations

import json
import random
import statistics
from pathlib import Path

import pytest

from tests.benchmarks.notes import Notes, NotMeasured
from tests.benchmarks.simulation import SCREENS, Costs, at_work, compared, costs_of, like_the_benchmark, main

COSTS = Costs(command=8, telling=0.2, answer=0.5)


def seen(people: int) -> list[float]:
    """The milliseconds after which each screen shows a change, as the model says."""
    return [COSTS.command + people * COSTS.telling + screen * COSTS.answer for screen in range(1, people + 1)]


def notes_of_the_model() -> Notes:
    notes = Notes()
    for people in (5, 50, 200):
        notes.add(f"live {people}", *seen(people) * 20)
    return notes


def test_the_costs_are_found_again_in_what_people_saw() -> None:
    found = costs_of(notes_of_the_model())
    assert found.command == pytest.approx(COSTS.command, abs=0.6)
    assert found.telling == pytest.approx(COSTS.telling, rel=0.1)
    assert found.answer == pytest.approx(COSTS.answer, rel=0.05)


def test_the_forecast_of_50_and_200_people_is_what_the_model_says() -> None:
    random.seed(1)
    notes = notes_of_the_model()
    for what, forecast, measured in compared(costs_of(notes), notes):
        assert forecast == pytest.approx(measured, rel=0.1), what


def test_everyone_sees_every_change_and_no_machine_works_more_than_all_the_time() -> None:
    random.seed(1)
    outcome = at_work(Costs(2, 0.05, 0.1, database=0.5), people=1_000, servers=4, processors=4)
    assert len(outcome.seen) == SCREENS * len(outcome.answered)
    assert len(outcome.answered) == pytest.approx(2_000, rel=0.1)
    assert 0 < outcome.database < outcome.servers < 0.1
    assert statistics.median(outcome.answered) < 3


def test_too_few_servers_keep_people_waiting() -> None:
    random.seed(1)
    few, many = (at_work(COSTS, people=10_000, servers=servers, processors=8) for servers in (4, 32))
    assert statistics.median(few.answered) > 10 * statistics.median(many.answered)


def test_changes_that_come_faster_than_they_are_seen_are_seen_together() -> None:
    random.seed(1)
    outcome = like_the_benchmark(Costs(command=1, telling=0, answer=10), people=100)
    assert max(outcome.seen) < 3 * 100 * 10


def test_without_a_measurement_it_says_which_one_is_missing(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text(json.dumps({"live 5": [10.0]}))
    with pytest.raises(NotMeasured, match="live 50"):
        main(tmp_path / "notes.json", 10_000, 8)
