"""The locks of phases: which phases are locked, what a lock refuses, and the sentence that says so."""

from __future__ import annotations

from datetime import date

import pytest

from core.actions.cards.cards import ReorderCard, RestoreCard, SetCardDueDate
from core.actions.cards.tasks import AssignTask, EditTask
from core.domain.model import Gate, GateState, Phase, PhaseState, Status
from core.domain.phase_states import is_complete, phase_states
from core.domain.statuses import ItemCounts
from core.errors import RuleViolation, WouldRelockPhases
from tests.support.workspace import World

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


def test_in_a_locked_phase_nothing_starts_or_completes_and_the_refusal_says_why(world: World) -> None:
    waiting = world.task("Ask the client")
    task = world.task("Build the page", phase=world.build)
    for status in (Status.IN_PROGRESS, Status.COMPLETED):
        with pytest.raises(RuleViolation) as refused:
            world.move(task.id, status)
        assert "“Build” is locked until “Discover” is complete" in str(refused.value)
        assert [blocker.id for blocker in refused.value.blockers] == [waiting.id]
        assert refused.value.who_can == ("Maya Okafor",)
    assert world.status(task) == "TO_DO"
    world.move(waiting.id, Status.COMPLETED)
    world.move(task.id, Status.IN_PROGRESS)
    assert world.status(task) == "IN_PROGRESS"


def test_in_a_locked_phase_tasks_are_planned_all_the_same(world: World) -> None:
    task = world.task(phase=world.build)
    world.do(AssignTask(task_id=task.id, assignee_id=world.bob.user_id))
    world.do(SetCardDueDate(card_id=task.id, due=date(2026, 5, 1)))
    world.do(EditTask(task_id=task.id, title="Planned"))
    world.archive(task.id)
    world.do(RestoreCard(card_id=task.id))
    row = world.row("item", id=task.id)
    assert (row["assignee_id"], row["due"], row["status"]) == (world.bob.user_id, "2026-05-01", "TO_DO")


def test_reopening_says_which_phases_lock_again_before_it_does(world: World) -> None:
    first, later = world.task(), world.task(phase=world.build)
    world.move(first.id, Status.COMPLETED)
    world.move(later.id, Status.IN_PROGRESS)
    with pytest.raises(WouldRelockPhases, match=r"“Build” would lock again with 1 in progress there") as refused:
        world.move(first.id, Status.TO_DO)
    assert [blocker.id for blocker in refused.value.blockers] == [world.build.id]
    assert world.status(first) == "COMPLETED"
    world.move(first.id, Status.TO_DO, relock=True)
    assert (world.status(first), world.status(later)) == ("TO_DO", "IN_PROGRESS")
    world.move(later.id, Status.TO_DO)
    with pytest.raises(RuleViolation, match="locked"):
        world.move(later.id, Status.IN_PROGRESS)


def test_a_phase_that_stayed_complete_behind_a_reopened_one_takes_no_new_work(world: World) -> None:
    first, later = world.task(), world.task(phase=world.build)
    world.move(first.id, Status.COMPLETED)
    world.move(later.id, Status.COMPLETED)
    world.move(first.id, Status.TO_DO, relock=True)
    with pytest.raises(RuleViolation, match="“Build” is locked until “Discover” is complete"):
        world.move(later.id, Status.IN_PROGRESS, relock=True)
    assert world.status(later) == "COMPLETED"


def test_a_done_card_does_not_complete_an_empty_locked_phase(world: World) -> None:
    world.task("Still open")
    task = world.task("Done")
    world.move(task.id, Status.COMPLETED)
    world.refuses(ReorderCard(card_id=task.id, phase_id=world.build.id), RuleViolation, "locked")
    assert world.row("item", id=task.id)["phase_id"] == world.discover.id


def test_started_work_does_not_move_into_a_locked_phase_but_planned_work_does(world: World) -> None:
    world.task("Still open")
    started, planned = world.task(), world.task()
    world.move(started.id, Status.IN_PROGRESS)
    world.refuses(ReorderCard(card_id=started.id, phase_id=world.build.id), RuleViolation, "locked")
    world.do(ReorderCard(card_id=planned.id, phase_id=world.build.id))
    assert world.row("item", id=planned.id)["phase_id"] == world.build.id


def test_the_last_open_card_may_move_on_into_the_phase_that_it_unlocks(world: World) -> None:
    done, last = world.task(), world.task()
    world.move(done.id, Status.COMPLETED)
    world.move(last.id, Status.IN_PROGRESS)
    world.do(ReorderCard(card_id=last.id, phase_id=world.build.id))
    assert world.row("item", id=last.id)["phase_id"] == world.build.id
