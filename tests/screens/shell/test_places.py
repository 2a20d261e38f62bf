"""Going from place to place, and back."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from core.actions.workspace.profile import SetPreference
from core.record import defaults, fields
from tests.screens.people.test_authority import until
from tests.support import waiting
from tests.support.app_driver import canvas, on_stage, press, seen, settled, told
from tests.support.workspace import World
from tui.dialogs.menus.go_menu import Places
from tui.dialogs.menus.picker import PickDialog
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.cards.card import CardScreen
from tui.screens.personal.settings import SettingsScreen
from tui.screens.projects.projects import ProjectsScreen
from tui.screens.shell.navigation import PLACES, screen_of
from tui.services.destinations import Destination, ToCard, ToPage, ToSetting
from tui.services.navigation_history import NavigationHistory


async def test_from_any_place_escape_leads_back_to_the_canvas_and_q_to_the_projects(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CanvasScreen)
        await press(pilot, "g", "M")
        assert "Members" in seen(pilot)
        await press(pilot, "g", "h")
        assert "added the phase" in seen(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, CanvasScreen)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, CanvasScreen), "a second esc does not cost the place"
        assert told(pilot) == "Press q to leave the project."
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, ProjectsScreen)


async def test_from_an_inbox_over_a_canvas_the_keys_of_the_project_lead_to_its_pages(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "enter", "g", "i")
        assert "Your inbox is empty" in seen(pilot)
        await press(pilot, "g", "c")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert pilot.app.screen.project_id == world.project.id
        await press(pilot, "g", "s", "g", "M")
        assert "Members · Spring launch" in seen(pilot)
        await press(pilot, "g", "p", "g", "c")
        assert "Open a project first." in seen(pilot)


async def test_minus_leads_back_to_the_last_place(world: World) -> None:
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await press(pilot, "g", "h", "g", "c")
        assert isinstance(pilot.app.screen, CanvasScreen)
        await press(pilot, "minus")
        assert "added the phase" in seen(pilot)


async def test_escape_on_the_first_screen_does_not_quit(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "escape", "escape")
        assert isinstance(pilot.app.screen, ProjectsScreen)
        assert pilot.app.is_running


async def test_the_palette_runs_an_action_by_its_name(world: World) -> None:
    task = world.task()
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await press(pilot, "a", "ctrl+n", "ctrl+p")  # in a dialog they walk, and no palette opens
        assert isinstance(pilot.app.screen, PickDialog)
        assert seen(pilot).count("❯") == 1
        await press(pilot, "escape", "ctrl+p", *"completeorreopen")
        await until(pilot, "❯ Complete, or reopen", without="Comment")
        assert "🔎" not in seen(pilot)
        assert re.search(r"│ +❯ Complete, or reopen +c +│", seen(pilot)), seen(pilot)
        await press(pilot, "enter")
        await until(pilot, "Completed 1")
        assert world.status(task) == "COMPLETED"
        world.do(SetPreference(name="signs", value="ascii"))
    async with on_stage(world, lambda: CanvasScreen(world.project.id), size=(40, 20)) as pilot:
        await press(pilot, "colon")
        await until(pilot, "+- Find anything", "Open the card")
        assert seen(pilot).isascii()


async def test_places_lead_back_and_forward_and_going_elsewhere_forgets_what_lay_ahead(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:

        def here() -> str:
            return type(pilot.app.screen).__name__.removesuffix("Screen")

        await press(pilot, "minus")
        assert "There is no previous screen yet" in seen(pilot)
        await press(pilot, "enter", "g", "M", "g", "h")
        assert here() == "History"
        back = []
        for _ in range(3):
            await press(pilot, "minus")
            back.append(here())
        assert back == ["Members", "Canvas", "Projects"]
        await press(pilot, "equals_sign", "equals_sign")
        assert here() == "Members"
        await press(pilot, "T")
        assert here() == "MyWork"
        await press(pilot, "equals_sign")
        assert "There is no next screen" in seen(pilot)
        await press(pilot, "minus")
        assert here() == "Members"


async def test_the_same_place_twice_is_one_step(world: World) -> None:
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await press(pilot, "g", "h", "g", "h", "g", "h", "minus")
        assert isinstance(pilot.app.screen, CanvasScreen)
        await press(pilot, "equals_sign")
        assert "added the phase" in seen(pilot)


async def test_the_way_back_leads_through_what_was_left_by_escape_and_keeps_the_cursor(world: World) -> None:
    first, second = world.task("First"), world.task("Second")
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "enter", "j", "enter")
        assert isinstance(pilot.app.screen, CardScreen)
        await press(pilot, "escape", "q")
        assert isinstance(pilot.app.screen, ProjectsScreen)
        await press(pilot, "minus")
        canvas = pilot.app.screen
        assert isinstance(canvas, CanvasScreen)
        assert canvas.board.cursor.card is not None
        assert canvas.board.cursor.card.id == second.id != first.id
        await press(pilot, "minus")
        assert "Second" in seen(pilot)
        assert isinstance(pilot.app.screen, CardScreen)


async def test_a_page_that_is_gone_is_left_out_of_the_way_back(world: World) -> None:
    task = world.task("Gone soon")
    world.task("Stays")
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await press(pilot, "enter", "g", "h")
        world.delete(task.id)
        await press(pilot, "minus")
        await waiting.until(lambda: "is not here any more" in seen(pilot) or "There is no" in seen(pilot))
        await press(pilot, "minus", "minus")
        assert not isinstance(pilot.app.screen, CardScreen)
        assert pilot.app.is_running


def test_at_most_fifty_places_are_remembered(world: World) -> None:
    places = NavigationHistory()
    for number in range(60):
        places.leave(CardScreen(world.project.id, f"{number}"))
    steps = 0
    while places.back(None):
        steps += 1
    assert steps == 50


def test_each_destination_has_a_screen_of_its_own() -> None:
    kinds = [kind for kind in get_args(Destination) if kind not in (ToPage, ToSetting)]
    required = {kind: set(fields(kind)) - set(defaults(kind)) for kind in kinds}
    destinations = [*ToPage, *(kind(*("an id" for _ in required[kind])) for kind in kinds)]
    screens = [screen_of(each) for each in destinations]
    kinds_of = {(type(screen), type(getattr(screen, "source", None))) for screen in screens}  # a history has sources
    assert len(kinds_of) == len(destinations) == 30
    assert isinstance(screen_of(ToCard("project", "card")), CardScreen)
    assert isinstance(screen_of(ToSetting("theme")), SettingsScreen)


async def test_changes_while_a_screen_opens_wait_until_it_has_its_widgets(world: World) -> None:
    world.task("Write the brief")
    async with on_stage(world, ProjectsScreen) as pilot:
        canvas = CanvasScreen(world.project.id)
        opening = pilot.app.push_screen(canvas)
        await canvas.refresh_from_core()
        await opening
        await settled(pilot)
        assert "Write the brief" in seen(pilot)


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (120, 40)])
async def test_the_go_menu_has_three_groups_and_shows_every_place_at_every_size(
    world: World, size: tuple[int, int]
) -> None:
    async with on_stage(world, canvas(world), size=size) as pilot:
        await press(pilot, "g")
        shown = seen(pilot)
        for place in PLACES:
            named = f"{place.letter}  {place.name[:10]}" if size[0] >= 80 else f"{place.letter} {place.name[:7]}"
            assert named in shown
        assert ("  This project  " in shown) == (size[0] >= 80)
        await press(pilot, "down", "right", "enter")
        assert pilot.screen.name_in_table == "status_board"
        await press(pilot, "g", "M")
        assert pilot.screen.name_in_table == "members"


async def test_places_of_a_project_are_dim_without_one_and_say_why_and_a_click_goes_there(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await press(pilot, "g", "t")
        assert "Open a project first." in seen(pilot)
        await pilot.click(Places, offset=(5, 3))
        await settled(pilot)
        assert pilot.screen.name_in_table == "inbox"


def test_each_place_has_a_letter_of_its_own_that_is_in_its_name() -> None:
    assert len({place.letter for place in PLACES} | {"g"}) == len(PLACES) + 1
    for place in PLACES:
        assert place.letter.casefold() in place.name.casefold(), place.name
