"""The local and the remote source decide alike: every message, sent by everybody, ends the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from core.actions.cards.applications import RemoveApplication
from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.cards import MoveCard
from core.actions.history.history import Undo
from core.actions.permissions.permissions import QueryPermissions
from core.actions.projects.find import FindProjects
from core.actions.projects.lists import GetProject, ListProjects
from core.actions.projects.members import ListMembers, RemoveMember
from core.actions.projects.projects import EditProject
from core.actions.workflow.canvas import GetCanvas
from core.domain.grants import CacheControl, PermissionQuery
from core.domain.model import Status
from core.domain.permissions import Permission
from core.engine.messages import Command, Message
from core.engine.unit_of_work import Actor
from core.errors import AuthorizationUnavailable, PodiumError
from core.record import fields, replace
from tests.support import prepared
from tests.support.authorization_service.server import Service
from tests.support.message_examples import messages
from tests.support.sweeps import every_message
from tests.support.workspace import World, content
from tests.unit.engine.test_messages import MESSAGES_OF

EVERYBODY = ("gus", "vera", "bob", "maya")


def outcome(world: World, message: Message[Any], actor: Actor) -> str:
    """The result of a message: "done", or the code of the error."""
    try:
        world.send(message, actor)
    except PodiumError as error:
        return error.code
    return "done"


def message_of(kind: type[Message[Any]], world: World) -> Message[Any]:
    """The sample; a permission query names an account, since the service is asked about one at a time."""
    message = messages.ALL[kind](world)
    if isinstance(message, QueryPermissions):
        return replace(message, account_id=world.row("project", id=world.project.id)["auth_id"])
    return message


@pytest.fixture
def new_world(tmp_path: Path) -> Iterator[Callable[[str], World]]:
    made: list[World] = []

    def make(name: str) -> World:
        made.append(prepared.new_world(tmp_path / name))
        return made[-1]

    yield make
    for world in made:
        world.engine.close()


@every_message(messages.ALL)
def test_a_message_ends_as_with_the_local_source(
    kind: type[Message[Any]], new_world: Callable[[str], World], service: Service
) -> None:
    local, remote = new_world("local"), new_world("remote")
    sent = {world: message_of(kind, world) for world in (local, remote)}
    remote.engine.permissions = service.source(max_age=0)
    for name in EVERYBODY:
        service.copy(remote.database)
        ended = [outcome(world, message, getattr(world, name)) for world, message in sent.items()]
        assert ended[0] == ended[1], f"{kind.__name__} by {name}: local {ended[0]}, remote {ended[1]}"
    assert service.requests, "the service decided"


def test_both_sources_answer_the_same_question_alike(world: World, service: Service) -> None:
    service.copy(world.database)
    source = service.source()
    accounts = [row["auth_id"] for row in world.rows("SELECT auth_id FROM workspace UNION SELECT auth_id FROM project")]
    codes = frozenset[str](Permission)
    for actor in (world.maya, world.bob, world.vera, world.gus, Actor("nobody")):
        for account in (*accounts, "3e1d0f0c-6b56-4a8f-8f0e-3b1de1a3b5f1"):
            for asked in (codes, frozenset[str]({Permission.PROJECT_VIEW}), frozenset({"REPORT_VIEW"})):
                question = PermissionQuery(actor.user_id, account, asked)
                local = world.engine.permissions.grant(question, CacheControl.NO_CACHE)
                assert source.grant(question, CacheControl.NO_CACHE).held == local.held
    source.close()


def test_the_service_decides_and_not_the_roles_in_the_database(world: World, service: Service) -> None:
    service.copy(world.database)
    source = service.source(max_age=0)
    world.engine.permissions = source
    task = world.task()
    account = world.row("project", id=world.project.id)["auth_id"]
    move = MoveCard(card_id=task.id, status=Status.IN_PROGRESS)
    service.revoke(world.bob.user_id, account, Permission.TASK_MOVE)
    assert outcome(world, move, world.bob) == "FORBIDDEN"
    assert world.status(task) == "TO_DO"
    service.grant(world.vera.user_id, account, Permission.TASK_MOVE)
    assert outcome(world, move, world.vera) == "done"
    assert world.status(task) == "IN_PROGRESS"


def test_a_user_whom_the_service_lets_look_needs_no_membership(world: World, service: Service) -> None:
    service.copy(world.database)
    world.engine.permissions = service.source(max_age=0)
    project, canvas = GetProject(project_id=world.project.id), GetCanvas(project_id=world.project.id)
    assert [outcome(world, project, world.gus), outcome(world, canvas, world.gus)] == ["NOT_FOUND", "NOT_FOUND"]
    account = world.row("project", id=world.project.id)["auth_id"]
    service.grant(world.gus.user_id, account, Permission.PROJECT_VIEW)
    assert world.ask(project, world.gus).role is None
    head = world.ask(canvas, world.gus).head
    assert (head.my_role, head.held) == (None, frozenset({Permission.PROJECT_VIEW, Permission.WORKSPACE_VIEW}))
    assert outcome(world, EditProject(project_id=world.project.id, name="Mine now"), world.gus) == "FORBIDDEN"
    assert world.row("project", id=world.project.id)["name"] == "Spring launch"


def test_of_a_project_that_the_service_refuses_the_list_tells_the_name_and_why_and_no_more(
    world: World, service: Service
) -> None:
    world.do(EditProject(project_id=world.project.id, description="A secret"))
    world.task("Call the lawyer", due=date(2026, 3, 9), assignee_id=world.bob.user_id)
    world.new_project("Nobody else's")
    service.copy(world.database)
    service.revoke(world.bob.user_id, world.project.auth_id)
    world.engine.permissions = service.source(max_age=0)
    widget = world.ask(ListProjects(), as_=world.bob)
    (line,) = widget.lines
    assert (line.project.name, line.role) == ("Spring launch", "CONTRIBUTOR")
    assert line.withheld == "The permission service does not let you see this project (PROJECT_VIEW)."
    assert (line.project.description, line.phase_now, line.members, line.tally.total) == ("", "", (), 0)
    assert widget.next_items == ()
    (found,) = world.ask(FindProjects(name="spring"), as_=world.bob)
    assert (found.id, found.name) == (world.project.id, "Spring launch")
    assert (fields(found), found.keys) == (("id", "name", "keys"), ("SPR",)), "its key is a name too"
    service.copy(world.database)
    widget = world.ask(ListProjects(), as_=world.bob)
    assert (widget.lines[0].withheld, widget.lines[0].project.description) == ("", "A secret")
    assert [each.title for each in widget.next_items] == ["Call the lawyer"]


def test_a_long_list_of_projects_is_asked_about_at_one_time(world: World, service: Service) -> None:
    for number in range(15):
        world.new_project(f"Project {number}")
    service.copy(world.database)
    world.engine.permissions = service.source(max_age=60)
    service.delay = 0.1
    assert {line.withheld for line in world.ask(ListProjects()).lines} == {""}
    assert service.together > 4, "one after the other they would take long"
    asked = len(service.requests)
    assert asked == 17, "once about the workspace, once about each project"
    world.ask(ListProjects())
    assert len(service.requests) == asked
    world.engine.permissions = service.source(deadline=0.5)
    service.misbehave("hang")
    world.refuses(ListProjects(), AuthorizationUnavailable)
    assert len(service.requests) - asked <= 17, "nobody is asked a second time within one answer"


def decided_exactly() -> set[str]:
    """Spec, section 7: deleting, sharing, changing members; and what members hold. To take back may be any of these."""
    codes = (
        "PROJECT_DELETE PRESET_SHARE MEMBER_MANAGE META_ROLE_ASSIGN META_ROLE_MANAGE PRODUCT_MANAGE USER_MANAGE"
        " PROJECT_CLAIM"
    )
    deleting = (
        "RemoveNode RemovePhase RemoveDeliverable RemoveApplication RemoveTemplate RemovePreset DeleteSavedFilter"
        " RemoveLabel RemoveField RemoveCriterion RemoveGatePolicy DeleteComment"
    )
    return {"Undo", "Redo", *deleting.split(), *(name for code in codes.split() for name in MESSAGES_OF[code].split())}


@every_message(messages.COMMANDS)
def test_a_kept_grant_never_decides_who_deletes_shares_or_changes_members(
    kind: type[Command[Any]], world: World, service: Service
) -> None:
    message = messages.COMMANDS[kind](world)
    service.copy(world.database)
    world.engine.permissions = service.source(max_age=60)
    for account in (world.project.auth_id, world.row("workspace")["auth_id"]):
        world.engine.permissions.grant(
            PermissionQuery(world.maya.user_id, account, frozenset[str](Permission)), CacheControl.MAX_AGE
        )
        service.revoke(world.maya.user_id, account)
    expected = "FORBIDDEN" if kind.__name__ in decided_exactly() else "done"
    assert outcome(world, message, world.maya) == expected


def test_such_a_change_is_decided_again_when_it_is_undone_or_done_in_bulk(world: World, service: Service) -> None:
    application = world.add_application()
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    bulk = BulkUpdate(project_id=world.project.id, commands=(RemoveApplication(application_id=application.id),))
    service.copy(world.database)
    for message in (bulk, Undo(project_id=world.project.id)):
        world.engine.permissions = service.source(max_age=60)
        service.copy(world.database)
        world.ask(ListMembers(project_id=world.project.id))
        service.revoke(world.maya.user_id, world.project.auth_id)
        before = content(world.database)
        assert outcome(world, message, world.maya) == "FORBIDDEN"
        assert content(world.database) == before
