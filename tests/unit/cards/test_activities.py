"""Activities: tasks, a link and assigned people come with them."""

from __future__ import annotations

from datetime import date

import pytest

from core.actions.cards.activities import AssignActivity, CreateActivity, EditActivity
from core.actions.cards.cards import DeleteCard, ReorderCard, RestoreCard, SetCardDueDate
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import EditPhase
from core.domain.gates import Decision
from core.domain.model import Gate, Item, Status
from core.errors import InvalidInput, RuleViolation
from tests.support.workspace import World


def assigned(world: World, item: Item) -> set[str]:
    return {row["user_id"] for row in world.rows("SELECT user_id FROM assignment WHERE target_id = :id", id=item.id)}


def test_a_new_activity_may_come_with_a_link_and_people(world: World) -> None:
    activity = world.do(
        CreateActivity(
            phase_id=world.discover.id,
            title="Interviews",
            due=date(2026, 4, 1),
            link="https://example.com/plan",
            member_ids=(world.bob.user_id, world.vera.user_id, world.bob.user_id),
        )
    )
    row = world.row("item", id=activity.id)
    assert (row["kind"], row["link"], row["due"]) == ("ACTIVITY", "https://example.com/plan", "2026-04-01")
    assert row["version"] == activity.version
    assert assigned(world, activity) == {world.bob.user_id, world.vera.user_id}


@pytest.mark.parametrize("link", ["javascript:alert(1)", "file:///etc/passwd", "https://u:p@x.org", "x", "https://a b"])
def test_a_link_that_is_none_is_refused(world: World, link: str) -> None:
    activity = world.activity()
    world.refuses(EditActivity(activity_id=activity.id, link=link), InvalidInput)
    with pytest.raises(InvalidInput):
        world.activity(link=link)
    assert world.row("item", id=activity.id)["link"] == ""


def test_editing_changes_only_what_is_given(world: World) -> None:
    activity = world.activity("Old", link="https://example.com")
    world.do(EditActivity(activity_id=activity.id, title="New"))
    world.do(SetCardDueDate(card_id=activity.id, due=date(2026, 4, 2)))
    row = world.row("item", id=activity.id)
    assert (row["title"], row["link"], row["due"]) == ("New", "https://example.com", "2026-04-02")
    world.do(EditActivity(activity_id=activity.id, link=""))
    assert world.row("item", id=activity.id)["link"] == ""


def test_it_cannot_be_completed_while_a_task_in_it_is_open(world: World) -> None:
    activity = world.activity()
    task, archived = world.task(activity_id=activity.id), world.task(activity_id=activity.id)
    world.archive(archived.id)
    with pytest.raises(RuleViolation, match="one task is still open") as refused:
        world.complete(activity.id)
    assert [blocker.id for blocker in refused.value.blockers] == [task.id]
    world.complete(task.id, activity.id)
    assert world.status(activity) == "COMPLETED"


def test_its_tasks_go_with_it_to_another_phase(world: World) -> None:
    activity = world.activity()
    tasks = [world.task(title, activity_id=activity.id) for title in "ab"]
    before = world.task("There already", phase=world.build)
    world.do(ReorderCard(card_id=activity.id, phase_id=world.build.id, before_id=before.id))
    sql = "SELECT id FROM item WHERE phase_id = :phase ORDER BY rank"
    order = [row["id"] for row in world.rows(sql, phase=world.build.id)]
    assert order == [activity.id, before.id, *(task.id for task in tasks)]
    assert {world.row("item", id=task.id)["activity_id"] for task in tasks} == {activity.id}


def test_it_does_not_take_a_started_task_into_a_locked_phase(world: World) -> None:
    activity = world.activity()
    world.task("Stays open")
    task = world.task(activity_id=activity.id)
    world.start(task.id)
    world.move(activity.id, Status.TO_DO)
    world.refuses(ReorderCard(card_id=activity.id, phase_id=world.build.id), RuleViolation, "locked")
    assert world.row("item", id=task.id)["phase_id"] == world.discover.id


def test_a_phase_that_an_open_card_would_lock_takes_no_done_task_with_it(world: World) -> None:
    """Behind an open phase, one with nothing but archived cards counts as complete, until the activity comes."""
    activity, gone = world.activity(), world.task(phase=world.build)
    task = world.task(activity_id=activity.id)
    world.task("Stays open")
    world.complete(task.id)
    world.archive(gone.id)
    world.refuses(ReorderCard(card_id=activity.id, phase_id=world.build.id, relock=True), RuleViolation, "locked")
    assert world.row("item", id=task.id)["phase_id"] == world.discover.id


def test_an_open_activity_reopens_an_approved_phase_although_its_task_is_completed(world: World) -> None:
    world.do(EditPhase(phase_id=world.build.id, gate=Gate.REVIEW))
    activity, stays = world.activity(), world.task("Stays behind")
    task = world.task(activity_id=activity.id)
    world.complete(task.id, stays.id)
    world.complete(activity.id)
    world.do(DecideGate(phase_id=world.build.id, decision=Decision.PASS))
    world.move(activity.id, Status.TO_DO, relock=True)
    world.do(ReorderCard(card_id=activity.id, phase_id=world.build.id, allow_lapse="It belongs there"))
    assert (world.status(activity), world.status(task)) == ("TO_DO", "COMPLETED")
    assert world.row("phase", id=world.build.id)["gate_state"] == "NONE"


def test_exactly_the_named_members_are_assigned(world: World) -> None:
    activity = world.activity()
    world.do(AssignActivity(activity_id=activity.id, member_ids=(world.bob.user_id,)))
    world.do(AssignActivity(activity_id=activity.id, member_ids=(world.vera.user_id, world.maya.user_id)))
    assert assigned(world, activity) == {world.vera.user_id, world.maya.user_id}
    assert world.last_change()["summary"] == "assigned “Interviews” to Vera Sato and Maya Okafor"
    with pytest.raises(RuleViolation, match="Only members of this project"):
        world.do(AssignActivity(activity_id=activity.id, member_ids=(world.gus.user_id,)))
    world.do(AssignActivity(activity_id=activity.id, member_ids=()))
    assert assigned(world, activity) == set()


def test_archiving_takes_the_tasks_along_and_restoring_brings_those_back(world: World) -> None:
    world.task("Stays open")
    activity = world.activity()
    done, started, gone = (world.task(title, activity_id=activity.id) for title in ("Done", "Started", "Gone"))
    world.complete(done.id)
    world.start(started.id)
    world.archive(gone.id)
    seq = world.last_change()["seq"]
    world.archive(activity.id)
    assert world.last_change()["seq"] == seq + 1
    assert {world.status(item) for item in (activity, done, started, gone)} == {"ARCHIVED"}
    world.do(RestoreCard(card_id=activity.id))
    statuses = [world.status(item) for item in (activity, done, started, gone)]
    assert statuses == ["IN_PROGRESS", "COMPLETED", "IN_PROGRESS", "ARCHIVED"]


def test_deleting_takes_tasks_and_people_along(world: World) -> None:
    world.task("Stays open")
    activity = world.activity()
    world.task(activity_id=activity.id)
    world.do(AssignActivity(activity_id=activity.id, member_ids=(world.bob.user_id,)))
    world.refuses(DeleteCard(card_id=activity.id), RuleViolation, "Archive it first")
    world.delete(activity.id)
    assert [row["title"] for row in world.rows("SELECT title FROM item")] == ["Stays open"]
    assert world.rows("SELECT 1 FROM assignment") == []
