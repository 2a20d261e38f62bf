"""The Canvas: what a key does is in the database and on the screen."""

from __future__ import annotations

from datetime import date

from core.actions.cards.tasks import AssignTask, EditTask
from core.actions.projects.members import SetProjectRole
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.gates import DecideGate
from core.domain.gates import Decision
from core.domain.model import PhaseState, ProjectRole, Status
from tests.support.app_driver import Text, canvas, on_stage, press, seen, settled, shows
from tests.support.workspace import World
from tui.screens.canvas.since_last_visit import SinceLastVisitActions


async def test_three_undos_take_back_three_moves_and_say_which(world: World) -> None:
    task = world.task("Write the brief")
    world.task("Read the old brief")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "L", "L", "H", "u")
        assert world.status(task) == Status.COMPLETED
        assert "Undone: reopened “Write the brief”" in seen(pilot)
        await press(pilot, "u", "u")
        assert world.status(task) == Status.TO_DO
        await press(pilot, "U")
        assert world.status(task) == Status.IN_PROGRESS
        assert "Redone: started “Write the brief”" in seen(pilot)


async def test_why_says_what_blocks_a_card(world: World) -> None:
    world.task("Interview customers")
    world.task("Build the page", world.build)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "2", "w")
        assert "is locked until “Discover” is complete" in " ".join(seen(pilot).replace("│", " ").split())


async def test_n_creates_a_task_in_the_phase_under_the_cursor(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "2", "n", Text("Draw the page"), "enter")
        row = world.row("item", title="Draw the page")
        assert (row["phase_id"], row["kind"], row["status"]) == (world.build.id, "TASK", "TO_DO")
        assert pilot.card.title == "Draw the page"


async def test_an_empty_title_is_refused_in_the_form_and_what_was_typed_stays(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n", "enter")
        assert "title" in seen(pilot)
        await press(pilot, Text("Now with one"), "enter")
        assert world.row("item", title="Now with one")


async def test_marked_cards_are_completed_in_one_step_and_one_undo(world: World) -> None:
    tasks = [world.task(f"Task {number}") for number in range(3)]
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "space")
        assert "1 marked · Task 1" in seen(pilot)
        await press(pilot, "V")  # all, not none: one is not marked yet
        assert "3 marked · Task 1" in seen(pilot)
        await press(pilot, "V")
        assert "Task 1" in seen(pilot)
        assert "marked" not in seen(pilot)
        await press(pilot, "k", "space", "space", "c")
        assert [world.status(task) for task in tasks] == ["COMPLETED", "COMPLETED", "TO_DO"]
        assert "Changed “Task 0” and “Task 1”. u to undo." in seen(pilot)
        await press(pilot, "u")
        assert [world.status(task) for task in tasks] == ["TO_DO"] * 3


async def test_what_a_bulk_refuses_is_listed_while_the_rest_is_done(world: World) -> None:
    activity = world.activity("Interviews")
    inside = world.task("Call Ana", activity_id=activity.id)
    other = world.task("Alone")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "space", "down", "space", "c")
        assert world.status(other) == "COMPLETED"
        assert world.status(activity) == "TO_DO"
        assert world.status(inside) == "TO_DO"
        listed = seen(pilot)
        assert "1 done, 1 not possible" in listed
        assert "It cannot be completed: one task is still open in it (1)" in " ".join(listed.split())
        await press(pilot, "escape", "u")
        assert world.status(other) == "TO_DO"


async def test_a_comment_on_marked_cards_is_one_step(world: World) -> None:
    tasks = [world.task(title) for title in ("First", "Second")]
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "V", "C", Text("Ready"), "ctrl+s")
        said = world.rows("SELECT item_id, text FROM comment ORDER BY item_id")
        assert said == [{"item_id": task.id, "text": "Ready"} for task in tasks]
        await press(pilot, "u")
        assert world.rows("SELECT 1 FROM comment") == []


