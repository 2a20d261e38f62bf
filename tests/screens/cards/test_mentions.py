"""Naming people in a comment: they are offered as one types, by keys alone, and are told in their inbox."""

from __future__ import annotations

from core.actions.workspace.profile import SetPreference
from core.actions.workspace.users import DeactivateUser
from tests.support.app_driver import Text, canvas, on_stage, press, seen, write
from tests.support.workspace import World
from tui.dialogs.form import FormDialog
from tui.screens.cards.card import CardScreen


def comments(world: World) -> list[str]:
    return [row["text"] for row in world.rows("SELECT text FROM comment")]


async def test_members_are_offered_and_a_chosen_one_is_notified(world: World) -> None:
    card = world.task("Write the brief")
    async with on_stage(world, canvas(world, card.id), size=(80, 24)) as pilot:
        await press(pilot, "C", *"Ask ", "@")
        assert "› @bob" in seen(pilot)
        assert "Vera Sato" in seen(pilot)
        assert "Maya Okafor" not in [line.strip() for line in seen(pilot).splitlines()], "oneself is not offered"
        await press(pilot, *"sa")
        assert "› @vera" in seen(pilot)
        assert "Bob Lind" not in seen(pilot)
        await press(pilot, "tab", Text("and @b"), "down", "enter", "enter", Text("or me@b"))
        assert "or me@b" in seen(pilot)
        assert "› @bob" not in seen(pilot), "an address names nobody"
        await press(pilot, "ctrl+s")
    assert comments(world) == ["Ask @vera and @bob \nor me@b"]
    told = world.rows("SELECT user_id FROM notification WHERE kind = 'MENTIONED'")
    assert {row["user_id"] for row in told} == {world.bob.user_id, world.vera.user_id}


async def test_esc_takes_the_offer_away_and_not_the_dialog(world: World) -> None:
    card = world.task("Write the brief")
    world.do(DeactivateUser(user_id=world.vera.user_id))
    world.do(SetPreference(name="signs", value="ascii"))
    async with on_stage(world, lambda: CardScreen(world.project.id, card.id)) as pilot:
        await press(pilot, "C", "@")
        assert "> @bob" in seen(pilot)
        assert "Vera" not in seen(pilot), "she is not active any more"
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, FormDialog)
        assert "> @bob" not in seen(pilot)
        await write(pilot, "bo")
        assert "@bo" in seen(pilot)
        assert "> @bob" not in seen(pilot), "it stays away at this place"
        await write(pilot, " @")
        assert "> @bob" in seen(pilot)
        await press(pilot, "escape", "escape", "escape")
        assert isinstance(pilot.app.screen, CardScreen)
    assert comments(world) == []
