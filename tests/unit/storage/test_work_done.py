"""The cost of large changes in the database: proportional to the number of cards that they write."""

from __future__ import annotations

from typing import Any

import pytest

from core.actions import catalog
from core.actions.cards import bulk
from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import ArchiveCard, ReorderCard, RestoreCard
from core.actions.cards.tasks import CreateTask
from core.actions.history.history import Redo, Undo
from core.domain.model import Item
from core.domain.phase_states import Workflow
from core.engine import engine
from core.engine.messages import Command
from core.errors import RuleViolation
from core.storage.progress import Progress
from core.storage.sqlite import database as sqlite
from core.storage.sqlite.transaction import bound_statements
from tests.support.counting import looks_for
from tests.support.postgres_cluster import about_the_file
from tests.support.workspace import World, content

MAX_GROWTH = 6
"""For four times as many cards: in proportion is 4, each card with each other one 16."""


def activity_with(world: World, tasks: int) -> Item:
    """A new activity with so many tasks."""
    activity = world.activity(f"with {tasks}", relock=True)
    steps = [
        CreateTask(phase_id=activity.phase_id, activity_id=activity.id, title=str(number), relock=True)
        for number in range(tasks)
    ]
    assert world.do(BulkUpdate(project_id=world.project.id, commands=tuple(steps))).done == tasks
    return activity


def commands_on(activity: Item, world: World) -> dict[str, Command[Item]]:
    return {
        "archive": ArchiveCard(card_id=activity.id),
        "restore": RestoreCard(card_id=activity.id, relock=True),
        "place": ReorderCard(card_id=activity.id, phase_id=world.build.id, relock=True),
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
        assert many < MAX_GROWTH * few


def test_a_bulk_change_writes_at_most_2000_records_and_else_nothing(world: World) -> None:
    activity = activity_with(world, 100)
    steps = [commands_on(activity, world)[kind] for kind in ("archive", "restore")] * 10
    before = content(world.database)
    with pytest.raises(
        RuleViolation, match=r"more than 2,000 records.*Nothing was changed\. Change fewer cards at a time"
    ):
        world.do(BulkUpdate(project_id=world.project.id, commands=tuple(steps)))
    assert content(world.database) == before
    assert world.do(BulkUpdate(project_id=world.project.id, commands=tuple(steps[:18]))).done == 18


def test_the_refused_steps_of_a_bulk_change_count_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "MAX_RECORDS_IN_BULK", 50)
    started = activity_with(world, 9)
    world.start(started.id)
    world.task("Still open")
    into_locked = ReorderCard(card_id=started.id, phase_id=world.build.id)
    before = content(world.database)
    result = world.do(BulkUpdate(project_id=world.project.id, commands=(into_locked,) * 5))
    assert (result.done, len(result.refused)) == (0, 5)
    with pytest.raises(RuleViolation, match="more than 50 records"):
        world.do(BulkUpdate(project_id=world.project.id, commands=(into_locked,) * 6))
    assert content(world.database) == before


def test_a_single_command_is_bounded_and_its_undo_is_not(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    activity = activity_with(world, 20)
    before = content(world.database, versions=False)
    world.archive(activity.id)
    monkeypatch.setattr(engine, "MAX_RECORDS", 20)
    world.refuses(RestoreCard(card_id=activity.id, relock=True), RuleViolation, "more than 20 records")
    world.do(Undo(project_id=world.project.id, relock=True))
    assert content(world.database, versions=False) == before


def test_only_what_makes_a_whole_project_removes_a_label_or_undoes_a_change_may_write_any_number_of_records() -> None:
    assert {kind.__name__ for kind in catalog.COMMANDS if kind.unbounded} == {
        "MergeTemplate",
        "CreateProjectFromTemplate",
        "RenameChoice",
        "ImportInto",  # bounded by its plan: core.import_export.into.plan
        "ImportProject",
        "MergeLabels",
        "Redo",
        "RemoveLabel",
        "RemoveTemplate",
        "Undo",
    }


@about_the_file
def test_every_command_has_two_seconds(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float] = []

    def noted(connection: Any, seconds: float, progress: Progress) -> Any:
        given.append(seconds)
        return bound_statements(connection, seconds, progress)

    monkeypatch.setattr(sqlite, "bound_statements", noted)
    monkeypatch.setattr(world.database, "read_seconds", 20.0)
    world.task("One")
    world.do(Undo(project_id=world.project.id))
    assert [seconds for seconds in given if seconds != 20.0] == [2.0, 2.0]


def test_restoring_an_activity_looks_at_the_workflow_a_few_times_and_not_for_each_task(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0
    from_phases = Workflow.from_phases.__func__  # type: ignore[attr-defined]

    def counted(*about: Any) -> Workflow:
        nonlocal asked
        asked += 1
        return from_phases(*about)  # type: ignore[no-any-return]

    def times(tasks: int, kind: str) -> int:
        nonlocal asked
        activity = activity_with(world, tasks)
        if kind == "restore":
            world.archive(activity.id)
        asked = 0
        world.do(commands_on(activity, world)[kind])
        return asked

    monkeypatch.setattr(Workflow, "from_phases", classmethod(counted))
    for kind in ("restore", "place"):
        assert times(30, kind) == times(10, kind) < 10