async def test_words_are_edited_on_one_card_at_a_time_and_keys_copied_of_all(world: World) -> None:
    for title in ("First", "Second"):
        world.task(title)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "V", "e")
        assert "one card at a time" in seen(pilot)
        await press(pilot, "y")
        assert pilot.app.clipboard == "SPR-1\nSPR-2"


async def test_an_impossible_date_is_refused_with_a_sentence(world: World) -> None:
    task = world.task()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "D", Text("31 feb"), "enter")
        assert "31 feb" in seen(pilot)
        assert world.row("item", id=task.id)["due"] is None


async def test_d_archives_and_r_restores_to_the_status_it_had(world: World) -> None:
    task = world.task("Write the brief")
    world.task("Read the old brief")
    world.start(task.id)
    async with on_stage(world, canvas(world)) as pilot:
        pilot.board.focus_card(task.id)
        await press(pilot, "d")
        assert world.status(task) == "ARCHIVED"
        assert not pilot.board.focus_card(task.id)
        await press(pilot, "A")
        assert pilot.board.focus_card(task.id)
        await press(pilot, "r")
        assert world.status(task) == "IN_PROGRESS"


async def test_nothing_is_deleted_for_good_without_typing_the_word(world: World) -> None:
    task = world.task("Write the brief")
    other = world.task("Read the old brief")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "d", "A")
        pilot.board.focus_card(task.id)
        await pilot.screen.action_do("canvas.delete")
        await settled(pilot)
        await press(pilot, "enter")
        assert world.status(task) == "ARCHIVED"
        await press(pilot, Text("delete"), "enter")
        assert [row["id"] for row in world.rows("SELECT id FROM item")] == [other.id]


async def test_capital_j_and_k_reorder_and_the_order_is_kept(world: World) -> None:
    names = ["First", "Second", "Third"]
    for name in names:
        world.task(name)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "J")
        assert order(world) == ["Second", "First", "Third"]
        assert seen(pilot).index("Second") < seen(pilot).index("First")
        await press(pilot, "K", "K")
        assert order(world) == ["First", "Second", "Third"]


async def test_m_moves_the_card_to_another_phase(world: World) -> None:
    task = world.task()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "m", Text("launch"), "enter")
        assert world.row("item", id=task.id)["phase_id"] == world.launch.id


async def test_m_starts_at_the_next_phase(world: World) -> None:
    first, last = world.task("First"), world.task("Last", world.launch)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "m")
        assert "❯ 2 Build" in seen(pilot)
        assert "open · here" in seen(pilot)
        await press(pilot, "enter")
        assert world.row("item", id=first.id)["phase_id"] == world.build.id
        await press(pilot, "l", "l", "m")
        assert "❯ 3 Launch" in seen(pilot)
        await press(pilot, "enter")
        assert world.row("item", id=last.id)["phase_id"] == world.launch.id


async def test_losing_a_role_shows_at_once(world: World) -> None:
    task = world.task()
    async with on_stage(world, canvas(world), as_=world.bob) as pilot:
        world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.VIEWER))
        assert await shows(pilot, "viewer")
        await press(pilot, "L")
        assert "you are a viewer" in seen(pilot)
        assert world.status(task) == "TO_DO"


async def test_what_others_do_appears_and_the_cursor_stays_on_its_card(world: World) -> None:
    mine, theirs = world.task("Mine"), world.task("Theirs")
    async with on_stage(world, canvas(world)) as pilot:
        assert pilot.card.id == mine.id
        world.start(theirs.id, as_=world.bob)
        world.do(EditTask(task_id=mine.id, title="Mine, renamed by Bob"), as_=world.bob)
        assert await shows(pilot, "Mine, renamed by Bob")
        assert await shows(pilot, "In Progress 1")
        assert pilot.card.id == mine.id


