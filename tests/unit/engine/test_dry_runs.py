"""A dry run of every command: it answers what the command then does, and does nothing itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from core.actions.cards.ask import AskForConsent
from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import MoveCard
from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import AssignTask, CreateTask
from core.actions.history.history import Redo, Undo
from core.actions.personal.presets import ActivatePreset, RemoveSharedPreset, SharePreset
from core.actions.products.launch import LaunchApplication
from core.actions.projects import members
from core.actions.projects.exports import ExportProject
from core.actions.projects.imports import ImportProject
from core.actions.projects.members import InviteMember, RemoveMember, SetProjectRole
from core.actions.projects.projects import ArchiveProject, DeleteProject
from core.actions.workspace.credentials import CreateToken
from core.domain.model import ProjectRole, Status
from core.domain.quotas import Quotas
from core.engine import dry_run, engine, large_projects, quotas
from core.engine.messages import Command
from core.engine.unit_of_work import Actor
from core.errors import Cancelled, DatabaseFull, Forbidden, PhaseLocked, QuotaReached, TookTooLong, VersionConflict
from core.record import replace
from core.storage.database import DiskSpace
from core.storage.progress import Progress
from tests.support.message_examples import messages
from tests.support.postgres_cluster import about_the_file
from tests.support.predictions import carry_out_as_foreseen, every_row, outcome
from tests.support.sweeps import every_message
from tests.support.workspace import World


@pytest.fixture
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """A project of a dozen records is large."""
    for name, value in (("AT_ONCE", 0), ("STEP", 2), ("SLICE_SECONDS", 0.0), ("PAUSE_SECONDS", 0.0)):
        monkeypatch.setattr(large_projects, name, value)


@every_message(messages.COMMANDS)
def test_a_dry_run_answers_what_the_command_then_changes_and_changes_nothing(
    world: World, kind: type[Command[Any]]
) -> None:
    command = messages.COMMANDS[kind](world)
    foreseen = carry_out_as_foreseen(world, command, world.maya)
    inboxes_only = kind is AskForConsent
    assert foreseen.changes or inboxes_only, "the sample changes something, or the test shows nothing"
    if foreseen.summary:
        last = "SELECT summary FROM change ORDER BY at DESC, project_id = :p DESC, seq DESC"
        assert foreseen.summary in {row["summary"] for row in world.rows(last, p=world.project.id)}


@pytest.mark.parametrize("who", ["bob", "gus"])
@every_message(messages.COMMANDS)
def test_others_are_answered_or_refused_a_dry_run_as_the_command_would_be(
    world: World, kind: type[Command[Any]], who: str
) -> None:
    command = messages.COMMANDS[kind](world)
    outcome(lambda: carry_out_as_foreseen(world, command, getattr(world, who)))


def test_a_command_that_a_rule_refuses_is_refused_in_a_dry_run_with_its_blockers_and_those_who_can_help(
    world: World,
) -> None:
    world.task("First")
    locked = world.task("Later", phase=world.build)
    with pytest.raises(PhaseLocked) as refused:
        carry_out_as_foreseen(world, MoveCard(card_id=locked.id, status=Status.IN_PROGRESS), world.bob)
    assert [blocker.title for blocker in refused.value.blockers] == ["First"]
    assert refused.value.who_can == ("Maya Okafor",)
    with pytest.raises(VersionConflict):
        carry_out_as_foreseen(world, MoveCard(card_id=locked.id, status=Status.IN_PROGRESS, seen_version=9), world.maya)


def test_the_refused_steps_of_a_bulk_change_are_in_its_dry_run_with_codes_and_those_who_can_help(world: World) -> None:
    first, locked = world.task("First"), world.task("Later", phase=world.build)
    moves = tuple(MoveCard(card_id=each.id, status=Status.IN_PROGRESS) for each in (first, locked))
    foreseen = carry_out_as_foreseen(world, BulkUpdate(project_id=world.project.id, commands=moves), world.bob)
    (changed,) = foreseen.changes
    assert changed.before
    assert changed.after
    assert (changed.before["status"], changed.after["status"]) == ("TO_DO", "IN_PROGRESS")
    (refused,) = foreseen.refused
    assert (refused.step, refused.title, refused.code, refused.who_can) == (
        1,
        "Later",
        "PHASE_LOCKED",
        ("Maya Okafor",),
    )


def test_a_dry_run_shows_no_secret_and_its_hash_opens_nothing(world: World) -> None:
    application = world.add_application()
    for command in (CreateToken(label="nightly"), LaunchApplication(application_id=application.id)):
        foreseen = world.engine.dry_run(command, world.maya)
        (created,) = foreseen.changes
        assert created.before is None
        assert created.after
        assert not {"hash", "codeHash", "secret", "code"} & created.after.keys()
    assert world.rows("SELECT 1 FROM token") == []
    assert world.rows("SELECT 1 FROM launch") == []


def test_a_session_of_a_gateway_is_refused_the_dry_run_of_a_token_too(world: World) -> None:
    session = Actor(world.maya.user_id, in_session=True)
    with pytest.raises(Forbidden, match="You signed in through a gateway"):
        carry_out_as_foreseen(world, CreateToken(label="nightly"), session)


def test_a_dry_run_tells_nothing_of_what_only_another_person_can_see(world: World) -> None:
    world.internal(world.bob)
    task = world.task()
    assigned = carry_out_as_foreseen(world, AssignTask(task_id=task.id, assignee_id=world.bob.user_id), world.maya)
    assert [each.entity for each in assigned.changes] == ["item"]
    assert world.rows("SELECT 1 FROM notification WHERE user_id = :bob", bob=world.bob.user_id)
    undone = carry_out_as_foreseen(world, Undo(project_id=world.project.id), world.maya)
    assert [each.entity for each in undone.changes] == ["item"]
    preset = world.do(SharePreset(project_id=world.project.id, name="Mine"))
    world.do(ActivatePreset(project_id=world.project.id, preset_id=preset.id), as_=world.bob)
    removed = carry_out_as_foreseen(
        world, RemoveSharedPreset(project_id=world.project.id, preset_id=preset.id), world.maya
    )
    assert [each.entity for each in removed.changes] == ["preset"]


def test_a_dry_run_shows_a_guest_no_email_of_others(world: World) -> None:
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    world.do(InviteMember(project_id=world.project.id, user_id=world.gus.user_id, role=ProjectRole.VIEWER))
    foreseen = world.engine.dry_run(RemoveMember(project_id=world.project.id, user_id=world.gus.user_id), world.bob)
    assert "gus@example.com" not in json.dumps([(each.before, each.after) for each in foreseen.changes])


def test_a_record_that_ends_as_it_was_is_no_change(world: World) -> None:
    task = world.task()
    there_and_back = (
        MoveCard(card_id=task.id, status=Status.IN_PROGRESS),
        MoveCard(card_id=task.id, status=Status.TO_DO),
        AddComment(item_id=task.id, text="Moved it."),
    )
    foreseen = carry_out_as_foreseen(
        world, BulkUpdate(project_id=world.project.id, commands=there_and_back), world.maya
    )
    changed = {each.entity: each for each in foreseen.changes}
    item = changed["item"]
    assert item.before
    assert item.after
    assert {name for name in item.before if item.before[name] != item.after[name]} == {"version"}
    assert changed["comment"].before is None


def test_a_dry_run_shows_the_cards_that_get_new_ranks(world: World) -> None:
    last = world.task("last")
    number = 0
    while True:
        command = CreateTask(phase_id=world.discover.id, title=str(number), before_id=last.id)
        foreseen = world.engine.dry_run(command, world.maya)
        if len(foreseen.changes) > 1:
            break
        world.do(command)
        number += 1
    foreseen = carry_out_as_foreseen(world, command, world.maya)
    assert {each.entity for each in foreseen.changes} == {"item"}
    carry_out_as_foreseen(world, Undo(project_id=world.project.id), world.maya)
    carry_out_as_foreseen(world, Redo(project_id=world.project.id), world.maya)


def test_a_removal_in_parts_is_foreseen_as_a_whole(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "AT_ONCE", 3)
    monkeypatch.setattr(engine, "PAUSE_SECONDS", 0.0)
    for number in range(10):
        world.task(str(number), assignee_id=world.bob.user_id)
    foreseen = carry_out_as_foreseen(
        world, RemoveMember(project_id=world.project.id, user_id=world.bob.user_id), world.maya
    )
    assert [each.entity for each in foreseen.changes] == [*["item"] * 10, "member"]


def an_import(world: World) -> ImportProject:
    for number in range(5):
        world.task(str(number), assignee_id=world.bob.user_id)
    document = world.ask(ExportProject(project_id=world.project.id))
    return ImportProject(document=replace(document, key=""), name="Again")  # a key that is not free is counted


@pytest.mark.usefixtures("small_slices")
def test_a_large_import_is_foreseen_without_writing_its_records(world: World) -> None:
    foreseen = carry_out_as_foreseen(world, an_import(world), world.maya)
    assert {"project", "member", "phase", "item"} <= {each.entity for each in foreseen.changes}


@about_the_file
@pytest.mark.usefixtures("small_slices")
def test_a_large_import_without_room_is_refused_its_dry_run(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    command = an_import(world)
    monkeypatch.setattr(world.database, "room", lambda: DiskSpace(free=1_000, taken=1_000))
    with pytest.raises(DatabaseFull):
        carry_out_as_foreseen(world, command, world.maya)


@pytest.mark.usefixtures("small_slices")
def test_the_deletion_of_a_large_project_is_foreseen_as_a_whole(world: World) -> None:
    task = world.task()
    world.do(AddComment(item_id=task.id, text="Looks good."))
    world.do(ArchiveProject(project_id=world.project.id))
    foreseen = world.engine.dry_run(DeleteProject(project_id=world.project.id), world.maya)
    assert {"project", "member", "phase", "item", "comment"} <= {each.entity for each in foreseen.changes}
    assert all(each.after is None for each in foreseen.changes)


def deleting(world: World) -> DeleteProject:
    world.do(AddComment(item_id=world.task().id, text="Looks good."))
    world.do(ArchiveProject(project_id=world.project.id))
    return DeleteProject(project_id=world.project.id)


@pytest.mark.usefixtures("small_slices")
@pytest.mark.parametrize("command", [an_import, deleting])
def test_the_dry_run_of_a_deletion_or_a_large_import_needs_no_writer(
    world: World, monkeypatch: pytest.MonkeyPatch, command: Callable[[World], Command[Any]]
) -> None:
    sent = command(world)
    world.engine.quotas = Quotas()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("others wait for this")

    with monkeypatch.context() as patch:
        patch.setattr(world.database, "write", refuse)
        foreseen = world.engine.dry_run(sent, world.maya)
    assert {"project", "member", "phase", "item"} <= {each.entity for each in foreseen.changes}


def removing_bob(world: World) -> RemoveMember:
    for number in range(5):
        world.task(str(number), assignee_id=world.bob.user_id)
    return RemoveMember(project_id=world.project.id, user_id=world.bob.user_id)


@pytest.mark.usefixtures("small_slices")
@pytest.mark.parametrize("command", [an_import, deleting, removing_bob])
def test_a_dry_run_lists_the_first_changes_and_counts_the_others(
    world: World, monkeypatch: pytest.MonkeyPatch, command: Callable[[World], Command[Any]]
) -> None:
    sent = command(world)
    every = world.engine.dry_run(sent, world.maya)
    assert (len(every.changes) > 3, every.more_changes) == (True, 0)
    monkeypatch.setattr(dry_run, "MAX_CHANGES", 3)
    first = world.engine.dry_run(sent, world.maya)
    assert [each.entity for each in first.changes] == [each.entity for each in every.changes[:3]]
    assert first.more_changes == len(every.changes) - 3
    assert (first.summary, len(first.values) > 0) == (every.summary, True)


def test_the_dry_run_of_a_large_import_beyond_a_quota_is_refused_as_the_import(
    world: World, small_slices: None
) -> None:
    command = an_import(world)
    world.engine.quotas = replace(Quotas(), imports_a_day=1)
    world.do(command)
    with pytest.raises(QuotaReached, match="import 1 project"):
        world.engine.dry_run(command, world.maya)


def test_quotas_refuse_a_dry_run_and_are_not_used_up_by_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotas, "MEGABYTE", 20_000)
    monkeypatch.setattr(quotas, "SMALL", 0)
    world.engine.quotas = replace(Quotas(), megabytes_a_day=1)
    command = CreateTask(phase_id=world.discover.id, title="Brief", description="x" * 9_000)
    for _ in range(5):
        world.engine.dry_run(command, world.maya)
    carry_out_as_foreseen(world, command, world.maya)
    carry_out_as_foreseen(world, command, world.maya)
    with pytest.raises(QuotaReached):
        carry_out_as_foreseen(world, command, world.maya)


def test_a_dry_run_has_the_time_of_a_transaction_and_can_be_stopped(world: World) -> None:
    task = world.task()
    command = MoveCard(card_id=task.id, status=Status.IN_PROGRESS)
    progress = Progress()
    progress.cancel()
    rows = every_row(world.database.path)
    with pytest.raises(Cancelled):
        world.engine.dry_run(command, world.maya, progress)
    world.database.write_seconds = 0.0
    with pytest.raises(TookTooLong):
        carry_out_as_foreseen(world, command, world.maya)
    assert every_row(world.database.path) == rows


def test_a_dry_run_leaves_no_grant_and_no_answer_of_a_query_behind(world: World) -> None:
    asked = world.ask(ExportProject(project_id=world.project.id))
    version = world.database.data_version()
    world.engine.dry_run(
        SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.VIEWER), world.maya
    )
    assert world.database.data_version() == version
    assert world.ask(ExportProject(project_id=world.project.id)) == asked
    world.do(CreateTask(phase_id=world.discover.id, title="Bob may still"), as_=world.bob)
