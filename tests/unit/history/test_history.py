"""History, undo and redo: alone, among several people, after a restart, and when it cannot be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.actions import load_catalog
from core.actions.cards.activities import AssignActivity, CreateActivity, EditActivity
from core.actions.cards.cards import ReorderCard, RestoreCard
from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import AssignTask, CreateTask, EditTask
from core.actions.history.history import ListChangesSince, ListHistory, ListWorkspaceHistory, Redo, Undo
from core.actions.products.products import AddApplicationRole, AddProduct
from core.actions.projects.members import InviteGuest, InviteMember, RemoveMember, SetProjectRole
from core.actions.projects.projects import SetFavourite
from core.actions.workflow.deliverables import AddDeliverable
from core.actions.workflow.gates import DecideGate
from core.actions.workflow.phases import AddPhase, AssignPhase, RemovePhase
from core.actions.workspace.meta_roles import AddMetaRole
from core.actions.workspace.profile import SetPreference
from core.actions.workspace.users import AddUser, EditUser
from core.domain.gates import Decision
from core.domain.model import PlatformRole, ProjectRole, Status
from core.domain.products.products import LaunchKind
from core.engine.engine import Engine
from core.engine.unit_of_work import Actor
from core.errors import CannotUndo, Forbidden, NotFound, NothingToUndo, PodiumError, RuleViolation
from tests.support.workspace import Clock, World, content, open_database_of_test


def undo(world: World, as_: Actor | None = None, relock: bool = False) -> None:
    world.do(Undo(project_id=world.project.id, relock=relock), as_=as_)


def redo(world: World, as_: Actor | None = None) -> None:
    world.do(Redo(project_id=world.project.id), as_=as_)


def refused_undo(world: World, match: str, as_: Actor | None = None, kind: type[PodiumError] = CannotUndo) -> None:
    before = content(world.database)
    with pytest.raises(kind, match=match):
        undo(world, as_)
    assert content(world.database) == before


def test_steps_are_taken_back_one_by_one_and_brought_back_in_order(world: World) -> None:
    pictures = [content(world.database, versions=False)]
    task = world.task()
    for step in (
        lambda: None,
        lambda: world.do(EditTask(task_id=task.id, title="Longer")),
        lambda: world.start(task.id),
        lambda: world.archive(task.id),
    ):
        step()
        pictures.append(content(world.database, versions=False))
    for picture in reversed(pictures[:-1]):
        undo(world)
        assert content(world.database, versions=False) == picture
    for picture in pictures[1:]:
        redo(world)
        assert content(world.database, versions=False) == picture
    with pytest.raises(NothingToUndo):
        redo(world)


def test_a_new_step_ends_what_could_be_brought_back(world: World) -> None:
    world.task("One")
    undo(world)
    world.task("Two")
    with pytest.raises(NothingToUndo):
        redo(world)


def test_each_person_takes_back_their_own_steps_only(world: World) -> None:
    mine, theirs = world.task("Mine"), world.do(CreateTask(phase_id=world.discover.id, title="Theirs"), as_=world.bob)
    undo(world)
    assert [row["id"] for row in world.rows("SELECT id FROM item")] == [theirs.id]
    undo(world, as_=world.bob)
    redo(world)
    assert [row["id"] for row in world.rows("SELECT id FROM item")] == [mine.id]
    with pytest.raises(NothingToUndo):
        undo(world, as_=world.vera)


def test_undo_outlives_a_restart(world: World, clock: Clock, tmp_path: Path) -> None:
    task = world.task()
    world.do(EditTask(task_id=task.id, title="Changed"))
    world.database.close()
    again = Engine(open_database_of_test(tmp_path / "podium.db"), load_catalog, clock=clock)
    again.execute(Undo(project_id=world.project.id), world.maya)
    assert world.row("item", id=task.id)["title"] == "Write the brief"
    again.database.close()


def test_an_undo_that_would_overwrite_another_user_says_who_and_does_nothing(world: World) -> None:
    task = world.task()
    world.do(EditTask(task_id=task.id, title="Mine"))
    world.do(EditTask(task_id=task.id, title="Bob's"), as_=world.bob)
    refused_undo(world, "Bob Lind has changed it since")
    undo(world, as_=world.bob)
    undo(world)
    assert world.row("item", id=task.id)["title"] == "Write the brief"


def test_another_users_change_of_another_field_stays(world: World) -> None:
    task = world.task()
    world.do(EditTask(task_id=task.id, title="Mine"))
    world.do(AssignTask(task_id=task.id, assignee_id=world.vera.user_id), as_=world.bob)
    undo(world)
    row = world.row("item", id=task.id)
    assert (row["title"], row["assignee_id"], row["version"]) == ("Write the brief", world.vera.user_id, 4)


BUILT_ON: dict[str, Callable[[World], None]] = {}


def builds(build: Callable[[World], None]) -> Callable[[World], None]:
    BUILT_ON[build.__name__] = build
    return build


@builds
def a_comment_on_a_new_task(world: World) -> None:
    task = world.task()
    world.do(AddComment(item_id=task.id, text="Nice."), as_=world.bob)


@builds
def a_task_in_a_new_activity(world: World) -> None:
    activity = world.activity()
    world.do(CreateTask(phase_id=world.discover.id, title="x", activity_id=activity.id), as_=world.bob)


@builds
def people_on_a_new_activity(world: World) -> None:
    activity = world.activity()
    world.do(AssignActivity(activity_id=activity.id, member_ids=(world.bob.user_id,)), as_=world.bob)


@builds
def a_card_in_a_new_phase(world: World) -> None:
    phase = world.phase("New")
    world.do(CreateTask(phase_id=phase.id, title="x"), as_=world.bob)


@builds
def a_deliverable_of_a_new_phase(world: World) -> None:
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    world.do(AddDeliverable(phase_id=world.phase("New").id, name="Report"), as_=world.bob)


@builds
def people_on_a_new_phase(world: World) -> None:
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    world.do(AssignPhase(phase_id=world.phase("New").id, member_ids=(world.vera.user_id,)), as_=world.bob)


@builds
def work_given_to_a_new_member(world: World) -> None:
    task = world.task()
    world.do(InviteMember(project_id=world.project.id, user_id=world.gus.user_id))
    world.do(AssignTask(task_id=task.id, assignee_id=world.gus.user_id), as_=world.bob)


@builds
def actions_of_a_new_guest(world: World) -> None:
    task = world.task()
    member = world.do(
        InviteGuest(project_id=world.project.id, first_name="Ida", last_name="Ruiz", email="ida@example.com")
    )
    world.do(AddComment(item_id=task.id, text="Hello!"), as_=Actor(member.user_id))


@builds
def a_newer_task_in_an_activity_that_moved(world: World) -> None:
    world.task("Stays")
    activity = world.activity()
    world.do(ReorderCard(card_id=activity.id, phase_id=world.build.id))
    world.do(CreateTask(phase_id=world.build.id, title="x", activity_id=activity.id), as_=world.bob)


@builds
def a_newer_task_in_a_restored_activity(world: World) -> None:
    world.task("Stays")
    activity = world.activity()
    world.archive(activity.id)
    world.do(RestoreCard(card_id=activity.id))
    world.do(CreateTask(phase_id=world.discover.id, title="x", activity_id=activity.id), as_=world.bob)


@builds
def a_completed_activity_around_a_completed_task(world: World) -> None:
    activity = world.activity()
    task = world.task(activity_id=activity.id)
    world.complete(task.id)
    world.complete(activity.id, as_=world.bob)


@builds
def an_archived_activity_around_an_edited_task(world: World) -> None:
    world.task("Stays")
    activity = world.activity()
    task = world.task(activity_id=activity.id)
    world.archive(task.id)
    world.archive(activity.id, as_=world.bob)


@pytest.mark.parametrize("name", BUILT_ON)
def test_undo_refuses_to_pull_away_what_others_built_on(world: World, name: str) -> None:
    BUILT_ON[name](world)
    refused_undo(world, "cannot be undone")


def test_undo_follows_the_rules_of_the_workflow(world: World) -> None:
    first, later = world.task(), world.task(phase=world.build)
    world.complete(first.id, as_=world.bob)
    world.start(later.id)
    world.move(later.id, Status.TO_DO)
    world.move(first.id, Status.TO_DO, world.bob, relock=True)
    refused_undo(world, "“Build” is locked")
    assert world.status(later) == "TO_DO"


def test_an_undo_asks_before_it_locks_started_work_again(world: World) -> None:
    task, later = world.task(), world.task(phase=world.build)
    world.complete(task.id)
    undo(world)
    redo(world)
    world.start(later.id, as_=world.bob)
    with pytest.raises(RuleViolation, match="with 1 in progress there"):
        undo(world)
    undo(world, relock=True)
    assert world.status(task) == "TO_DO"


def test_undo_takes_the_right_that_the_step_took(world: World) -> None:
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    world.do(AddPhase(project_id=world.project.id, name="Bob's"), as_=world.bob)
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.CONTRIBUTOR))
    with pytest.raises(Forbidden, match="change phases"):
        undo(world, as_=world.bob)
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    with pytest.raises(NotFound, match="you cannot see it"):
        undo(world, as_=world.bob)


def test_a_removed_member_comes_back_with_what_was_theirs(world: World) -> None:
    task = world.task(assignee_id=world.bob.user_id)
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    undo(world)
    assert world.row("item", id=task.id)["assignee_id"] == world.bob.user_id


def test_a_removed_phase_comes_back_with_its_deliverables(world: World) -> None:
    world.do(AddDeliverable(phase_id=world.launch.id, name="Report"))
    before = content(world.database, versions=False)
    world.do(RemovePhase(phase_id=world.launch.id))
    undo(world)
    assert content(world.database, versions=False) == before


def test_an_undone_list_of_people_has_a_version_too(world: World) -> None:
    activity = world.activity()
    world.do(AssignActivity(activity_id=activity.id, member_ids=(world.bob.user_id,)))
    undo(world)
    assert world.row("item", id=activity.id)["version"] == 3


def test_what_is_gone_for_good_and_settings_are_no_steps_to_take_back(world: World) -> None:
    world.task("Stays")
    activity = world.activity()
    world.delete(activity.id)
    refused_undo(
        world, "cannot be undone: deleted .* To undo the last one that can be undone .* --change", kind=NothingToUndo
    )
    world.do(EditUser(user_id=world.gus.user_id, city="Oslo"))
    world.do(SetPreference(name="theme", value="ink"))
    world.do(Undo())
    assert world.row("app_user", id=world.gus.user_id)["city"] == ""
    assert world.row("preference")["value"] == "ink"


def test_a_pass_that_was_ended_by_an_undo_is_back_after_the_redo(world: World) -> None:
    task = world.task()
    world.archive(task.id)
    world.do(DecideGate(phase_id=world.discover.id, decision=Decision.PASS), as_=world.maya)
    world.do(SetFavourite(project_id=world.project.id, favourite=True), as_=world.vera)
    undo(world)
    undo(world)
    assert world.status(task) == "TO_DO"
    redo(world)
    redo(world)
    assert world.row("phase", id=world.discover.id)["gate_state"] == "PASSED"


def test_the_history_says_who_did_what_newest_first_without_a_gap(world: World, clock: Clock) -> None:
    task = world.task()
    clock.forward(hours=1)
    world.start(task.id, as_=world.bob)
    undo(world, as_=world.bob)
    lines = world.ask(ListHistory(project_id=world.project.id))
    assert [line.seq for line in lines] == list(range(len(lines), 0, -1))
    assert [(line.actor, line.kind, line.summary) for line in lines[:3]] == [
        ("Bob Lind", "UNDO", "started “Write the brief”"),
        ("Bob Lind", "DO", "started “Write the brief”"),
        ("Maya Okafor", "DO", "added the task “Write the brief”"),
    ]
    assert (lines[1].at - lines[2].at).total_seconds() == 3600
    assert world.ask(ListHistory(project_id=world.project.id, before=3)) == lines[-2:]


def test_only_later_changes_are_listed(world: World) -> None:
    seq = world.last_change()["seq"]
    assert world.ask(ListChangesSince(project_id=world.project.id, since=seq)) == ()
    world.task("One")
    world.do(CreateTask(phase_id=world.discover.id, title="Two"), as_=world.bob)
    answer = world.ask(ListChangesSince(project_id=world.project.id, since=seq))
    assert [(line.seq, line.actor) for line in answer] == [(seq + 1, "Maya Okafor"), (seq + 2, "Bob Lind")]


def test_the_workspace_has_a_history_of_its_own(world: World) -> None:
    world.do(AddUser(first_name="Ada", last_name="Moe", email="ada@example.com"))
    lines = world.ask(ListWorkspaceHistory())
    assert lines[0].summary == "added Ada Moe"
    assert lines[-1].message == "FoundWorkspace"
    world.do(Undo())
    assert len(world.rows("SELECT 1 FROM app_user")) == 4
    world.do(Redo())
    assert len(world.rows("SELECT 1 FROM app_user")) == 5


def test_a_card_moved_back_and_forth_keeps_its_place(world: World) -> None:
    cards = [world.task(title) for title in "abc"]
    sql = "SELECT title FROM item ORDER BY phase_id, rank"
    before = world.rows(sql)
    world.do(ReorderCard(card_id=cards[0].id, phase_id=world.build.id))
    undo(world)
    assert world.rows(sql) == before
    world.do(CreateActivity(phase_id=world.discover.id, title="d", before_id=cards[1].id))
    world.do(EditActivity(activity_id=world.row("item", title="d")["id"], title="e"), as_=world.bob)
    refused_undo(world, "Bob Lind has changed it since")


def test_a_meta_role_that_a_product_maps_by_now_does_not_go_by_undo(world: World) -> None:
    anna = AddUser(first_name="A", last_name="M", email="a@x.org", platform_roles=(PlatformRole.WORKSPACE_ADMIN,))
    admin = Actor(world.do(anna).id)
    editor = world.do(AddMetaRole(name="Editor in chief"))
    product = world.do(AddProduct(name="Wire", kind=LaunchKind.WEB, url="https://wire.example/"), as_=admin)
    world.do(AddApplicationRole(product_id=product.id, name="Chief", meta_role_ids=(editor.id,)), as_=admin)
    world.refuses(Undo(), CannotUndo, "“Editor in chief” is in use: it is mapped to “Wire: Chief”")
    assert world.row("meta_role", id=editor.id)["name"] == "Editor in chief"
    world.do(Undo(), as_=admin)
    world.do(Undo())
    assert world.rows("SELECT 1 FROM meta_role WHERE id = :id", id=editor.id) == []