async def test_a_card_that_another_user_just_changed_is_not_overwritten(world: World) -> None:
    task = world.task()
    async with on_stage(world, canvas(world)) as pilot:
        stale = pilot.card
        world.do(AssignTask(task_id=task.id, assignee_id=world.bob.user_id), as_=world.bob)
        from tui.services.card_commands import move

        await pilot.app.perform(move(stale, Status.IN_PROGRESS))
        await settled(pilot)
        assert world.status(task) == "TO_DO"
        assert await shows(pilot, "Someone else changed this")
        await press(pilot, "t", "L")
        assert world.status(task) == "IN_PROGRESS"


async def test_the_filter_leaves_matching_cards_and_escape_brings_all_back(world: World) -> None:
    world.task("Write the brief")
    world.task("Call the venue")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "slash", Text("venue"))
        assert "Call the venue" in seen(pilot)
        assert "Write the brief" not in seen(pilot)
        await press(pilot, "enter", "escape")
        assert "Write the brief" in seen(pilot)


async def test_a_gate_is_passed_with_a_key_and_the_decision_is_kept(world: World) -> None:
    task = world.task(phase=world.discover)
    world.complete(task.id)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "2", "greater_than_sign", Text("Nothing to build"), "ctrl+s")
        record = world.row("gate_record", phase_id=world.build.id)
        assert (record["decision"], record["reason"]) == ("PASS", "Nothing to build")
        assert world.ask(GetCanvas(project_id=world.project.id)).head.columns[1].state is PhaseState.COMPLETE
        assert "✓ complete" in seen(pilot), "it is not folded before the cursor leaves it"


async def test_an_override_needs_a_reason_and_stays_visible(world: World) -> None:
    world.task()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "2", "exclamation_mark", "ctrl+s")
        assert "takes a reason" in seen(pilot)
        await press(pilot, Text("The client asked"), "ctrl+s")
        assert world.row("phase", id=world.build.id)["overridden"] == 1
        assert "overridden" in seen(pilot)


async def test_capital_n_adds_a_phase_after_the_one_under_the_cursor(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "1", "N", Text("Design"), "ctrl+s")
        names = [row["name"] for row in world.rows("SELECT name FROM phase ORDER BY rank")]
        assert names == ["Discover", "Design", "Build", "Launch"]
        assert "2 Design" in seen(pilot)


async def test_a_hostile_title_is_only_text(world: World) -> None:
    world.task("[@click=app.bell]A[/] [red]B")
    async with on_stage(world, canvas(world)) as pilot:
        assert "[@click=app.bell]A[/] [red]B" in seen(pilot)
        strips = pilot.app.screen._compositor.render_strips()
        assert not any(segment.style and segment.style.meta.get("@click") for strip in strips for segment in strip)


async def test_the_canvas_can_be_used_at_any_size(world: World) -> None:
    world.task()
    async with on_stage(world, canvas(world), size=(40, 12)) as pilot:
        for size in ((1, 1), (200, 60), (80, 24), (5, 3), (40, 12)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
        assert "Write the brief" in seen(pilot)


async def test_what_is_late_is_only_what_is_open(world: World) -> None:
    late = world.task("Late", due=date(2026, 2, 1))
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.HOLD))
    async with on_stage(world, canvas(world)) as pilot:
        assert "1 Feb" in seen(pilot) or "late" in seen(pilot)
        await press(pilot, "c")
        assert world.status(late) == "COMPLETED"
        assert "late" not in seen(pilot).replace("Late", "")


def order(world: World) -> list[str]:
    return [row["title"] for row in world.rows("SELECT title FROM item ORDER BY rank")]


async def test_an_empty_answer_about_the_last_visit_does_not_take_a_newer_change_away(world: World) -> None:
    task = world.task("Write the brief")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "j")  # the first answer has come
        world.start(task.id, as_=world.bob)
        assert await shows(pilot, "Bob Lind started “Write the brief”")
        (since_last_visit,) = (c for c in pilot.screen.controllers if isinstance(c, SinceLastVisitActions))
        await since_last_visit._ask()
        await settled(pilot)
        assert "Bob Lind started “Write the brief”" in seen(pilot)
