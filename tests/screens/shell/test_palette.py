"""The palette finds records and presets beside actions, and goes to what is chosen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from core.actions.personal.presets import ListPresets
from core.actions.personal.search import Search
from core.actions.projects.members import RemoveMember
from core.engine.messages import Query
from core.errors import ServerUnavailable
from tests.support.app_driver import (
    PodiumPilot,
    Text,
    canvas,
    comes,
    on_stage,
    post_keys,
    press,
    screen_of,
    seen,
    shows,
)
from tests.support.typed_words import TYPED
from tests.support.workspace import World
from tui.keys.table import KEYS, OTHER_WORDS
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.people.members import MembersScreen
from tui.screens.people.people import PeopleScreen
from tui.screens.personal.search import SearchScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.projects.projects import ProjectsScreen
from tui.screens.shell.command_palette import FoundLines, Palette
from tui.screens.shell.navigation import PLACES
from tui.services.preferences import SETTINGS


async def find(pilot: Pilot[int], text: str, line: str) -> None:
    """Open the palette, type a text, and wait until this line is the first one."""
    await press(pilot, "colon", Text(text))
    assert await comes(pilot, lambda: first_line(pilot).startswith(line)), seen(pilot)


def first_line(pilot: Pilot[int]) -> str:
    found = pilot.app.screen.query(FoundLines)
    return found.first()._rows[0].label if found and found.first()._rows else ""


def before_search(pilot: PodiumPilot, monkeypatch: pytest.MonkeyPatch, act: Callable[[], Awaitable[object]]) -> None:
    """Let a search begin only after something has happened; other queries are answered as usual."""
    aside = pilot.app.backend.aside

    async def late(query: Query[Any]) -> object:
        if isinstance(query, Search):
            await act()
        return await aside(query)

    monkeypatch.setattr(pilot.app.backend, "aside", late)


@pytest.mark.parametrize("size", [(120, 40), (80, 24), (40, 12)])
async def test_the_name_of_a_card_leads_to_it_from_any_screen(world: World, size: tuple[int, int]) -> None:
    task = world.task("Call the quokka", world.build)
    async with on_stage(world, ProjectsScreen, size=size) as pilot:
        await find(pilot, "quok", "Call the quokka")
        assert "task" in first_line(pilot)
        await press(pilot, "enter")
        assert await comes(pilot, lambda: isinstance(pilot.app.screen, CanvasScreen))
        assert pilot.card.id == task.id


async def test_a_card_is_found_and_filtered_by_a_word_inside_a_run_and_without_accents(world: World) -> None:
    for title in TYPED:
        world.task(title)
    async with on_stage(world, canvas(world)) as pilot:
        for title in ("准备春季发布会材料", "Die Straße nach Größe"):
            typed = TYPED[title][0]
            await find(pilot, typed, title)
            await press(pilot, "escape", "slash", Text(typed))
            assert await comes(pilot, lambda title=title: title in seen(pilot) and "Smørre" not in seen(pilot))
            await press(pilot, "escape")


async def test_a_project_is_found_by_the_beginning_of_its_name(world: World) -> None:
    other = world.new_project("Dugong rescue")
    async with on_stage(world, canvas(world)) as pilot:
        await find(pilot, "dugo", "Dugong rescue")
        await press(pilot, "enter")
        assert await comes(pilot, lambda: getattr(pilot.app.screen, "project_id", "") == other.id)


async def test_a_person_is_found_by_name_and_enter_goes_to_their_line(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await find(pilot, "vera", "Vera Sato")
        await press(pilot, "enter")
        assert await comes(pilot, lambda: isinstance(pilot.app.screen, PeopleScreen))
        assert await comes(pilot, lambda: pilot.record.login == "vera")


async def test_a_preset_of_the_view_is_found_and_used(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await find(pilot, "Deadlines", "Deadlines")
        await press(pilot, "enter")
        assert await comes(pilot, lambda: world.ask(ListPresets(project_id=world.project.id)).chosen == "DEADLINES")
        assert await comes(pilot, lambda: pilot.screen.name_in_table == "timeline")


async def test_a_view_of_the_project_under_the_cursor_is_found_on_the_list_of_projects(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await find(pilot, "timeline", "Go to Timeline")
        assert world.project.name in first_line(pilot)
        await press(pilot, "enter")
        assert await comes(pilot, lambda: pilot.screen.name_in_table == "timeline")
        assert pilot.screen.project_id == world.project.id


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("gantt", "Go to Timeline"),
        ("milestone", "New phase after this one: milestone"),
        ("depend", "Choose what the card waits for: dependency"),
        ("subtask", "New task or activity here: subtask"),
        ("epic", "New task or activity here: epic"),
        ("sprint", "New phase after this one: sprint"),
        ("attach", "on the page of the phase: "),
        ("report", "Export the project to a file: status report"),
        ("print", "Export the project to a file: print"),
        ("minutes", "Go to Gate record"),
        ("import", "Import a project"),
        ("burn", "Go to Charts: burn-up"),
        ("theme", "Setting: Theme"),
        ("rename", "Edit title and description: rename card"),
        ("custom field", "Custom fields"),
    ],
)
async def test_words_of_other_tools_find_what_podium_calls_otherwise(world: World, typed: str, line: str) -> None:
    world.task()
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "colon", Text(typed))
        assert await shows(pilot, line), seen(pilot)


async def test_a_file_comes_into_the_project_that_is_open_before_a_new_one(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        for typed in ("import", "import file", "csv", "trello"):
            await find(pilot, typed, "Import cards from a file")
            await press(pilot, "escape")
        await find(pilot, "import a project", "Import a project from a file")


async def test_letters_that_are_scattered_over_a_line_do_not_find_it(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await find(pilot, "ctrl", "Search for “ctrl”")


async def test_an_action_of_another_screen_goes_there_and_does_it(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await find(pilot, "register a product", "on Products: Register a product")
        await press(pilot, "enter")
        assert await shows(pilot, "Register a product")


async def test_a_setting_is_found_and_the_cursor_is_on_it(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await find(pilot, "density", "Setting: Density")
        await press(pilot, "enter")
        assert await comes(pilot, lambda: pilot.screen.name_in_table == "settings")
        assert await shows(pilot, "Three lines per card, or one")
        await press(pilot, "enter")
        assert await comes(pilot, lambda: world.rows("SELECT value FROM preference") == [{"value": "compact"}])


@pytest.mark.parametrize("words", ["rename phase", "delete phase", "remove phase"])
async def test_ordinary_words_for_what_is_done_to_a_phase_lead_to_its_page(world: World, words: str) -> None:
    world.task()
    async with on_stage(world, canvas(world)) as pilot:
        await find(pilot, words, f"Open the phase: {words}")
        await press(pilot, "enter")
        assert await comes(pilot, lambda: isinstance(pilot.app.screen, PhaseScreen))
        await find(pilot, words.replace("remove", "delete"), "Edit name" if "rename" in words else "Remove the phase")


async def test_ordinary_words_for_a_card_and_for_its_people_find_the_keys(world: World) -> None:
    task = world.task()
    async with on_stage(world, canvas(world)) as pilot:
        await find(pilot, "delete card", "Archive: delete card")
        await press(pilot, "enter")
        assert await comes(pilot, lambda: world.status(task) == "ARCHIVED")
        await find(pilot, "invite", "Go to Members of this project: invite member")
        await press(pilot, "enter")
        assert await comes(pilot, lambda: isinstance(pilot.app.screen, MembersScreen))


async def test_archived_cards_take_no_places_of_live_ones(world: World) -> None:
    world.task("Call the quokka")
    for number in range(15):
        world.archive(world.task(f"Quokka {number}").id)
    async with on_stage(world, canvas(world)) as pilot:
        await find(pilot, "quokka", "Call the quokka")
        assert "Quokka 3" not in seen(pilot)


async def test_the_last_line_opens_the_search_with_the_typed_words(world: World) -> None:
    async with on_stage(world, ProjectsScreen) as pilot:
        await find(pilot, "zzqx", "Search for “zzqx”")
        await press(pilot, "enter")
        assert await comes(pilot, lambda: isinstance(pilot.app.screen, SearchScreen))
        assert screen_of(pilot, SearchScreen).text == "zzqx"


async def test_what_the_user_cannot_see_is_not_found(world: World) -> None:
    world.task("Call the quokka", world.build)
    world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
    async with on_stage(world, ProjectsScreen, as_=world.bob) as pilot:
        await find(pilot, "quokka", "Search for “quokka”")
        assert "Call the" not in seen(pilot)


async def test_hostile_titles_are_shown_as_they_are(world: World) -> None:
    world.task("[red]quokka[/] [@click=app.bell]x[/]")
    async with on_stage(world, canvas(world)) as pilot:
        await find(pilot, "quokka", "[red]quokka[/] [@click=app.bell]x")


async def test_without_an_answer_of_the_server_the_actions_are_still_offered(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with on_stage(world, canvas(world)) as pilot:

        async def fail() -> None:
            raise ServerUnavailable("The server does not answer.")

        before_search(pilot, monkeypatch, fail)
        await press(pilot, "colon", Text("comment"))
        assert await comes(pilot, lambda: first_line(pilot).startswith("Comment"))
        assert await shows(pilot, "Search for “comment”")


async def test_enter_right_after_the_text_runs_the_first_line_for_that_text(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = world.task("Write the brief")
    answer = asyncio.Event()
    async with on_stage(world, canvas(world)) as pilot:
        before_search(pilot, monkeypatch, answer.wait)
        await press(pilot, "colon")
        post_keys(pilot, *"complete", "enter")
        palette = screen_of(pilot, Palette)
        assert await comes(pilot, lambda: palette._is_submitted)
        assert world.status(task) == "TO_DO"
        answer.set()
        assert await comes(pilot, lambda: world.status(task) == "COMPLETED")


async def test_keys_right_after_enter_go_to_what_the_line_opens(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = asyncio.Event()
    async with on_stage(world, canvas(world)) as pilot:
        before_search(pilot, monkeypatch, answer.wait)
        await press(pilot, "colon")
        post_keys(pilot, *"members", "enter", "n")
        palette = screen_of(pilot, Palette)
        assert await comes(pilot, lambda: palette._is_submitted)
        answer.set()
        assert await comes(pilot, lambda: isinstance(pilot.app.screen_stack[1], MembersScreen)), seen(pilot)
        assert await shows(pilot, "Invite")


def test_other_words_belong_to_lines_of_the_palette() -> None:
    lines = {key.words for key in KEYS} | {f"Go to {place.words}" for place in PLACES}
    lines |= {f"Setting: {setting.label}" for setting in SETTINGS}
    assert OTHER_WORDS.keys() <= lines
