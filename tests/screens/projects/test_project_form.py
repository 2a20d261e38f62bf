"""The form of a project: links that follow from each other, are let go, and are refused."""

from __future__ import annotations

from typing import Any

from textual.pilot import Pilot

from core.actions.projects.projects import ArchiveProject, EditProject, LinkProject, RestoreProject
from core.actions.workspace.hierarchy import AddNode, RemoveNode
from core.domain.model import HierarchyNode, Id, NodeKind
from tests.support.app_driver import Text, line_of, on_stage, press, seen, shows
from tests.support.workspace import World
from tui.screens.projects.projects import ProjectsScreen


def plant(world: World, kind: NodeKind, name: str, parent_id: Id | None = None) -> HierarchyNode:
    return world.do(AddNode(kind=kind, name=name, parent_id=parent_id))


def two_branches(world: World) -> tuple[HierarchyNode, HierarchyNode, HierarchyNode, HierarchyNode]:
    """Halden Foods / Nordics / Fjordland, and Aurelia."""
    client = plant(world, NodeKind.CLIENT, "Halden Foods")
    market = plant(world, NodeKind.MARKET, "Nordics", client.id)
    brand = plant(world, NodeKind.BRAND, "Fjordland", market.id)
    return client, market, brand, plant(world, NodeKind.CLIENT, "Aurelia")


def links(world: World) -> tuple[str | None, ...]:
    row = world.row("project", id=world.project.id)
    return row["client_id"], row["market_id"], row["brand_id"]


async def choose(pilot: Pilot[Any], text: str) -> None:
    """In the field with the keyboard."""
    await press(pilot, "space", Text(text), "enter")


async def test_a_brand_fills_in_its_market_and_client_at_once(world: World) -> None:
    client, market, brand, _ = two_branches(world)
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "e", "tab", "tab", "tab", "tab")
        await choose(pilot, "fjord")
        shown = seen(pilot)
        assert "Nordics" in line_of(pilot, "Market")
        assert "Halden Foods" in line_of(pilot, "Client")
        assert "It follows from “Fjordland”." in shown
        await press(pilot, "ctrl+s")
        assert links(world) == (client.id, market.id, brand.id)


async def test_another_client_lets_the_brand_go_and_says_so(world: World) -> None:
    _, _, brand, other = two_branches(world)
    world.do(LinkProject(project_id=world.project.id, brand_id=brand.id))
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "e", "tab", "tab")
        await choose(pilot, "aurelia")
        assert "“Fjordland” is in another branch." in seen(pilot)
        assert links(world)[2] == brand.id
        await press(pilot, "ctrl+s")
        assert links(world) == (other.id, None, None)


async def test_links_are_taken_off_from_the_top(world: World) -> None:
    _, _, brand, _ = two_branches(world)
    world.do(LinkProject(project_id=world.project.id, brand_id=brand.id))
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "e", "tab", "tab")
        await choose(pilot, "none")
        await press(pilot, "ctrl+s")
        assert links(world) == (None, None, None)
        assert world.last_change()["summary"] == "linked the project to nothing"


async def test_only_what_differs_is_saved(world: World) -> None:
    two_branches(world)
    async with on_stage(world, ProjectsScreen) as pilot:
        before = world.last_change()["seq"]
        await press(pilot, "e", "ctrl+s")
        assert world.last_change()["seq"] == before
        await press(pilot, "e", "!", "ctrl+s")
        assert world.row("project", id=world.project.id)["name"] == "Spring launch!"
        assert world.last_change()["seq"] == before + 1


async def test_after_a_refusal_the_rest_can_still_be_saved(world: World) -> None:
    client, *_ = two_branches(world)
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "e", "ctrl+u", "tab", "tab")
        await choose(pilot, "halden")
        await press(pilot, "ctrl+s")
        assert "Enter a name." in seen(pilot)
        assert links(world)[0] == client.id
        await press(pilot, Text("Autumn"), "ctrl+s")
        assert world.row("project", id=world.project.id)["name"] == "Autumn"


async def test_the_second_of_two_people_is_told(world: World) -> None:
    two_branches(world)
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "e")
        world.do(EditProject(project_id=world.project.id, name="Summer launch"))
        await press(pilot, Text("!"), "ctrl+s")
        assert await shows(pilot, "Someone else changed this")
        assert world.row("project", id=world.project.id)["name"] == "Summer launch"


async def test_a_link_that_is_gone_meanwhile_is_refused_in_the_form(world: World) -> None:
    *_, other = two_branches(world)
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "e", "tab", "tab")
        await choose(pilot, "aurelia")
        world.do(RemoveNode(node_id=other.id))
        await press(pilot, "ctrl+s")
        assert await shows(pilot, "There is no such")
        assert links(world) == (None, None, None)


async def test_without_a_hierarchy_nothing_is_asked_about_it(world: World) -> None:
    world.do(ArchiveProject(project_id=world.project.id))
    world.do(RestoreProject(project_id=world.project.id))
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "n", "enter")
        assert "Client" not in line_of(pilot, "Name")
        assert "Brand  " not in seen(pilot).partition("New project")[2].partition("Cancel")[0]
