"""``o`` on a card, on the Canvas and on its own screen: what is launched or opened, once, and who is asked which."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.domain.model import Item
from tests.support.app_driver import PodiumPilot, canvas, on_stage, press, seen, settled, told
from tests.support.workspace import World
from tui.dialogs.menus.key_menu import KeyMenu
from tui.keys.table import BY_ID
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.cards.card import CardScreen
from tui.screens.framework.global_actions import copy_id
from tui.screens.framework.screen import PodiumScreen
from tui.screens.products.application import ApplicationScreen
from tui.screens.products.product import ProductScreen
from tui.screens.products.products import ProductsScreen

LINK = "https://example.com/plan"
Opened = list[str]

on_both_screens = pytest.mark.parametrize("kind", [CanvasScreen, CardScreen])


def on(world: World, kind: Callable[..., PodiumScreen], activity: Item) -> Callable[[], PodiumScreen]:
    return lambda: kind(world.project.id, activity.id)


def with_both(world: World) -> Item:
    """An activity with a link and an application."""
    activity = world.activity(link=LINK)
    world.add_application(activity_id=activity.id, name="Press kit")
    return activity


def in_browser(pilot: PodiumPilot, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """The links that are opened from now on, as if Podium ran in a browser."""
    opened: Opened = []
    monkeypatch.setattr(pilot.app, "open_url", opened.append)
    pilot.app.via = "browser"
    return opened


@on_both_screens
async def test_of_a_link_and_an_application_one_is_chosen_by_its_letter(
    world: World, monkeypatch: pytest.MonkeyPatch, kind: Callable[..., PodiumScreen]
) -> None:
    async with on_stage(world, on(world, kind, with_both(world))) as pilot:
        opened = in_browser(pilot, monkeypatch)
        await press(pilot, "o")
        assert "a  Launch “Press kit”" in seen(pilot)
        assert f"l  Open {LINK}" in seen(pilot)
        await press(pilot, "l")
        assert opened == [LINK]
        assert world.rows("SELECT * FROM launch") == []
        await press(pilot, "o", "escape")
        assert len(opened) == 1
        await press(pilot, "o", "a")
        assert world.row("launch")["application_id"] == world.row("application")["id"]
        assert opened[1].startswith("https://assets.example/#context=")


@on_both_screens
async def test_a_viewer_reads_why_it_is_not_launched_and_opens_the_link(
    world: World, monkeypatch: pytest.MonkeyPatch, kind: Callable[..., PodiumScreen]
) -> None:
    async with on_stage(world, on(world, kind, with_both(world)), as_=world.vera) as pilot:
        opened = in_browser(pilot, monkeypatch)
        await press(pilot, "o", "a")
        assert "can launch applications; you are a viewer." in " ".join(seen(pilot).replace("│", " ").split())
        await press(pilot, "l")
        assert opened == [LINK]
        assert world.rows("SELECT * FROM launch") == []


@on_both_screens
async def test_no_question_is_asked_where_there_is_only_one_of_the_two(
    world: World, monkeypatch: pytest.MonkeyPatch, kind: Callable[..., PodiumScreen]
) -> None:
    linking, holding = world.activity("Linking", link=LINK), world.activity("Holding")
    world.add_application(activity_id=holding.id)
    for activity, start in ((linking, LINK), (holding, "https://assets.example/#context=")):
        async with on_stage(world, on(world, kind, activity)) as pilot:
            opened = in_browser(pilot, monkeypatch)
            await press(pilot, "o")
            assert [each.startswith(start) for each in opened] == [True]
    assert len(world.rows("SELECT * FROM launch")) == 1


def places(world: World) -> dict[str, Callable[[], PodiumScreen]]:
    """Every screen with a key that launches, and something on it that is launched without asking."""
    activity = world.activity()
    application = world.add_application(activity_id=activity.id)
    return {
        "canvas": canvas(world, application.id),
        "card": lambda: CardScreen(world.project.id, activity.id),
        "application": lambda: ApplicationScreen(world.project.id, application.id),
        "products": ProductsScreen,
        "product": lambda: ProductScreen(application.product_id),
    }


async def press_twice_at_once(pilot: PodiumPilot, key_id: str) -> None:
    """As if the second press was there before the first one had any effect."""
    screen = pilot.app.screen
    assert isinstance(screen, PodiumScreen)
    await screen.keys.run(BY_ID[key_id])
    await screen.keys.run(BY_ID[key_id])
    await settled(pilot)


@pytest.mark.parametrize("place", ["canvas", "card", "application", "products", "product"])
async def test_a_key_that_is_pressed_twice_launches_once_and_later_again(
    world: World, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    async with on_stage(world, places(world)[place]) as pilot:
        opened = in_browser(pilot, monkeypatch)
        await press_twice_at_once(pilot, f"{place}.launch")
        assert (len(opened), len(world.rows("SELECT * FROM launch"))) == (1, 1)
        assert told(pilot).startswith("Launched “"), "of the second press nothing is said"
        await press(pilot, "o")
        assert (len(opened), len(world.rows("SELECT * FROM launch"))) == (2, 2)


@on_both_screens
async def test_a_key_that_is_pressed_twice_asks_once(world: World, kind: type[CanvasScreen | CardScreen]) -> None:
    async with on_stage(world, on(world, kind, with_both(world))) as pilot:
        await press_twice_at_once(pilot, f"{pilot.screen.name_in_table}.launch")
        assert [isinstance(each, KeyMenu) for each in pilot.app.screen_stack].count(True) == 1
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, kind)


async def test_after_a_refusal_the_key_works_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    place = places(world)["application"]
    world.database.write(lambda tx: tx.execute("UPDATE product SET url = 'javascript:1'"))
    async with on_stage(world, place) as pilot:
        opened = in_browser(pilot, monkeypatch)
        await press(pilot, "o")
        assert "cannot be opened" in seen(pilot)
        world.database.write(lambda tx: tx.execute("UPDATE product SET url = 'https://assets.example/'"))
        await press(pilot, "o")
        assert (len(opened), len(world.rows("SELECT * FROM launch"))) == (1, 1)


async def test_nothing_that_acts_where_it_is_pasted_comes_onto_the_clipboard(world: World) -> None:
    name = "Pictures\x1b[201~\x07\u202e"
    held = world.add_application(name="Pictures")
    world.database.write(lambda tx: tx.execute("UPDATE project SET name = :name", name=name))
    async with on_stage(world, lambda: ApplicationScreen(world.project.id, held.id)) as pilot:
        await press(pilot, "Y")
        pilot.app.copy_to_clipboard(name)
        assert pilot.app.clipboard == "Pictures\N{REPLACEMENT CHARACTER}[201~" + "\N{REPLACEMENT CHARACTER}" * 2
        screen = pilot.app.screen
        assert isinstance(screen, PodiumScreen)
        copy_id(screen, "a record", "01ID\nrm -rf ~\n")
        assert pilot.app.clipboard == "01ID rm -rf ~"


async def test_where_no_browser_opens_the_context_stands_in_words_above_its_link(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSH_CONNECTION", "10.0.0.9 1 10.0.0.1 22")
    activity = world.activity()
    world.add_application(activity_id=activity.id, name="Press kit")
    async with on_stage(world, on(world, CanvasScreen, activity)) as pilot:
        await press(pilot, "o")
        shown = seen(pilot)
        for label, value in (("Project", "Spring launch"), ("Item", "Press kit"), ("You", "Maya Okafor")):
            assert f"{label:9}{value}" in shown
        assert shown.index("You") < shown.index("https://assets.example/")
