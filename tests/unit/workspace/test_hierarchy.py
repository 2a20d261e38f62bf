"""Clients, markets and brands: the tree, what may be changed in it, and the links of projects that agree with it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest

from core.actions.history.history import ListWorkspaceHistory, Redo, Undo
from core.actions.projects.projects import ArchiveProject, CreateProject, LinkProject
from core.actions.workspace.hierarchy import AddNode, GetHierarchy, ListNodes, MoveNode, RemoveNode, RenameNode
from core.actions.workspace.users import AddUser
from core.domain.model import WORKSPACE, HierarchyNode, Id, NodeKind, PlatformRole, Project
from core.engine.unit_of_work import Actor, Snapshot
from core.errors import CannotUndo, InvalidInput, NotFound, PodiumError, RuleViolation
from core.rules.hierarchy import complete_links
from core.storage.database import Tx
from tests.support.workspace import Clock, World

CLIENT, MARKET, BRAND = NodeKind.CLIENT, NodeKind.MARKET, NodeKind.BRAND


def add(world: World, kind: NodeKind, name: str, under: HierarchyNode | None = None) -> HierarchyNode:
    return world.do(AddNode(kind=kind, name=name, parent_id=under.id if under else None))


@pytest.fixture
def halden(world: World) -> HierarchyNode:
    """A client, with the market Nordics and in it the brand Fjordland."""
    return add(world, CLIENT, "Halden")


@pytest.fixture
def nordics(world: World, halden: HierarchyNode) -> HierarchyNode:
    return add(world, MARKET, "Nordics", halden)


@pytest.fixture
def fjordland(world: World, nordics: HierarchyNode) -> HierarchyNode:
    return add(world, BRAND, "Fjordland", nordics)


def links(world: World, project: Project | None = None) -> tuple[Id | None, ...]:
    row = world.row("project", id=(project or world.project).id)
    return row["client_id"], row["market_id"], row["brand_id"]


def second_admin(world: World) -> Actor:
    """Nina, who is a member of no project."""
    user = AddUser(
        first_name="Nina", last_name="Berg", email="nina@example.com", platform_roles=(PlatformRole.WORKSPACE_ADMIN,)
    )
    return Actor(world.do(user).id)


def test_the_tree_is_shown_by_level_and_name_with_what_uses_each_node(world: World, fjordland: HierarchyNode) -> None:
    aurelia = add(world, CLIENT, "aurelia")
    add(world, BRAND, "Solo")
    add(world, MARKET, "Loose")
    add(world, BRAND, "Amber", aurelia)
    add(world, MARKET, "Zone", aurelia)
    world.do(LinkProject(project_id=world.project.id, brand_id=fjordland.id))
    world.do(ArchiveProject(project_id=world.project.id))
    lines = world.ask(GetHierarchy())
    assert [(line.depth, line.node.name, line.children, line.projects) for line in lines] == [
        (0, "aurelia", 2, 0),
        (1, "Zone", 0, 0),
        (1, "Amber", 0, 0),
        (0, "Halden", 1, 1),
        (1, "Nordics", 1, 1),
        (2, "Fjordland", 0, 1),
        (0, "Loose", 0, 0),
        (0, "Solo", 0, 0),
    ]
    assert len(world.ask(ListNodes())) == len(lines)


@pytest.mark.parametrize(
    ("kind", "parent"),
    [(CLIENT, CLIENT), (CLIENT, MARKET), (CLIENT, BRAND), (MARKET, MARKET), (MARKET, BRAND), (BRAND, BRAND)],
)
def test_a_node_stands_only_under_a_level_above_it(world: World, kind: NodeKind, parent: NodeKind) -> None:
    above = add(world, parent, "Above")
    with pytest.raises(RuleViolation, match=f"A {kind.lower()} cannot be under a {parent.lower()}"):
        add(world, kind, "Below", above)
    free = add(world, kind, "Free")
    with pytest.raises(RuleViolation, match=r"(is|or) (under .*, or )?at the top\.$"):
        world.do(MoveNode(node_id=free.id, parent_id=above.id))
    assert world.row("hierarchy_node", id=free.id)["parent_id"] is None
    assert len(world.rows("SELECT id FROM hierarchy_node")) == 2


@pytest.mark.parametrize(("kind", "parent"), [(MARKET, CLIENT), (BRAND, CLIENT), (BRAND, MARKET)])
def test_a_node_moves_under_any_level_above_it_and_to_the_top(world: World, kind: NodeKind, parent: NodeKind) -> None:
    above, node = add(world, parent, "Above"), add(world, kind, "Free")
    assert world.do(MoveNode(node_id=node.id, parent_id=above.id)).parent_id == above.id
    assert world.last_change("workspace")["summary"] == f"moved the {kind.lower()} “Free” under “Above”"
    world.do(MoveNode(node_id=node.id, parent_id=None))
    assert world.row("hierarchy_node", id=node.id)["parent_id"] is None
    assert world.last_change("workspace")["summary"] == f"moved the {kind.lower()} “Free” to the top of the tree"


def test_a_circle_is_refused(
    world: World, halden: HierarchyNode, nordics: HierarchyNode, fjordland: HierarchyNode
) -> None:
    for node, under in ((nordics, nordics), (nordics, fjordland), (halden, fjordland), (halden, halden)):
        with pytest.raises(RuleViolation, match="cannot be under itself or under a node below it"):
            world.do(MoveNode(node_id=node.id, parent_id=under.id))
    world.refuses(MoveNode(node_id=nordics.id, parent_id="nowhere"), NotFound)
    world.refuses(AddNode(kind=MARKET, name="South", parent_id=""), NotFound)
    assert [line.depth for line in world.ask(GetHierarchy())] == [0, 1, 2]


def test_two_of_one_level_in_one_place_have_different_names(
    world: World, halden: HierarchyNode, nordics: HierarchyNode
) -> None:
    with pytest.raises(InvalidInput, match="a client “Halden” in this place already"):
        add(world, CLIENT, "  hALDEN ")
    south = add(world, MARKET, "South", halden)
    with pytest.raises(InvalidInput, match="a market “Nordics” in this place already"):
        world.do(RenameNode(node_id=south.id, name="NORDICS"))
    elsewhere = add(world, MARKET, "nordics")
    with pytest.raises(InvalidInput, match="a market “Nordics” in this place already"):
        world.do(MoveNode(node_id=elsewhere.id, parent_id=halden.id))
    add(world, BRAND, "Nordics", halden)
    world.do(RenameNode(node_id=nordics.id, name="NORDICS"))
    assert sorted(row["name"] for row in world.rows("SELECT name FROM hierarchy_node")) == [
        "Halden",
        "NORDICS",
        "Nordics",
        "South",
        "nordics",
    ]


def test_a_name_is_a_line_that_can_be_seen(world: World, halden: HierarchyNode) -> None:
    for name in ("", " \t ", "a\x1b[2J", "x" * 81, "\u202egnp"):
        world.refuses(RenameNode(node_id=halden.id, name=name), InvalidInput)
        with pytest.raises(InvalidInput):
            add(world, CLIENT, name)
    assert world.do(RenameNode(node_id=halden.id, name=" Halden\n Foods ")).name == "Halden Foods"
    assert world.last_change("workspace")["summary"] == "renamed the client “Halden” to “Halden Foods”"


def test_a_brand_fills_in_its_market_and_client_and_nothing_unlinks(
    world: World, halden: HierarchyNode, nordics: HierarchyNode, fjordland: HierarchyNode
) -> None:
    world.do(LinkProject(project_id=world.project.id, brand_id=fjordland.id))
    assert links(world) == (halden.id, nordics.id, fjordland.id)
    world.do(LinkProject(project_id=world.project.id, market_id=nordics.id))
    assert links(world) == (halden.id, nordics.id, None)
    world.do(LinkProject(project_id=world.project.id))
    assert links(world) == (None, None, None)
    assert world.last_change()["summary"] == "linked the project to nothing"
    world.do(LinkProject(project_id=world.project.id, client_id="", market_id="", brand_id=""))
    assert links(world) == (None, None, None)


def test_links_of_another_branch_or_level_are_refused(
    world: World, nordics: HierarchyNode, fjordland: HierarchyNode
) -> None:
    aurelia = add(world, CLIENT, "Aurelia")
    south = add(world, MARKET, "South", aurelia)
    for client_id, market_id in ((aurelia.id, None), (None, south.id)):
        link = LinkProject(project_id=world.project.id, client_id=client_id, market_id=market_id, brand_id=fjordland.id)
        world.refuses(link, RuleViolation, "different branches")
    with pytest.raises(InvalidInput, match="is a market, not a brand"):
        world.do(LinkProject(project_id=world.project.id, brand_id=nordics.id))
    world.refuses(LinkProject(project_id=world.project.id, brand_id="nowhere"), NotFound)
    assert links(world) == (None, None, None)


def test_a_move_that_contradicts_the_links_of_projects_names_only_mine(
    world: World, nordics: HierarchyNode, fjordland: HierarchyNode
) -> None:
    aurelia = add(world, CLIENT, "Aurelia")
    world.do(LinkProject(project_id=world.project.id, brand_id=fjordland.id))
    move = MoveNode(node_id=nordics.id, parent_id=aurelia.id)
    world.refuses(move, RuleViolation, r"links of 1 project would contradict the tree \(“Spring launch”\)\. Link it")
    for name in ("B", "C", "D"):
        world.do(CreateProject(name=name, market_id=nordics.id))
    world.refuses(move, RuleViolation, r"links of 4 projects .* \(“B”, “C”, “D” and 1 more of yours\)\. Link them")
    refused = world.refuses(move, RuleViolation, as_=second_admin(world))
    assert "4 projects" in str(refused)
    assert "Spring" not in str(refused)
    assert world.row("hierarchy_node", id=nordics.id)["parent_id"] == nordics.parent_id


def test_a_move_that_would_leave_a_level_of_a_project_unlinked_is_refused(world: World, halden: HierarchyNode) -> None:
    loose = add(world, MARKET, "Loose")
    world.do(LinkProject(project_id=world.project.id, market_id=loose.id))
    world.refuses(MoveNode(node_id=loose.id, parent_id=halden.id), RuleViolation, "links of 1 project")
    world.do(LinkProject(project_id=world.project.id, client_id=halden.id, market_id=loose.id))
    world.do(MoveNode(node_id=loose.id, parent_id=halden.id))
    assert world.row("hierarchy_node", id=loose.id)["parent_id"] == halden.id


def test_what_is_in_use_is_not_removed(
    world: World, halden: HierarchyNode, nordics: HierarchyNode, fjordland: HierarchyNode
) -> None:
    add(world, BRAND, "Amber", halden)
    with pytest.raises(RuleViolation, match=r"1 market and 1 brand are under it\. Move or remove them"):
        world.do(RemoveNode(node_id=halden.id))
    world.do(LinkProject(project_id=world.project.id, brand_id=fjordland.id))
    world.do(CreateProject(name="Other", market_id=nordics.id))
    world.do(ArchiveProject(project_id=world.project.id))
    world.refuses(RemoveNode(node_id=nordics.id), RuleViolation, "1 brand is under it and 2 projects link it")
    world.refuses(RemoveNode(node_id=fjordland.id), RuleViolation, r"cannot be removed: 1 project links it\. Link")
    assert len(world.rows("SELECT id FROM hierarchy_node")) == 4


def test_a_removed_node_comes_back_with_its_account(world: World, fjordland: HierarchyNode) -> None:
    world.do(RemoveNode(node_id=fjordland.id))
    assert world.rows("SELECT id FROM hierarchy_node WHERE id = :id", id=fjordland.id) == []
    assert world.last_change("workspace")["summary"] == "removed the brand “Fjordland”"
    world.do(Undo())
    row = world.row("hierarchy_node", id=fjordland.id)
    assert (row["auth_id"], row["parent_id"], row["name"]) == (fjordland.auth_id, fjordland.parent_id, "Fjordland")
    world.do(Redo())
    assert world.rows("SELECT id FROM hierarchy_node WHERE id = :id", id=fjordland.id) == []


def test_undo_does_not_leave_a_tree_that_no_command_could_have_made(
    world: World, halden: HierarchyNode, nordics: HierarchyNode
) -> None:
    nina = second_admin(world)
    world.do(RenameNode(node_id=nordics.id, name="North"))
    world.do(AddNode(kind=MARKET, name="nordics", parent_id=halden.id), as_=nina)
    world.refuses(Undo(), CannotUndo, "in this place already")
    aurelia = world.do(AddNode(kind=CLIENT, name="Aurelia"), as_=nina)
    world.do(MoveNode(node_id=nordics.id, parent_id=aurelia.id))
    world.do(LinkProject(project_id=world.project.id, market_id=nordics.id))
    world.refuses(Undo(), CannotUndo, "contradict the tree")
    assert world.row("hierarchy_node", id=nordics.id)["parent_id"] == aurelia.id
    world.refuses(Undo(), CannotUndo, "depends on it", as_=nina)


def test_of_two_people_at_once_one_adds_the_name_and_the_other_is_told(world: World, halden: HierarchyNode) -> None:
    nina = second_admin(world)

    def try_to_add(actor: Actor) -> str:
        try:
            world.do(AddNode(kind=BRAND, name="Amber", parent_id=halden.id), as_=actor)
        except PodiumError as error:
            return error.code
        return "added"

    with ThreadPoolExecutor(2) as people:
        assert sorted(people.map(try_to_add, [world.maya, nina])) == ["INVALID_INPUT", "added"]
    assert len(world.rows("SELECT id FROM hierarchy_node WHERE name = 'Amber'")) == 1


def test_of_a_link_and_a_removal_at_once_only_one_is_done(world: World, fjordland: HierarchyNode) -> None:
    def outcome(command: Any) -> str:
        try:
            world.do(command)
        except PodiumError as error:
            return error.code
        return "done"

    commands = (LinkProject(project_id=world.project.id, brand_id=fjordland.id), RemoveNode(node_id=fjordland.id))
    with ThreadPoolExecutor(2) as people:
        linked, removed = people.map(outcome, commands)
    assert (linked, removed) in [("done", "RULE_VIOLATION"), ("NOT_FOUND", "done")]
    assert (links(world)[2] == fjordland.id) == (linked == "done")


def test_the_history_of_the_workspace_tells_it_in_words(world: World, halden: HierarchyNode) -> None:
    world.do(RenameNode(node_id=halden.id, name="Halden Foods"))
    world.do(RemoveNode(node_id=halden.id))
    lines = world.ask(ListWorkspaceHistory())
    assert [line.summary for line in lines[:3]] == [
        "removed the client “Halden Foods”",
        "renamed the client “Halden” to “Halden Foods”",
        "added the client “Halden”",
    ]


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_done_to_the_tree_the_links_of_every_project_agree_with_it(world: World, seed: int) -> None:
    chance = Random(seed)
    projects = [world.project, *(world.new_project(f"Project {n}") for n in range(3))]

    def any_id(kind: NodeKind | None = None) -> Id | None:
        nodes = [node.id for node in world.ask(ListNodes()) if kind in (None, node.kind)]
        return chance.choice([*nodes, None])

    def step() -> Any:
        kinds: list[Any] = [
            lambda: AddNode(kind=chance.choice(list(NodeKind)), name=f"N{chance.random()}", parent_id=any_id()),
            lambda: MoveNode(node_id=any_id() or "nowhere", parent_id=any_id()),
            lambda: RemoveNode(node_id=any_id() or "nowhere"),
            lambda: LinkProject(
                project_id=chance.choice(projects).id, brand_id=any_id(BRAND), client_id=any_id(CLIENT)
            ),
            lambda: LinkProject(project_id=chance.choice(projects).id, market_id=any_id(MARKET)),
            Undo,
            lambda: Undo(project_id=chance.choice(projects).id),
        ]
        return chance.choice([*kinds, *kinds[:2]])()

    done = 0
    for _ in range(80):
        try:
            world.do(step())
        except PodiumError:
            continue
        done += 1
        for project in projects:
            linked = links(world, project)
            assert tuple(world.database.read(lambda tx: agreed(tx, world, linked))) == linked  # noqa: B023
    assert done > 15
    assert {line.node.id for line in world.ask(GetHierarchy())} == {node.id for node in world.ask(ListNodes())}


def agreed(tx: Tx, world: World, linked: tuple[Id | None, ...]) -> tuple[Id | None, ...]:
    return tuple(complete_links(Snapshot(tx, world.maya, Clock()(), WORKSPACE), *linked).values())
