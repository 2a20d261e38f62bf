"""Tasks: created, edited, moved, placed, assigned, dated, archived, restored, deleted; and what stands in the way."""

from __future__ import annotations

from datetime import date

import pytest

from core.actions.cards.cards import DeleteCard, ReorderCard, RestoreCard, SetCardDueDate
from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import AssignTask, CreateTask, EditTask, ListTasks
from core.actions.projects.members import RemoveMember
from core.actions.workflow.gates import DecideGate
from core.actions.workspace.users import DeactivateUser
from core.domain.gates import Decision
from core.domain.model import Status
from core.errors import InvalidInput, LapsesApproval, NotFound, RuleViolation, WouldRelockPhases
from tests.support.workspace import World, content


def titles(world: World) -> list[str]:
    sql = "SELECT title FROM item WHERE phase_id = :phase ORDER BY rank, id"
    return [row["title"] for row in world.rows(sql, phase=world.discover.id)]


def test_a_new_task_is_to_do_and_last(world: World) -> None:
    world.task("First")
    task = world.task(
        "  Second\t one ", description="Two\r\nlines", due=date(2026, 4, 1), assignee_id=world.bob.user_id
    )
    row = world.row("item", id=task.id)
    assert row["title"] == "Second one"
    assert row["description"] == "Two\nlines"
    assert (row["status"], row["kind"], row["due"], row["version"]) == ("TO_DO", "TASK", "2026-04-01", 1)
    assert row["assignee_id"] == world.bob.user_id
    assert titles(world) == ["First", "Second one"]


def test_a_new_task_goes_before_the_card_that_is_named(world: World) -> None:
    first = world.task("First")
    world.task("Zero", before_id=first.id)
    assert titles(world) == ["Zero", "First"]


def test_a_task_may_bring_its_id_once(world: World) -> None:
    chosen = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    assert world.task(task_id=chosen).id == chosen
    with pytest.raises(InvalidInput, match="taken"):
        world.task(task_id=chosen)
    for bad in ("", "x", "\x1b[31m", chosen.lower(), chosen + "A"):
        with pytest.raises(InvalidInput, match="not a ULID"):
            world.task(task_id=bad)


def test_a_task_stays_with_what_is_of_its_own_phase(world: World) -> None:
    activity, far = world.activity(), world.activity("Far", phase=world.build)
    mine = world.task()
    with pytest.raises(RuleViolation, match="another phase"):
        world.task(activity_id=far.id)
    with pytest.raises(RuleViolation, match="Only activities hold tasks"):
        world.task(activity_id=mine.id)
    world.refuses(EditTask(task_id=activity.id, title="An activity is no task"), NotFound)
    world.refuses(CreateTask(phase_id="01ARZ3NDEKTSV4RRFFQ69G5FAV", title="Nowhere"), NotFound)
    assert len(titles(world)) == 2


def test_an_activity_that_is_closed_takes_no_new_tasks(world: World) -> None:
    activity = world.activity()
    world.complete(activity.id)
    with pytest.raises(RuleViolation, match="Reopen it"):
        world.task(activity_id=activity.id, relock=True)
    world.archive(activity.id)
    with pytest.raises(RuleViolation, match="archived"):
        world.task(activity_id=activity.id, relock=True)


@pytest.mark.parametrize("title", ["", "  \t ", "x" * 201, "a\x1b[31mb", "a\u202eb", "a\x00", "\u200b", "\ud800"])
def test_a_title_that_cannot_be_shown_is_refused(world: World, title: str) -> None:
    task = world.task()
    before = content(world.database)
    for message in (CreateTask(phase_id=world.discover.id, title=title), EditTask(task_id=task.id, title=title)):
        refused = world.refuses(message, InvalidInput)
        assert refused.field == "title"
    assert content(world.database) == before


def test_markup_and_quotes_are_kept_as_they_were_typed(world: World) -> None:
    title = "[red]x[/] '; DROP TABLE item; -- [@click=app.quit]y[/]"
    assert world.row("item", id=world.task(title).id)["title"] == title


