"""The phase after one that is complete."""

from __future__ import annotations

from datetime import date

from core.actions.workflow.gates import DecideGate
from core.actions.workflow.next_phase import GetNextPhase, NextPhase
from core.actions.workflow.phases import SetPhaseDueDate
from core.domain.gates import Decision
from core.domain.model import Item, Phase
from core.errors import NotFound
from tests.support.workspace import World


def after(world: World, phase: Phase) -> NextPhase:
    return world.ask(GetNextPhase(phase_id=phase.id))


def complete(world: World, *items: Item) -> None:
    world.complete(*(item.id for item in items))


def test_nothing_follows_a_phase_that_is_not_complete(world: World) -> None:
    world.task("One")
    found = after(world, world.discover)
    assert (found.name, found.complete, found.next, found.project_complete) == ("Discover", False, None, False)


def test_the_open_phase_after_it_has_its_open_items_and_their_first_due_date(world: World) -> None:
    one = world.task("One")
    first = world.task("Draw", world.build, due=date(2026, 3, 20))
    world.task("Order", world.build, due=date(2026, 3, 10))
    gone = world.task("Gone", world.build, due=date(2026, 3, 3))
    world.archive(gone.id)
    world.activity("Paint", world.build)
    complete(world, one)
    found = after(world, world.discover)
    assert found.complete
    assert found.next is not None
    assert (found.next.name, found.next.tasks, found.next.items) == ("Build", 2, 3)
    assert (found.next.first_due, found.next.first_item_id) == (date(2026, 3, 10), first.id)
    assert (found.done, found.today) == (1, date(2026, 3, 2))


def test_without_dates_of_items_the_due_date_of_the_phase_is_told(world: World) -> None:
    complete(world, world.task("One"))
    world.do(SetPhaseDueDate(phase_id=world.build.id, due=date(2026, 4, 1)))
    found = after(world, world.discover).next
    assert found is not None
    assert (found.items, found.first_due, found.first_item_id) == (0, date(2026, 4, 1), None)


def test_complete_phases_are_passed_over(world: World) -> None:
    one, two = world.task("One"), world.task("Two", world.build)
    world.do(DecideGate(phase_id=world.build.id, decision=Decision.OVERRIDE, reason="Early"))
    complete(world, two, one)
    found = after(world, world.discover).next
    assert found is not None
    assert found.name == "Launch"


def test_a_phase_that_is_still_locked_by_another_one_does_not_follow(world: World) -> None:
    world.task("One")
    world.do(DecideGate(phase_id=world.build.id, decision=Decision.OVERRIDE, reason="Early"))
    complete(world, world.task("Two", world.build))
    found = after(world, world.build)
    assert (found.complete, found.next) == (True, None)


def test_after_the_last_phase_the_project_is_complete(world: World) -> None:
    for phase in (world.discover, world.build, world.launch):
        complete(world, world.task(phase.name, phase))
    found = after(world, world.launch)
    assert (found.next, found.project_complete, found.done) == (None, True, 3)


def test_only_members_may_ask(world: World) -> None:
    world.refuses(GetNextPhase(phase_id=world.build.id), NotFound, as_=world.gus)
