"""Applications: added to phases and activities, named, dated, assigned, placed and removed."""

from __future__ import annotations

from datetime import date
from threading import Barrier, Thread
from typing import Any

import pytest

from core.actions.cards.activities import CreateActivity
from core.actions.cards.application_lists import GetApplication, ListApplications
from core.actions.cards.applications import (
    AddApplication,
    AssignApplication,
    EditApplication,
    RemoveApplication,
    ReorderApplication,
    SetApplicationDueDate,
)
from core.actions.cards.cards import DeleteCard, ReorderCard
from core.actions.cards.details import GetCard
from core.actions.history.history import Redo, Undo
from core.actions.products.launch import LaunchApplication
from core.actions.products.products import RetireProduct
from core.actions.projects.members import InviteMember, RemoveMember, SetProjectRole
from core.actions.workflow.phases import RemovePhase
from core.actions.workspace.users import DeactivateUser
from core.domain.model import Id, ProjectRole
from core.domain.products.products import Application
from core.engine.messages import Command
from core.errors import CannotUndo, InvalidInput, NotFound, PodiumError, RuleViolation, VersionConflict
from tests.support.workspace import World, content

DUE = date(2026, 4, 1)


def refused(world: World, command: Command[Any], kind: type[PodiumError], match: str) -> Any:
    before = content(world.database)
    said = world.refuses(command, kind, match)
    assert content(world.database) == before
    return said


def names_in(world: World, phase_id: Id) -> list[str]:
    """The applications of a phase in their order."""
    lines = world.ask(ListApplications(project_id=world.project.id))
    return [line.application.name for line in lines if line.application.phase_id == phase_id]


def assigned(world: World, application: Application) -> set[Id]:
    rows = world.rows("SELECT user_id FROM assignment WHERE target_id = :id", id=application.id)
    return {row["user_id"] for row in rows}


def add(world: World, **fields: Any) -> AddApplication:
    return AddApplication(project_id=world.project.id, **fields)


def test_an_application_is_added_to_a_phase_with_the_name_of_its_product(world: World) -> None:
    library = world.product("Asset library")
    added = world.do(
        add(world, product_id=library.id, phase_id=world.build.id, due=DUE, member_ids=(world.bob.user_id,))
    )
    row = world.row("application")
    assert (row["id"], row["product_id"], row["phase_id"]) == (added.id, library.id, world.build.id)
    assert (row["name"], row["due"], row["activity_id"]) == ("Asset library", "2026-04-01", None)
    assert assigned(world, added) == {world.bob.user_id}
    assert world.last_change()["summary"] == "added the application “Asset library” to phase “Build”"
    named = world.do(add(world, product_id=library.id, phase_id=world.build.id, name=" Pictures\t2026 "))
    assert named.name == "Pictures 2026"
    assert names_in(world, world.build.id) == ["Asset library", "Pictures 2026"]


def test_an_application_on_an_activity_is_in_its_phase(world: World) -> None:
    activity = world.activity(phase=world.build)
    added = world.do(add(world, product_id=world.product().id, activity_id=activity.id))
    assert (added.phase_id, added.activity_id) == (world.build.id, activity.id)
    assert world.last_change()["summary"] == "added the application “Asset library” to “Interviews”"
    detail = world.ask(GetCard(item_id=activity.id)).application
    assert detail is not None
    assert detail.id == added.id


def test_an_activity_holds_a_link_and_one_application_and_no_second(world: World) -> None:
    activity = world.activity(link="https://example.com")
    world.add_application(activity_id=activity.id)
    second = add(world, product_id=world.product("Planner").id, activity_id=activity.id)
    refused(world, second, RuleViolation, "“Interviews” holds the application “Asset library” already")


def test_a_phase_or_an_activity_is_named_and_not_both(world: World) -> None:
    product, activity = world.product(), world.activity()
    for place in ({}, {"phase_id": world.discover.id, "activity_id": activity.id}):
        refused(world, add(world, product_id=product.id, **place), InvalidInput, "Name one of the two")


