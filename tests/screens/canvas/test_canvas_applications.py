"""Applications on the Canvas: what a key or the mouse does is in the database and on the screen."""

from __future__ import annotations

from datetime import date

import pytest

from core.actions.cards.activities import EditActivity
from core.actions.cards.applications import EditApplication, RemoveApplication
from core.domain.model import Status
from core.domain.products.products import Application
from core.errors import Forbidden
from tests.support.app_driver import (
    PodiumPilot,
    Text,
    canvas,
    hides,
    on_stage,
    press,
    seen,
    settled,
    shows,
    told,
)
from tests.support.workspace import World
from tui.board.messages import CardDropped
from tui.keys.table import BY_ID
from tui.screens.cards.card import CardScreen
from tui.screens.products.application import ApplicationScreen
from tui.widgets.bars import KeyBar


def names(world: World) -> list[str]:
    return [row["name"] for row in world.rows("SELECT name FROM application ORDER BY phase_id, rank, id")]


async def test_an_application_stands_above_the_cards_and_opens_with_enter(world: World) -> None:
    world.task()
    application = world.add_application()
    async with on_stage(world, canvas(world)) as pilot:
        assert seen(pilot).index("Applications 1") < seen(pilot).index("Asset library") < seen(pilot).index("To Do 1")
        await press(pilot, "up")
        assert pilot.card.id == application.id
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, ApplicationScreen)
        assert "Asset library" in seen(pilot)
        await press(pilot, "escape", "down", "enter")
        assert isinstance(pilot.app.screen, CardScreen)


async def test_a_canvas_opens_on_work_and_on_an_application_only_where_there_is_no_work(world: World) -> None:
    application = world.add_application()
    async with on_stage(world, canvas(world)) as pilot:
        assert pilot.card.id == application.id
    task = world.task()
    async with on_stage(world, canvas(world)) as pilot:
        assert pilot.card.id == task.id


async def test_the_line_of_keys_calls_them_what_they_do_to_an_application(world: World) -> None:
    world.task()
    world.add_application()
    async with on_stage(world, canvas(world), size=(160, 40)) as pilot:
        assert "d archive" in seen(pilot)
        assert "o launch" not in seen(pilot)
        await press(pilot, "up")
        assert "d remove" in seen(pilot)
        assert "o launch" in seen(pilot)
        assert "H/L move" not in seen(pilot)
        await press(pilot, "full_stop")
        assert "Remove from the project" in seen(pilot)
        assert "Archive" not in seen(pilot)


async def test_applications_count_in_no_progress(world: World) -> None:
    world.add_application(due=date(2020, 1, 1))
    async with on_stage(world, canvas(world)) as pilot:
        assert "◆ Spring launch · 0/0 " in seen(pilot)


async def test_e_renames_and_undo_takes_it_back(world: World) -> None:
    application = world.add_application()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "e", Text(" of ours"), "enter")
        assert world.row("application", id=application.id)["name"] == "Asset library of ours"
        assert "Asset library of ours" in seen(pilot)
        await press(pilot, "u")
        assert names(world) == ["Asset library"]


async def test_an_empty_name_is_refused_in_the_form(world: World) -> None:
    world.add_application(name="A")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "e", "backspace", "enter")
        assert names(world) == ["A"]
        assert "name" in seen(pilot)
        await press(pilot, Text("B"), "enter")
        assert names(world) == ["B"]


async def test_members_are_assigned_one_or_more_and_oneself_with_a_key(world: World) -> None:
    application = world.add_application()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "a", Text("bob"), "space", "enter", "i")
        rows = world.rows("SELECT user_id FROM assignment WHERE target_id = :id", id=application.id)
        assert {row["user_id"] for row in rows} == {world.bob.user_id, world.maya.user_id}
        assert "Maya, Bob" in seen(pilot)


async def test_a_due_date_is_typed(world: World) -> None:
    application = world.add_application()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "D", Text("3 dec 2087"), "enter")
        assert world.row("application", id=application.id)["due"] == "2087-12-03"
        assert "3 Dec 87" in seen(pilot)


async def test_capital_j_and_k_reorder_applications_among_themselves(world: World) -> None:
    product = world.product()
    for name in ("First", "Second"):
        world.add_application(product, name=name)
    world.task("A task")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "home", "J")
        assert names(world) == ["Second", "First"]
        assert seen(pilot).index("Second") < seen(pilot).index("First")
        await press(pilot, "J")
        assert "Already the last card of its section." in told(pilot)
        await press(pilot, "K")
        assert names(world) == ["First", "Second"]


async def test_m_moves_to_another_phase_and_out_of_the_activity(world: World) -> None:
    activity = world.activity()
    application = world.add_application(activity_id=activity.id)
    async with on_stage(world, canvas(world, application.id)) as pilot:
        await press(pilot, "m", Text("launch"), "enter")
        row = world.row("application", id=application.id)
        assert (row["phase_id"], row["activity_id"]) == (world.launch.id, None)
        assert pilot.card.phase_id == world.launch.id


