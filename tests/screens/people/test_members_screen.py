"""The members of a project: invited, given a role, removed, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.actions.cards.applications import AddApplication
from core.actions.products.products import AddApplicationRole, AddProduct
from core.actions.projects.members import InviteMember, RemoveMember, SetProjectRole
from core.actions.workspace.meta_roles import SetMetaRoles
from core.domain.model import ProjectRole
from core.domain.products.products import LaunchKind
from tests.support.app_driver import Text, hides, on_stage, press, seen, settled, shows, told
from tests.support.workspace import World
from tui.screens.people.members import MembersScreen


def members(world: World) -> Callable[[], MembersScreen]:
    return lambda: MembersScreen(world.project.id)


async def test_owners_come_first_with_what_each_has_in_hand(world: World) -> None:
    world.task("Draft", assignee_id=world.bob.user_id)
    async with on_stage(world, members(world)) as pilot:
        shown = seen(pilot)
        assert "Members · Spring launch" in shown
        assert shown.index("Maya Okafor you") < shown.index("Bob Lind") < shown.index("Vera Sato")
        assert "bob@example.com" in shown
        assert "contributor" in shown


async def test_n_invites_a_person_of_the_workspace_with_a_role(world: World) -> None:
    async with on_stage(world, members(world)) as pilot:
        await press(pilot, "n", Text("gus"), "enter", "v")
        assert world.row("member", user_id=world.gus.user_id)["role"] == "VIEWER"
        assert pilot.line.id == world.gus.user_id
        assert "Gus Roy" in seen(pilot)
        assert told(pilot) == "Invited. Podium sends no e-mail. The project is in their list now."


async def test_invite_as_begins_at_the_least_role(world: World) -> None:
    async with on_stage(world, members(world)) as pilot:
        await press(pilot, "n", "enter", "enter")
        assert world.row("member", user_id=world.gus.user_id)["role"] == "VIEWER"


async def test_who_is_invited_is_shown_whatever_is_filtered(world: World) -> None:
    async with on_stage(world, members(world)) as pilot:
        await press(pilot, "slash", Text("bob"), "enter", "n", Text("gus"), "enter", "v")
        assert world.row("member", user_id=world.gus.user_id)["role"] == "VIEWER"
        assert pilot.line.id == world.gus.user_id
        assert "Maya Okafor" in seen(pilot)


async def test_the_menu_names_whom_it_is_about(world: World) -> None:
    async with on_stage(world, members(world)) as pilot:
        await press(pilot, "full_stop")
        assert pilot.app.screen.query_one("#panel").border_title == "Maya Okafor"


async def test_a_new_person_becomes_a_guest_and_a_member_in_one_step(world: World) -> None:
    async with on_stage(world, members(world)) as pilot:
        await press(pilot, "n", Text("new person"), "enter", Text("Ada"), "tab", Text("Byron"), "tab", Text("ada"))
        await press(pilot, "ctrl+s")
        assert "is not an address" in seen(pilot)
        await press(pilot, Text("@example.org"), "ctrl+s")
        user = world.row("app_user", login="ada")
        assert user["platform_roles"] == "[]"
        assert world.row("member", user_id=user["id"])["role"] == "VIEWER"
        assert "Ada Byron" in seen(pilot)
        assert "no e-mail. To sign in to a server they need a token (g a, then n) or a linked account" in told(pilot)
        await press(pilot, "u")
        assert world.rows("SELECT * FROM app_user WHERE login = 'ada'") == []


async def test_an_owner_who_creates_no_tokens_reads_whom_to_ask_for_the_way_in(world: World) -> None:
    version = world.row("member", user_id=world.bob.user_id)["version"]
    owner = SetProjectRole(
        project_id=world.project.id, user_id=world.bob.user_id, role=ProjectRole.OWNER, seen_version=version
    )
    world.do(owner)
    async with on_stage(world, members(world), world.bob) as pilot:
        await press(pilot, "n")
        if "new person" in seen(pilot):
            await press(pilot, "enter")
        for text in ("Ada", "Byron", "ada@example.org"):
            await press(pilot, Text(text), "tab")
        await press(pilot, "ctrl+s")
        assert world.rows("SELECT login FROM app_user WHERE login = 'ada'")
        assert told(pilot).endswith("they need a token or a linked account: ask an admin of the workspace.")


async def test_s_changes_a_role_and_u_takes_it_back(world: World) -> None:
    async with on_stage(world, members(world)) as pilot:
        await press(pilot, "j", "s", "o")
        assert world.row("member", user_id=world.bob.user_id)["role"] == "OWNER"
        await press(pilot, "u")
        assert world.row("member", user_id=world.bob.user_id)["role"] == "CONTRIBUTOR"


async def test_the_last_owner_stays_one_and_the_screen_says_why(world: World) -> None:
    async with on_stage(world, members(world)) as pilot:
        await press(pilot, "s", "v")
        assert world.row("member", user_id=world.maya.user_id)["role"] == "OWNER"
        assert "at least one active owner" in seen(pilot)


async def test_removing_asks_only_where_work_is_in_their_hands(world: World) -> None:
    task = world.task("Draft", assignee_id=world.bob.user_id)
    async with on_stage(world, members(world)) as pilot:
        await press(pilot, "G", "d")
        assert world.rows("SELECT * FROM member WHERE user_id = :id", id=world.vera.user_id) == []
        assert "Removed Vera Sato" in seen(pilot)
        await press(pilot, "home", "j", "d")
        assert "1 open card" in seen(pilot)
        await press(pilot, "n")
        assert world.row("member", user_id=world.bob.user_id)
        await press(pilot, "d", "y")
        assert world.row("item", id=task.id)["assignee_id"] is None
        assert [line.id for line in pilot.listing.lines] == [world.maya.user_id]


async def test_who_is_inactive_is_marked(world: World) -> None:
    from core.actions.workspace.users import DeactivateUser

    world.do(DeactivateUser(user_id=world.bob.user_id))
    async with on_stage(world, members(world), size=(60, 15)) as pilot:
        await settled(pilot)
        assert "inactive" in seen(pilot)


def editors_library(world: World, *, external: bool = True) -> None:
    """A product in the project whose role Editor follows from the meta role Strategist."""
    product = world.do(
        AddProduct(
            name="Asset library",
            kind=LaunchKind.WEB,
            url="https://assets.example.com",
            uses_external_authorization=external,
            permission_codes=("ASSET_EDIT",),
        )
    )
    strategist = world.meta_role("Strategist")
    world.do(
        AddApplicationRole(
            product_id=product.id, name="Editor", permission_codes=("ASSET_EDIT",), meta_role_ids=(strategist,)
        )
    )
    world.do(AddApplication(project_id=world.project.id, product_id=product.id, phase_id=world.discover.id))


def given(world: World) -> list[str]:
    """Names of the meta roles that Bob was given."""
    sql = "SELECT name FROM member_meta_role JOIN meta_role ON id = meta_role_id WHERE user_id = :id ORDER BY name"
    return [row["name"] for row in world.rows(sql, id=world.bob.user_id)]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_m_gives_meta_roles_and_the_product_roles_follow(world: World, size: tuple[int, int]) -> None:
    editors_library(world)
    async with on_stage(world, members(world), size=size) as pilot:
        assert "Bob Lind" in seen(pilot)
        assert "Editor" not in seen(pilot)
        await press(pilot, "j", "M", Text("strat"), "space", "enter")
        assert given(world) == ["Strategist"]
        assert "Strategist" in seen(pilot)
        assert "Asset library: Editor" in seen(pilot)
        await press(pilot, "enter")
        shown = seen(pilot)
        for words in ("Roles of Bob Lind", "Assigned in this project.", "Asset library: Editor"):
            assert words in shown
        assert "via Strategist" in shown
        await press(pilot, "escape", "u")
        assert given(world) == []
        assert await hides(pilot, "Editor")


async def test_a_meta_role_that_the_project_role_brings_is_marked_as_such(world: World) -> None:
    async with on_stage(world, members(world)) as pilot:
        await press(pilot, "M")
        assert "comes with the owner role" in seen(pilot)
        await press(pilot, "escape", "enter")
        assert "Comes with the project role owner." in seen(pilot)
        assert "No application is in this project" in seen(pilot)


async def test_nothing_is_granted_for_a_product_without_external_authorization(world: World) -> None:
    editors_library(world, external=False)
    strategist = world.meta_role("Strategist")
    world.do(SetMetaRoles(project_id=world.project.id, user_id=world.bob.user_id, meta_role_ids=(strategist,)))
    async with on_stage(world, members(world)) as pilot:
        await press(pilot, "j")
        assert "Strategist" in seen(pilot)
        assert "Editor" not in seen(pilot)
        await press(pilot, "enter")
        assert "This product manages its own permissions." in seen(pilot)


async def test_meta_roles_that_another_user_gave_meanwhile_are_not_overwritten(world: World) -> None:
    async with on_stage(world, members(world)) as pilot:
        await press(pilot, "j", "M", "space")
        creative = world.meta_role("Creative")
        world.do(SetMetaRoles(project_id=world.project.id, user_id=world.bob.user_id, meta_role_ids=(creative,)))
        await press(pilot, "enter")
        assert given(world) == ["Creative"]
        assert await shows(pilot, "Someone else changed this")


async def test_a_contributor_sees_roles(world: World) -> None:
    async with on_stage(world, members(world), world.bob) as pilot:
        await press(pilot, "enter")
        assert "Roles of Maya Okafor" in seen(pilot)


async def test_who_is_removed_while_watching_sees_the_members_no_more(world: World) -> None:
    async with on_stage(world, members(world), world.bob) as pilot:
        assert "Vera Sato" in seen(pilot)
        world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
        assert await shows(pilot, "or you are not a member of it any more.")
        assert "Vera Sato" not in seen(pilot)
        world.do(InviteMember(project_id=world.project.id, user_id=world.bob.user_id))
        assert await shows(pilot, "Vera Sato")
