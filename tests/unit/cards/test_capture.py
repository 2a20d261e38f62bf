"""Quick capture: tasks as people type them, in the first open phase."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from core.actions.cards.capture import CapturedTasks, CaptureTasks
from core.actions.history.history import Undo
from core.actions.workflow.gates import DecideGate
from core.domain.gates import Decision
from core.domain.max_lengths import MAX_STEPS
from core.errors import Forbidden, InvalidInput, RuleViolation
from tests.support.workspace import World, content


def capture(world: World, *texts: str, **more: Any) -> CapturedTasks:
    return world.do(CaptureTasks(project_id=world.project.id, texts=texts), **more)


def test_a_text_is_a_task_in_the_first_open_phase_with_its_shorthand(world: World) -> None:
    made = capture(world, "Write the brief @bob fri")
    assert (made.project, made.phase, made.tasks[0].assignee) == ("Spring launch", world.discover.name, "Bob Lind")
    row = world.row("item", title="Write the brief")
    assert (row["phase_id"], row["kind"], row["status"]) == (world.discover.id, "TASK", "TO_DO")
    assert (row["assignee_id"], row["due"]) == (world.bob.user_id, "2026-03-06")


def test_the_first_open_phase_is_the_one_after_those_that_are_complete(world: World) -> None:
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS))
    assert capture(world, "Later").phase == world.build.name
    assert world.row("item", title="Later")["phase_id"] == world.build.id


def test_several_texts_are_one_step_of_the_history_in_their_order(world: World) -> None:
    made = capture(world, "One", "Two @me", "Three")
    assert [line.task.title for line in made.tasks] == ["One", "Two", "Three"]
    assert [row["title"] for row in world.rows("SELECT title FROM item ORDER BY rank")] == ["One", "Two", "Three"]
    [change] = world.rows("SELECT * FROM change WHERE message = 'CaptureTasks'")
    assert change["summary"] == "added the task “One” and 2 more"
    world.do(Undo(project_id=world.project.id))
    assert world.rows("SELECT 1 FROM item") == []


def test_a_name_that_is_unknown_stays_in_the_title_and_is_told(world: World) -> None:
    [line] = capture(world, "Ask @nobody").tasks
    assert line.task.title == "Ask @nobody"
    assert line.notes == ("“@nobody” stays in the title: no member has this name.",)


def test_one_text_that_cannot_be_a_title_refuses_all(world: World) -> None:
    before = content(world.database)
    with pytest.raises(InvalidInput, match=r"^Line 2: "):
        capture(world, "Good", "x" * 1000, "Good too")
    with pytest.raises(InvalidInput, match="one in each text"):
        capture(world)
    with pytest.raises(InvalidInput, match=f"this has {MAX_STEPS + 1} texts"):
        capture(world, *["x"] * (MAX_STEPS + 1))
    assert content(world.database) == before


def test_as_many_tasks_as_are_allowed_are_added_at_once(world: World) -> None:
    assert len(capture(world, *[f"Task {number} @bob" for number in range(MAX_STEPS)]).tasks) == MAX_STEPS
    assert len(world.rows("SELECT 1 FROM item WHERE due IS NULL")) == MAX_STEPS


def test_a_project_whose_phases_are_complete_or_missing_has_no_place_for_a_task(world: World) -> None:
    for phase in (world.discover, world.build, world.launch):
        world.complete(world.task("Done", phase=phase).id)
    with pytest.raises(RuleViolation, match="Every phase of “Spring launch” is complete"):
        capture(world, "More")
    empty = world.new_project("Empty")
    world.refuses(CaptureTasks(project_id=empty.id, texts=("More",)), RuleViolation, "“Empty” has no phases yet")


def test_a_viewer_captures_nothing(world: World) -> None:
    with pytest.raises(Forbidden):
        capture(world, "Mine", as_=world.vera)


def test_the_day_is_that_of_the_sender(world: World) -> None:
    due = capture(world, "Call tomorrow").tasks[0].task.due
    assert due == date(2026, 3, 3)