def test_nothing_is_added_where_it_cannot_be(world: World) -> None:
    product = world.product()
    archived, task = world.activity("Old"), world.task(relock=True)
    world.archive(archived.id)
    other = world.new_project("Other")
    elsewhere = world.phase("Elsewhere", project_id=other.id)
    foreign = world.activity("Secret", phase=elsewhere)
    here = {"product_id": product.id}
    refused(world, add(world, **here, activity_id=archived.id), RuleViolation, "“Old” is archived. Restore it first")
    refused(world, add(world, **here, activity_id=task.id), NotFound, "no such activity")
    said = refused(world, add(world, **here, activity_id=foreign.id), NotFound, "no such activity")
    assert "Secret" not in str(said)
    refused(world, add(world, **here, phase_id=elsewhere.id), NotFound, "no such phase")
    refused(world, add(world, product_id="nothing", phase_id=world.discover.id), NotFound, "no product")


def test_a_retired_product_gets_no_new_applications_and_keeps_the_old(world: World) -> None:
    product = world.product()
    world.add_application(product)
    world.do(RetireProduct(product_id=product.id))
    refused(world, add(world, product_id=product.id, phase_id=world.discover.id), RuleViolation, "is retired")
    assert names_in(world, world.discover.id) == ["Asset library"]


@pytest.mark.parametrize(
    ("fields", "match"),
    [
        ({"name": "\u202egnp"}, "name"),
        ({"name": "   "}, "Enter a name"),
        ({"name": "x" * 121}, "name"),
        ({"due": date(1999, 12, 31)}, "out of range"),
    ],
)
def test_what_cannot_be_meant_is_refused(world: World, fields: dict[str, Any], match: str) -> None:
    held = world.add_application()
    refused(world, add(world, product_id=held.product_id, phase_id=world.discover.id, **fields), InvalidInput, match)
    change = EditApplication if "name" in fields else SetApplicationDueDate
    refused(world, change(application_id=held.id, **fields), InvalidInput, match)


def test_only_active_members_are_assigned(world: World) -> None:
    held = world.add_application()
    for_gus = (world.gus.user_id,)
    refused(
        world,
        AssignApplication(application_id=held.id, member_ids=for_gus),
        RuleViolation,
        "Only members of this project",
    )
    world.do(InviteMember(project_id=world.project.id, user_id=world.gus.user_id))
    world.do(DeactivateUser(user_id=world.gus.user_id))
    refused(world, AssignApplication(application_id=held.id, member_ids=for_gus), RuleViolation, "no longer active")
    fields = {"product_id": held.product_id, "phase_id": world.discover.id, "member_ids": for_gus}
    refused(world, add(world, **fields), RuleViolation, "no longer active")


def test_the_list_of_people_is_replaced_as_a_whole_by_who_has_seen_it(world: World) -> None:
    held = world.add_application(member_ids=(world.bob.user_id,))
    vera, maya = world.vera.user_id, world.maya.user_id
    changed = world.do(AssignApplication(application_id=held.id, member_ids=(vera, maya), seen_version=held.version))
    assert assigned(world, held) == {vera, maya}
    assert changed.version == held.version + 1
    assert world.last_change()["summary"] == "assigned “Asset library” to Vera Sato and Maya Okafor"
    stale = AssignApplication(application_id=held.id, member_ids=(), seen_version=held.version)
    assert refused(world, stale, VersionConflict, "since you saw it").current == changed
    world.do(AssignApplication(application_id=held.id, member_ids=()))
    assert assigned(world, held) == set()


def test_it_is_renamed_dated_and_the_history_says_so(world: World) -> None:
    held = world.add_application()
    world.do(EditApplication(application_id=held.id, name="Pictures"))
    world.do(SetApplicationDueDate(application_id=held.id, due=DUE))
    world.do(SetApplicationDueDate(application_id=held.id, due=None))
    assert (world.row("application")["name"], world.row("application")["due"]) == ("Pictures", None)
    assert [line.summary for line in world.ask(GetApplication(application_id=held.id)).history] == [
        "removed the due date of “Pictures”",
        "set “Pictures” due 2026-04-01",
        "renamed the application “Asset library” to “Pictures”",
        "added the application “Asset library” to phase “Discover”",
    ]


