"""Meta roles: the workspace's list, what brings them, and giving them to members."""

from __future__ import annotations

import pytest

from core.actions.history.history import Undo
from core.actions.products.products import AddApplicationRole
from core.actions.projects.members import ListMembers, MemberSummary, RemoveMember, SetProjectRole
from core.actions.workspace.meta_roles import (
    SEEDED,
    AddMetaRole,
    ListMetaRoles,
    MapProjectRole,
    MetaRoleSummary,
    RemoveMetaRole,
    RenameMetaRole,
    SetMetaRoles,
)
from core.actions.workspace.users import DeactivateUser, SetPlatformRoles
from core.domain.gate_policy import GatePolicy
from core.domain.model import Id, PlatformRole, ProjectRole
from core.engine.unit_of_work import Actor
from core.errors import CannotUndo, InvalidInput, NotFound, RuleViolation
from tests.support.workspace import World


def line(world: World, name: str) -> MetaRoleSummary:
    return next(each for each in world.ask(ListMetaRoles()) if each.meta_role.name == name)


def ids(world: World, *names: str) -> tuple[Id, ...]:
    return tuple(line(world, name).meta_role.id for name in names)


def member(world: World, actor: Actor) -> MemberSummary:
    return next(each for each in world.ask(ListMembers(project_id=world.project.id)) if each.user.id == actor.user_id)


def give(world: World, actor: Actor, *names: str, seen_version: int | None = None) -> None:
    world.do(
        SetMetaRoles(
            project_id=world.project.id,
            user_id=actor.user_id,
            meta_role_ids=ids(world, *names),
            seen_version=seen_version,
        )
    )


def given(world: World, actor: Actor) -> list[str]:
    rows = world.rows(
        "SELECT name FROM member_meta_role JOIN meta_role ON meta_role.id = meta_role_id"
        " WHERE user_id = :user AND project_id = :project ORDER BY name",
        user=actor.user_id,
        project=world.project.id,
    )
    return [row["name"] for row in rows]


def map_role(world: World, role: ProjectRole, *names: str) -> None:
    world.do(MapProjectRole(project_role=role, meta_role_ids=ids(world, *names)))


def product_role(world: World, *names: str) -> None:
    product = world.product(permission_codes=("ASSET_VIEW",), uses_external_authorization=True)
    world.do(AddApplicationRole(product_id=product.id, name="Editor", meta_role_ids=ids(world, *names)))


# -- the list of the workspace -------------------------------------------------------------------------------------


def test_a_new_workspace_has_the_seeded_meta_roles_and_owners_bring_lead(world: World) -> None:
    lines = world.ask(ListMetaRoles())
    assert [each.meta_role.name for each in lines] == sorted(SEEDED)
    assert {each.meta_role.name: each.project_roles for each in lines if each.project_roles} == {
        "Lead": (ProjectRole.OWNER,)
    }


def test_the_list_says_what_brings_a_meta_role_how_often_it_was_given_and_what_it_brings(world: World) -> None:
    map_role(world, ProjectRole.VIEWER, "Analyst")
    map_role(world, ProjectRole.OWNER, "Analyst", "Lead")
    give(world, world.bob, "Analyst")
    give(world, world.vera, "Analyst")
    product_role(world, "Analyst")
    analyst = line(world, "Analyst")
    assert analyst.project_roles == (ProjectRole.OWNER, ProjectRole.VIEWER)
    assert (analyst.given, analyst.product_roles) == (2, ("Asset library: Editor",))


def test_a_name_is_unique_whatever_its_case(world: World) -> None:
    made = world.do(AddMetaRole(name="  Planner "))
    assert world.row("meta_role", id=made.id)["name"] == "Planner"
    for name in ("planner", "LEAD"):
        world.refuses(AddMetaRole(name=name), InvalidInput, "already")
    world.refuses(RenameMetaRole(meta_role_id=made.id, name="lead"), InvalidInput, "“Lead” already")
    world.do(RenameMetaRole(meta_role_id=made.id, name="PLANNER"))
    assert world.row("meta_role", id=made.id)["name"] == "PLANNER"
    for name in ("", " ", "a\x1b[0m", "x" * 61):
        world.refuses(AddMetaRole(name=name), InvalidInput)
    assert len(world.ask(ListMetaRoles())) == len(SEEDED) + 1


def test_one_in_use_is_not_removed_and_the_refusal_says_by_what(world: World) -> None:
    map_role(world, ProjectRole.VIEWER, "Analyst")
    give(world, world.bob, "Analyst")
    product_role(world, "Analyst")
    policy = GatePolicy(project_id=world.project.id, phase_id=world.build.id, meta_role_id=ids(world, "Analyst")[0])
    world.insert(policy)
    refused = world.refuses(RemoveMetaRole(meta_role_id=ids(world, "Analyst")[0]), RuleViolation)
    for use in (
        "project role viewer",
        "1 member on 1 project",
        "1 gate on 1 project",
        "Asset library: Editor",
        "Take it away",
    ):
        assert use in str(refused)
    assert world.row("meta_role", name="Analyst")
    world.do(RemoveMetaRole(meta_role_id=ids(world, "Approver")[0]))
    assert world.rows("SELECT 1 FROM meta_role WHERE name = 'Approver'") == []


