"""The kept numbers of items are those of the items, whatever is done, undone, refused or imported in large_projects."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from operator import methodcaller
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import MoveCard
from core.actions.cards.tasks import CreateTask
from core.actions.history.history import Redo, Undo
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject
from core.actions.workflow.canvas import GetCanvas
from core.demo import large
from core.diagnostics.local import check_item_counts
from core.domain.finding import Finding, Verdict
from core.domain.model import Item, Status
from core.domain.statuses import ItemCounts
from core.engine import large_projects
from core.engine.counters import list_miscounted
from core.engine.messages import Command
from core.engine.unit_of_work import UnitOfWork
from core.errors import DatabaseDamaged, DatabaseReadOnly, NotFound, PodiumError
from core.record import replace
from core.storage.database import Tx
from tests.support.message_examples.messages import COMMANDS
from tests.support.prepared import new_world
from tests.support.sweeps import every_message
from tests.support.workspace import World

STEPS = (*sorted(COMMANDS, key=lambda kind: kind.__name__), *[Undo, Redo] * 10)


def assert_counted(world: World) -> None:
    assert world.database.read(list_miscounted) == []


def recounted(world: World) -> int:
    """The items of the workspace, by the kept numbers."""
    lines = world.rows("SELECT id FROM project")
    canvases = [world.ask(GetCanvas(project_id=row["id"])) for row in lines]
    return sum(canvas.head.tally.open + canvas.head.tally.completed + canvas.head.tally.archived for canvas in canvases)


@every_message(COMMANDS)
def test_each_command_and_its_undo_keep_the_numbers(world: World, kind: type[Command[Any]]) -> None:
    command: Any = COMMANDS[kind](world)
    world.do(command)
    assert_counted(world)
    with suppress(PodiumError):
        world.do(Undo(project_id=world.project.id))
    assert_counted(world)


def random_steps(kinds: list[type[Command[Any]]]) -> None:
    folder = Path(tempfile.mkdtemp())
    world = new_world(folder / "podium.db")
    try:
        for kind in kinds:
            with suppress(PodiumError):
                command: Any = kind(project_id=world.project.id) if kind in (Undo, Redo) else COMMANDS[kind](world)
                world.do(command)
            assert_counted(world)
    finally:
        world.database.close()
        shutil.rmtree(folder)


def run(examples: int, steps: int) -> None:
    sequences = st.lists(st.sampled_from(STEPS), min_size=steps, max_size=steps)
    many = settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    many(given(sequences)(random_steps))()


def test_random_commands_keep_the_numbers() -> None:
    run(examples=10, steps=12)


@pytest.mark.slow
def test_many_random_commands_keep_the_numbers() -> None:
    run(examples=150, steps=30)


def test_a_step_of_a_bulk_change_that_is_refused_counts_nothing(world: World) -> None:
    task = world.task("First")
    steps = (
        MoveCard(card_id=task.id, status=Status.IN_PROGRESS),
        MoveCard(card_id=world.task("Locked", world.build).id, status=Status.IN_PROGRESS),
        CreateTask(phase_id=world.build.id, title="New"),
    )
    assert len(world.do(BulkUpdate(project_id=world.project.id, commands=steps)).refused) == 1
    assert_counted(world)
    columns = {column.id: column.tally for column in world.ask(GetCanvas(project_id=world.project.id)).head.columns}
    assert columns[world.discover.id] == ItemCounts(in_progress=1)
    assert columns[world.build.id] == ItemCounts(to_do=2)


def test_what_a_step_wrote_before_it_failed_is_not_counted(world: World) -> None:
    task = world.task("First")

    def write(tx: Tx) -> None:
        work = UnitOfWork(tx, world.maya, world.engine.clock(), world.project.id)

        def step() -> None:
            work.update(work.get(Item, id=task.id), status=Status.COMPLETED)
            raise NotFound("at the end")

        with suppress(NotFound):
            work.attempt(step)
        work.update(work.get(Item, id=task.id), title="Second")
        work.record("EditTask")

    world.database.write(write)
    assert world.row("item", id=task.id)["title"] == "Second"
    assert_counted(world)


def test_an_import_in_slices_counts_what_the_slices_wrote(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(12):
        world.task(f"Task {number}")
    document = replace(world.ask(ExportProject(project_id=world.project.id)), name="Brought")
    for name, value in (("AT_ONCE", 0), ("STEP", 2), ("SLICE_SECONDS", 0.0), ("PAUSE_SECONDS", 0.0)):
        monkeypatch.setattr(large_projects, name, value)
    made = world.do(ImportProject(document=document))
    assert_counted(world)
    assert world.ask(GetCanvas(project_id=made.id)).head.tally == ItemCounts(to_do=12)


def test_the_large_project_of_the_demo_is_counted(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "CARDS", 600)
    project = world.new_project("Large")
    phases = large.add_phases(lambda command: world.do(command), project.id, world.engine.clock().date())
    people, today = [world.maya.user_id], world.engine.clock().date()
    world.database.write(lambda tx: large.add_cards(tx, phases, people, today))
    assert_counted(world)
    assert recounted(world) == 600


def test_doctor_writes_nothing_to_a_damaged_database(world: World) -> None:
    world.task()
    world.database.write(lambda tx: tx.execute("UPDATE feed SET item_counts = '{}'"))
    finding = check_item_counts(world.database, is_damaged=True)
    assert finding.verdict is Verdict.BAD
    assert finding.found.startswith("wrong in “Spring launch”, and the items cannot be counted again")
    assert world.database.read(list_miscounted) == [world.project.id]


@pytest.mark.parametrize("wrong", ["item_counts = '{}'", "last_number = 0"])
def test_doctor_counts_the_items_of_projects_with_wrong_numbers_again_and_says_so(world: World, wrong: str) -> None:
    world.task()
    assert check_item_counts(world.database) == Finding("Item counts", "ok")
    world.database.write(lambda tx: tx.execute(f"UPDATE feed SET {wrong} WHERE id = :id", id=world.project.id))
    finding = check_item_counts(world.database)
    assert finding.verdict is Verdict.NOTE
    assert finding.found.startswith("were wrong in “Spring launch”, and the items have been counted again.")
    assert check_item_counts(world.database) == Finding("Item counts", "ok")
    assert recounted(world) == 1
    assert world.task().number == 2


def test_doctor_names_the_projects_with_wrong_numbers_where_it_cannot_write(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.task()
    world.database.write(lambda tx: tx.execute("UPDATE feed SET item_counts = '{}'"))
    with monkeypatch.context() as patch:
        patch.setattr(world.database, "write", refused)
        finding = check_item_counts(world.database)
    assert finding.verdict is Verdict.BAD
    assert finding.found == "wrong in “Spring launch”, and the items cannot be counted again: It is read-only."
    assert world.database.read(list_miscounted) == [world.project.id]


def refused(*_: object, **__: object) -> None:
    raise DatabaseReadOnly("It is read-only.")


def test_numbers_that_cannot_be_read_are_damage(world: World) -> None:
    for text in ("[", "7", '{"phase": 1}', '{"phase": [1, 2, 3, 4, 5, 6]}'):
        world.database.write(methodcaller("execute", "UPDATE feed SET item_counts = :text", text=text))
        world.refuses(GetCanvas(project_id=world.project.id), DatabaseDamaged, "cannot be read")
