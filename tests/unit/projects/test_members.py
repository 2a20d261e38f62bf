"""Members of a project: invited, given a role, removed; the last active owner stays one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from core.actions.cards.activities import AssignActivity
from core.actions.projects.lists import GetProject
from core.actions.projects.members import (
    InviteGuest,
    InviteMember,
    ListCandidates,
    ListMembers,
    RemoveMember,
    SetProjectRole,
)
from core.actions.workspace.users import DeactivateUser
from core.domain.model import ProjectRole
from core.engine.messages import Command
from core.errors import InvalidInput, NotFound, RuleViolation
from tests.support.workspace import World


def roles(world: World) -> dict[str, str]:
    return {line.user.first_name: line.role.value for line in world.ask(ListMembers(project_id=world.project.id))}


def test_members_are_listed_owners_first_with_what_they_have_to_do(world: World) -> None:
    world.task(assignee_id=world.bob.user_id)
    activity = world.activity()
    world.do(AssignActivity(activity_id=activity.id, member_ids=(world.bob.user_id, world.vera.user_id)))
    lines = world.ask(ListMembers(project_id=world.project.id))
    assert [(line.user.first_name, line.role, line.open_items) for line in lines] == [
        ("Maya", "OWNER", 0),
        ("Bob", "CONTRIBUTOR", 2),
        ("Vera", "VIEWER", 1),
    ]
    assert {line.invited_by for line in lines} == {"Maya Okafor"}


def test_an_invited_person_sees_the_project(world: World) -> None:
    world.refuses(GetProject(project_id=world.project.id), NotFound, as_=world.gus)
    assert [user.first_name for user in world.ask(ListCandidates(project_id=world.project.id))] == ["Gus"]
    world.do(InviteMember(project_id=world.project.id, user_id=world.gus.user_id, role=ProjectRole.VIEWER))
    assert world.ask(GetProject(project_id=world.project.id), as_=world.gus).role is ProjectRole.VIEWER
    row = world.row("member", user_id=world.gus.user_id)
    assert (row["role"], row["invited_by"]) == ("VIEWER", world.maya.user_id)
    assert world.ask(ListCandidates(project_id=world.project.id)) == ()


def test_no_user_is_invited_twice_or_after_they_left(world: World) -> None:
    with pytest.raises(RuleViolation, match="a member already"):
        world.do(InviteMember(project_id=world.project.id, user_id=world.bob.user_id))
    world.do(DeactivateUser(user_id=world.gus.user_id))
    with pytest.raises(RuleViolation, match="no longer active"):
        world.do(InviteMember(project_id=world.project.id, user_id=world.gus.user_id))
    world.refuses(InviteMember(project_id=world.project.id, user_id="nobody"), NotFound)


def test_a_guest_joins_workspace_and_project_in_one_step(world: World) -> None:
    member = world.do(
        InviteGuest(project_id=world.project.id, first_name="Ida", last_name="Ruiz", email="Ida.R@Example.com")
    )
    row = world.row("app_user", id=member.user_id)
    assert (row["login"], row["email"], row["platform_roles"]) == ("ida.r", "Ida.R@example.com", "[]")
    assert roles(world)["Ida"] == "CONTRIBUTOR"
    world.refuses(
        InviteGuest(project_id=world.project.id, first_name="I", last_name="R", email="Ida.R@example.com", login="x"),
        InvalidInput,
        "belongs to Ida Ruiz",
    )


def test_a_role_is_changed(world: World) -> None:
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    assert roles(world)["Bob"] == "OWNER"


def test_the_last_active_owner_is_neither_demoted_nor_removed(world: World) -> None:
    demote = SetProjectRole(project_id=world.project.id, user_id=world.maya.user_id, role=ProjectRole.VIEWER)
    remove = RemoveMember(project_id=world.project.id, user_id=world.maya.user_id)
    refused: tuple[Command[Any], ...] = (demote, remove)
    for message in refused:
        world.refuses(message, RuleViolation, "at least one active owner")
    owner = SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER)
    world.do(owner)
    world.do(DeactivateUser(user_id=world.bob.user_id))
    world.refuses(remove, RuleViolation, "at least one active owner")
    assert roles(world)["Maya"] == "OWNER"


def test_work_of_a_removed_member_is_unassigned(world: World) -> None:
    task, activity = world.task(assignee_id=world.bob.user_id), world.activity()
    world.do(AssignActivity(activity_id=activity.id, member_ids=(world.bob.user_id,)))
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    assert world.row("item", id=task.id)["assignee_id"] is None
    assert world.rows("SELECT 1 FROM assignment") == []
    assert "Bob" not in roles(world)
    world.refuses(ListMembers(project_id=world.project.id), NotFound, "you cannot see it", as_=world.bob)


@pytest.mark.parametrize("message", [RemoveMember, partial(SetProjectRole, role=ProjectRole.VIEWER)])
def test_who_was_removed_meanwhile_is_named_in_the_refusal(world: World, message: Callable[..., Any]) -> None:
    gone = message(project_id=world.project.id, user_id=world.bob.user_id, seen_version=1)
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    world.refuses(gone, NotFound, r"^Bob Lind is not a member of this project\.$")
    assert not world.rows("SELECT * FROM member WHERE user_id = :bob", bob=world.bob.user_id)


def test_a_guest_who_owns_a_project_learns_the_name_of_no_stranger(world: World) -> None:
    bob, project = world.bob.user_id, world.new_project("Of guests")
    world.do(InviteMember(project_id=project.id, user_id=world.gus.user_id, role=ProjectRole.OWNER))
    with pytest.raises(NotFound, match=r"^This person is not a member of this project\.$"):
        world.do(RemoveMember(project_id=project.id, user_id=bob), as_=world.gus)
    assert len(world.rows("SELECT * FROM member WHERE user_id = :bob", bob=bob)) == 1
