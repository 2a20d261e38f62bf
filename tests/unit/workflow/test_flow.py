"""The flow of work, computed from the history."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from core.actions.cards.tasks import ArchiveTask, DeleteTask, MoveTask, RestoreTask
from core.actions.history.history import Undo
from core.actions.workflow.burn_up import BurnUp, BurnUpDay, GetBurnUp
from core.actions.workflow.phases import SetPhaseDueDate
from core.domain.model import Status
from tests.support.workspace import Clock, World


def flow(world: World) -> BurnUp:
    return world.ask(GetBurnUp(project_id=world.project.id))


def last(world: World) -> tuple[int, int, int]:
    day = flow(world).days[-1]
    return day.to_do, day.in_progress, day.completed


def days_pass(world: World, days: int) -> None:
    clock = world.engine.clock
    assert isinstance(clock, Clock)
    clock.forward(days=days)


def test_a_project_without_cards_has_no_flow(world: World) -> None:
    assert flow(world) == BurnUp(days=(), due=None)


def test_each_day_ends_with_the_statuses_of_its_last_change_and_quiet_days_repeat_them(world: World) -> None:
    first, second = world.task("First"), world.task("Second")
    days_pass(world, 2)
    world.do(MoveTask(task_id=first.id, status=Status.IN_PROGRESS))
    world.do(MoveTask(task_id=second.id, status=Status.COMPLETED))
    days_pass(world, 1)
    lines = flow(world).days
    assert [(line.to_do, line.in_progress, line.completed) for line in lines] == [
        (2, 0, 0),
        (2, 0, 0),
        (0, 1, 1),
        (0, 1, 1),
    ]
    assert [line.day - lines[0].day for line in lines] == [timedelta(days=number) for number in range(4)]


def test_what_is_archived_deleted_or_taken_back_counts_as_it_stands(world: World) -> None:
    task, other = world.task("Stays"), world.activity("Goes")
    world.do(MoveTask(task_id=task.id, status=Status.COMPLETED))
    world.do(Undo(project_id=world.project.id))
    assert last(world) == (2, 0, 0)
    world.do(ArchiveTask(task_id=task.id))
    assert last(world) == (1, 0, 0)
    world.do(RestoreTask(task_id=task.id))
    assert last(world) == (2, 0, 0)
    world.do(ArchiveTask(task_id=task.id))
    world.do(DeleteTask(task_id=task.id))
    assert last(world) == (1, 0, 0)
    assert world.status(other) == "TO_DO"


def test_a_title_that_looks_like_a_status_is_only_a_title(world: World) -> None:
    world.task('"status": "COMPLETED"')
    assert last(world) == (1, 0, 0)


def test_the_last_due_date_of_a_phase_is_told_with_it(world: World) -> None:
    for phase, due in ((world.discover, date(2026, 5, 4)), (world.launch, date(2026, 3, 4))):
        world.do(SetPhaseDueDate(phase_id=phase.id, due=due))
    assert flow(world).due == date(2026, 5, 4)


def made(completed: list[int], total: int) -> BurnUp:
    first = date(2026, 2, 2)
    days = [
        BurnUpDay(day=first + timedelta(days=number), to_do=total - done, in_progress=0, completed=done)
        for number, done in enumerate(completed)
    ]
    return BurnUp(days=tuple(days), due=None)


@pytest.mark.parametrize(
    ("completed", "total", "finish"),
    [
        ([0], 5, None),  # one day is no pace
        ([0, 0, 0], 5, None),  # nothing moves
        ([0, 1, 2], 4, date(2026, 2, 6)),  # one a day, two missing, from 4 February
        ([0, 2, 1], 2, date(2026, 2, 6)),  # reopened ones count against
        ([0, 4], 4, None),  # all is completed
        ([0] * 14 + [1], 10_000, None),  # in 380 years
    ],
)
def test_the_end_is_foreseen_from_the_pace_of_two_weeks(completed: list[int], total: int, finish: date | None) -> None:
    assert made(completed, total).finish == finish


@given(some.lists(some.integers(0, 50), min_size=1, max_size=60))
def test_what_is_foreseen_lies_ahead_and_never_fails(completed: list[int]) -> None:
    foreseen = made(completed, 50)
    assert foreseen.finish is None or foreseen.finish > foreseen.days[-1].day
