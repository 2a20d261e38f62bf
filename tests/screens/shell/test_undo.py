"""Undo by a key: always my last change, named, and back to any of the last ones by the list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from textual.pilot import Pilot

from core.actions.cards.tasks import EditTask
from core.actions.history import undo_steps
from core.actions.projects.projects import CreateProject
from core.domain.model import Status
from core.engine.engine import now
from tests.support.api.server import ServerOfTests
from tests.support.app_driver import (
    Text,
    canvas,
    comes,
    hides,
    on_stage,
    post_keys,
    press,
    seen,
    settled,
    shows,
    told,
)
from tests.support.behind_server import at
from tests.support.workspace import Clock, World
from tui.dialogs.confirm import ConfirmDialog
from tui.dialogs.menus.undo_steps import UndoDialog
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.personal.my_work import MyWorkScreen
from tui.screens.projects.projects import ProjectsScreen


@pytest.fixture(autouse=True)
def time_goes_on(world: World) -> None:
    """Changes in several projects are ordered by their times."""
    world.engine.clock = now


@pytest.fixture
def server(world: World) -> Iterator[ServerOfTests]:
    with ServerOfTests(world) as server:
        yield server


async def list_steps(pilot: Pilot[int]) -> None:
    """Open the list by ``:undo``."""
    await press(pilot, "colon", Text("undo"))
    await press(pilot, "enter")  # it waits until the palette has searched
    assert await comes(pilot, lambda: isinstance(pilot.app.screen, UndoDialog))
    await settled(pilot)


def archived(world: World, name: str) -> bool:
    return bool(world.row("project", name=name)["archived"])


async def test_u_on_projects_archives_the_project_that_was_just_created_and_says_so(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "n", "enter", Text("Temp project"), "ctrl+s")
        assert "Temp project" in seen(pilot)
        await press(pilot, "g", "p", "u")
        assert archived(world, "Temp project")
        assert told(pilot) == "Undone: created the project “Temp project”. It is in the archive now. U to redo."
        await press(pilot, "j")
        assert await hides(pilot, "Temp project")
        await press(pilot, "U")
        assert not archived(world, "Temp project")
        assert told(pilot) == "Redone: created the project “Temp project”. u to undo."
        await press(pilot, "u")
        assert told(pilot) == "Undone: created the project “Temp project”. It is in the archive now. U to redo."


async def test_u_outside_of_projects_is_my_last_change_anywhere_and_names_its_project(world: World) -> None:
    autumn = world.do(CreateProject(name="Autumn"))
    card = world.task("Draw the map")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "L")
        assert world.status(card) == Status.IN_PROGRESS
        await press(pilot, "g", "p", "u")
        assert world.status(card) == Status.TO_DO
        assert told(pilot).startswith("Undone in “Spring launch”: started “Draw the map”")
        await press(pilot, "U")
        assert world.status(card) == Status.IN_PROGRESS
    assert not world.row("project", id=autumn.id)["archived"]


async def test_u_in_a_project_leaves_a_later_change_elsewhere_alone(world: World) -> None:
    card = world.task("Draw the map")
    world.do(EditTask(task_id=card.id, title="Draw a map"))
    other = world.task("Elsewhere", world.phase("First", world.new_project("Autumn").id))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "u")
        assert told(pilot).startswith("Undone: renamed “Draw the map” to “Draw a map”")
    assert world.row("item", id=card.id)["title"] == "Draw the map"
    assert world.row("item", id=other.id)


async def test_an_old_change_is_named_with_its_age_before_it_is_undone(world: World, clock: Clock) -> None:
    world.engine.clock = clock
    card = world.task("Draw the map")
    clock.forward(days=22)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "u")
        assert isinstance(pilot.app.screen, ConfirmDialog)
        words = " ".join(seen(pilot).replace("│", " ").split())
        assert "Your last change in “Spring launch” was 3 weeks ago" in words
        assert "added the task “Draw the map”" in words
        assert "Undo it" in words
        await press(pilot, "n")
        assert world.row("item", id=card.id)
        await press(pilot, "u", "y")
        assert not world.rows("SELECT id FROM item")


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow machine takes its time between two repeats of a key."""
    monkeypatch.setattr(undo_steps, "HELD", timedelta(minutes=1))


@pytest.mark.usefixtures("held")
async def test_cards_that_a_held_key_archived_come_back_by_one_u_and_go_by_one_redo(world: World) -> None:
    tasks = [world.task(f"Task {number}") for number in range(4)]
    async with on_stage(world, canvas(world)) as pilot:
        post_keys(pilot, *"ddd")
        await settled(pilot)
        assert [world.status(task) for task in tasks] == [Status.ARCHIVED] * 3 + [Status.TO_DO]
        assert told(pilot) == "Archived “Task 2” and 2 more. u to undo all 3, A to show the archive."
        await press(pilot, "u")
        assert [world.status(task) for task in tasks] == [Status.TO_DO] * 4
        assert told(pilot) == "Undone: archived “Task 0” and 2 more. U to redo."
        assert all(f"Task {number}" in seen(pilot) for number in range(4))
        await press(pilot, "U")
        assert [world.status(task) for task in tasks] == [Status.ARCHIVED] * 3 + [Status.TO_DO]


