"""The flow of work, computed from the history."""

from __future__ import annotations

from datetime import date, timedelta

from core.actions.cards.cards import DeleteCard, RestoreCard
from core.actions.history.history import Undo
from core.actions.projects.project_health import ExplainHealth
from core.actions.workflow.burn_up import BurnUp, GetBurnUp
from core.actions.workflow.phases import SetPhaseDueDate
from tests.support.workspace import Clock, World


def flow(world: World) -> BurnUp:
    return world.ask(GetBurnUp(project_id=world.project.id))


def last(world: World) -> tuple[float, float, float]:
    day = flow(world).days[-1]
    return day.to_do, day.in_progress, day.completed


def days_pass(world: World, days: int) -> None:
    clock = world.engine.clock
    assert isinstance(clock, Clock)
    clock.forward(days=days)


def test_a_project_without_cards_has_no_flow(world: World) -> None:
    found = flow(world)
    assert (found.days, found.plan, found.outlook, found.forecast.finish) == ((), (), "", None)


def test_each_day_ends_with_the_statuses_of_its_last_change_and_quiet_days_repeat_them(world: World) -> None:
    first, second = world.task("First"), world.task("Second")
    days_pass(world, 2)
    world.start(first.id)
    world.complete(second.id)
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
    world.complete(task.id)
    world.do(Undo(project_id=world.project.id))
    assert last(world) == (2, 0, 0)
    world.archive(task.id)
    assert last(world) == (1, 0, 0)
    world.do(RestoreCard(card_id=task.id))
    assert last(world) == (2, 0, 0)
    world.delete(task.id)
    assert last(world) == (1, 0, 0)
    assert world.status(other) == "TO_DO"


def test_a_title_that_looks_like_a_status_is_only_a_title(world: World) -> None:
    world.task('"status": "COMPLETED"')
    assert last(world) == (1, 0, 0)


def test_what_was_archived_as_completed_stays_completed(world: World) -> None:
    task, other = world.task("Done"), world.task("Open")
    world.complete(task.id)
    world.archive(task.id)
    assert last(world) == (1, 0, 1)
    world.archive(other.id)
    assert last(world) == (0, 0, 1)
    world.do(Undo(project_id=world.project.id))
    world.do(DeleteCard(card_id=task.id))
    assert last(world) == (1, 0, 0)


def test_the_plan_has_the_cards_of_each_phase_by_its_due_date(world: World) -> None:
    assert flow(world).plan == ()
    first_day = date(2026, 3, 2)
    for phase, cards in ((world.discover, 2), (world.build, 3), (world.launch, 1)):
        for number in range(cards):
            world.task(f"Card {number}", phase)
    for phase, due in ((world.discover, date(2026, 4, 1)), (world.launch, date(2026, 5, 4))):
        world.do(SetPhaseDueDate(phase_id=phase.id, due=due))
    planned = [(each.day, each.cards) for each in flow(world).plan]
    assert planned == [(first_day, 0), (date(2026, 4, 1), 2), (date(2026, 5, 4), 6)]
    world.do(SetPhaseDueDate(phase_id=world.build.id, due=date(2026, 3, 20)))  # before the phase in front of it
    planned = [(each.day, each.cards) for each in flow(world).plan]
    assert planned == [(first_day, 0), (date(2026, 3, 20), 5), (date(2026, 4, 1), 5), (date(2026, 5, 4), 6)]


def test_the_forecast_is_the_one_of_the_health(world: World) -> None:
    cards = [world.task(f"Card {number}") for number in range(4)]
    days_pass(world, 8)
    world.complete(cards[0].id)
    found = flow(world)
    assert found.forecast == world.ask(ExplainHealth(project_id=world.project.id)).forecast
    assert found.outlook == "At the current pace (0.9 cards a week) you finish around 3 Apr 2026."
