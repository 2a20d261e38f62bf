"""People, the workspace itself, its hierarchy, and each person's own settings."""

from __future__ import annotations

import pytest

from core.actions.projects.members import InviteMember, SetProjectRole
from core.actions.projects.projects import CreateProject
from core.actions.workspace.create import FirstUser, found_workspace
from core.actions.workspace.hierarchy import AddNode, ListNodes
from core.actions.workspace.profile import GetCurrentUser, SetPreference
from core.actions.workspace.users import (
    AddUser,
    DeactivateUser,
    EditUser,
    ListInviters,
    ListUsers,
    ReactivateUser,
    Sender,
    SetPlatformRoles,
)
from core.actions.workspace.workspace import RenameWorkspace
from core.domain.model import NodeKind, PlatformRole, ProjectRole
from core.engine.engine import Engine
from core.engine.unit_of_work import Actor
from core.errors import Forbidden, InvalidInput, NotFound, RuleViolation
from core.sign_in.local import has_workspace, sign_on
from tests.support.workspace import World


def test_the_founder_of_the_workspace_is_its_admin_and_there_is_only_one(engine: Engine) -> None:
    founder = FirstUser(login="Ann", first_name="Ann", last_name="Lee", email="ann@example.com")
    assert not has_workspace(engine.database)
    actor = found_workspace(engine, "Studio", founder)
    assert has_workspace(engine.database)
    me = engine.query(GetCurrentUser(), actor)
    assert (me.workspace.name, me.user.login) == ("Studio", "ann")
    assert me.user.platform_roles == (PlatformRole.WORKSPACE_ADMIN,)
    with pytest.raises(RuleViolation, match="already"):
        found_workspace(engine, "Second", founder)


def test_people_sign_on_by_login(world: World) -> None:
    assert sign_on(world.engine, "BOB").user_id == world.bob.user_id
    with pytest.raises(NotFound, match="no person with the login “zoe”"):
        sign_on(world.engine, "zoe")
    world.do(DeactivateUser(user_id=world.bob.user_id))
    with pytest.raises(Forbidden, match="no longer active"):
        sign_on(world.engine, "bob")


def test_a_person_is_added_with_roles_and_listed_with_projects(world: World) -> None:
    roles = (PlatformRole.INTERNAL, PlatformRole.WORKSPACE_ADMIN)
    user = world.do(
        AddUser(first_name="Ada", last_name="Moe", email="ada@example.com", city="Bergen", platform_roles=roles)
    )
    row = world.row("app_user", id=user.id)
    assert (row["login"], row["city"], row["active"]) == ("ada", "Bergen", 1)
    assert row["platform_roles"] == '["WORKSPACE_ADMIN", "INTERNAL"]'
    projects = {line.user.first_name: line.projects for line in world.ask(ListUsers())}
    assert projects == {"Ada": 0, "Bob": 1, "Gus": 0, "Maya": 1, "Vera": 1}


def test_logins_and_addresses_are_unique(world: World) -> None:
    with pytest.raises(InvalidInput, match="login “bob” belongs to Bob Lind"):
        world.do(AddUser(first_name="B", last_name="B", email="new@example.com", login="BOB"))
    world.refuses(EditUser(user_id=world.gus.user_id, email="bob@example.com"), InvalidInput, "belongs to Bob Lind")
    world.refuses(AddUser(first_name="B", last_name="B", email="no address"), InvalidInput)
    world.refuses(EditUser(user_id=world.gus.user_id, login="Ünicode"), InvalidInput)
    assert len(world.rows("SELECT 1 FROM app_user")) == 4


def test_editing_a_person_changes_only_what_is_given(world: World) -> None:
    world.do(EditUser(user_id=world.gus.user_id, first_name="Augustus", seen_version=1))
    row = world.row("app_user", id=world.gus.user_id)
    assert (row["first_name"], row["last_name"], row["login"]) == ("Augustus", "Roy", "gus")


def test_who_may_create_projects_follows_the_platform_role(world: World) -> None:
    world.refuses(CreateProject(name="Mine"), Forbidden, "can create projects", as_=world.gus)
    world.do(SetPlatformRoles(user_id=world.gus.user_id, platform_roles=(PlatformRole.INTERNAL,)))
    assert world.do(CreateProject(name="Mine"), as_=world.gus).name == "Mine"
    with pytest.raises(Forbidden):
        world.do(
            SetPlatformRoles(user_id=world.gus.user_id, platform_roles=(PlatformRole.WORKSPACE_ADMIN,)), as_=world.gus
        )


