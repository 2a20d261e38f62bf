"""The product registry and one product: listed, registered, edited, retired, removed, with application roles."""

from __future__ import annotations

import json
from typing import Any

from core.actions.products.products import AddApplicationRole, EditApplicationRole, EditProduct, RemoveProduct
from core.actions.projects.members import InviteMember
from core.actions.workspace.hierarchy import AddNode
from core.actions.workspace.users import AddUser
from core.domain.model import NodeKind, ProjectRole
from core.domain.products.products import ApplicationRole, LaunchKind, Product
from tests.support.app_driver import Text, line_of, on_stage, press, screen_of, seen, shows
from tests.support.workspace import World
from tui.dialogs.menus.picker import PickDialog
from tui.screens.products.product import ProductScreen
from tui.screens.products.products import ProductsScreen


def role(world: World, product: Product, name: str = "Reader", **fields: Any) -> ApplicationRole:
    return world.do(AddApplicationRole(product_id=product.id, name=name, **fields))


async def test_the_registry_lists_what_each_product_is(world: World) -> None:
    library = world.product(
        "Asset library", required_context=(NodeKind.CLIENT, NodeKind.BRAND), uses_external_authorization=True
    )
    role(world, library)
    world.product("Copy deck", kind=LaunchKind.TERMINAL, url="", command=("vim", "copy deck.md"))
    world.add_application(world.product("Board room"))
    async with on_stage(world, ProductsScreen) as pilot:
        shown = seen(pilot)
        assert "Products · Studio North" in shown
        assert line_of(pilot, "Asset library").split()[-5:] == ["web", "client,", "brand", "yes", "1"]
        assert "terminal" in line_of(pilot, "Copy deck")
        assert line_of(pilot, "Board room").split()[-3:] == ["no", "links", "1"]
        pilot.listing.go_to(world.row("product", name="Copy deck")["id"])
        assert await shows(pilot, "vim 'copy deck.md'")


async def test_an_empty_registry_says_what_to_do(world: World) -> None:
    async with on_stage(world, ProductsScreen) as pilot:
        assert "No products yet" in seen(pilot)
        await press(pilot, "enter")
        assert "No product here. Press n to register one." in seen(pilot)
    async with on_stage(world, ProductsScreen, world.bob) as pilot:
        assert "Ask a project's owner to add you" in seen(pilot)


async def test_a_web_product_is_registered_and_its_url_judged_at_its_field(world: World) -> None:
    async with on_stage(world, ProductsScreen) as pilot:
        await press(pilot, "n")
        assert "URL" in seen(pilot)
        assert "Command" not in seen(pilot)
        await press(pilot, Text("Asset library"), "tab", "tab", Text("javascript:alert(1)"), "ctrl+s")
        lines = seen(pilot).splitlines()
        at = next(number for number, line in enumerate(lines) if "javascript:alert(1)" in line)
        assert "http" in lines[at + 1]
        assert world.rows("SELECT * FROM product") == []
        await press(pilot, "ctrl+u", Text("https://assets.example/"))
        await press(pilot, "tab", "space", "space", "down", "down", "space", "enter", "tab", "right", "tab")
        await press(pilot, Text("ASSET_VIEW, ASSET_EDIT"), "ctrl+s")
        row = world.row("product", name="Asset library")
        assert (row["kind"], row["url"], json.loads(row["command"])) == ("WEB", "https://assets.example/", [])
        assert json.loads(row["required_context"]) == ["CLIENT", "BRAND"]
        assert json.loads(row["permission_codes"]) == ["ASSET_VIEW", "ASSET_EDIT"]
        assert row["uses_external_authorization"] == 1
        assert pilot.line.id == row["id"]


async def test_a_terminal_product_takes_one_argument_a_line(world: World) -> None:
    async with on_stage(world, ProductsScreen) as pilot:
        await press(pilot, "n", Text("Copy deck"), "tab", "right")
        shown = seen(pilot)
        assert "URL" not in shown
        assert "each argument in a line of" in shown
        await press(pilot, "tab", Text("vim -R copy.md"), "ctrl+s")
        assert "“vim -R copy.md” has spaces" in seen(pilot)
        assert world.rows("SELECT * FROM product") == []
        await press(pilot, "ctrl+u", *"vim", "enter", Text("my copy.md"), "enter", "ctrl+s")
        row = world.row("product", name="Copy deck")
        assert (row["kind"], row["url"], json.loads(row["command"])) == ("TERMINAL", "", ["vim", "my copy.md"])


