"""The hierarchy: read as a tree, added to, renamed, moved, removed, and what is refused."""

from __future__ import annotations

from core.actions.projects.projects import LinkProject
from core.actions.workspace.hierarchy import AddNode, RenameNode
from core.actions.workspace.profile import SetPreference
from core.domain.model import HierarchyNode, Id, NodeKind
from tests.support.app_driver import Text, canvas, line_of, on_stage, press, screen_of, seen, shows
from tests.support.workspace import World
from tui.dialogs.menus.picker import PickDialog
from tui.screens.projects.hierarchy import HierarchyScreen


def plant(world: World, kind: NodeKind, name: str, parent_id: Id | None = None) -> HierarchyNode:
    return world.do(AddNode(kind=kind, name=name, parent_id=parent_id))


def halden(world: World) -> tuple[HierarchyNode, HierarchyNode, HierarchyNode]:
    """Halden Foods / Nordics / Fjordland."""
    client = plant(world, NodeKind.CLIENT, "Halden Foods")
    market = plant(world, NodeKind.MARKET, "Nordics", client.id)
    return client, market, plant(world, NodeKind.BRAND, "Fjordland", market.id)


async def test_the_tree_is_shown_with_levels_and_what_uses_them(world: World) -> None:
    client, market, brand = halden(world)
    world.do(LinkProject(project_id=world.project.id, brand_id=brand.id))
    async with on_stage(world, HierarchyScreen) as pilot:
        shown = seen(pilot)
        assert "Clients, markets and brands · Studio North" in shown
        places = [line_of(pilot, name).index(name) for name in ("Halden Foods", "Nordics", "Fjordland")]
        assert places == sorted(set(places)), "each level stands further in"
        assert line_of(pilot, "Halden Foods").split()[-3:] == ["client", "1", "1"]
        assert line_of(pilot, "Fjordland").split()[-2:] == ["brand", "1"]
        await press(pilot, "G")
        assert "in Halden Foods / Nordics" in seen(pilot)
        await press(pilot, "y")
        assert pilot.app.clipboard == brand.id
        assert {client.id, market.id, brand.id} == {row["id"] for row in world.rows("SELECT id FROM hierarchy_node")}


async def test_a_person_with_plain_signs_gets_plain_signs(world: World) -> None:
    halden(world)
    world.do(SetPreference(name="signs", value="ascii"))
    async with on_stage(world, HierarchyScreen) as pilot:
        assert "\\ Nordics" in seen(pilot)
        assert all(ord(letter) < 128 for letter in line_of(pilot, "Fjordland"))


async def test_an_empty_tree_says_what_to_do(world: World) -> None:
    async with on_stage(world, HierarchyScreen) as pilot:
        assert "No clients, markets or brands yet" in seen(pilot)
        assert "Press n to add the first one" in seen(pilot)
        await press(pilot, "d")
        assert "Nothing here yet" in seen(pilot)
    async with on_stage(world, HierarchyScreen, world.bob) as pilot:
        assert "Ask a project's owner to add you" in seen(pilot)


async def test_n_asks_for_the_level_and_takes_the_parent_from_the_cursor(world: World) -> None:
    client = plant(world, NodeKind.CLIENT, "Halden Foods")
    async with on_stage(world, HierarchyScreen) as pilot:
        await press(pilot, "n")
        menu = seen(pilot)
        assert menu.index("Market under “Halden Foods”") < menu.index("Brand under “Halden Foods”")
        await press(pilot, "m")
        assert "Halden Foods" in line_of(pilot, "Stands under")
        await press(pilot, Text("Nordics"), "ctrl+s")
        row = world.row("hierarchy_node", name="Nordics")
        assert (row["kind"], row["parent_id"]) == ("MARKET", client.id)
        assert pilot.line.id == row["id"]
        await press(pilot, "n", "b", Text("Fjordland"), "ctrl+s")
        assert world.row("hierarchy_node", name="Fjordland")["parent_id"] == row["id"]
        await press(pilot, "n", "c", Text("Aurelia"), "ctrl+s")
        assert world.row("hierarchy_node", name="Aurelia")["parent_id"] is None
        await press(pilot, "u")
        assert world.rows("SELECT * FROM hierarchy_node WHERE name = 'Aurelia'") == []


async def test_the_parent_can_be_another_or_none(world: World) -> None:
    plant(world, NodeKind.CLIENT, "Halden Foods")
    async with on_stage(world, HierarchyScreen) as pilot:
        await press(pilot, "n", "b", Text("Solo"), "tab", "space", Text("nothing"), "enter", "ctrl+s")
        assert world.row("hierarchy_node", name="Solo")["parent_id"] is None