def test_the_last_active_admin_stays(world: World) -> None:
    for message in (
        SetPlatformRoles(user_id=world.maya.user_id, platform_roles=()),
        DeactivateUser(user_id=world.maya.user_id),
    ):
        world.refuses(message, RuleViolation, "at least one active admin")
    world.do(SetPlatformRoles(user_id=world.bob.user_id, platform_roles=(PlatformRole.PLATFORM_ADMIN,)))
    world.do(DeactivateUser(user_id=world.maya.user_id), as_=world.bob)
    assert world.row("app_user", id=world.maya.user_id)["active"] == 0
    world.do(ReactivateUser(user_id=world.maya.user_id), as_=world.bob)
    assert world.ask(GetCurrentUser()).user.active


def test_a_person_without_a_row_holds_nothing(world: World) -> None:
    world.refuses(GetCurrentUser(), Forbidden, "not active", as_=Actor("nobody"))


def test_the_workspace_is_renamed(world: World) -> None:
    world.do(RenameWorkspace(name="Studio South"))
    assert world.row("workspace")["name"] == "Studio South"
    assert world.last_change("workspace")["summary"] == "renamed the workspace to “Studio South”"


def test_settings_are_each_persons_own_and_empty_forgets(world: World) -> None:
    world.do(SetPreference(name="theme", value="paper"))
    world.do(SetPreference(name="theme", value="night"), as_=world.vera)
    assert world.ask(GetCurrentUser()).preferences == {"theme": "paper"}
    world.do(SetPreference(name="theme", value="ink"))
    world.do(SetPreference(name="theme", value=""), as_=world.vera)
    assert [(row["user_id"], row["value"]) for row in world.rows("SELECT * FROM preference")] == [
        (world.maya.user_id, "ink")
    ]
    world.refuses(SetPreference(name="colour", value="red"), InvalidInput, "no setting “colour”")


def test_the_tree_of_clients_markets_and_brands_is_kept(world: World) -> None:
    client = world.do(AddNode(kind=NodeKind.CLIENT, name="Halden"))
    market = world.do(AddNode(kind=NodeKind.MARKET, name="Nordics", parent_id=client.id))
    brand = world.do(AddNode(kind=NodeKind.BRAND, name="Fjell", parent_id=market.id))
    for kind, parent in ((NodeKind.CLIENT, client), (NodeKind.MARKET, brand), (NodeKind.BRAND, brand)):
        world.refuses(AddNode(kind=kind, name="Wrong", parent_id=parent.id), RuleViolation, "cannot be under")
    world.refuses(AddNode(kind=NodeKind.BRAND, name="Lost", parent_id="nowhere"), NotFound)
    assert [node.name for node in world.ask(ListNodes())] == ["Fjell", "Halden", "Nordics"]


def test_inviters_are_found_by_the_beginnings_of_their_names(world: World) -> None:
    nina = world.do(AddUser(first_name="Nina", last_name="Berg", email="nina@example.com", city="Oslo"))
    world.do(SetProjectRole(project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER))
    invites = InviteMember(project_id=world.project.id, user_id=nina.id)
    with pytest.raises(NotFound, match="no such user"):
        world.do(invites, world.bob)  # a guest, whom ListCandidates does not give her
    world.do(SetPlatformRoles(user_id=world.bob.user_id, platform_roles=(PlatformRole.INTERNAL,)))
    world.do(invites, world.bob)
    assert [sender.first_name for sender in world.ask(ListInviters())] == ["Bob", "Maya"]
    assert world.ask(ListInviters(), world.gus) == ()
    (maya,) = world.ask(ListInviters(first_name="mA", last_name="oka"))
    assert maya == Sender(id=world.maya.user_id, first_name="Maya", last_name="Okafor", city="Lagos")
    assert world.ask(ListInviters(first_name="Nina")) == ()
    assert world.ask(ListInviters(first_name="Maya", last_name="Lind")) == ()


def test_a_user_who_has_only_made_a_project_is_no_inviter(engine: Engine) -> None:
    founder = FirstUser(login="Ann", first_name="Ann", last_name="Lee", email="ann@example.com")
    ann = found_workspace(engine, "Studio", founder)
    engine.execute(CreateProject(name="Alone"), ann)
    assert engine.query(ListInviters(), ann) == ()


def test_a_person_without_a_last_name_can_be_added_and_edited(world: World) -> None:
    prince = world.do(AddUser(first_name="Prince", last_name=" ", email="prince@example.com"))
    world.do(EditUser(user_id=prince.id, first_name="Princess", last_name="", city="Paisley"))
    row = world.row("app_user", id=prince.id)
    assert (row["first_name"], row["last_name"], row["city"]) == ("Princess", "", "Paisley")