def test_it_is_placed_before_another_or_last_and_stays_on_its_activity_within_the_phase(world: World) -> None:
    product, activity = world.product(), world.activity()
    first, second = (world.add_application(product, name=name) for name in ("a", "b"))
    third = world.add_application(product, name="c", activity_id=activity.id)
    world.do(ReorderApplication(application_id=third.id, phase_id=world.discover.id, before_id=first.id))
    assert names_in(world, world.discover.id) == ["c", "a", "b"]
    assert world.row("application", id=third.id)["activity_id"] == activity.id
    world.do(ReorderApplication(application_id=third.id, phase_id=world.discover.id))
    assert names_in(world, world.discover.id) == ["a", "b", "c"]
    seq = world.last_change()["seq"]
    world.do(ReorderApplication(application_id=second.id, phase_id=world.discover.id, before_id=second.id))
    assert world.last_change()["seq"] == seq
    task = world.task()
    beside = ReorderApplication(application_id=second.id, phase_id=world.discover.id, before_id=task.id)
    refused(world, beside, NotFound, "not here any more")


def test_leaving_its_phase_it_leaves_its_activity_to_others(world: World) -> None:
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    activity = world.activity()
    held = world.add_application(activity_id=activity.id)
    placed = world.do(ReorderApplication(application_id=held.id, phase_id=world.build.id))
    assert (placed.phase_id, placed.activity_id) == (world.build.id, None)
    world.do(add(world, product_id=held.product_id, activity_id=activity.id), as_=world.bob)
    refused(world, Undo(project_id=world.project.id), CannotUndo, "something else depends on it by now")


def test_ranks_are_renewed_when_there_is_no_room_between_them(world: World) -> None:
    product = world.product()
    held = [world.add_application(product, name=name) for name in "ab"]
    world.database.write(lambda tx: tx.execute("UPDATE application SET rank = 'a0'"))
    late = world.add_application(product, name="c")
    last = max(held, key=lambda each: each.id)
    world.do(ReorderApplication(application_id=late.id, phase_id=world.discover.id, before_id=last.id))
    assert names_in(world, world.discover.id)[1] == "c"


def test_removed_it_takes_its_people_along_and_undo_brings_all_back(world: World) -> None:
    activity = world.activity()
    held = world.add_application(activity_id=activity.id, due=DUE, member_ids=(world.bob.user_id,))
    before = content(world.database, versions=False)
    world.do(RemoveApplication(application_id=held.id))
    assert world.rows("SELECT 1 FROM application") == world.rows("SELECT 1 FROM assignment") == []
    assert world.last_change()["summary"] == "removed the application “Asset library”"
    world.do(Undo(project_id=world.project.id))
    assert content(world.database, versions=False) == before
    world.do(Redo(project_id=world.project.id))
    assert world.rows("SELECT 1 FROM application") == []


def test_adding_is_not_undone_once_a_user_was_assigned(world: World) -> None:
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    held = world.add_application()
    world.do(AssignApplication(application_id=held.id, member_ids=(world.bob.user_id,)), as_=world.bob)
    refused(world, Undo(project_id=world.project.id), CannotUndo, "something else depends on it by now")
    world.do(Undo(project_id=world.project.id), as_=world.bob)
    world.do(Undo(project_id=world.project.id))
    assert world.rows("SELECT 1 FROM application") == []