@pytest.mark.parametrize("due", [date(1999, 12, 31), date(2200, 1, 1), date.min, date.max])
def test_a_due_date_that_cannot_be_meant_is_refused(world: World, due: date) -> None:
    task = world.task()
    for message in (
        SetCardDueDate(card_id=task.id, due=due),
        CreateTask(phase_id=world.discover.id, title="x", due=due),
    ):
        world.refuses(message, InvalidInput, "2000 to 2199")
    assert world.row("item", id=task.id)["due"] is None


def test_editing_changes_only_what_is_given(world: World) -> None:
    task = world.task("Old", description="Keep me")
    world.do(EditTask(task_id=task.id, title="New", seen_version=1))
    row = world.row("item", id=task.id)
    assert (row["title"], row["description"], row["version"]) == ("New", "Keep me", 2)
    assert world.last_change()["summary"] == "renamed “Old” to “New”"
    world.do(EditTask(task_id=task.id, description="Other"))
    assert world.row("item", id=task.id)["description"] == "Other"


def test_a_change_that_changes_nothing_leaves_no_trace(world: World) -> None:
    task = world.task("Same", due=date(2026, 4, 1))
    before = content(world.database)
    world.do(EditTask(task_id=task.id, title="Same"))
    world.do(SetCardDueDate(card_id=task.id, due=date(2026, 4, 1)))
    world.do(AssignTask(task_id=task.id, assignee_id=None))
    world.do(ReorderCard(card_id=task.id, phase_id=task.phase_id, before_id=task.id))
    world.move(task.id, Status.TO_DO)
    assert content(world.database) == before


def test_a_task_goes_through_its_statuses(world: World) -> None:
    task = world.task()
    for status in (Status.IN_PROGRESS, Status.TO_DO, Status.COMPLETED, Status.IN_PROGRESS, Status.COMPLETED):
        world.move(task.id, status, relock=True)
        assert world.status(task) == status
    with pytest.raises(InvalidInput, match="not a status to move to"):
        world.move(task.id, Status.ARCHIVED)


def test_cards_are_put_before_one_another(world: World) -> None:
    a, b, c = (world.task(title) for title in "abc")
    world.do(ReorderCard(card_id=c.id, phase_id=world.discover.id, before_id=a.id))
    assert titles(world) == ["c", "a", "b"]
    world.do(ReorderCard(card_id=c.id, phase_id=world.discover.id))
    assert titles(world) == ["a", "b", "c"]
    world.do(ReorderCard(card_id=c.id, phase_id=world.discover.id, before_id=b.id))
    assert titles(world) == ["a", "c", "b"]


def test_cards_with_the_same_key_are_given_new_ones_when_a_card_goes_between(world: World) -> None:
    a, b, c = (world.task(title) for title in "abc")
    world.database.write(lambda tx: tx.execute("UPDATE item SET rank = 'a0'"))
    first, second, third = sorted((a, b, c), key=lambda task: task.id)
    world.do(ReorderCard(card_id=third.id, phase_id=world.discover.id, before_id=second.id))
    assert titles(world) == [first.title, third.title, second.title]


def test_a_task_that_leaves_its_phase_leaves_its_activity(world: World) -> None:
    activity = world.activity()
    task = world.task(activity_id=activity.id)
    world.do(ReorderCard(card_id=task.id, phase_id=world.build.id))
    row = world.row("item", id=task.id)
    assert (row["phase_id"], row["activity_id"]) == (world.build.id, None)


def test_only_active_members_are_assigned(world: World) -> None:
    task = world.task()
    with pytest.raises(RuleViolation, match="Only members of this project"):
        world.do(AssignTask(task_id=task.id, assignee_id=world.gus.user_id))
    world.refuses(AssignTask(task_id=task.id, assignee_id="nobody"), NotFound)
    world.do(AssignTask(task_id=task.id, assignee_id=world.bob.user_id))
    assert world.last_change()["summary"] == "assigned “Write the brief” to Bob Lind"
    world.do(DeactivateUser(user_id=world.vera.user_id))
    world.refuses(AssignTask(task_id=task.id, assignee_id=world.vera.user_id), RuleViolation, "no longer active")
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    assert world.row("item", id=task.id)["assignee_id"] is None


def test_starting_a_task_starts_its_activity_in_one_step(world: World) -> None:
    activity = world.activity()
    task = world.task(activity_id=activity.id)
    seq = world.last_change()["seq"]
    world.move(task.id, Status.IN_PROGRESS)
    assert world.status(activity) == "IN_PROGRESS"
    assert world.last_change()["seq"] == seq + 1


