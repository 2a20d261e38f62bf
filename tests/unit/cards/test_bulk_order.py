"""The order of a bulk change, its refusals by rule, and a change that is carried out as a whole or not at all."""

from __future__ import annotations

import pytest

from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import ArchiveCard, MoveCard, ReorderCard
from core.actions.cards.tasks import CreateTask
from core.actions.history.history import Undo
from core.domain.model import Status
from core.errors import PhaseLocked
from tests.support.workspace import World, content


def test_cards_are_changed_in_the_order_of_their_phases_so_that_each_phase_opens_the_next(world: World) -> None:
    last, middle, first = (world.task(phase=phase) for phase in (world.launch, world.build, world.discover))
    steps = tuple(MoveCard(card_id=task.id, status=Status.COMPLETED) for task in (last, middle, first))
    result = world.do(BulkUpdate(project_id=world.project.id, commands=steps))
    assert (result.done, result.refused) == (3, ())
    assert [world.status(task) for task in (last, middle, first)] == ["COMPLETED"] * 3
    world.do(Undo(project_id=world.project.id, relock=True))
    assert [world.status(task) for task in (last, middle, first)] == ["TO_DO"] * 3


def test_within_a_phase_the_order_of_the_sender_stays(world: World) -> None:
    one, two = world.task("One"), world.task("Two")
    steps = (
        ReorderCard(card_id=two.id, phase_id=world.discover.id, before_id=one.id),
        CreateTask(phase_id=world.discover.id, title="Three"),
        ArchiveCard(card_id=one.id),
    )
    assert world.do(BulkUpdate(project_id=world.project.id, commands=steps)).done == 3
    assert [row["title"] for row in world.rows("SELECT title FROM item ORDER BY rank")] == ["Two", "One", "Three"]


def test_refusals_have_their_rule_without_the_title_and_the_numbers_of_the_sender(world: World) -> None:
    open_task, archived = world.task("Open"), world.task("Old")
    world.archive(archived.id)
    locked = [world.task(f"Locked {number}", world.build) for number in range(2)]
    commands = (
        *(MoveCard(card_id=task.id, status=Status.IN_PROGRESS) for task in (*locked, open_task, archived)),
        MoveCard(card_id="gone", status=Status.COMPLETED),
    )
    refused = world.do(BulkUpdate(project_id=world.project.id, commands=commands)).refused
    assert [(refusal.step, refusal.title, refusal.rule) for refusal in refused] == [
        (0, "Locked 0", "Locked until “Discover” is complete"),
        (1, "Locked 1", "Locked until “Discover” is complete"),
        (3, "Old", "It is archived. Restore it first."),
        (4, "", "There is no card “gone” here."),
    ]
    assert refused[0].reason == "“Locked 0” cannot start: “Build” is locked until “Discover” is complete."


def test_steps_of_one_card_are_told_together_and_its_place_only_where_nothing_else_was(world: World) -> None:
    one, two = world.task("One"), world.task("Two")
    here = (
        ReorderCard(card_id=two.id, phase_id=world.discover.id, before_id=one.id),
        MoveCard(card_id=two.id, status=Status.IN_PROGRESS),
    )
    world.do(BulkUpdate(project_id=world.project.id, commands=here, atomic=True))
    assert world.last_change()["summary"] == "started “Two”"
    there = (
        MoveCard(card_id=two.id, status=Status.TO_DO),
        ReorderCard(card_id=two.id, phase_id=world.build.id),
    )
    world.do(BulkUpdate(project_id=world.project.id, commands=there, atomic=True))
    assert world.last_change()["summary"] == "put back “Two” and moved “Two” to phase “Build”"
    both = tuple(ReorderCard(card_id=task.id, phase_id=world.launch.id) for task in (one, two))
    world.do(BulkUpdate(project_id=world.project.id, commands=both))
    assert world.last_change()["summary"] == "moved “One” to phase “Launch” and 1 more"


def test_an_atomic_change_is_refused_as_a_whole_with_the_reason_of_the_step(world: World) -> None:
    _, locked = world.task("First"), world.task("Locked", world.build)
    before = content(world.database)
    commands = (
        ReorderCard(card_id=locked.id, phase_id=world.build.id),
        MoveCard(card_id=locked.id, status=Status.COMPLETED),
    )
    with pytest.raises(PhaseLocked, match="“Locked” cannot be completed: “Build” is locked") as refused:
        world.do(BulkUpdate(project_id=world.project.id, commands=commands, atomic=True))
    assert (refused.value.phase_id, refused.value.who_can) == (world.build.id, ("Maya Okafor",))
    assert content(world.database) == before