async def test_d_removes_and_u_brings_back(world: World) -> None:
    activity = world.activity("Interviews")
    application = world.add_application(activity_id=activity.id)
    async with on_stage(world, canvas(world, application.id)) as pilot:
        await press(pilot, "d")
        assert world.rows("SELECT * FROM application") == []
        assert told(pilot) == "Removed “Asset library” from the project. u to undo."
        assert "⊞" not in seen(pilot)
        await press(pilot, "u")
        assert world.row("application", id=application.id)["activity_id"] == activity.id
        assert seen(pilot).count("⊞") == 2


async def test_what_was_changed_meanwhile_is_not_removed(world: World) -> None:
    application = world.add_application()
    async with on_stage(world, canvas(world)) as pilot:
        stale = pilot.board.cursor.card
        world.do(EditApplication(application_id=application.id, name="Renamed by Bob"))
        pilot.board.cursor.card = stale
        await pilot.screen.keys.run(BY_ID["canvas.archive"])
        await settled(pilot)
        assert names(world) == ["Renamed by Bob"]
        assert await shows(pilot, "Someone else changed this")


async def test_y_copies_the_id(world: World) -> None:
    application = world.add_application()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "y")
        assert pilot.app.clipboard == application.id
        assert f"Copied the id of “Asset library”: {application.id}" in told(pilot)


@pytest.mark.parametrize("pressed", ["H", "L", "c", "s", "r"])
async def test_keys_of_the_status_say_that_an_application_has_none(world: World, pressed: str) -> None:
    application = world.add_application()
    before = world.row("application", id=application.id)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, pressed)
        assert told(pilot) == "An application has no status. d removes it from the project."
        assert world.row("application", id=application.id) == before


async def test_marked_applications_are_left_out_of_a_status_and_it_is_said(world: World) -> None:
    tasks = [world.task(f"Task {number}") for number in range(2)]
    world.add_application()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "home", "space", "space", "space", "c")
        assert [world.status(task) for task in tasks] == ["COMPLETED", "COMPLETED"]
        assert "“Discover” is complete." in told(pilot)
        assert "1 application was left out: applications have no status." in told(pilot)
        await press(pilot, "u", "home", "space", "space", "L")
        assert [world.status(task) for task in tasks] == ["IN_PROGRESS", "TO_DO"]
        assert told(pilot) == "Changed “Task 0”. u to undo. 1 application was left out: applications have no status."


async def test_only_applications_marked_have_no_status_either(world: World) -> None:
    world.add_application()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "space", "s")
        assert told(pilot) == "An application has no status. d removes it from the project."


async def test_a_due_date_for_marked_tasks_and_applications_is_one_step_and_one_undo(world: World) -> None:
    task = world.task()
    application = world.add_application()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "home", "space", "space", "D", Text("3 dec 2087"), "enter")
        assert world.row("item", id=task.id)["due"] == world.row("application", id=application.id)["due"] != ""
        await press(pilot, "u")
        assert world.row("item", id=task.id)["due"] is world.row("application", id=application.id)["due"] is None


async def test_d_with_marks_archives_cards_and_removes_applications(world: World) -> None:
    activity = world.activity()
    held = world.add_application(activity_id=activity.id)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "V", "d")
        assert world.status(activity) == "ARCHIVED"
        assert names(world) == []
        await press(pilot, "u")
        assert world.status(activity) == "TO_DO"
        assert world.row("application", id=held.id)["activity_id"] == activity.id


async def test_archiving_by_status_leaves_applications_where_they_are(world: World) -> None:
    task = world.task()
    world.add_application()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "V", "s", "a")
        assert world.status(task) == "ARCHIVED"
        assert names(world) == ["Asset library"]
        assert "left out" in told(pilot)


async def test_a_contributor_may_change_tasks_but_not_applications_and_the_key_line_shows_it(world: World) -> None:
    task = world.task()
    application = world.add_application()
    async with on_stage(world, canvas(world, application.id), as_=world.bob) as pilot:
        before = world.row("application", id=application.id)
        for pressed in ("e", "a", "i", "D", "m", "J", "d", "plus"):
            await press(pilot, pressed)
            assert told(pilot) == "Only owners can add or change applications; you are a contributor."
        assert world.row("application", id=application.id) == before
        assert "a assign" not in footer(pilot)
        await press(pilot, "down")
        assert "a assign" in footer(pilot)
        await press(pilot, "i")
        assert world.row("item", id=task.id)["assignee_id"] == world.bob.user_id
        world.refuses(RemoveApplication(application_id=application.id), Forbidden, as_=world.bob)


