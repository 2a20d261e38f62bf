"""The list of the next steps of undo and redo."""

from __future__ import annotations

import pytest

from core.actions.cards.tasks import CreateTask, EditTask
from core.actions.history.history import Redo, Undo
from core.actions.history.undo_steps import ListUndoSteps, UndoStep
from core.actions.projects.projects import ArchiveProject, CreateProject, EditProject
from core.actions.workspace.workspace import RenameWorkspace
from core.domain.model import ChangeKind, Id
from core.engine.unit_of_work import Actor
from core.errors import NotFound
from tests.support.workspace import Clock, World


@pytest.fixture
def later(world: World, clock: Clock) -> Clock:
    """A clock that has gone on since the workspace was made."""
    clock.forward(minutes=5)
    return clock


def undo(world: World, project_id: Id | None = None, as_: Actor | None = None) -> list[str]:
    return [step.summary for step in world.ask(ListUndoSteps(project_id=project_id), as_)]


def redo(world: World, project_id: Id | None = None) -> list[str]:
    return [step.summary for step in world.ask(ListUndoSteps(project_id=project_id, redo=True))]


def revert(world: World, step: UndoStep, kind: type[Undo] | type[Redo] = Undo) -> None:
    for each in step.changes:
        world.do(kind(project_id=each.project_id, seq=each.seq))


def test_my_changes_everywhere_are_listed_by_time_and_those_of_a_project_alone(world: World, later: Clock) -> None:
    world.task("One")
    later.forward(minutes=1)
    world.do(RenameWorkspace(name="Studio South"))
    later.forward(minutes=1)
    autumn = world.do(CreateProject(name="Autumn"))
    later.forward(minutes=1)
    world.task("Two")
    world.do(CreateTask(phase_id=world.discover.id, title="Of Bob"), world.bob)
    everywhere = world.ask(ListUndoSteps(most=4))
    assert [(step.summary, step.project) for step in everywhere] == [
        ("added the task “Two”", "Spring launch"),
        ("created the project “Autumn”", "Autumn"),
        ("renamed the workspace to “Studio South”", ""),
        ("added the task “One”", "Spring launch"),
    ]
    assert undo(world, world.project.id)[:2] == ["added the task “Two”", "added the task “One”"]
    assert undo(world, autumn.id) == ["created the project “Autumn”"]
    assert undo(world, as_=world.bob) == ["added the task “Of Bob”"]


def test_at_most_as_many_steps_are_listed_as_asked_for(world: World, later: Clock) -> None:
    for number in range(25):
        later.forward(minutes=1)
        world.task(f"Task {number}")
    assert len(undo(world)) == 20
    assert [step.summary for step in world.ask(ListUndoSteps(most=2))] == [
        "added the task “Task 24”",
        "added the task “Task 23”",
    ]
    assert len(world.ask(ListUndoSteps(most=0))) == 1


def test_what_is_undone_moves_to_the_other_list_until_a_new_change_anywhere(world: World, later: Clock) -> None:
    world.task("One")
    later.forward(minutes=1)
    world.task("Two")
    world.do(Undo(project_id=world.project.id))
    assert (undo(world)[0], redo(world)) == ("added the task “One”", ["added the task “Two”"])
    later.forward(minutes=1)
    world.do(RenameWorkspace(name="Studio South"))
    assert redo(world) == [], "elsewhere it would be a surprise"
    assert redo(world, world.project.id) == ["added the task “Two”"]
    world.do(Redo(project_id=world.project.id))
    assert undo(world, world.project.id)[0] == "added the task “Two”"


def test_a_change_that_cannot_be_undone_is_listed_as_such(world: World, later: Clock) -> None:
    _, gone = world.task("Kept"), world.task("Gone")
    world.delete(gone.id)
    steps = world.ask(ListUndoSteps(project_id=world.project.id))
    assert [(step.summary, step.undoable) for step in steps[:2]] == [
        ("deleted “Gone” for good", False),
        ("archived “Gone”", True),
    ]


