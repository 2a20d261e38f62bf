"""What a change of many cards costs the database: it grows with the cards that it writes, and no faster."""

from __future__ import annotations

import pytest

from core.actions.activities import ArchiveActivity, PlaceActivity, RestoreActivity
from core.actions.bulk import Bulk
from core.actions.history import Redo, Undo
from core.actions.tasks import CreateTask
from core.messages import Command
from core.model import Item
from tests.counting import looks_for
from tests.world import World

MOST_GROWTH = 6
"""For four times as many cards: in proportion is 4, each card with each other one 16."""


def activity_with(world: World, tasks: int) -> Item:
    """A new activity with so many tasks."""
    activity = world.activity(f"with {tasks}", relock=True)
    steps = [
        CreateTask(phase_id=activity.phase_id, activity_id=activity.id, title=str(number), relock=True)
        for number in range(tasks)
    ]
    assert world.do(Bulk(project_id=world.project.id, commands=tuple(steps))).done == tasks
    return activity


def commands_on(activity: Item, world: World) -> dict[str, Command[Item]]:
    return {
        "archive": ArchiveActivity(activity_id=activity.id),
        "restore": RestoreActivity(activity_id=activity.id, relock=True),
        "place": PlaceActivity(activity_id=activity.id, phase_id=world.build.id, relock=True),
    }


@pytest.mark.parametrize("kind", ["archive", "restore", "place"])
def test_undo_and_redo_cost_in_proportion_to_the_cards_that_they_change(
    world: World, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    def cost(tasks: int) -> tuple[int, ...]:
        """Of the command, its undo and its redo."""
        commands = commands_on(activity_with(world, tasks), world)
        if kind == "restore":
            world.do(commands["archive"])
        here = world.project.id
        return tuple(
            looks_for(monkeypatch, world, each)
            for each in (commands[kind], Undo(project_id=here, relock=True), Redo(project_id=here, relock=True))
        )

    for few, many in zip(cost(50), cost(200), strict=True):
        assert many < MOST_GROWTH * few
