"""The people of the workspace: added, edited, given roles, deactivated."""

from __future__ import annotations

import pytest
from textual.widgets import Input

from core.actions.workspace.credentials import CreateUserToken
from core.actions.workspace.users import EditUser, SetPlatformRoles
from core.domain.model import NO_EMAIL, PlatformRole
from tests.support.app_driver import Text, on_stage, press, seen
from tests.support.workspace import World
from tui.screens.people.people import PeopleScreen


async def test_n_adds_a_person_and_complaints_stand_at_their_field(world: World) -> None:
    async with on_stage(world, PeopleScreen) as pilot:
        await press(pilot, "n")
        for text in ("Ada", "Byron", "ada@example.org"):
            await press(pilot, Text(text), "tab")
        await press(pilot, Text("maya"), "ctrl+s")
        assert "belongs to Maya Okafor" in seen(pilot)
        await press(pilot, "a", "ctrl+s")
        row = world.row("app_user", login="mayaa")
        assert row["platform_roles"] == '["INTERNAL"]'
        assert pilot.line.id == row["id"]
        assert "Ada Byron" in seen(pilot)


async def test_a_taken_e_mail_is_said_at_the_e_mail(world: World) -> None:
    async with on_stage(world, PeopleScreen) as pilot:
        await press(pilot, "n")
        for text in ("Ada", "Byron", "bob@example.com"):
            await press(pilot, Text(text), "tab")
        await press(pilot, Text("ada"), "ctrl+s")
        assert "belongs to Bob Lind" in seen(pilot)
        assert isinstance(pilot.app.focused, Input)
        assert pilot.app.focused.value == "bob@example.com"


async def test_enter_edits_the_person_of_the_cursor(world: World) -> None:
    async with on_stage(world, PeopleScreen) as pilot:
        assert pilot.line.id == world.bob.user_id
        await press(pilot, "enter", "end", Text("by"), "ctrl+s")
        assert world.row("app_user", id=world.bob.user_id)["first_name"] == "Bobby"
        assert "Bobby Lind" in seen(pilot)


async def test_the_role_of_platform_admins_is_shown_with_the_reason_why_another_admin_cannot_give_it(
    world: World,
) -> None:
    world.do(SetPlatformRoles(user_id=world.vera.user_id, platform_roles=(PlatformRole.PLATFORM_ADMIN,)))
    async with on_stage(world, PeopleScreen) as pilot:
        await press(pilot, "s", "space")
        assert "Only a platform admin can give that role" in " ".join(seen(pilot).replace("│", " ").split())
        await press(pilot, "enter")
        assert world.row("app_user", id=world.bob.user_id)["platform_roles"] == "[]"


async def test_s_gives_several_platform_roles(world: World) -> None:
    async with on_stage(world, PeopleScreen) as pilot:
        await press(pilot, "s", "space", "down", "down", "space", "enter")
        assert world.row("app_user", id=world.bob.user_id)["platform_roles"] == '["PLATFORM_ADMIN", "INTERNAL"]'
        assert "platform admin, internal" in seen(pilot)


async def test_d_deactivates_and_r_brings_back(world: World) -> None:
    async with on_stage(world, PeopleScreen) as pilot:
        await press(pilot, "d")
        assert world.row("app_user", id=world.bob.user_id)["active"] == 0
        assert "inactive" in seen(pilot)
        assert pilot.line.id == world.bob.user_id
        await press(pilot, "r")
        assert world.row("app_user", id=world.bob.user_id)["active"] == 1


async def test_the_last_admin_stays(world: World) -> None:
    async with on_stage(world, PeopleScreen) as pilot:
        pilot.listing.go_to(world.maya.user_id)
        await press(pilot, "d")
        assert world.row("app_user", id=world.maya.user_id)["active"] == 1
        assert "at least one active admin" in seen(pilot)


async def test_a_guest_sees_the_people_of_their_projects_and_an_internal_user_everybody(world: World) -> None:
    async with on_stage(world, PeopleScreen, world.gus) as pilot:
        assert "Gus Roy" in seen(pilot)
        assert "Maya Okafor" not in seen(pilot)
    world.internal(world.gus)
    async with on_stage(world, PeopleScreen, world.gus) as pilot:
        assert "Maya Okafor" in seen(pilot)


@pytest.fixture
def without_email(world: World) -> str:
    """Bob's e-mail as a founder without one has it."""
    address = f"bob@{NO_EMAIL}"
    world.do(EditUser(user_id=world.bob.user_id, email=address))
    return address


async def test_a_user_without_an_e_mail_has_a_dash_and_can_be_edited(world: World, without_email: str) -> None:
    async with on_stage(world, PeopleScreen) as pilot:
        assert NO_EMAIL not in seen(pilot)
        assert any("Bob Lind" in line and "–" in line for line in seen(pilot).splitlines())
        await press(pilot, "enter", "end")
        assert NO_EMAIL not in seen(pilot)
        await press(pilot, Text("by"), "ctrl+s")
        assert "Bobby Lind" in seen(pilot)
        user = world.row("app_user", id=world.bob.user_id)
        assert (user["first_name"], user["email"]) == ("Bobby", without_email)
        await press(pilot, "enter", "tab", "tab", Text("bob@example.org"), "ctrl+s")
        assert "bob@example.org" in seen(pilot)
        assert world.row("app_user", id=world.bob.user_id)["email"] == "bob@example.org"


async def test_an_e_mail_cannot_be_emptied(world: World) -> None:
    async with on_stage(world, PeopleScreen) as pilot:
        await press(pilot, "enter", "tab", "tab", "end", "ctrl+u", "ctrl+s")
        assert "Edit" in seen(pilot)
        assert world.row("app_user", id=world.bob.user_id)["email"] == "bob@example.com"


async def test_r_says_what_a_reactivated_person_has_lost(world: World) -> None:
    world.do(CreateUserToken(user_id=world.bob.user_id, label="CI"))
    async with on_stage(world, PeopleScreen) as pilot:
        await press(pilot, "d", "r")
        assert world.row("app_user", id=world.bob.user_id)["active"] == 1
        assert world.row("token")["revoked_at"]
        assert "Ended for good: 1 token." in " ".join(seen(pilot).split())
