"""The message to the user: one at a time, above the keys, under dialogs, until the next key."""

from __future__ import annotations

import pytest
from textual import events

from core.domain.model import Status
from tests.support.app_driver import canvas, on_stage, post_keys, press, seen, settled, told
from tests.support.workspace import World
from tui.dialogs.menus.key_menu import KeyMenu
from tui.screens.projects.projects import ProjectsScreen
from tui.widgets.message_line import MessageLine


async def test_a_message_stands_above_the_keys_and_goes_with_the_next_key(world: World) -> None:
    first, second = world.task("Draw the map"), world.task("Open the gate")
    async with on_stage(world, canvas(world)) as pilot:
        keys = seen(pilot).splitlines()[-1]
        await press(pilot, "H")
        assert told(pilot) == "Already in To Do."
        lines = seen(pilot).splitlines()
        assert (lines[-2].strip(), lines[-1]) == ("▌ Already in To Do.", keys)
        await press(pilot, "j")
        assert told(pilot) == ""
        assert "Open the gate" in seen(pilot).splitlines()[-2], "the line is that of the cursor again"
        assert (world.status(first), world.status(second)) == (Status.TO_DO, Status.TO_DO)


async def test_one_message_takes_the_place_of_the_other(world: World) -> None:
    world.task("Draw the map")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "A")
        assert told(pilot) == "Showing archived cards."
        await press(pilot, "A")
        assert told(pilot) == "Archived cards hidden."
        assert len(pilot.app.screen.query(MessageLine)) == 1


async def test_a_key_that_was_typed_before_a_message_does_not_end_it(world: World) -> None:
    world.task("Draw the map")
    async with on_stage(world, canvas(world)) as pilot:
        post_keys(pilot, "H", "j", "k")
        await settled(pilot)
        assert told(pilot) == "Already in To Do."
        await press(pilot, "k")
        assert told(pilot) == ""


async def test_a_click_ends_a_message(world: World) -> None:
    world.task("Draw the map")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "H")
        assert told(pilot)
        pilot.app.post_message(events.MouseDown(None, 60, 20, 0, 0, 1, False, False, False, 60, 20))
        await settled(pilot)
        assert told(pilot) == ""


async def test_no_message_is_drawn_over_a_menu_and_keys_of_the_menu_do_not_end_it(world: World) -> None:
    world.task("Draw the map")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "H", "s")
        assert isinstance(pilot.app.screen, KeyMenu)
        assert told(pilot) == "", "opening a menu ends it"
        menu = seen(pilot)
        pilot.app.toast("Bob Lind has left.")
        await settled(pilot)
        assert seen(pilot).splitlines()[:-2] == menu.splitlines()[:-2], "it stands below the menu"
        await press(pilot, "escape")
        assert told(pilot) == "Bob Lind has left."
        await press(pilot, "j")
        assert told(pilot) == ""


async def test_the_screen_behind_a_menu_is_seen_before_the_menu_is_painted_again(world: World) -> None:
    world.task("Draw the map")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "s")
        painted = seen(pilot)
        pilot.app.screen.refresh()
        assert seen(pilot) == painted
        assert "Draw the map" in painted


async def test_a_message_stays_when_its_screen_was_closed_by_the_same_key(world: World) -> None:
    world.task("Draw the map")
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "enter", "p")
        pilot.app.toast("“Discover” is not here any more.")
        pilot.app.back()
        await settled(pilot)
        assert told(pilot) == "“Discover” is not here any more."


async def test_enter_does_what_the_message_offers_once(world: World) -> None:
    world.task("Draw the map")
    done: list[str] = []

    async def act() -> None:
        done.append("there")

    async with on_stage(world, canvas(world)) as pilot:
        at = pilot.app.screen
        pilot.app.toast("Build is open. enter goes there", enter=act)
        await press(pilot, "enter")
        assert (done, told(pilot), pilot.app.screen) == (["there"], "", at)
        pilot.app.toast("Build is open. enter goes there", enter=act)
        await press(pilot, "j", "enter")
        assert done == ["there"], "only right then"
        assert pilot.app.screen is not at, "enter opens the card again"


@pytest.mark.parametrize(("size", "lines"), [((120, 40), 1), ((40, 12), 3)])
async def test_a_long_message_takes_more_lines_and_moves_nothing(
    world: World, size: tuple[int, int], lines: int
) -> None:
    world.task("Draw the map")
    async with on_stage(world, canvas(world), size=size) as pilot:
        before = seen(pilot).splitlines()
        pilot.app.toast("Archived “Send the rushes to the editor”. u to undo, A to show the archive.")
        await settled(pilot)
        after = seen(pilot).splitlines()
        assert (before[: -lines - 1], before[-1]) == (after[: -lines - 1], after[-1])
        assert after[-2] != before[-2]


async def test_markup_and_control_characters_in_a_message_are_text(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        pilot.app.toast("Archived “[red]Draw[/red] \u202ethe\x1b[2J map”.")
        await settled(pilot)
        assert "Archived “[red]Draw[/red]" in told(pilot)
        assert "\u202e" not in seen(pilot)


@pytest.mark.parametrize(("severity", "sign"), [("information", "▌"), ("warning", "!"), ("error", "✗")])
async def test_a_sign_tells_the_severity_without_colour(world: World, severity: str, sign: str) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        pilot.app.toast("The disk is full.", severity=severity)
        await settled(pilot)
        assert f" {sign} The disk is full." in seen(pilot)