def test_an_activity_that_moves_takes_its_application_along_to_the_end(world: World) -> None:
    product, activity = world.product(), world.activity()
    world.add_application(product, world.build, name="there")
    held = world.add_application(product, name="held", activity_id=activity.id)
    world.do(ReorderCard(card_id=activity.id, phase_id=world.build.id))
    row = world.row("application", id=held.id)
    assert (row["phase_id"], row["activity_id"]) == (world.build.id, activity.id)
    assert names_in(world, world.build.id) == ["there", "held"]
    world.do(Undo(project_id=world.project.id))
    assert names_in(world, world.discover.id) == ["held"]
    world.do(Redo(project_id=world.project.id))
    assert names_in(world, world.build.id) == ["there", "held"]


def test_undo_parts_no_activity_from_its_application(world: World) -> None:
    activity = world.activity()
    world.do(ReorderCard(card_id=activity.id, phase_id=world.build.id), as_=world.bob)
    world.add_application(activity_id=activity.id)
    with pytest.raises(CannotUndo, match="“Interviews” and its application “Asset library” would be in different"):
        world.do(Undo(project_id=world.project.id), as_=world.bob)
    assert world.row("item", id=activity.id)["phase_id"] == world.build.id
    removed = world.row("application")["id"]
    world.do(RemoveApplication(application_id=removed))
    world.do(Undo(project_id=world.project.id), as_=world.bob)
    world.refuses(Undo(project_id=world.project.id), CannotUndo, "different phases")
    assert world.rows("SELECT 1 FROM application") == []


def test_creating_an_activity_is_not_taken_back_while_it_holds_an_application(world: World) -> None:
    activity = world.do(CreateActivity(phase_id=world.discover.id, title="Bob's"), as_=world.bob)
    world.add_application(activity_id=activity.id)
    world.refuses(Undo(project_id=world.project.id), CannotUndo, "something else depends on it", as_=world.bob)
    assert world.row("item")["id"] == activity.id


def test_an_archived_activity_keeps_its_application_and_a_deleted_one_takes_it_along(world: World) -> None:
    world.task("Stays open")
    activity = world.activity()
    held = world.add_application(activity_id=activity.id, member_ids=(world.bob.user_id,))
    world.do(LaunchApplication(application_id=held.id))
    world.archive(activity.id)
    assert world.row("application")["activity_id"] == activity.id
    world.do(LaunchApplication(application_id=held.id))
    world.do(DeleteCard(card_id=activity.id))
    assert world.rows("SELECT 1 FROM application") == world.rows("SELECT 1 FROM assignment") == []
    assert len(world.rows("SELECT 1 FROM launch")) == 2


def test_a_phase_with_applications_is_not_removed(world: World) -> None:
    held = world.add_application(phase=world.launch)
    said = refused(world, RemovePhase(phase_id=world.launch.id), RuleViolation, "“Launch” still holds cards")
    (blocker,) = said.blockers
    assert (blocker.id, blocker.kind, blocker.where) == (held.id, "APPLICATION", "Launch")
    world.do(RemoveApplication(application_id=held.id))
    world.do(RemovePhase(phase_id=world.launch.id))


def test_a_removed_member_is_assigned_to_no_application_any_more(world: World) -> None:
    held = world.add_application(member_ids=(world.bob.user_id, world.vera.user_id))
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    assert assigned(world, held) == {world.vera.user_id}


def test_of_two_who_give_an_activity_an_application_at_once_one_is_refused(world: World) -> None:
    product = world.product()
    for _ in range(5):
        activity = world.activity()
        outcomes: list[Any] = []
        start = Barrier(2, timeout=30)

        def give(activity_id: Id = activity.id, start: Barrier = start, outcomes: list[Any] = outcomes) -> None:
            start.wait()
            try:
                outcomes.append(world.do(add(world, product_id=product.id, activity_id=activity_id)))
            except RuleViolation as refusal:
                outcomes.append(refusal)

        people = [Thread(target=give) for _ in range(2)]
        for person in people:
            person.start()
        for person in people:
            person.join()
        assert sorted(type(each).__name__ for each in outcomes) == ["Application", "RuleViolation"]
        assert len(world.rows("SELECT 1 FROM application WHERE activity_id = :id", id=activity.id)) == 1
