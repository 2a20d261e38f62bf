"""The members of a project: invited, given a role, removed, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

from tests.screens.stage import on_stage, press, seen, settled, write
from tests.world import World
from tui.screens.members import MembersScreen


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
        await press(pilot, "n")
        await write(pilot, "gus")
        await press(pilot, "enter", "v")
        assert world.row("member", user_id=world.gus.user_id)["role"] == "VIEWER"
        assert pilot.app.screen.line.id == world.gus.user_id
        assert "Gus Roy" in seen(pilot)


async def test_somebody_new_becomes_a_guest_and_a_member_in_one_step(world: World) -> None:
    async with on_stage(world, members(world)) as pilot:
        await press(pilot, "n")
        await write(pilot, "somebody")
        await press(pilot, "enter")
        await write(pilot, "Ada")
        await press(pilot, "tab")
        await write(pilot, "Byron")
        await press(pilot, "tab")
        await write(pilot, "ada")
        await press(pilot, "ctrl+s")
        assert "is not an address" in seen(pilot)
        await write(pilot, "@example.org")
        await press(pilot, "ctrl+s")
        user = world.row("app_user", login="ada")
        assert user["platform_roles"] == "[]"
        assert world.row("member", user_id=user["id"])["role"] == "CONTRIBUTOR"
        assert "Ada Byron" in seen(pilot)
        await press(pilot, "u")
        assert world.rows("SELECT * FROM app_user WHERE login = 'ada'") == []


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
        assert "Bob Lind" not in seen(pilot).partition("Removed")[0]


async def test_a_contributor_reads_why_the_keys_do_nothing(world: World) -> None:
    async with on_stage(world, members(world), world.bob) as pilot:
        await press(pilot, "n")
        assert "As contributor you may not invite" in seen(pilot)
        await press(pilot, "d")
        assert len(world.rows("SELECT * FROM member")) == 3


async def test_who_is_inactive_is_marked(world: World) -> None:
    from core.actions.people import DeactivateUser

    world.do(DeactivateUser(user_id=world.bob.user_id))
    async with on_stage(world, members(world), size=(60, 15)) as pilot:
        await settled(pilot)
        assert "inactive" in seen(pilot)