async def test_a_name_that_is_taken_or_hostile_is_refused_in_the_form(world: World) -> None:
    plant(world, NodeKind.CLIENT, "Halden Foods")
    async with on_stage(world, HierarchyScreen) as pilot:
        await press(pilot, "n", "c", Text("halden foods"), "enter")
        assert "Choose another name" in seen(pilot)
        assert len(world.rows("SELECT * FROM hierarchy_node")) == 1
        await press(pilot, "escape", "escape")
        assert "Clients, markets and brands · Studio North" in seen(pilot)


async def test_e_renames_and_the_second_of_two_people_is_told(world: World) -> None:
    client = plant(world, NodeKind.CLIENT, "Halden")
    async with on_stage(world, HierarchyScreen) as pilot:
        await press(pilot, "e", Text(" Foods"), "enter")
        assert world.row("hierarchy_node", id=client.id)["name"] == "Halden Foods"
        assert "Halden Foods" in seen(pilot)
        await press(pilot, "e")
        world.do(RenameNode(node_id=client.id, name="Halden Group"))
        await press(pilot, Text("!"), "enter")
        assert await shows(pilot, "Someone else changed this")
        assert world.row("hierarchy_node", id=client.id)["name"] == "Halden Group"


async def test_m_offers_only_the_levels_that_fit(world: World) -> None:
    _, market, _ = halden(world)
    other = plant(world, NodeKind.CLIENT, "Aurelia")
    async with on_stage(world, HierarchyScreen) as pilot:
        await press(pilot, "home", "m")
        assert "A client is always at the top" in seen(pilot)
        pilot.listing.go_to(market.id)
        await press(pilot, "m")
        assert "Move “Nordics” under" in seen(pilot)
        offered = [option.label for option in screen_of(pilot, PickDialog)._options]
        assert offered == ["Aurelia", "Halden Foods", "Nothing"]
        await press(pilot, Text("aurelia"), "enter")
        assert world.row("hierarchy_node", id=market.id)["parent_id"] == other.id
        await press(pilot, "m", Text("nothing"), "enter")
        assert world.row("hierarchy_node", id=market.id)["parent_id"] is None


async def test_a_move_that_contradicts_a_project_is_refused_with_the_reason(world: World) -> None:
    _, market, brand = halden(world)
    plant(world, NodeKind.CLIENT, "Aurelia")
    world.do(LinkProject(project_id=world.project.id, brand_id=brand.id))
    async with on_stage(world, HierarchyScreen) as pilot:
        pilot.listing.go_to(market.id)
        await press(pilot, "m", Text("aurelia"), "enter")
        assert "would contradict the tree" in seen(pilot)
        assert world.row("hierarchy_node", id=market.id)["parent_id"] == market.parent_id


async def test_d_removes_what_nothing_uses_and_says_why_it_keeps_the_rest(world: World) -> None:
    client, _, brand = halden(world)
    async with on_stage(world, HierarchyScreen) as pilot:
        await press(pilot, "home", "d")
        assert "“Halden Foods” cannot be removed: 1 market" in seen(pilot)
        assert world.row("hierarchy_node", id=client.id)
        await press(pilot, "G", "d")
        assert world.rows("SELECT * FROM hierarchy_node WHERE id = :id", id=brand.id) == []
        assert "Removed “Fjordland”. u to undo." in seen(pilot)
        await press(pilot, "u")
        assert world.row("hierarchy_node", id=brand.id)["name"] == "Fjordland"


async def test_what_a_colleague_adds_appears_and_the_filter_finds_a_branch_by_its_client(world: World) -> None:
    halden(world)
    async with on_stage(world, HierarchyScreen, size=(80, 24)) as pilot:
        plant(world, NodeKind.CLIENT, "[red]Aurelia[/] " + "und Töchter " * 5)
        await pilot.screen.refresh_from_core()
        await pilot.pause()
        assert "[red]Aurelia[/]" in seen(pilot)
        await press(pilot, "slash", Text("halden"))
        assert "Fjordland" in seen(pilot)
        assert "Aurelia" not in seen(pilot)


async def test_a_narrow_canvas_names_health_and_progress_before_the_client(world: World) -> None:
    _, _, brand = halden(world)
    world.do(LinkProject(project_id=world.project.id, brand_id=brand.id))
    world.task()
    async with on_stage(world, canvas(world), size=(60, 24)) as pilot:
        assert "Spring launch · on track · 0/1 · Halden" in seen(pilot)
    assert world.row("project")["brand_id"] == brand.id