def test_adding_one_is_not_taken_back_once_it_is_used(world: World) -> None:
    world.do(AddMetaRole(name="Planner"))
    give(world, world.bob, "Planner")
    world.refuses(Undo(), CannotUndo)
    assert world.row("meta_role", name="Planner")


def test_a_new_name_is_not_taken_back_to_one_that_another_has_by_now(world: World) -> None:
    world.do(SetPlatformRoles(user_id=world.gus.user_id, platform_roles=(PlatformRole.WORKSPACE_ADMIN,)))
    world.do(RenameMetaRole(meta_role_id=ids(world, "Analyst")[0], name="Counter"))
    world.do(AddMetaRole(name="analyst"), as_=world.gus)
    world.refuses(Undo(), CannotUndo, "“analyst” already")
    assert {each["name"] for each in world.rows("SELECT name FROM meta_role")} >= {"Counter", "analyst"}


# -- what a project role brings ------------------------------------------------------------------------------------


def test_a_project_role_brings_exactly_the_meta_roles_named(world: World) -> None:
    map_role(world, ProjectRole.OWNER, "Producer", "Analyst")
    rows = world.rows("SELECT name FROM role_mapping JOIN meta_role ON id = meta_role_id WHERE project_role = 'OWNER'")
    assert {row["name"] for row in rows} == {"Producer", "Analyst"}
    assert world.last_change("workspace")["summary"] == "let the project role owner give “Analyst” and “Producer”"
    assert [each.meta_role.name for each in member(world, world.maya).meta_roles] == ["Analyst", "Producer"]
    map_role(world, ProjectRole.OWNER)
    assert world.rows("SELECT 1 FROM role_mapping") == []
    assert world.last_change("workspace")["summary"] == "let the project role owner give no meta role"
    world.refuses(MapProjectRole(project_role=ProjectRole.OWNER, meta_role_ids=("nothing",)), NotFound)
    world.do(Undo())
    assert [each.meta_role.name for each in member(world, world.maya).meta_roles] == ["Analyst", "Producer"]


# -- giving them to members ----------------------------------------------------------------------------------------


def test_a_member_has_exactly_the_meta_roles_given_beside_those_of_the_project_role(world: World) -> None:
    give(world, world.maya, "Approver", "Lead")
    held = [(each.meta_role.name, each.by_role, each.given) for each in member(world, world.maya).meta_roles]
    assert held == [("Approver", False, True), ("Lead", True, True)]
    assert world.last_change()["summary"] == "gave Maya Okafor the meta roles “Approver” and “Lead”"
    give(world, world.maya, "Approver")
    assert given(world, world.maya) == ["Approver"]
    assert [each.meta_role.name for each in member(world, world.maya).meta_roles] == ["Approver", "Lead"]
    world.do(Undo(project_id=world.project.id))
    assert given(world, world.maya) == ["Approver", "Lead"]


def test_what_was_given_stays_when_the_project_role_changes(world: World) -> None:
    map_role(world, ProjectRole.CONTRIBUTOR, "Creative", "Producer")
    give(world, world.bob, "Creative")
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.VIEWER))
    held = [(each.meta_role.name, each.by_role) for each in member(world, world.bob).meta_roles]
    assert held == [("Creative", False)]


def test_giving_a_role_that_the_member_has_changes_nothing(world: World) -> None:
    give(world, world.bob, "Analyst")
    before = (member(world, world.bob).version, world.last_change()["seq"])
    give(world, world.bob, "Analyst", "Analyst")
    assert (member(world, world.bob).version, world.last_change()["seq"]) == before


def test_a_stranger_and_an_unknown_meta_role_are_refused(world: World) -> None:
    with pytest.raises(RuleViolation, match="Only members of this project"):
        give(world, world.gus, "Analyst")
    for user, meta_role in ((world.bob.user_id, "nothing"), ("nobody", ids(world, "Analyst")[0])):
        world.refuses(SetMetaRoles(project_id=world.project.id, user_id=user, meta_role_ids=(meta_role,)), NotFound)
    assert world.rows("SELECT 1 FROM member_meta_role") == []


def test_a_deactivated_member_keeps_them_and_can_be_given_some(world: World) -> None:
    give(world, world.bob, "Analyst")
    world.do(DeactivateUser(user_id=world.bob.user_id))
    give(world, world.bob, "Analyst", "Lead")
    assert given(world, world.bob) == ["Analyst", "Lead"]


def test_a_removed_member_loses_them_and_undo_brings_them_back(world: World) -> None:
    give(world, world.bob, "Analyst", "Lead")
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    assert given(world, world.bob) == []
    world.do(Undo(project_id=world.project.id))
    assert given(world, world.bob) == ["Analyst", "Lead"]
