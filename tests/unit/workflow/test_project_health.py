"""The health of a project and its forecast: one rule, as a table, as properties, and through the messages."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some

from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import MoveCard, SetCardDueDate
from core.actions.cards.tasks import EditTask
from core.actions.history.history import Redo, Undo
from core.actions.projects.exports import GetStatusReport
from core.actions.projects.lists import GetProject, ListProjects
from core.actions.projects.project_health import ExplainHealth, HealthExplanation
from core.actions.projects.projects import ArchiveProject, EditProject
from core.actions.workflow.burn_up import GetBurnUp
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.phases import SetPhaseDueDate
from core.domain.model import Health, Status
from core.domain.project_health import (
    FARTHEST_DAYS,
    OVERDUE,
    RISKS,
    PhaseDue,
    ProjectDates,
    Risk,
    first_day,
    forecast,
    forecast_sentence,
    health,
    health_sentence,
    pace_days,
    risks,
)
from core.record import replace
from core.reports.status_report import to_markdown
from tests.support.workspace import Clock, World

TODAY = date(2026, 3, 30)


def day(number: int | None) -> date | None:
    return None if number is None else TODAY + timedelta(days=number)


def dates(
    *,
    to_do: int | None = None,
    begun: int | None = None,
    phases: tuple[tuple[int | None, bool], ...] = (),
    age: int = 28,
    cards: int = 4,
    completed: int = 4,
    finished: bool = False,
) -> ProjectDates:
    """A project ``age`` days old; due dates are days from today. Without an open card, none is due."""
    return ProjectDates(
        today=TODAY,
        first_day=TODAY - timedelta(days=age),
        finished=finished,
        open_cards=cards,
        to_do_due=day(to_do) if cards else None,
        in_progress_due=day(begun) if cards else None,
        phases=tuple(PhaseDue(day(due), unstarted) for due, unstarted in phases),
        completed=completed,
    )


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        (dates(), Health.ON_TRACK),
        (dates(to_do=4), Health.ON_TRACK),
        (dates(to_do=3), Health.AT_RISK),
        (dates(to_do=0), Health.AT_RISK),
        (dates(to_do=-1), Health.OVERDUE),
        (dates(begun=0), Health.ON_TRACK),  # it is started
        (dates(begun=-1), Health.OVERDUE),
        (dates(phases=((3, True),), completed=40), Health.AT_RISK),
        (dates(phases=((3, False),), completed=40), Health.ON_TRACK),  # all of its cards are started
        (dates(phases=((4, True),), completed=40), Health.ON_TRACK),
        (dates(phases=((-1, False), (90, True))), Health.OVERDUE),
        (dates(phases=((14, True),)), Health.ON_TRACK),  # four cards at four in two weeks
        (dates(phases=((13, True),)), Health.AT_RISK),
        (dates(phases=((13, True), (None, True))), Health.AT_RISK),
        (dates(phases=((13, True), (20, True))), Health.ON_TRACK),
        (dates(phases=((200, True),), completed=0), Health.AT_RISK),  # nothing moves
        (dates(phases=((None, True),), completed=0), Health.ON_TRACK),
        (dates(phases=((13, True),), cards=0), Health.ON_TRACK),  # it waits for an approval
        (dates(cards=0), Health.NONE),  # nothing in it can be late
        (dates(cards=0, phases=((None, False),)), Health.NONE),
        (dates(phases=((13, True),), age=6), Health.ON_TRACK),  # before the first forecast
        (dates(to_do=1, phases=((1, True),), age=0), Health.ON_TRACK),  # on its first day
        (dates(to_do=1, phases=((1, True),), age=-9), Health.ON_TRACK),  # before its first day
        (dates(to_do=1, age=1), Health.AT_RISK),
        (dates(to_do=-1, age=-9), Health.OVERDUE),
        (dates(to_do=-1, phases=((-1, True),), finished=True), Health.NONE),
    ],
)
def test_health(of: ProjectDates, expected: Health) -> None:
    assert health(of) is expected


def test_the_first_day_is_the_start_or_the_day_of_creation_if_that_is_later() -> None:
    created = date(2026, 3, 2)
    assert first_day(None, created) == created
    assert first_day(date(2026, 3, 9), created) == date(2026, 3, 9)
    assert first_day(date(2025, 3, 9), created) == created


@pytest.mark.parametrize(("age", "days"), [(-3, 0), (0, 0), (1, 1), (13, 13), (14, 14), (300, 14)])
def test_the_pace_is_measured_over_two_weeks_at_most(age: int, days: int) -> None:
    assert pace_days(TODAY - timedelta(days=age), TODAY) == days


@pytest.mark.parametrize(
    ("of", "words"),
    [
        (dates(finished=True), ""),
        (dates(cards=0), ""),
        (dates(age=3), "The forecast begins on Fri 3 Apr 2026, a week after the first day of the project."),
        (dates(completed=0), "No forecast: no card was completed in the last 14 days."),
        (dates(completed=0, age=9), "No forecast: no card was completed in the last 9 days."),
        (dates(completed=-1), "No forecast: more cards were reopened than completed in the last 14 days."),
        (
            dates(completed=0, phases=((9, True),)),
            "No forecast: no card was completed in the last 14 days. The last phase is due on Wed 8 Apr 2026.",
        ),
        (dates(completed=1, cards=1000), "At the current pace the work would take more than ten years."),
        (dates(completed=3), "At the current pace (1.5 cards a week) you finish around 18 Apr 2026."),
        (dates(completed=2), "At the current pace (1 card a week) you finish around 27 Apr 2026."),
        (dates(phases=((13, True),)), "you finish around 13 Apr 2026 – 1 day late."),
        (dates(phases=((14, True),)), "you finish around 13 Apr 2026 – on the day the last phase is due."),
        (dates(phases=((16, True),)), "you finish around 13 Apr 2026 – 2 days early."),
    ],
)
def test_the_forecast_in_a_sentence(of: ProjectDates, words: str) -> None:
    assert forecast_sentence(of).endswith(words)
    assert bool(forecast_sentence(of)) == bool(words)


NEAR = some.none() | some.integers(-5, 40)
PROJECTS = some.builds(
    dates,
    to_do=NEAR,
    begun=NEAR,
    phases=some.lists(some.tuples(NEAR, some.booleans()), max_size=3).map(tuple),
    age=some.integers(-3, 40),
    cards=some.integers(0, 50),
    completed=some.integers(-5, 30),
    finished=some.booleans(),
)
WORSE = (Health.NONE, Health.ON_TRACK, Health.AT_RISK, Health.OVERDUE)


@given(PROJECTS)
def test_health_is_the_worst_of_its_risks(of: ProjectDates) -> None:
    found = risks(of)
    assert list(found) == sorted(found, key=RISKS.index)
    assert (health(of) is Health.OVERDUE) == any(risk in OVERDUE for risk in found)
    assert (health(of) in (Health.ON_TRACK, Health.NONE)) == (not found)
    assert (Risk.LATE_FORECAST in found) == forecast(of).is_late


@given(PROJECTS)
def test_completing_a_card_never_makes_the_health_worse(of: ProjectDates) -> None:
    if of.open_cards:
        better = replace(of, open_cards=of.open_cards - 1, completed=of.completed + 1)
        assert WORSE.index(health(better)) <= WORSE.index(health(of))
        started = replace(
            of, to_do_due=None, in_progress_due=min(filter(None, (of.to_do_due, of.in_progress_due)), default=None)
        )
        assert WORSE.index(health(started)) <= WORSE.index(health(of))


@given(PROJECTS)
def test_a_finish_lies_ahead_and_every_project_has_its_sentence(of: ProjectDates) -> None:
    found = forecast(of)
    assert found.finish is None or TODAY < found.finish <= TODAY + timedelta(days=FARTHEST_DAYS)
    assert found.pace >= 0
    words = "has no health yet: " if of.is_empty and not of.finished else "is "
    assert health_sentence("X", of.finished, of).startswith(f"“X” {words}")
    assert bool(forecast_sentence(of)) == (not of.finished and of.open_cards > 0)


# -- through the messages ------------------------------------------------------------------------------------------


def explained(world: World) -> HealthExplanation:
    return world.ask(ExplainHealth(project_id=world.project.id))


def days_pass(world: World, days: int) -> None:
    clock = world.engine.clock
    assert isinstance(clock, Clock)
    clock.forward(days=days)


def today(world: World) -> date:
    return world.engine.clock().date()


def due(world: World, title: str, days: int, status: Status = Status.TO_DO) -> str:
    task = world.task(title)
    world.do(SetCardDueDate(card_id=task.id, due=today(world) + timedelta(days=days)))
    if status is not Status.TO_DO:
        world.move(task.id, status)
    return task.id


def assert_everyone_agrees(world: World, expected: Health) -> None:
    """The list, the project, the Canvas, the report and the explanation say the same."""
    project_id, found = world.project.id, explained(world)
    [listed] = [each for each in world.ask(ListProjects()).lines if each.project.id == project_id]
    report = world.ask(GetStatusReport(project_id=project_id))
    said = {
        listed.health,
        world.ask(GetProject(project_id=project_id)).health,
        world.ask(GetCanvas(project_id=project_id)).head.health,
        report.line.health,
        found.health,
    }
    assert said == {expected}
    assert bool(found.reasons) == (expected in (Health.AT_RISK, Health.OVERDUE))
    assert found.forecast == world.ask(GetBurnUp(project_id=project_id)).forecast == report.explanation.forecast


def test_nothing_is_at_risk_until_the_first_day_is_over(world: World) -> None:
    due(world, "Soon", 2)
    assert_everyone_agrees(world, Health.ON_TRACK)
    assert explained(world).summary.endswith("until its first day is over: Mon 2 Mar 2026.")
    world.do(EditProject(project_id=world.project.id, start=today(world) + timedelta(days=1)))
    days_pass(world, 1)
    assert_everyone_agrees(world, Health.ON_TRACK)
    days_pass(world, 1)
    assert_everyone_agrees(world, Health.AT_RISK)
    days_pass(world, 1)
    assert_everyone_agrees(world, Health.OVERDUE)


def test_each_reason_is_a_sentence_with_the_cards_behind_it(world: World) -> None:
    ids = [due(world, "Late", 1), due(world, "Later", 4), due(world, "Begun", 4, Status.IN_PROGRESS)]
    due(world, "Done", 1, Status.COMPLETED)
    world.task("Without a date")
    world.do(SetPhaseDueDate(phase_id=world.discover.id, due=today(world) + timedelta(days=5)))
    days_pass(world, 3)
    assert_everyone_agrees(world, Health.OVERDUE)
    found = explained(world)
    assert [(each.risk, each.sentence) for each in found.reasons] == [
        (Risk.CARDS_OVERDUE, "1 open card is past its due date."),
        (Risk.CARDS_SOON, "1 card is due within three days and not started."),
        (Risk.PHASES_SOON, "“Discover” is due within three days, with 3 cards that are not started."),
    ]
    assert [[item.id for item in each.items] for each in found.reasons] == [ids[:1], ids[1:2], [world.discover.id]]
    assert found.summary == f"“{world.project.name}” is overdue."
    days_pass(world, 3)
    assert [each.sentence for each in explained(world).reasons] == [
        "3 open cards are past their due dates.",
        "“Discover” is past its due date.",
    ]
    report = to_markdown(world.ask(GetStatusReport(project_id=world.project.id)))
    assert "3 open cards are past their due dates." in report
    world.do(ArchiveProject(project_id=world.project.id))
    assert (explained(world).health, explained(world).reasons, explained(world).outlook) == (Health.NONE, (), "")


def test_many_cards_are_counted_and_the_first_of_them_listed(world: World) -> None:
    for number in range(23):
        due(world, f"Card {number}", 1)
    days_pass(world, 2)
    [reason] = explained(world).reasons
    assert reason.sentence == "23 open cards are past their due dates."
    assert len(reason.items) == 20


def test_a_late_forecast_puts_the_project_at_risk(world: World) -> None:
    tasks = [world.task(f"Card {number}") for number in range(5)]
    world.do(SetPhaseDueDate(phase_id=world.launch.id, due=today(world) + timedelta(days=60)))
    days_pass(world, 6)
    assert_everyone_agrees(world, Health.ON_TRACK)
    days_pass(world, 8)
    assert_everyone_agrees(world, Health.AT_RISK)  # nothing was completed in two weeks
    assert explained(world).reasons[0].sentence.startswith("No forecast: no card was completed in the last 14 days.")
    world.complete(tasks[0].id)
    days_pass(world, 1)
    assert_everyone_agrees(world, Health.AT_RISK)
    [reason] = explained(world).reasons
    assert reason.risk is Risk.LATE_FORECAST
    assert reason.sentence.endswith("(0.5 cards a week) you finish around 12 May 2026 – 11 days late.")
    assert [item.title for item in reason.items] == ["Discover", "Build", "Launch"]
    world.complete(tasks[1].id)
    assert_everyone_agrees(world, Health.ON_TRACK)
    world.do(Undo(project_id=world.project.id))
    assert_everyone_agrees(world, Health.AT_RISK)
    world.do(Redo(project_id=world.project.id))
    assert_everyone_agrees(world, Health.ON_TRACK)


def pace(world: World) -> int:
    found = explained(world).forecast
    return round(found.pace * found.pace_days)


def test_the_pace_counts_what_was_completed_in_two_weeks_less_what_was_reopened(world: World) -> None:
    first, second, third, fourth, fifth = (world.task(f"Card {number}") for number in range(5))
    world.complete(first.id)  # on the first day, before the pace is measured
    days_pass(world, 2)
    steps = tuple(MoveCard(card_id=task.id, status=Status.COMPLETED) for task in (second, third))
    world.do(BulkUpdate(project_id=world.project.id, commands=steps))
    assert pace(world) == 2
    world.archive(second.id, fourth.id)
    world.do(EditTask(task_id=fifth.id, title="Other"))
    assert pace(world) == 2
    days_pass(world, 10)
    world.move(third.id, Status.TO_DO)
    assert pace(world) == 1
    days_pass(world, 3)
    assert pace(world) == 1
    days_pass(world, 1)
    assert pace(world) == 0  # two weeks after they were completed, only the reopening counts
    assert explained(world).outlook.startswith("No forecast: more cards were reopened than completed")
    days_pass(world, 20)
    world.complete(fifth.id)
    [(kept,)] = world.database.read(
        lambda tx: tx.tuples("SELECT completions FROM feed WHERE id = :id", id=world.project.id)
    )
    assert kept == f'{{"{today(world)}":1}}'  # days that no pace needs are not kept


def test_archiving_completed_cards_keeps_progress_and_health(world: World) -> None:
    tasks = [world.task(f"Card {number}") for number in range(4)]
    world.complete(*(task.id for task in tasks[:2]))
    before = world.ask(GetProject(project_id=world.project.id)).tally
    world.archive(*(task.id for task in tasks[:2]))
    after = world.ask(GetProject(project_id=world.project.id)).tally
    assert (before.done, before.total) == (after.done, after.total) == (2, 4)
    world.archive(tasks[2].id)
    after = world.ask(GetProject(project_id=world.project.id)).tally
    assert (after.done, after.total) == (2, 3)