async def test_editing_changes_the_kind_and_lets_the_url_go(world: World) -> None:
    product = world.product()
    async with on_stage(world, ProductsScreen) as pilot:
        await press(pilot, "e", "tab", "right", "tab", *"vim", "ctrl+s")
        row = world.row("product", id=product.id)
        assert (row["kind"], row["url"], json.loads(row["command"])) == ("TERMINAL", "", ["vim"])
        await press(pilot, "u")
        assert world.row("product", id=product.id)["url"] == "https://assets.example/"


async def test_an_argument_that_has_no_line_is_kept_while_the_command_is_not_touched(world: World) -> None:
    product = world.product("Deck", kind=LaunchKind.TERMINAL, url="", command=("vim", "", "x"))
    async with on_stage(world, ProductsScreen) as pilot:
        await press(pilot, "e", "!", "ctrl+s")
        row = world.row("product", id=product.id)
        assert (row["name"], json.loads(row["command"])) == ("Deck!", ["vim", "", "x"])


async def test_the_second_of_two_people_is_told_and_keeps_what_was_typed(world: World) -> None:
    product = world.product()
    async with on_stage(world, ProductsScreen) as pilot:
        await press(pilot, "e")
        world.do(EditProduct(product_id=product.id, description="By a colleague"))
        await press(pilot, Text(" of ours"), "ctrl+s")
        assert await shows(pilot, "Someone else changed this")
        assert "Asset library of ours" in seen(pilot)
        assert world.row("product", id=product.id)["name"] == "Asset library"


async def test_s_retires_and_brings_back(world: World) -> None:
    product = world.product()
    async with on_stage(world, ProductsScreen) as pilot:
        await press(pilot, "s")
        assert world.row("product", id=product.id)["retired"] == 1
        assert "retired" in line_of(pilot, "Asset library")
        await press(pilot, "s")
        assert world.row("product", id=product.id)["retired"] == 0
        assert "can be added to projects again" in seen(pilot)


async def test_d_removes_what_no_project_uses(world: World) -> None:
    used, other = world.product("Board room"), world.product("Zoo")
    reader = role(world, other)
    world.add_application(used)
    async with on_stage(world, ProductsScreen) as pilot:
        await press(pilot, "d")
        assert "“Board room” cannot be removed" in seen(pilot)
        assert world.row("product", id=used.id)
        await press(pilot, "G", "d")
        assert world.rows("SELECT * FROM product WHERE id = :id", id=other.id) == []
        assert "Removed “Zoo” from the registry" in seen(pilot)
        await press(pilot, "u")
        assert world.row("application_role", id=reader.id)["product_id"] == other.id


async def test_a_user_who_may_not_change_the_registry_can_look(world: World) -> None:
    product = world.product()
    guest = world.do(AddUser(first_name="Ida", last_name="Moe", email="ida@example.org"))
    actor = type(world.bob)(guest.id)
    world.add_application(product)
    world.do(InviteMember(project_id=world.project.id, user_id=guest.id, role=ProjectRole.VIEWER))
    async with on_stage(world, ProductsScreen, actor) as pilot:
        await press(pilot, "y")
        assert pilot.app.clipboard == product.id
        await press(pilot, "enter", "n")
        assert isinstance(pilot.app.screen, ProductScreen)
        assert world.rows("SELECT * FROM application_role") == []


async def test_hostile_names_are_shown_as_they_are_and_cut_by_cells(world: World) -> None:
    world.product("[red]概要[/] [@click=app.bell]" + "日本語の製品" * 5)
    async with on_stage(world, ProductsScreen, size=(40, 12)) as pilot:
        assert "[red]概要[/]" in seen(pilot)
        await press(pilot, "enter")
        assert "[red]概要[/]" in seen(pilot).splitlines()[2]


# -- one product ---------------------------------------------------------------------------------------------


async def test_a_product_shows_how_it_is_launched_what_it_requires_and_its_roles(world: World) -> None:
    product = world.product(
        permission_codes=("ASSET_VIEW", "ASSET_EDIT"),
        required_context=(NodeKind.CLIENT,),
        uses_external_authorization=True,
        description="Pictures and films",
    )
    role(world, product, permission_codes=("ASSET_VIEW",), meta_role_ids=(world.meta_role("Analyst"),))
    async with on_stage(world, lambda: ProductScreen(product.id)) as pilot:
        shown = seen(pilot)
        for words in (
            "https://assets.example/",
            "a client",
            "granted by Podium",
            "ASSET_VIEW ASSET_EDIT",
            "Pictures and films",
            "1 code · Analyst",
            "granted by Analyst",
        ):
            assert words in shown
        assert "Nothing is granted" not in shown


