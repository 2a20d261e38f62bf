"""The rules of the workflow by themselves: states of phases, tallies, health."""

from __future__ import annotations

from datetime import date

import pytest

from core.domain.model import Gate, GateState, Health, Phase, PhaseState, Status
from core.domain.workflow import TRANSITIONS, ItemCounts, health, is_complete, phase_states

TODAY = date(2026, 3, 2)
EMPTY, OPEN, DONE, ARCHIVED = (
    ItemCounts(),
    ItemCounts(to_do=1, completed=2),
    ItemCounts(completed=2),
    ItemCounts(archived=1),
)


def phase(
    name: str = "A", gate: Gate = Gate.AUTOMATIC, gate_state: GateState = GateState.NONE, overridden: bool = False
) -> Phase:
    return Phase(project_id="p", id=name, rank=name, name=name, gate=gate, gate_state=gate_state, overridden=overridden)


@pytest.mark.parametrize(
    ("gate", "gate_state", "tally", "complete"),
    [
        (Gate.AUTOMATIC, GateState.NONE, EMPTY, False),
        (Gate.AUTOMATIC, GateState.PASSED, EMPTY, True),
        (Gate.AUTOMATIC, GateState.NONE, OPEN, False),
        (Gate.AUTOMATIC, GateState.NONE, DONE, True),
        (Gate.AUTOMATIC, GateState.NONE, ARCHIVED, True),
        (Gate.AUTOMATIC, GateState.SENT_BACK, DONE, False),
        (Gate.REVIEW, GateState.NONE, DONE, False),
        (Gate.REVIEW, GateState.PASSED, DONE, True),
        (Gate.REVIEW, GateState.SENT_BACK, DONE, False),
        (Gate.REVIEW, GateState.PASSED, OPEN, False),
        (Gate.REVIEW, GateState.PASSED, EMPTY, True),
    ],
)
def test_a_phase_is_complete_by_its_items_and_its_gate(
    gate: Gate, gate_state: GateState, tally: ItemCounts, complete: bool
) -> None:
    assert is_complete(phase(gate=gate, gate_state=gate_state), tally) is complete


@pytest.mark.parametrize(
    ("tallies", "overridden", "expected"),
    [
        ((OPEN, OPEN, OPEN), "", "OPEN LOCKED LOCKED"),
        ((DONE, OPEN, OPEN), "", "COMPLETE OPEN LOCKED"),
        ((DONE, DONE, OPEN), "", "COMPLETE COMPLETE OPEN"),
        ((DONE, DONE, DONE), "", "COMPLETE COMPLETE COMPLETE"),
        ((OPEN, DONE, OPEN), "", "OPEN COMPLETE LOCKED"),
        ((OPEN, OPEN, OPEN), "B", "OPEN OPEN LOCKED"),
        ((OPEN, OPEN, OPEN), "C", "OPEN LOCKED OPEN"),
        ((OPEN, DONE, OPEN), "B", "OPEN COMPLETE LOCKED"),
        ((EMPTY, OPEN, EMPTY), "", "OPEN LOCKED LOCKED"),
    ],
)
def test_a_phase_is_locked_while_an_earlier_one_is_not_complete(
    tallies: tuple[ItemCounts, ...], overridden: str, expected: str
) -> None:
    phases = [phase(name, overridden=name == overridden) for name in "ABC"]
    states = phase_states(phases, dict(zip("ABC", tallies, strict=True)))
    assert [states[name] for name in "ABC"] == [PhaseState(word) for word in expected.split()]


def test_no_phases_have_no_states() -> None:
    assert phase_states([], {}) == {}


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ([], Health.ON_TRACK),
        ([None], Health.ON_TRACK),
        ([-1], Health.OVERDUE),
        ([0], Health.AT_RISK),
        ([3], Health.AT_RISK),
        ([4], Health.ON_TRACK),
        ([30, None, -1], Health.OVERDUE),
    ],
)
def test_health_follows_the_most_urgent_due_date(days: list[int | None], expected: Health) -> None:
    dates = [None if day is None else date.fromordinal(TODAY.toordinal() + day) for day in days]
    assert health(False, dates, TODAY) is expected
    assert health(True, dates, TODAY) is Health.NONE


def test_progress_counts_what_is_not_archived() -> None:
    assert EMPTY.progress == 0.0
    assert ARCHIVED.progress == 0.0
    assert ItemCounts(to_do=1, in_progress=1, completed=2, archived=5).progress == 0.5
    assert OPEN + ItemCounts(archived=1, in_progress=2) == ItemCounts(1, 2, 2, 1)
    assert (OPEN.total, OPEN.open, OPEN.any, EMPTY.any, ARCHIVED.any) == (3, 1, True, False, True)


def test_the_transitions_are_those_of_the_specification() -> None:
    table = {
        "TO_DO": "IN_PROGRESS COMPLETED ARCHIVED",
        "IN_PROGRESS": "TO_DO COMPLETED ARCHIVED",
        "COMPLETED": "IN_PROGRESS TO_DO ARCHIVED",
        "ARCHIVED": "",
    }
    assert {Status(name): {Status(word) for word in words.split()} for name, words in table.items()} == TRANSITIONS