async def test_plus_adds_to_the_phase_and_the_cursor_goes_there(world: World) -> None:
    world.product("Survey studio")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "2", "plus", Text("survey"), "enter", "ctrl+s")
        row = world.row("application")
        assert (row["phase_id"], row["activity_id"], row["name"]) == (world.build.id, None, "Survey studio")
        assert pilot.card.id == row["id"]


async def test_plus_on_an_activity_asks_whether_that_shall_hold_it(world: World) -> None:
    activity = world.activity()
    world.product("Survey studio")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "plus", "a", "enter", "ctrl+s")
        row = world.row("application")
        assert row["activity_id"] == activity.id
        assert pilot.card.id == row["id"]
        assert "in Interviews" in seen(pilot)
        await press(pilot, "down", "plus", "escape")
        assert len(names(world)) == 1


@pytest.mark.parametrize("on_activity", [False, True])
async def test_the_context_of_an_application_and_of_what_an_activity_holds_is_copied(
    world: World, on_activity: bool
) -> None:
    activity = world.activity()
    application = world.add_application(activity_id=activity.id)
    async with on_stage(world, canvas(world, activity.id if on_activity else application.id)) as pilot:
        await press(pilot, "Y")
        assert world.project.id in pilot.app.clipboard
        await press(pilot, "O")
        assert world.project.id in seen(pilot)


async def test_a_launch_from_the_canvas_stands_in_the_history(world: World) -> None:
    application = world.add_application()
    async with on_stage(world, canvas(world)) as pilot:
        pilot.app.via = "ssh"
        await press(pilot, "o")
        assert world.row("launch")["application_id"] == application.id


async def test_o_on_an_activity_with_only_a_link_copies_or_opens_it_even_for_a_viewer(world: World) -> None:
    activity = world.activity()
    world.do(EditActivity(activity_id=activity.id, title=activity.title, description="", link="https://example.org/a"))
    async with on_stage(world, canvas(world), as_=world.vera) as pilot:
        pilot.app.via = "ssh"
        await press(pilot, "o")
        assert pilot.app.clipboard == "https://example.org/a"
        await press(pilot, "Y")
        assert told(pilot).startswith("Only an application is launched with a context.")


async def test_what_holds_nothing_is_not_launched_and_a_viewer_launches_nothing(world: World) -> None:
    world.task()
    application = world.add_application()
    async with on_stage(world, canvas(world, application.id), as_=world.vera) as pilot:
        await press(pilot, "o")
        assert "can launch applications" in told(pilot)
        await press(pilot, "down", "o")
        assert "There is no application and no link on this card." in told(pilot)
        assert world.rows("SELECT * FROM launch") == []


async def test_a_dropped_application_is_placed_and_needs_the_right_to_change_applications(world: World) -> None:
    application = world.add_application()

    async def drop(pilot: PodiumPilot) -> None:
        board = pilot.board
        board.post_message(CardDropped(pilot.card, world.build.id, None, None))
        await settled(pilot)

    async with on_stage(world, canvas(world), as_=world.bob) as pilot:
        await drop(pilot)
        assert phase_of(world, application) == world.discover.id
        assert "can add or change applications" in told(pilot)
    async with on_stage(world, canvas(world)) as pilot:
        await drop(pilot)
        assert phase_of(world, application) == world.build.id
        await press(pilot, "u")
        assert phase_of(world, application) == world.discover.id


async def test_what_others_do_with_applications_appears(world: World) -> None:
    activity = world.activity("Interviews")
    async with on_stage(world, canvas(world)) as pilot:
        assert "Applications" not in seen(pilot)
        application = world.add_application(activity_id=activity.id, name="Survey")
        assert await shows(pilot, "Applications 1")
        assert pilot.card.id == activity.id
        assert seen(pilot).count("⊞") == 2
        world.do(RemoveApplication(application_id=application.id))
        assert await hides(pilot, "Applications")
        assert "⊞" not in seen(pilot)


async def test_why_and_comments_say_what_there_is_to_say_about_an_application(world: World) -> None:
    world.add_application()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "C")
        assert told(pilot) == "Nobody comments on an application. Comment on its activity or on a task."
        await press(pilot, "w")
        assert "Nothing blocks this card" in told(pilot)


async def test_a_status_is_still_changed_by_a_drop_of_a_task(world: World) -> None:
    task = world.task()
    world.add_application()
    async with on_stage(world, canvas(world, task.id)) as pilot:
        board = pilot.board
        board.post_message(CardDropped(pilot.card, world.discover.id, Status.IN_PROGRESS, None))
        await settled(pilot)
        assert world.status(task) == "IN_PROGRESS"


def phase_of(world: World, application: Application) -> str:
    return str(world.row("application", id=application.id)["phase_id"])


def footer(pilot: PodiumPilot) -> str:
    """The line of keys."""
    return pilot.app.screen.query_one(KeyBar).render().plain
