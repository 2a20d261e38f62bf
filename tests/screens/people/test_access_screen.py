"""Access: tokens are made, shown once, copied and revoked; accounts are linked and unlinked; others see their own."""

from __future__ import annotations

from core.actions.products.tokens import CreateProductToken
from core.actions.workspace.credentials import CreateToken, LinkOsAccount
from core.actions.workspace.gateway_tokens import CreateGatewayToken
from core.domain.credentials import token_hash
from tests.support.app_driver import Text, on_stage, press, seen
from tests.support.message_examples.people import OS_USER
from tests.support.workspace import World
from tui.dialogs.link import LinkDialog
from tui.screens.people.tokens import AccessScreen


async def test_n_makes_a_token_that_is_shown_once_and_y_copies_it(world: World) -> None:
    async with on_stage(world, AccessScreen, world.bob) as pilot:
        assert "No tokens yet" in seen(pilot)
        await press(pilot, "n", Text("Night build"), "ctrl+s")
        row = world.row("token", label="Night build")
        assert row["user_id"] == world.bob.user_id
        assert isinstance(pilot.app.screen, LinkDialog)
        await press(pilot, "y")
        secret = pilot.app.clipboard
        assert token_hash(secret) == row["hash"]
        assert secret in seen(pilot)
        assert "Programs that use it act as Bob Lind until Sun 31 May 2026" in " ".join(seen(pilot).split())
        await press(pilot, "escape")
        assert secret not in seen(pilot)
        assert pilot.line.id == row["id"]
        assert "valid" in seen(pilot)


async def test_the_days_are_said_again_until_they_are_a_number_that_is_taken(world: World) -> None:
    async with on_stage(world, AccessScreen, world.bob) as pilot:
        await press(pilot, "n", Text("CI"), "tab", "ctrl+u", Text("soon"), "enter")
        assert "Write the days as a number from 1 to 365" in seen(pilot)
        await press(pilot, "ctrl+u", Text("366"), "enter")
        assert "1 to 365 days" in seen(pilot)
        assert world.rows("SELECT * FROM token") == []


async def test_d_revokes_after_a_question(world: World) -> None:
    made = world.do(CreateToken(label="Night build"), world.bob)
    async with on_stage(world, AccessScreen) as pilot:
        assert "Bob Lind" in seen(pilot)
        await press(pilot, "d")
        assert "signed out" in " ".join(seen(pilot).split())
        await press(pilot, "n")
        assert world.row("token")["revoked_at"] is None
        await press(pilot, "d", "y")
        assert world.row("token", id=made.token.id)["revoked_at"]
        assert "revoked" in seen(pilot)
        await press(pilot, "d")
        assert "is revoked." in seen(pilot)
        await press(pilot, "u")
        assert world.row("token")["revoked_at"], "undo opens nothing again"


async def test_a_links_an_account_and_d_unlinks_it(world: World) -> None:
    async with on_stage(world, AccessScreen) as pilot:
        await press(pilot, "a", Text("no-such-account"), "ctrl+s")
        assert "Say whose account it is" in seen(pilot)
        await press(pilot, "enter", Text("bob"), "enter", "ctrl+s")
        assert "has no account" in seen(pilot)
        await press(pilot, "ctrl+u", Text(OS_USER), "ctrl+s")
        row = world.row("linked_account")
        assert (row["os_user"], row["user_id"]) == (OS_USER, world.bob.user_id)
        assert OS_USER in seen(pilot)
        await press(pilot, "d", "y")
        assert world.rows("SELECT * FROM linked_account") == []


async def test_others_see_their_own_ways_in_and_change_no_linked_account(world: World) -> None:
    world.do(LinkOsAccount(os_user=OS_USER, user_id=world.bob.user_id))
    world.do(CreateToken(label="Of Maya"))
    async with on_stage(world, AccessScreen, world.bob) as pilot:
        assert OS_USER in seen(pilot)
        assert "Of Maya" not in seen(pilot)
        await press(pilot, "d")
        assert "manage people" in " ".join(seen(pilot).split())
        await press(pilot, "a")
        assert "manage people" in " ".join(seen(pilot).split())
        assert world.row("linked_account")["os_user"] == OS_USER


async def test_g_y_leads_there(world: World) -> None:
    async with on_stage(world, AccessScreen) as pilot:
        await press(pilot, "g", "s", "g", "a")
        assert isinstance(pilot.app.screen, AccessScreen)
        assert "Sign-in and tokens · Studio North" in seen(pilot)


async def test_an_admin_makes_and_revokes_tokens_of_products(world: World) -> None:
    world.product()
    async with on_stage(world, AccessScreen) as pilot:
        await press(pilot, "N", Text("Live"), "tab", "tab", "enter", Text("Asset"), "enter", "ctrl+s")
        assert "sends the permission query with it until" in " ".join(seen(pilot).split())
        row = world.row("product_token", label="Live")
        await press(pilot, "y")
        assert token_hash(pilot.app.clipboard) == row["hash"]
        await press(pilot, "escape")
        assert "Asset library" in seen(pilot)
        await press(pilot, "d", "y")
        assert world.row("product_token")["revoked_at"]
        assert "revoked" in seen(pilot)


async def test_members_see_no_tokens_of_products(world: World) -> None:
    world.do(CreateProductToken(product_id=world.product().id, label="Live"))
    async with on_stage(world, AccessScreen, world.bob) as pilot:
        assert "Sign-in and tokens" in seen(pilot)
        assert "Asset library" not in seen(pilot)
        await press(pilot, "N")
        assert "Sign-in and tokens" in seen(pilot)
        assert "Create a token for a product" not in seen(pilot)


async def test_an_admin_sees_and_revokes_the_token_of_a_gateway_and_members_do_not(world: World) -> None:
    world.do(CreateGatewayToken(label="Browser on host"))
    async with on_stage(world, AccessScreen, world.bob) as pilot:
        assert "Sign-in and tokens" in seen(pilot)
        assert "Browser on host" not in seen(pilot)
    async with on_stage(world, AccessScreen) as pilot:
        assert "made by Maya Okafor" in seen(pilot)
        await press(pilot, "d", "y")
        assert world.row("gateway_token")["revoked_at"]
        assert "revoked" in seen(pilot)
