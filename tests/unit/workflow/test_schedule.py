"""Moving a phase moves what hangs on it by the same days, in one step, and nothing that is done."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.actions.cards.applications import SetApplicationDueDate
from core.actions.cards.cards import SetCardDueDate
from core.actions.history.history import Redo, Undo
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import SetPhaseDueDate
from core.actions.workflow.reschedule import PreviewReschedule, ReschedulePhase, shift_in_words
from core.domain.gates import Decision
from core.domain.model import Id, Item, Phase
from core.domain.permissions import Permission
from core.errors import CannotUndo, Forbidden, InvalidInput, NotFound, RuleViolation, VersionConflict
from tests.support.workspace import Without, World, content

MONDAY = date(2026, 3, 2)


def dated(world: World, phase: Phase, due: date | None) -> Phase:
    return world.do(SetPhaseDueDate(phase_id=phase.id, due=due))


def due(world: World, thing: Phase | Item) -> str | None:
    due: str | None = world.row("phase" if isinstance(thing, Phase) else "item", id=thing.id)["due"]
    return due


def dues(world: World) -> dict[Id, str | None]:
    """Every due date there is."""
    return {
        row["id"]: row["due"]
        for table in ("phase", "item", "application")
        for row in world.rows(f"SELECT id, due FROM {table}")
    }


@pytest.fixture
def plan(world: World) -> World:
    """Discover is due in a week, Build in two, Launch in three, with a task or two in each."""
    for week, phase in enumerate((world.discover, world.build, world.launch), 1):
        dated(world, phase, MONDAY + timedelta(weeks=week))
    return world


def test_a_phase_takes_its_open_cards_and_all_later_phases_along(plan: World) -> None:
    before = plan.task("Ask", due=MONDAY)
    draft = plan.task("Draft", plan.build, due=MONDAY + timedelta(10))
    press = plan.activity("Press", plan.launch, due=MONDAY + timedelta(20))
    held = plan.add_application(activity_id=press.id)
    plan.do(SetApplicationDueDate(application_id=held.id, due=MONDAY + timedelta(19)))
    undated = plan.task("Some day", plan.build)
    shift = plan.do(ReschedulePhase(phase_id=plan.build.id, days=3))
    assert [each.title for each in shift.moved] == ["Build", "Draft", "Launch", "Press", "Asset library"]
    assert [due(plan, each) for each in (plan.discover, before, undated)] == ["2026-03-09", "2026-03-02", None]
    assert [due(plan, each) for each in (plan.build, draft)] == ["2026-03-19", "2026-03-15"]
    assert [due(plan, each) for each in (plan.launch, press)] == ["2026-03-26", "2026-03-25"]
    assert plan.row("application", id=held.id)["due"] == "2026-03-24"


def test_alone_it_moves_nothing_else(plan: World) -> None:
    draft = plan.task("Draft", plan.build, due=MONDAY)
    plan.do(ReschedulePhase(phase_id=plan.build.id, days=-1, alone=True))
    assert [due(plan, each) for each in (plan.build, draft, plan.launch)] == ["2026-03-15", "2026-03-02", "2026-03-23"]


def test_what_is_done_keeps_its_date(plan: World) -> None:
    done, away = plan.task("Done", due=MONDAY), plan.task("Away", due=MONDAY)
    finished = plan.activity("Talks", due=MONDAY)
    held = plan.add_application(activity_id=finished.id)
    plan.do(SetApplicationDueDate(application_id=held.id, due=MONDAY))
    open_one = plan.task("Open", due=MONDAY)
    plan.complete(done.id, finished.id)
    plan.archive(away.id)
    plan.do(ReschedulePhase(phase_id=plan.discover.id, days=5))
    assert [due(plan, each) for each in (done, away, finished)] == ["2026-03-02"] * 3
    assert plan.row("application", id=held.id)["due"] == "2026-03-02"
    assert due(plan, open_one) == "2026-03-07"


def test_a_complete_phase_keeps_its_date_whether_it_is_moved_or_stands_behind(plan: World) -> None:
    plan.do(DecideGate(phase_id=plan.discover.id, decision=Decision.PASS, reason=""))
    plan.refuses(ReschedulePhase(phase_id=plan.discover.id, days=1), RuleViolation, "“Discover” is complete")
    plan.do(DecideGate(phase_id=plan.build.id, decision=Decision.PASS, reason=""))
    plan.task("More", plan.discover, allow_lapse="One more")
    plan.do(ReschedulePhase(phase_id=plan.discover.id, days=1))
    assert due(plan, plan.build) == "2026-03-16"
    assert due(plan, plan.launch) == "2026-03-24"


def test_a_later_phase_without_a_date_has_none_afterwards_but_its_cards_move(plan: World) -> None:
    dated(plan, plan.launch, None)
    press = plan.task("Press", plan.launch, due=MONDAY)
    plan.do(ReschedulePhase(phase_id=plan.build.id, days=2))
    assert (due(plan, plan.launch), due(plan, press)) == (None, "2026-03-04")


def test_a_phase_without_a_date_cannot_be_moved(world: World) -> None:
    world.refuses(PreviewReschedule(phase_id=world.build.id, days=1), RuleViolation, "“Build” has no due date to move")


@pytest.mark.parametrize("days", [90_000, -20_000, 10**12, -(10**12)])
def test_a_date_that_cannot_be_meant_is_refused_by_the_name_of_what_has_it(plan: World, days: int) -> None:
    before = content(plan.database)
    with pytest.raises(InvalidInput, match=r"“Build”, due 2026-03-16, would leave the years 2000 to 2199"):
        plan.do(ReschedulePhase(phase_id=plan.build.id, days=days))
    assert content(plan.database) == before


def test_one_card_too_far_away_refuses_the_whole_step(plan: World) -> None:
    plan.task("Someday", plan.launch, due=date(2199, 12, 31))
    before = content(plan.database)
    plan.refuses(ReschedulePhase(phase_id=plan.build.id, days=1), InvalidInput, "“Someday”")
    assert content(plan.database) == before


def test_no_days_at_all_is_no_move(plan: World) -> None:
    plan.refuses(ReschedulePhase(phase_id=plan.build.id, days=0), InvalidInput, "by how many days")


def test_a_plan_is_refused_when_another_user_changed_the_project_since(plan: World) -> None:
    seen = plan.ask(PreviewReschedule(phase_id=plan.build.id, days=4))
    plan.task("Bob was here", plan.build, due=MONDAY)
    before = content(plan.database)
    with pytest.raises(VersionConflict, match="since this preview") as refused:
        plan.do(ReschedulePhase(phase_id=plan.build.id, days=4, seen_seq=seen.seq))
    assert content(plan.database) == before
    now = refused.value.current
    assert isinstance(now, type(seen))
    assert plan.do(ReschedulePhase(phase_id=plan.build.id, days=4, seen_seq=now.seq)).moved == now.moved


def test_undo_and_redo_take_it_in_one_step(plan: World) -> None:
    plan.task("Draft", plan.build, due=MONDAY)
    before = dues(plan)
    plan.do(ReschedulePhase(phase_id=plan.build.id, days=4))
    after = dues(plan)
    plan.do(Undo(project_id=plan.project.id))
    assert dues(plan) == before
    plan.do(Redo(project_id=plan.project.id))
    assert dues(plan) == after


def test_undo_does_not_overwrite_a_date_that_another_user_set_since(plan: World) -> None:
    draft = plan.task("Draft", plan.build, due=MONDAY)
    plan.do(ReschedulePhase(phase_id=plan.build.id, days=4))
    plan.do(SetCardDueDate(card_id=draft.id, due=date(2026, 7, 1)), as_=plan.bob)
    plan.refuses(Undo(project_id=plan.project.id), CannotUndo)
    assert due(plan, plan.build) == "2026-03-20"


def test_who_may_only_look_plans_but_does_not_move(plan: World) -> None:
    assert plan.ask(PreviewReschedule(phase_id=plan.build.id, days=1), plan.vera).moved
    for actor in (plan.vera, plan.bob):
        plan.refuses(ReschedulePhase(phase_id=plan.build.id, days=1), Forbidden, as_=actor)
    plan.refuses(PreviewReschedule(phase_id=plan.build.id, days=1), (Forbidden, NotFound), as_=plan.gus)


def test_cards_move_along_only_for_a_user_who_may_date_them(plan: World) -> None:
    task = plan.task("Draft", plan.build, due=MONDAY)
    plan.engine.permissions = Without(plan.database, Permission.TASK_MANAGE)
    plan.refuses(ReschedulePhase(phase_id=plan.build.id, days=1), Forbidden, "create or change tasks")
    assert (due(plan, plan.build), due(plan, task)) == ("2026-03-16", "2026-03-02")
    plan.do(ReschedulePhase(phase_id=plan.build.id, days=1, alone=True))
    assert (due(plan, plan.build), due(plan, task)) == ("2026-03-17", "2026-03-02")


def test_the_history_says_what_was_moved_and_how_far(plan: World) -> None:
    plan.task("Draft", plan.build, due=MONDAY)
    shift = plan.do(ReschedulePhase(phase_id=plan.build.id, days=-1))
    words = "“Build” 1 day earlier, to Sun 15 Mar 2026, together with 1 phase and 1 item"
    assert shift_in_words(shift.moved) == words
    assert plan.last_change()["summary"] == f"moved {words}"


DAYS = st.integers(-5_000, 5_000).filter(bool)
OFFSETS = st.lists(st.one_of(st.none(), st.integers(-400, 400)), min_size=1, max_size=6)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(days=DAYS, offsets=OFFSETS, start=st.dates(date(2020, 1, 1), date(2100, 1, 1)))
def test_there_and_back_again_restores_every_date_and_distances_stay(
    world: World, days: int, offsets: list[int | None], start: date
) -> None:
    """Leap days, the ends of years and the changes of clocks among them: dates know no hours."""
    dated(world, world.discover, start)
    for offset in offsets:
        world.task("Any", world.build, due=None if offset is None else start + timedelta(offset))
    before = dues(world)
    shift = world.do(ReschedulePhase(phase_id=world.discover.id, days=days))
    assert {each.after - each.before for each in shift.moved} == {timedelta(days)}
    there = dues(world)
    assert {each.id for each in shift.moved} == {key for key in before if before[key] != there[key]}
    world.do(ReschedulePhase(phase_id=world.discover.id, days=-days))
    assert dues(world) == before