def test_a_reopened_task_reopens_its_completed_activity(world: World) -> None:
    activity = world.activity()
    task = world.task(activity_id=activity.id)
    world.move(task.id, Status.COMPLETED)
    world.complete(activity.id)
    world.move(task.id, Status.TO_DO, relock=True)
    assert world.status(activity) == "IN_PROGRESS"


def test_in_a_locked_phase_a_reopened_task_takes_its_activity_back_to_to_do(world: World) -> None:
    first, activity = world.task(), world.activity(phase=world.build)
    task, other = world.task(phase=world.build, activity_id=activity.id), world.task(phase=world.build)
    world.move(first.id, Status.COMPLETED)
    world.move(task.id, Status.COMPLETED)
    world.complete(activity.id)
    world.move(first.id, Status.TO_DO, relock=True)
    assert world.status(other) == "TO_DO"
    world.move(task.id, Status.TO_DO)
    assert (world.status(task), world.status(activity)) == ("TO_DO", "TO_DO")


def test_restore_brings_a_task_back_to_where_it_was(world: World) -> None:
    world.task("Stays open")
    for status in (Status.TO_DO, Status.IN_PROGRESS, Status.COMPLETED):
        task = world.task()
        world.move(task.id, status)
        world.archive(task.id)
        row = world.row("item", id=task.id)
        assert (row["status"], row["archived_from"]) == ("ARCHIVED", status)
        with pytest.raises(RuleViolation, match="Restore it first"):
            world.move(task.id, Status.TO_DO)
        world.do(RestoreCard(card_id=task.id))
        row = world.row("item", id=task.id)
        assert (row["status"], row["archived_from"]) == (status, None)


@pytest.mark.parametrize("others", [True, False])
def test_restore_in_a_locked_phase_is_to_to_do(world: World, others: bool) -> None:
    """Also where the phase counts as complete because everything in it is archived."""
    first, task = world.task(), world.task(phase=world.build)
    world.move(first.id, Status.COMPLETED)
    world.move(task.id, Status.IN_PROGRESS)
    world.archive(task.id)
    if others:
        world.task(phase=world.build, relock=True)
    world.move(first.id, Status.TO_DO, relock=True)
    world.do(RestoreCard(card_id=task.id))
    assert world.status(task) == "TO_DO"


def test_a_task_of_an_archived_activity_waits_for_it(world: World) -> None:
    activity = world.activity()
    task = world.task(activity_id=activity.id)
    world.archive(activity.id)
    world.refuses(RestoreCard(card_id=task.id), RuleViolation, "Restore that first")


def test_only_archived_tasks_are_deleted_and_their_comments_go_along(world: World) -> None:
    world.task("Stays")
    task = world.task()
    world.do(AddComment(item_id=task.id, text="Hm."))
    world.refuses(DeleteCard(card_id=task.id), RuleViolation, "Archive it first")
    world.delete(task.id)
    assert world.rows("SELECT 1 FROM item WHERE id = :id", id=task.id) == []
    assert world.rows("SELECT 1 FROM comment") == []
    world.refuses(RestoreCard(card_id=task.id), NotFound)


def test_deleting_the_last_card_says_that_later_phases_lock_again(world: World) -> None:
    task = world.task()
    world.archive(task.id)
    world.refuses(DeleteCard(card_id=task.id), WouldRelockPhases, "“Build” would lock again")
    world.do(DeleteCard(card_id=task.id, relock=True))
    assert world.rows("SELECT 1 FROM item") == []


def test_new_work_ends_a_pass(world: World) -> None:
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS))
    with pytest.raises(LapsesApproval):
        world.task(relock=True)
    world.task(allow_lapse="One more")
    assert world.row("phase", id=world.discover.id)["gate_state"] == "NONE"


def test_the_list_shows_archived_tasks_when_asked(world: World) -> None:
    kept, gone = world.task("Kept"), world.task("Gone")
    world.activity()
    world.archive(gone.id)
    assert [task.id for task in world.ask(ListTasks(project_id=world.project.id))] == [kept.id]
    assert len(world.ask(ListTasks(project_id=world.project.id, archived=True))) == 2
