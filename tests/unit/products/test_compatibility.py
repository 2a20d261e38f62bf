"""Compatibility of products and links: the rule itself, and its uses."""

from __future__ import annotations

from itertools import product as pairs
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.actions.cards.application_lists import ListProductOptions
from core.actions.cards.applications import AddApplication, RemoveApplication
from core.actions.history.history import Undo
from core.actions.products.launch import LaunchProduct
from core.actions.products.products import EditProduct, RetireProduct
from core.actions.projects.members import InviteMember
from core.actions.projects.projects import LinkProject
from core.actions.workspace.hierarchy import AddNode, MoveNode
from core.actions.workspace.users import AddUser
from core.domain.model import HierarchyNode, NodeKind, ProjectRole
from core.domain.products.fit import FOR_LAUNCH, FOR_PROJECT, levels, misfit
from core.engine.messages import Command
from core.engine.unit_of_work import Actor
from core.errors import CannotUndo, RuleViolation
from tests.support.workspace import World, content

CLIENT, MARKET, BRAND = NodeKind.CLIENT, NodeKind.MARKET, NodeKind.BRAND
some_levels = st.frozensets(st.sampled_from(NodeKind))


@given(required=some_levels, linked=some_levels)
def test_a_product_fits_exactly_the_levels_that_it_requires(
    required: frozenset[NodeKind], linked: frozenset[NodeKind]
) -> None:
    for words in (FOR_PROJECT, FOR_LAUNCH):
        said = misfit("Planner", required, linked, words)
        assert (said == "") == (required == linked)
        for level in NodeKind:
            assert (level.lower() in said) == (level in required ^ linked)


@pytest.mark.parametrize(
    ("required", "linked", "said"),
    [
        (
            (CLIENT,),
            (),
            "“Planner” does not fit this project: it is for projects linked to a client."
            " Link a client, or choose another product.",
        ),
        (
            (),
            (CLIENT, BRAND),
            "“Planner” does not fit this project: it is for projects without a client or a brand."
            " Unlink the client and the brand, or choose another product.",
        ),
        (
            (CLIENT, BRAND),
            (CLIENT, MARKET),
            "“Planner” does not fit this project: it is for projects linked to a brand and without a market."
            " Link a brand and unlink the market, or choose another product.",
        ),
    ],
)
def test_the_refusal_names_the_level_and_the_way_out(
    required: tuple[NodeKind, ...], linked: tuple[NodeKind, ...], said: str
) -> None:
    assert misfit("Planner", required, linked) == said


def test_levels_are_named_from_the_top() -> None:
    assert levels([BRAND, CLIENT]) == "a client and a brand"
    assert levels([]) == "no links"


@pytest.fixture
def tree(world: World) -> dict[NodeKind, HierarchyNode]:
    client = world.do(AddNode(kind=CLIENT, name="Halden"))
    market = world.do(AddNode(kind=MARKET, name="Nordics", parent_id=client.id))
    return {
        CLIENT: client,
        MARKET: market,
        BRAND: world.do(AddNode(kind=BRAND, name="Fjord", parent_id=market.id)),
    }


LINKED: tuple[tuple[NodeKind, ...], ...] = ((), (CLIENT,), (CLIENT, MARKET), (CLIENT, MARKET, BRAND))


def link(world: World, tree: dict[NodeKind, HierarchyNode], *linked: NodeKind) -> LinkProject:
    """To the lowest of these levels, which fills in those above."""
    chosen: dict[str, Any] = {f"{level.lower()}_id": tree[level].id for level in linked[-1:]}
    return LinkProject(project_id=world.project.id, **chosen)


def second_owner(world: World) -> Actor:
    """Anna."""
    anna = world.do(AddUser(first_name="Anna", last_name="Moe", email="anna@example.com"))
    world.do(InviteMember(project_id=world.project.id, user_id=anna.id, role=ProjectRole.OWNER))
    return Actor(anna.id)


def refused(world: World, command: Command[Any], match: str) -> RuleViolation:
    before = content(world.database)
    said = world.refuses(command, RuleViolation, match)
    assert content(world.database) == before
    return said


@pytest.mark.parametrize(("linked", "required"), list(pairs(LINKED, LINKED)))
def test_only_what_fits_is_added_and_the_choices_say_the_same(
    world: World, tree: dict[NodeKind, HierarchyNode], linked: tuple[NodeKind, ...], required: tuple[NodeKind, ...]
) -> None:
    world.do(link(world, tree, *linked))
    product = world.product("Planner", required_context=required)
    (choice,) = world.ask(ListProductOptions(project_id=world.project.id))
    add = AddApplication(project_id=world.project.id, product_id=product.id, phase_id=world.discover.id)
    if required == linked:
        assert choice.refusal == ""
        assert world.do(add).product_id == product.id
    else:
        assert str(refused(world, add, "does not fit this project")) == choice.refusal