@pytest.mark.usefixtures("held")
async def test_a_held_key_stops_where_another_person_built_on_it_and_says_so(world: World) -> None:
    tasks = [world.task(f"Task {number}") for number in range(3)]
    async with on_stage(world, canvas(world)) as pilot:
        post_keys(pilot, *"ddd")
        await settled(pilot)
        world.do(EditTask(task_id=tasks[1].id, title="Of Bob"), world.bob)
        world.database.write(lambda tx: tx.execute("UPDATE item SET status = 'TO_DO' WHERE id = :id", id=tasks[1].id))
        await press(pilot, "u")
        assert "then stopped: The change (archived “Task 1”) cannot be undone: Bob Lind" in told(pilot)
    assert [world.status(task) for task in tasks] == [Status.ARCHIVED, Status.TO_DO, Status.TO_DO]


async def test_the_list_goes_back_to_the_chosen_change_and_redo_comes_forward(world: World) -> None:
    card = world.task("Draw the map")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "L", "L", "i")
        await list_steps(pilot)
        assert "enter undo 1 step" in seen(pilot)
        await press(pilot, "j")
        assert "enter undo 2 steps" in seen(pilot)
        assert sum("■" in line and "just now" in line for line in seen(pilot).splitlines()) == 2
        await press(pilot, "enter")
        assert world.status(card) == Status.IN_PROGRESS
        assert world.row("item", id=card.id)["assignee_id"] is None
        assert told(pilot) == "Undone: 2 changes. U to redo."
        await press(pilot, "U", "U")
        assert world.status(card) == Status.COMPLETED
        assert world.row("item", id=card.id)["assignee_id"] == world.maya.user_id


async def test_the_list_on_projects_names_the_project_of_each_change(world: World) -> None:
    world.task("Draw the map")
    world.do(CreateProject(name="Autumn"))
    async with on_stage(world, ProjectsScreen) as pilot:
        await list_steps(pilot)
        text = seen(pilot)
        assert "Created the project “Autumn”" in text
        assert "just now · Autumn" in text
        assert "· Spring launch" in text
        await press(pilot, "escape")
        assert told(pilot) == ""


async def test_the_list_stops_at_a_refusal_and_tells_what_was_undone(world: World) -> None:
    first, second = world.task("One"), world.task("Two")
    world.do(EditTask(task_id=first.id, title="Uno"), world.maya)
    world.do(EditTask(task_id=first.id, title="Of Bob"), world.bob)
    world.do(EditTask(task_id=second.id, title="Due"), world.maya)
    async with on_stage(world, canvas(world)) as pilot:
        await list_steps(pilot)
        await press(pilot, "j", "j", "enter")
        assert "then stopped: The change (renamed “One” to “Uno”) cannot be undone: Bob" in told(pilot)
    assert world.row("item", id=first.id)["title"] == "Of Bob"
    assert world.row("item", id=second.id)["title"] == "Two"


async def test_the_list_passes_over_what_cannot_be_undone(world: World) -> None:
    kept, gone = world.task("Kept"), world.task("Gone")
    world.delete(gone.id)
    world.do(EditTask(task_id=kept.id, title="Still here"))
    world.archive(world.task("Last").id)
    async with on_stage(world, canvas(world)) as pilot:
        await list_steps(pilot)
        assert "cannot be undone" in seen(pilot)
        await press(pilot, "j", "j", "j")
        assert "enter undo 3 steps" in seen(pilot)
        await press(pilot, "enter")
        assert told(pilot) == "Undone: 3 changes. U to redo."
    assert [row["title"] for row in world.rows("SELECT title FROM item")] == ["Kept"], "and “Gone” stays deleted"


async def test_without_any_change_the_list_says_so(world: World) -> None:
    async with on_stage(world, canvas(world), world.vera) as pilot:
        await press(pilot, "colon", Text("undo my last"), "enter")
        assert await comes(pilot, lambda: told(pilot) == "There is no change of yours here to undo.")
        assert type(pilot.app.screen) is CanvasScreen


@pytest.mark.parametrize("first", [ProjectsScreen, MyWorkScreen], ids=["projects", "my work"])
async def test_behind_a_server_undo_and_the_list_are_the_same(
    world: World, server: ServerOfTests, first: Callable[[], PodiumScreen]
) -> None:
    card = world.task("Draw the map", assignee_id=world.maya.user_id)
    world.do(EditTask(task_id=card.id, title="Draw a map"))
    async with at(server, world, first, world.maya) as pilot:
        await press(pilot, "u")
        assert await shows(pilot, "Undone in “Spring launch”: renamed “Draw the map” to “Draw a map”")
        assert world.row("item", id=card.id)["title"] == "Draw the map"
        await press(pilot, "U")
        assert await shows(pilot, "Redone in “Spring launch”")
        await press(pilot, "colon", Text("undo my last changes"))
        assert await shows(pilot, "Undo: my last changes")
        await press(pilot, "enter")
        assert await shows(pilot, "enter undo 1 step")
        await press(pilot, "enter")
        assert await shows(pilot, "Undone in “Spring launch”: renamed")
        assert world.row("item", id=card.id)["title"] == "Draw the map"
