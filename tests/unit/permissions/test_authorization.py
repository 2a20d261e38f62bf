"""Questions about permissions: one's own, the permission query, and why a user can or cannot do something."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from core.actions import load_catalog
from core.actions.permissions.permissions import (
    ExplainPermission,
    GetMyPermissions,
    PermissionExplanation,
    QueryPermissions,
)
from core.actions.products.products import AddApplicationRole, EditProduct
from core.actions.workspace.hierarchy import AddNode
from core.actions.workspace.meta_roles import AddMetaRole, SetMetaRoles
from core.actions.workspace.users import DeactivateUser
from core.authorization.local_source import LocalPermissions
from core.authorization.query_pages import PermissionEntry, PermissionPage
from core.domain.grants import LOCAL, CacheControl, DecisionSource, FaultKind, Grant, PermissionQuery, ServiceFailure
from core.domain.model import Id, NodeKind, ProjectRole
from core.domain.permissions import ALL_CODES, PROJECT_RIGHTS, Permission
from core.engine.engine import Engine
from core.engine.unit_of_work import Actor
from core.errors import AuthorizationUnavailable, Forbidden, InvalidInput, NotFound, RuleViolation
from core.record import replace
from tests.support.postgres_cluster import about_the_file
from tests.support.workspace import Clock, World

SINCE = datetime(2026, 3, 2, 11, tzinfo=UTC)


class Elsewhere:
    """A source that is not the database: it keeps the answers it got, gives them an age, and can be away."""

    def __init__(self, held: frozenset[str], *, age: float = 0, fault: ServiceFailure | None = None) -> None:
        self.answer = Grant(held, DecisionSource("remote", fault=fault), age)
        self.asked: list[PermissionQuery] = []

    def grant(self, question: PermissionQuery, cache_control: CacheControl) -> Grant:
        self.asked.append(question)
        return replace(self.answer, held=self.answer.held & question.codes)

    def grants(
        self, questions: Collection[PermissionQuery], cache_control: CacheControl
    ) -> dict[PermissionQuery, Grant]:
        return {each: self.grant(each, cache_control) for each in questions}

    def ask_ahead(self, queries: Collection[PermissionQuery]) -> None: ...

    def invalidate(self) -> None:
        """Nothing is kept."""

    def close(self) -> None:
        """Nothing is open."""


def decided_by(world: World, source: Elsewhere) -> World:
    """The same world, decided by another source."""
    world.engine = Engine(world.database, load_catalog, source, Clock())
    return world


def account(world: World, table: str = "project") -> str:
    return str(world.rows(f"SELECT auth_id FROM {table} ORDER BY id")[0]["auth_id"])


def query(world: World, *codes: str, as_: Actor | None = None, **filters: Any) -> PermissionPage:
    return world.ask(QueryPermissions(permission_codes=codes, **filters), as_=as_)


def explain(world: World, who: Actor, action: str, as_: Actor | None = None) -> PermissionExplanation:
    return world.ask(ExplainPermission(project_id=world.project.id, user_id=who.user_id, action=action), as_=as_)


def library(world: World, *, external: bool = True) -> Id:
    """A product in the project whose role Editor follows from Proofreader; the id of that meta role."""
    product = world.product(permission_codes=("ASSET_EDIT", "ASSET_BURN"), uses_external_authorization=external)
    meta_role = world.do(AddMetaRole(name="Proofreader"))
    role = AddApplicationRole(
        product_id=product.id, name="Editor", permission_codes=("ASSET_EDIT",), meta_role_ids=(meta_role.id,)
    )
    world.do(role)
    world.add_application(product)
    return meta_role.id


def give(world: World, who: Actor, *meta_roles: Id) -> None:
    world.do(SetMetaRoles(project_id=world.project.id, user_id=who.user_id, meta_role_ids=meta_roles))


# -- one's own rights ----------------------------------------------------------------------------------------------


def test_rights_on_a_project_are_those_of_the_role_and_say_who_decides(world: World) -> None:
    rights = world.ask(GetMyPermissions(project_id=world.project.id), as_=world.bob)
    assert (rights.role, rights.authority) == (ProjectRole.CONTRIBUTOR, LOCAL)
    assert rights.held == PROJECT_RIGHTS[ProjectRole.CONTRIBUTOR] | {Permission.WORKSPACE_VIEW}
    world.refuses(GetMyPermissions(project_id=world.project.id), NotFound, "you cannot see it", as_=world.gus)


def test_rights_in_the_workspace_are_those_of_the_platform_roles(world: World) -> None:
    rights = world.ask(GetMyPermissions(), as_=world.gus)
    assert rights.role is None
    assert rights.held == {Permission.WORKSPACE_VIEW}
    assert Permission.META_ROLE_MANAGE in world.ask(GetMyPermissions()).held


# -- the embedded source -------------------------------------------------------------------------------------------


def test_a_products_codes_are_held_on_the_projects_account_through_a_meta_role(world: World) -> None:
    meta_role = library(world)
    give(world, world.vera, meta_role)
    asked = frozenset({"ASSET_EDIT", "ASSET_BURN", Permission.TASK_MOVE})
    source = LocalPermissions(world.database)
    held = {
        (who, where): source.grant(PermissionQuery(user.user_id, at, asked), CacheControl.MAX_STALE).held
        for who, user in (("vera", world.vera), ("bob", world.bob))
        for where, at in (("project", account(world)), ("workspace", account(world, "workspace")))
    }
    assert held == {
        ("vera", "project"): {"ASSET_EDIT"},
        ("bob", "project"): {"TASK_MOVE"},
        ("vera", "workspace"): set(),
        ("bob", "workspace"): set(),
    }


def test_nothing_is_held_on_an_account_that_does_not_exist_or_by_an_inactive_or_unknown_user(world: World) -> None:
    source = LocalPermissions(world.database)
    world.do(DeactivateUser(user_id=world.bob.user_id))
    for user, at in (
        (world.maya.user_id, "00000000-0000-4000-8000-000000000000"),
        (world.bob.user_id, account(world)),
        (world.bob.user_id, account(world, "workspace")),
        ("nobody", account(world)),
    ):
        assert source.grant(PermissionQuery(user, at, ALL_CODES), CacheControl.NO_CACHE).held == frozenset()


@about_the_file
def test_podiums_own_codes_take_no_more_than_two_statements(world: World) -> None:
    source = LocalPermissions(world.database)
    for at in (account(world), account(world, "workspace")):
        statements: list[str] = []
        connection = world.database.connection
        connection.set_trace_callback(statements.append)
        source.grant(PermissionQuery(world.bob.user_id, at, ALL_CODES), CacheControl.MAX_STALE)
        connection.set_trace_callback(None)
        assert 1 <= len([sql for sql in statements if sql.startswith("SELECT")]) <= 2


# -- the permission query ------------------------------------------------------------------------------------------


def test_the_answer_has_the_documented_shape_with_sorted_codes(world: World) -> None:
    at = account(world)
    answer = query(world, "TASK_MOVE", "PROJECT_VIEW", "PROJECT_DELETE", account_id=at, user_id=world.bob.user_id)
    entry = PermissionEntry(account_id=at, permissions=("PROJECT_VIEW", "TASK_MOVE"))
    assert answer == PermissionPage(total_count=1, data=(entry,), limit=100, offset=0)
    assert query(world, "TASK_MOVE", "PROJECT_VIEW", account_id=at.upper(), user_id=world.bob.user_id).data == (
        PermissionEntry(account_id=at.upper(), permissions=("PROJECT_VIEW", "TASK_MOVE")),
    )
    behind = query(world, "TASK_MOVE", account_id=at, offset=1, limit=7)
    assert behind == PermissionPage(total_count=1, data=(), limit=7, offset=1)
    none = query(world, "PROJECT_DELETE", "NO_SUCH_CODE", account_id=at, user_id=world.bob.user_id)
    assert none == PermissionPage(total_count=0, data=(), limit=100, offset=0)


def test_what_is_held_on_the_workspace_is_held_on_a_node(world: World) -> None:
    node = world.do(AddNode(kind=NodeKind.CLIENT, name="Halden"))
    answer = query(world, "HIERARCHY_MANAGE", "TASK_MOVE", account_id=node.auth_id)
    assert answer.data == (PermissionEntry(account_id=node.auth_id, permissions=("HIERARCHY_MANAGE",)),)


def test_without_an_account_it_is_about_all_on_which_i_hold_anything(world: World) -> None:
    world.new_project("Autumn")
    codes = ("TASK_MOVE",)
    mine = [entry.account_id for entry in query(world, *codes).data]
    assert mine == sorted(row["auth_id"] for row in world.rows("SELECT auth_id FROM project"))
    assert [entry.account_id for entry in query(world, *codes, as_=world.bob).data] == [account(world)]
    assert query(world, "PROJECT_CREATE").total_count == 3
    with pytest.raises(Forbidden, match="only about yourself"):
        query(world, *codes, user_id=world.bob.user_id)


def test_members_ask_about_anyone_on_their_project_and_others_about_no_one(world: World) -> None:
    at = account(world)
    assert query(world, "TASK_MOVE", account_id=at, user_id=world.maya.user_id, as_=world.vera).total_count == 1
    with pytest.raises(NotFound, match="There is no account"):
        query(world, "TASK_MOVE", account_id=at, as_=world.gus)


def test_on_the_workspace_each_asks_about_themselves_and_admins_about_all(world: World) -> None:
    at = account(world, "workspace")
    assert query(world, "WORKSPACE_VIEW", account_id=at, as_=world.gus).total_count == 1
    with pytest.raises(Forbidden):
        query(world, "WORKSPACE_VIEW", account_id=at, user_id=world.maya.user_id, as_=world.gus)
    assert query(world, "WORKSPACE_VIEW", account_id=at, user_id=world.gus.user_id).total_count == 1


@pytest.mark.parametrize(
    ("filters", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"limit": -1}, "limit"),
        ({"offset": -1}, "offset"),
        ({"offset": 2**63}, "offset"),
        ({"permission_codes": ()}, "permission_codes"),
        ({"permission_codes": ("task_move",)}, "permission_codes"),
        ({"permission_codes": ("",)}, "permission_codes"),
        ({"permission_codes": ("A\x1b[0m",)}, "permission_codes"),
        ({"permission_codes": ("A",) * 1001}, "permission_codes"),
    ],
)
@pytest.mark.parametrize("somewhere", [True, False])
def test_a_page_that_cannot_be_given_is_refused(
    world: World, filters: dict[str, Any], field: str, somewhere: bool
) -> None:
    at = account(world) if somewhere else None
    with pytest.raises(InvalidInput) as refused:
        world.ask(QueryPermissions(**dict[str, Any](permission_codes=("TASK_MOVE",), account_id=at) | filters))
    assert refused.value.field == field


def test_an_unknown_account_or_user_is_not_found(world: World) -> None:
    with pytest.raises(NotFound, match="no account"):
        query(world, "TASK_MOVE", account_id="x\x1b")
    with pytest.raises(NotFound, match="no user"):
        query(world, "TASK_MOVE", account_id=account(world), user_id="nobody")


def test_the_question_is_put_to_the_source_in_use(world: World) -> None:
    at, source = account(world), Elsewhere(frozenset({"PROJECT_VIEW", "ASSET_EDIT"}))
    answer = query(decided_by(world, source), "ASSET_EDIT", "ASSET_BURN", account_id=at, user_id=world.vera.user_id)
    assert [entry.permissions for entry in answer.data] == [("ASSET_EDIT",)]
    assert source.asked[-1] == PermissionQuery(world.vera.user_id, at, frozenset({"ASSET_EDIT", "ASSET_BURN"}))
    source.answer = Grant(frozenset({"WORKSPACE_VIEW"}), DecisionSource("remote"))
    with pytest.raises(RuleViolation, match="one account at a time"):
        query(world, "ASSET_EDIT")


def test_no_answer_is_not_taken_for_one(world: World) -> None:
    fault = ServiceFailure("The permission service does not answer.", "c-1", SINCE, FaultKind.AWAY)
    at = account(world)
    decided_by(world, Elsewhere(frozenset({"PROJECT_VIEW"}), fault=fault))
    with pytest.raises(AuthorizationUnavailable, match="does not answer") as unavailable:
        query(world, "TASK_MOVE", account_id=at)
    assert unavailable.value.correlation_id == "c-1"


# -- why a user can or cannot do something -------------------------------------------------------------------------


def test_a_refusal_is_explained_by_the_role_and_what_it_takes(world: World) -> None:
    answer = explain(world, world.vera, "TASK_MOVE")
    assert answer.reason == (
        "Vera Sato cannot move cards to another status (TASK_MOVE): "
        "only owners and contributors can, and the role is viewer."
    )
    assert (answer.role, answer.held, answer.code, answer.project) == ("viewer", False, "TASK_MOVE", "Spring launch")
    assert (answer.meta_roles, answer.authority, answer.decided_at) == ((), LOCAL, Clock().now)


def test_what_is_held_says_through_which_role(world: World) -> None:
    assert explain(world, world.bob, "task_move").reason.endswith("(TASK_MOVE): as contributor.")
    assert explain(world, world.maya, "TASK_MOVE").meta_roles == ("Lead",)


@pytest.mark.parametrize("action", ["MoveCard", "movecard", " MoveCard "])
def test_an_action_may_be_the_name_of_a_message(world: World, action: str) -> None:
    assert explain(world, world.vera, action).code == "TASK_MOVE"


def test_strangers_and_the_deactivated_are_explained_too(world: World) -> None:
    stranger = explain(world, world.gus, "TASK_MOVE")
    assert (stranger.role, stranger.held) == ("not a member", False)
    assert stranger.reason.endswith("only owners and contributors of this project can.")
    world.do(DeactivateUser(user_id=world.bob.user_id))
    assert explain(world, world.bob, "TASK_MOVE").reason.endswith("the account is not active in this workspace.")


def test_what_a_platform_role_takes_is_decided_on_the_workspace(world: World) -> None:
    answer = explain(world, world.gus, "AddUser")
    assert (answer.project, answer.role, answer.held) == ("Studio North", "external guest", False)
    assert answer.reason.endswith("only platform admins and workspace admins can, and the role is external guest.")
    assert explain(world, world.maya, "AddUser").reason.endswith("as workspace admin.")
    assert explain(world, world.gus, "WORKSPACE_VIEW").reason.endswith("everyone who is active in this workspace can.")


def test_a_products_code_is_explained_by_the_role_that_follows(world: World) -> None:
    meta_role = library(world)
    refused = explain(world, world.vera, "ASSET_EDIT")
    assert refused.reason == (
        "Vera Sato cannot use ASSET_EDIT of “Asset library”: that takes the meta role “Proofreader”."
    )
    give(world, world.vera, meta_role)
    held = explain(world, world.vera, "asset_edit")
    assert (held.held, held.meta_roles) == (True, ("Proofreader",))
    assert held.reason.endswith("the role “Editor” follows from “Proofreader”.")
    assert explain(world, world.vera, "ASSET_BURN").reason.endswith("no role of “Asset library” holds it.")
    assert explain(world, world.gus, "ASSET_EDIT").reason.endswith(
        "only members of this project hold roles of its products."
    )


def test_nothing_follows_for_a_product_without_external_authorization(world: World) -> None:
    give(world, world.vera, library(world, external=False))
    answer = explain(world, world.vera, "ASSET_EDIT")
    assert not answer.held
    assert "does not use external authorization" in answer.reason
    world.do(EditProduct(product_id=world.row("product")["id"], uses_external_authorization=True))
    assert explain(world, world.vera, "ASSET_EDIT").held


def test_an_unknown_action_is_answered_with_near_names(world: World) -> None:
    with pytest.raises(InvalidInput, match="Did you mean “TASK_MOVE”") as refused:
        explain(world, world.vera, "task_mov")
    assert refused.value.field == "action"
    with pytest.raises(InvalidInput, match="podium commands"):
        explain(world, world.vera, "\x1b]0;")
    with pytest.raises(InvalidInput):
        explain(world, world.vera, "ASSET_EDIT")
    with pytest.raises(NotFound):
        explain(world, Actor("nobody"), "TASK_MOVE")


def test_the_answer_of_a_service_is_its_own_and_has_an_age(world: World) -> None:
    at, source = account(world), Elsewhere(frozenset({"PROJECT_VIEW", "TASK_MOVE"}), age=3)
    answer = explain(decided_by(world, source), world.vera, "TASK_MOVE")
    assert (answer.held, answer.authority.source) == (True, "remote")
    assert answer.reason.endswith("(TASK_MOVE): the permission service says so.")
    assert answer.decided_at == Clock().now - timedelta(seconds=3)
    assert source.asked[-1] == PermissionQuery(world.vera.user_id, at, ALL_CODES)


def test_when_the_service_cannot_say_the_explanation_says_that(world: World) -> None:
    fault = ServiceFailure("The permission service does not answer.", "c-1", SINCE, FaultKind.AWAY)
    decided_by(world, Elsewhere(frozenset({"PROJECT_VIEW"}), age=60, fault=fault))
    answer = explain(world, world.vera, "TASK_MOVE")
    assert not answer.held
    assert answer.reason == (
        "It is not known whether Vera Sato can move cards to another status (TASK_MOVE): "
        "The permission service does not answer."
    )
    looking = explain(world, world.vera, "PROJECT_VIEW").reason
    assert looking.endswith("said so 60 seconds ago, and does not answer now.")