def test_choices_are_those_that_fit_by_name_then_the_others_and_none_that_is_retired(world: World) -> None:
    for name in ("beta", "Alpha"):
        world.product(name)
        world.product(f"{name} for clients", required_context=(CLIENT,))
    world.do(RetireProduct(product_id=world.product("Old").id))
    choices = world.ask(ListProductOptions(project_id=world.project.id))
    assert [(each.product.name, bool(each.refusal)) for each in choices] == [
        ("Alpha", False),
        ("beta", False),
        ("Alpha for clients", True),
        ("beta for clients", True),
    ]


def test_links_stay_as_the_applications_need_them_and_the_refusal_lists_those(
    world: World, tree: dict[NodeKind, HierarchyNode]
) -> None:
    world.do(link(world, tree, CLIENT))
    planner = world.product("Planner", required_context=(CLIENT,))
    first, second = world.add_application(planner), world.add_application(planner, world.build, name="Plan B")
    said = refused(world, link(world, tree, CLIENT, MARKET), "“Planner” .requires a client. and “Plan B”")
    assert [(each.id, each.kind, each.title, each.where) for each in said.blockers] == [
        (first.id, "APPLICATION", "Planner", "Discover"),
        (second.id, "APPLICATION", "Plan B", "Build"),
    ]
    assert "Remove them from the project first, or link exactly the levels that they require" in str(said)
    assert said.who_can == ("Maya Okafor",)
    refused(world, link(world, tree), "With no links, 2 applications of “Spring launch” would no longer fit")
    other = world.do(AddNode(kind=CLIENT, name="Aurelia"))
    world.do(LinkProject(project_id=world.project.id, client_id=other.id))
    assert world.row("project", id=world.project.id)["client_id"] == other.id
    for application in (first, second):
        world.do(RemoveApplication(application_id=application.id))
    world.do(link(world, tree, CLIENT, MARKET))
    assert world.row("project", id=world.project.id)["market_id"] == tree[MARKET].id


def test_undo_leaves_no_application_that_does_not_fit(world: World, tree: dict[NodeKind, HierarchyNode]) -> None:
    undo = Undo(project_id=world.project.id)
    world.do(link(world, tree, CLIENT))
    planner = world.product("Planner", required_context=(CLIENT,))
    held = world.add_application(planner)
    anna = second_owner(world)
    world.do(RemoveApplication(application_id=held.id), as_=anna)
    world.do(undo, as_=anna)
    assert world.row("application")["id"] == held.id
    world.do(RemoveApplication(application_id=held.id), as_=anna)
    world.do(LinkProject(project_id=world.project.id))
    world.refuses(undo, CannotUndo, r"removed the application “Planner”\) cannot be undone: With no links", as_=anna)
    assert world.rows("SELECT 1 FROM application") == []


def test_undo_of_links_is_refused_while_an_application_needs_them(
    world: World, tree: dict[NodeKind, HierarchyNode]
) -> None:
    anna = second_owner(world)
    world.do(link(world, tree, CLIENT))
    planner = world.product("Planner", required_context=(CLIENT,))
    held = world.do(
        AddApplication(project_id=world.project.id, product_id=planner.id, phase_id=world.discover.id), as_=anna
    )
    said = refused(world, Undo(project_id=world.project.id), "cannot be undone: With no links")
    assert [each.id for each in said.blockers] == [held.id]


def test_undo_of_links_is_refused_when_the_tree_is_another_by_now(
    world: World, tree: dict[NodeKind, HierarchyNode]
) -> None:
    alone = world.do(AddNode(kind=BRAND, name="Alone"))
    world.do(LinkProject(project_id=world.project.id, brand_id=alone.id))
    world.do(LinkProject(project_id=world.project.id))
    world.do(MoveNode(node_id=alone.id, parent_id=tree[MARKET].id))
    refused(world, Undo(project_id=world.project.id), "would not agree with the hierarchy as it is now")


def test_undo_of_a_change_to_a_product_is_refused_while_applications_need_it(
    world: World, tree: dict[NodeKind, HierarchyNode]
) -> None:
    planner = world.product("Planner")
    world.do(EditProduct(product_id=planner.id, required_context=(CLIENT,)))
    world.do(link(world, tree, CLIENT))
    world.add_application(planner)
    refused(world, Undo(), "changed the product “Planner”.* cannot be undone")
    assert world.row("product", id=planner.id)["required_context"] == '["CLIENT"]'


def test_a_launch_from_the_list_keeps_to_the_same_rule(world: World, tree: dict[NodeKind, HierarchyNode]) -> None:
    planner = world.product("Planner", required_context=(CLIENT, MARKET))
    refused(world, LaunchProduct(product_id=planner.id), "“Planner” is launched with a client and a market. Choose")
    refused(
        world,
        LaunchProduct(product_id=planner.id, brand_id=tree[BRAND].id),
        "is launched without a brand. Leave out the brand",
    )
    assert world.do(LaunchProduct(product_id=planner.id, market_id=tree[MARKET].id)).context.hierarchy.client