def test_archives_of_a_held_key_are_one_step_that_redo_repeats_as_one(world: World, later: Clock) -> None:
    tasks, activity = [world.task(f"Task {number}") for number in range(3)], world.activity("Shoot")
    later.forward(minutes=1)
    for task in tasks:
        later.forward(seconds=0.2)
        world.archive(task.id)
    world.archive(activity.id)
    first, second = world.ask(ListUndoSteps(project_id=world.project.id))[:2]
    assert (first.summary, len(first.changes)) == ("archived “Task 0” and 3 more", 4)
    assert second.summary == "added the activity “Shoot”"
    revert(world, first)
    assert [world.status(task) for task in tasks] == ["TO_DO"] * 3
    later.forward(minutes=1)
    (again,) = world.ask(ListUndoSteps(project_id=world.project.id, redo=True))
    assert (again.summary, len(again.changes)) == (first.summary, 4)
    revert(world, again, Redo)
    assert [world.status(task) for task in tasks] == ["ARCHIVED"] * 3
    step = world.ask(ListUndoSteps(project_id=world.project.id))[0]
    assert (step.summary, len(step.changes)) == (first.summary, 4), "undo takes back the redone step as one"
    revert(world, step)
    kinds = [row["kind"] for row in world.rows("SELECT kind FROM change ORDER BY seq DESC LIMIT 12")]
    assert kinds == [ChangeKind.UNDO] * 4 + [ChangeKind.REDO] * 4 + [ChangeKind.UNDO] * 4


@pytest.mark.parametrize(("gap", "together"), [(0.7, True), (0.8, False)])
def test_two_presses_apart_are_two_steps(world: World, later: Clock, gap: float, together: bool) -> None:
    tasks = [world.task("One"), world.task("Two")]
    for task in tasks:
        later.forward(seconds=gap)
        world.archive(task.id)
    step = world.ask(ListUndoSteps(project_id=world.project.id))[0]
    assert len(step.changes) == (2 if together else 1)


def test_other_changes_at_once_stay_steps_of_their_own(world: World, later: Clock) -> None:
    one, two = world.task("One"), world.task("Two")
    world.do(EditTask(task_id=one.id, title="Uno"))
    world.archive(one.id)
    world.do(EditTask(task_id=two.id, title="Due"))
    assert undo(world, world.project.id)[:3] == [
        "renamed “Two” to “Due”",
        "archived “Uno”",
        "renamed “One” to “Uno”",
    ]


def test_projects_that_a_held_key_archived_are_one_step_over_several_histories(world: World, later: Clock) -> None:
    projects = [world.do(CreateProject(name=name)) for name in ("Autumn", "Winter")]
    later.forward(minutes=1)
    for project in projects:
        later.forward(seconds=0.1)
        world.do(ArchiveProject(project_id=project.id))
    step = world.ask(ListUndoSteps())[0]
    assert step.summary == "archived the project “Autumn” and 1 more"
    revert(world, step)
    assert not world.rows("SELECT id FROM project WHERE archived = 1")


def test_a_new_project_is_marked_as_one_also_after_it_was_redone(world: World) -> None:
    autumn = world.do(CreateProject(name="Autumn"))
    world.do(EditProject(project_id=autumn.id, name="Winter"))
    edited, created = world.ask(ListUndoSteps(project_id=autumn.id))
    assert (edited.creates_project, created.creates_project) == (False, True)
    world.do(Undo(project_id=autumn.id))
    world.do(Undo(project_id=autumn.id))
    world.do(Redo(project_id=autumn.id))
    assert [step.creates_project for step in world.ask(ListUndoSteps(project_id=autumn.id))] == [True]


def test_only_members_list_the_steps_of_a_project(world: World) -> None:
    world.refuses(ListUndoSteps(project_id=world.project.id), NotFound, as_=world.gus)
