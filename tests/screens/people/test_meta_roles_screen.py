"""The meta roles of the workspace: listed with what brings them and what they bring, changed, refused."""

from __future__ import annotations

from core.actions.products.products import AddApplicationRole
from core.actions.workspace.meta_roles import MapProjectRole, RenameMetaRole, SetMetaRoles
from core.domain.model import Id, ProjectRole
from tests.support.app_driver import Text, line_of, on_stage, press, seen, shows
from tests.support.workspace import Clock, World
from tui.screens.people.meta_roles import MetaRolesScreen


def mapped(world: World, role: ProjectRole) -> set[Id]:
    rows = world.rows("SELECT meta_role_id FROM role_mapping WHERE project_role = :role", role=role.value)
    return {row["meta_role_id"] for row in rows}


async def test_each_role_says_what_brings_it_how_often_it_was_given_and_what_it_brings(world: World) -> None:
    analyst = world.meta_role("Analyst")
    product = world.product("Asset library", permission_codes=("ASSET_VIEW",))
    world.do(AddApplicationRole(product_id=product.id, name="Reader", meta_role_ids=(analyst,)))
    world.do(SetMetaRoles(project_id=world.project.id, user_id=world.bob.user_id, meta_role_ids=(analyst,)))
    async with on_stage(world, MetaRolesScreen) as pilot:
        shown = seen(pilot)
        assert "Meta roles · Studio North" in shown
        assert "owner" in line_of(pilot, "Lead")
        assert line_of(pilot, "Analyst").split()[-4:] == ["1", "Asset", "library:", "Reader"]


async def test_n_adds_one_and_e_renames_it(world: World, clock: Clock) -> None:
    clock.forward(seconds=1)
    async with on_stage(world, MetaRolesScreen) as pilot:
        await press(pilot, "n", Text("lead"), "enter")
        assert "There is a meta role “Lead” already" in seen(pilot)
        await press(pilot, Text(" translator"), "enter")
        row = world.row("meta_role", name="lead translator")
        assert pilot.line.id == row["id"]
        await press(pilot, "e", "ctrl+u", Text("Translator"), "enter")
        assert world.row("meta_role", id=row["id"])["name"] == "Translator"
        assert "Translator" in seen(pilot)
        await press(pilot, "u", "u")
        assert world.rows("SELECT * FROM meta_role WHERE id = :id", id=row["id"]) == []


async def test_s_says_which_project_roles_bring_it_and_keeps_what_else_they_bring(world: World) -> None:
    lead, analyst = world.meta_role("Lead"), world.meta_role("Analyst")
    async with on_stage(world, MetaRolesScreen) as pilot:
        pilot.listing.go_to(analyst)
        await press(pilot, "s")
        assert "“Analyst” is included in" in seen(pilot)
        await press(pilot, "space", "down", "space", "enter")
        assert mapped(world, ProjectRole.OWNER) == {lead, analyst}
        assert mapped(world, ProjectRole.CONTRIBUTOR) == {analyst}
        assert "owner and contributor" in line_of(pilot, "Analyst")
        await press(pilot, "u")
        assert mapped(world, ProjectRole.CONTRIBUTOR) == set()
        assert mapped(world, ProjectRole.OWNER) == {lead, analyst}


async def test_what_a_colleague_maps_while_one_chooses_stays(world: World) -> None:
    lead, analyst, creative = (world.meta_role(name) for name in ("Lead", "Analyst", "Creative"))
    async with on_stage(world, MetaRolesScreen) as pilot:
        pilot.listing.go_to(analyst)
        await press(pilot, "s")
        world.do(MapProjectRole(project_role=ProjectRole.OWNER, meta_role_ids=(lead, creative)))
        await press(pilot, "space", "enter")
        assert mapped(world, ProjectRole.OWNER) == {lead, analyst, creative}


async def test_s_can_take_the_last_source_away(world: World) -> None:
    async with on_stage(world, MetaRolesScreen) as pilot:
        pilot.listing.go_to(world.meta_role("Lead"))
        await press(pilot, "s", "space", "enter")
        assert mapped(world, ProjectRole.OWNER) == set()


async def test_d_removes_what_is_not_in_use_and_says_what_uses_the_others(world: World, clock: Clock) -> None:
    clock.forward(seconds=1)
    lead, analyst = world.meta_role("Lead"), world.meta_role("Analyst")
    async with on_stage(world, MetaRolesScreen) as pilot:
        pilot.listing.go_to(lead)
        await press(pilot, "d")
        assert "“Lead” is in use: the project role owner gives it" in seen(pilot)
        assert world.row("meta_role", id=lead)
        pilot.listing.go_to(analyst)
        await press(pilot, "d")
        assert world.rows("SELECT * FROM meta_role WHERE id = :id", id=analyst) == []
        assert "Removed “Analyst”. u to undo." in seen(pilot)
        await press(pilot, "u")
        assert world.row("meta_role", id=analyst)["name"] == "Analyst"


async def test_the_second_of_two_people_is_told_and_keeps_what_was_typed(world: World) -> None:
    analyst = world.meta_role("Analyst")
    async with on_stage(world, MetaRolesScreen) as pilot:
        pilot.listing.go_to(analyst)
        await press(pilot, "e")
        world.do(RenameMetaRole(meta_role_id=analyst, name="Researcher"))
        await press(pilot, Text(" in chief"), "enter")
        assert await shows(pilot, "Someone else changed this")
        assert "Analyst in chief" in seen(pilot)
        assert world.row("meta_role", id=analyst)["name"] == "Researcher"


async def test_an_empty_list_says_what_to_do(world: World) -> None:
    async with on_stage(world, MetaRolesScreen) as pilot:
        pilot.listing.go_to(world.meta_role("Lead"))
        await press(pilot, "s", "space", "enter", "home", *"dddddd")
        assert world.rows("SELECT * FROM meta_role") == []
        assert "No meta roles yet" in seen(pilot)
        await press(pilot, "e", "s")
        assert "No meta role here" in seen(pilot)


async def test_a_hostile_name_is_shown_as_it_is_and_cut_by_cells(world: World) -> None:
    name = "[red]概要[/] [@click=app.bell]" + "日本語の役割" * 5
    world.do(RenameMetaRole(meta_role_id=world.meta_role("Lead"), name=name))
    async with on_stage(world, MetaRolesScreen, size=(40, 12)) as pilot:
        await press(pilot, "home")
        assert "[red]概要[/]" in seen(pilot)
        assert "…" in seen(pilot)