async def test_roles_of_a_product_without_external_authorization_grant_nothing(world: World) -> None:
    product = world.product()
    role(world, product)
    async with on_stage(world, lambda: ProductScreen(product.id), size=(80, 24)) as pilot:
        assert "Nothing is granted by them: the product does not use external" in seen(pilot)


async def test_roles_are_added_edited_and_removed(world: World) -> None:
    product = world.product(permission_codes=("ASSET_VIEW", "ASSET_EDIT"))
    async with on_stage(world, lambda: ProductScreen(product.id)) as pilot:
        assert "n to add one" in seen(pilot)
        await press(pilot, "n", Text("Editor"), "tab", "space", "space", "down", "space", "enter", "tab", "space")
        await press(pilot, Text("creative"), "space", "enter", "ctrl+s")
        row = world.row("application_role", name="Editor")
        assert json.loads(row["permission_codes"]) == ["ASSET_VIEW", "ASSET_EDIT"]
        assert json.loads(row["meta_role_ids"]) == [world.meta_role("Creative")]
        assert "granted by Creative" in seen(pilot)
        await press(pilot, "enter", Text(" in chief"), "ctrl+s")
        assert world.row("application_role", id=row["id"])["name"] == "Editor in chief"
        await press(pilot, "d")
        assert world.rows("SELECT * FROM application_role") == []
        await press(pilot, "u")
        assert "Editor in chief" in seen(pilot)
        assert world.row("application_role", id=row["id"])["name"] == "Editor in chief"


async def test_a_role_that_a_colleague_changed_is_not_overwritten(world: World) -> None:
    product = world.product()
    reader = role(world, product)
    async with on_stage(world, lambda: ProductScreen(product.id)) as pilot:
        await press(pilot, "d")
        assert "Go to a role first: j." in seen(pilot)
        await press(pilot, "j", "enter")
        world.do(EditApplicationRole(application_role_id=reader.id, name="Viewer"))
        await press(pilot, Text("s"), "ctrl+s")
        assert await shows(pilot, "Someone else changed this")
        assert world.row("application_role", id=reader.id)["name"] == "Viewer"


async def test_a_product_that_is_gone_closes_its_screen(world: World) -> None:
    product = world.product()
    async with on_stage(world, ProductsScreen) as pilot:
        await press(pilot, "enter")
        world.do(RemoveProduct(product_id=product.id))
        assert await shows(pilot, "“Asset library” is not here any more.")
        assert isinstance(pilot.app.screen, ProductsScreen)


async def test_a_launch_asks_from_the_brand_up_and_dims_what_would_hand_over_more(world: World) -> None:
    client = world.do(AddNode(kind=NodeKind.CLIENT, name="Halden"))
    market = world.do(AddNode(kind=NodeKind.MARKET, name="Nordics", parent_id=client.id))
    world.do(AddNode(kind=NodeKind.BRAND, name="Fjordland", parent_id=market.id))
    brand = world.do(AddNode(kind=NodeKind.BRAND, name="Solo", parent_id=client.id))
    product = world.product(required_context=(NodeKind.CLIENT, NodeKind.BRAND))
    async with on_stage(world, ProductsScreen) as pilot:
        await press(pilot, "o")
        assert "Launch “Asset library” for which brand?" in seen(pilot)
        assert [option.label for option in screen_of(pilot, PickDialog)._options] == ["Solo", "Fjordland"]
        await press(pilot, "down", "enter")
        assert "It is under the market “Nordics”" in seen(pilot)
        await press(pilot, "escape")
        assert world.rows("SELECT * FROM launch") == []
        pilot.app.via = "ssh"  # so that the URL is shown and no browser opened
        await press(pilot, "o", "enter")
        launch = world.row("launch", product_id=product.id)
        assert json.loads(launch["context"]) == {
            "project": None,
            "hierarchy": {
                "client": {"id": client.id, "name": "Halden"},
                "market": None,
                "brand": {"id": brand.id, "name": "Solo"},
            },
            "additional": {},
        }


async def test_a_product_that_requires_nothing_is_launched_at_once(world: World) -> None:
    product = world.product()
    async with on_stage(world, lambda: ProductScreen(product.id)) as pilot:
        pilot.app.via = "ssh"
        await press(pilot, "o")
        assert world.row("launch", product_id=product.id)["project_id"] == "workspace"
        assert "assets.example" in seen(pilot)


async def test_a_level_without_nodes_says_where_they_are_added(world: World) -> None:
    world.product(required_context=(NodeKind.MARKET,))
    async with on_stage(world, ProductsScreen) as pilot:
        await press(pilot, "o")
        assert "There is no market yet. A workspace admin adds one: g y." in seen(pilot)
