"""The first cards of each section of a large Canvas: exactly those at its top, with the numbers of the others."""

from __future__ import annotations

import random

import pytest

from core.actions.personal.presets import ActivatePreset
from core.actions.workflow import canvas as canvas_query
from core.actions.workflow.canvas import GetCanvas
from core.domain.canvas import Canvas
from core.domain.model import Status
from core.errors import InvalidInput
from tests.support.workspace import World
from tui.board.model import BoardModel


@pytest.fixture(autouse=True)
def large_from_ten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canvas_query, "LARGE", 10)


def read(world: World, most: int | None) -> Canvas:
    return world.ask(GetCanvas(project_id=world.project.id, most=most))


def fill(world: World, chance: random.Random) -> None:
    """Activities and tasks in all sections of the open phase, tasks in and beside the sections of their activities."""
    activities = [world.activity(f"Activity {number}") for number in range(5)]
    for number in range(30):
        activity = chance.choice([None, None, *activities])
        task = world.task(f"Task {number}", activity_id=activity.id if activity else None)
        if chance.random() < 0.5:
            world.move(task.id, chance.choice([Status.IN_PROGRESS, Status.COMPLETED]))
    world.add_application()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("most", [1, 3, 8])
def test_they_are_those_at_the_top_of_each_section(world: World, seed: int, most: int) -> None:
    fill(world, random.Random(seed))
    whole, part = read(world, None), read(world, most)
    every, first = BoardModel(whole), BoardModel(part)
    assert part.unread == len(whole.cards) - len(part.cards) > 0
    for place, section in every.by_section.items():
        shown = first.cards_of(*place)
        leaders = [card for card in section.cards if every.families.leader(card) is None]
        last = section.cards.index(leaders[most]) if len(leaders) > most else len(section)
        assert shown.cards[:last] == section.cards[:last]
        assert len(shown) + shown.unread == len(section)
        assert all(first.families.holder(card) == every.families.holder(card) for card in shown.cards[:last])


def test_a_smaller_canvas_is_answered_whole(world: World) -> None:
    for number in range(10):
        world.task(f"Task {number}")
    assert read(world, 1) == read(world, None)
    world.task("One more")
    assert read(world, 1).unread == 10


@pytest.mark.parametrize("preset", ["DELIVERY", "MY_WORK", "APPLICATIONS"])
def test_a_canvas_that_is_sorted_or_filtered_is_answered_whole(world: World, preset: str) -> None:
    fill(world, random.Random(1))
    world.do(ActivatePreset(project_id=world.project.id, preset_id=preset))
    assert read(world, 1) == read(world, None)


@pytest.mark.parametrize("most", [0, -1, 1_001])
def test_a_number_out_of_range_is_refused(world: World, most: int) -> None:
    with pytest.raises(InvalidInput, match="Ask for the first 1 to 1,000 cards of each section"):
        read(world, most)
