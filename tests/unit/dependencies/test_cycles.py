"""No card waits for itself: not through cards, activities, or the order of phases, also of other projects."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest

from core.actions.cards.cards import ReorderCard
from core.actions.dependencies.links import LinkCards, UnlinkCards
from core.actions.history.history import Undo
from core.actions.workflow.phases import ReorderPhase
from core.domain.dependencies import Dependency
from core.domain.max_lengths import MAX_PHASES
from core.domain.model import Item
from core.errors import OBSTACLES_LISTED, CannotUndo, RuleViolation
from tests.support.sized_worlds import add_project
from tests.support.workspace import World


def link(world: World, waiting: Item, blocker: Item) -> None:
    world.do(LinkCards(waiting_id=waiting.id, blocker_id=blocker.id))


@pytest.mark.parametrize("length", [2, 3, 200])
def test_a_cycle_is_refused_and_named(world: World, length: int) -> None:
    cards = [world.task(f"Card {number}") for number in range(length)]
    for waiting, blocker in pairwise(cards):
        link(world, waiting, blocker)
    with pytest.raises(RuleViolation, match=f"“Card {length - 1}” would wait for itself: ") as refused:
        link(world, cards[-1], cards[0])
    assert f"“Card {length - 1}” waits for “Card 0”" in str(refused.value)
    assert ("and 194 more steps" in str(refused.value)) == (length == 200)
    assert len(refused.value.blockers) == min(length, OBSTACLES_LISTED)
    assert len(world.rows("SELECT * FROM dependency")) == length - 1


def test_a_cycle_through_an_activity_is_refused(world: World) -> None:
    activity, other = world.activity("Press"), world.task("Proof")
    task = world.task("Cut", activity_id=activity.id)
    link(world, task, other)
    with pytest.raises(RuleViolation, match="“Press” holds “Cut”"):
        link(world, other, activity)
    with pytest.raises(RuleViolation, match="“Cut” would wait for itself"):
        link(world, task, activity)


def test_the_order_of_phases_counts_also_through_another_project(world: World) -> None:
    first, second = world.task("First"), world.task("Second", phase=world.build)
    other = world.new_project("Autumn").id
    early, late = (world.task(name, phase=world.phase(name, other)) for name in ("Early", "Late"))
    link(world, first, late)
    with pytest.raises(RuleViolation, match="would wait for itself") as refused:
        link(world, early, second)
    for step in ("“Second” is in a later phase than “First”", "“Late” is in a later phase than “Early”"):
        assert step in str(refused.value)
    link(world, early, world.task("Loose"))
    assert len(world.rows("SELECT * FROM dependency")) == 2


def test_a_cycle_through_a_project_that_one_cannot_see_names_no_card_of_it(world: World) -> None:
    first, last = world.task("First"), world.task("Last")
    hidden = world.task("Secret", phase=world.phase("Design", world.new_project("Autumn").id))
    link(world, first, hidden)
    link(world, hidden, last)
    with pytest.raises(RuleViolation, match="a card that you cannot see") as refused:
        world.do(LinkCards(waiting_id=last.id, blocker_id=first.id), as_=world.bob)
    assert "Secret" not in str(refused.value)
    assert hidden.id not in {each.id for each in refused.value.blockers}


def test_a_card_moves_to_no_phase_before_that_of_a_card_it_waits_for(world: World) -> None:
    proof, printing = world.task("Proof", phase=world.build), world.task("Print", phase=world.launch)
    link(world, printing, proof)
    with pytest.raises(RuleViolation, match="“Print” waits for “Proof”, “Proof” is in a later"):
        world.do(ReorderCard(card_id=printing.id, phase_id=world.discover.id))
    assert world.row("item", id=printing.id)["phase_id"] == world.launch.id
    world.do(ReorderCard(card_id=printing.id, phase_id=world.build.id))


def test_phases_keep_an_order_in_which_no_card_waits_for_a_later_one(world: World) -> None:
    proof, printing = world.task("Proof"), world.task("Print", phase=world.build)
    link(world, printing, proof)
    with pytest.raises(RuleViolation, match="would wait for itself"):
        world.do(ReorderPhase(phase_id=world.build.id, before_id=world.discover.id, relock=True))
    world.do(UnlinkCards(waiting_id=printing.id, blocker_id=proof.id))
    world.do(ReorderPhase(phase_id=world.build.id, before_id=world.discover.id, relock=True), as_=world.maya)
    with pytest.raises(CannotUndo, match="would wait for itself"):
        world.do(Undo(project_id=world.project.id, seq=world.last_change()["seq"] - 1, relock=True))


def test_a_link_takes_no_step_for_each_phase_of_each_card(world: World) -> None:
    project_id = add_project(world, phases=10 * MAX_PHASES, cards=1_500, members=[world.maya.user_id])
    phase = world.rows("SELECT id FROM phase WHERE project_id = :id ORDER BY rank", id=project_id)[-1]["id"]
    move = "UPDATE item SET phase_id = :phase WHERE project_id = :id"
    world.database.write(lambda tx: tx.execute(move, phase=phase, id=project_id))
    cards = [row["id"] for row in world.rows("SELECT id FROM item WHERE project_id = :id ORDER BY id", id=project_id)]
    world.insert(
        *(
            Dependency(project_id=project_id, waiting_id=waiting, blocker_id=blocker, blocker_project_id=project_id)
            for blocker, waiting in pairwise(cards)
        )
    )
    used = time.thread_time()
    world.refuses(LinkCards(waiting_id=cards[0], blocker_id=cards[-1]), RuleViolation, "and 1494 more steps")
    assert time.thread_time() - used < 0.2
