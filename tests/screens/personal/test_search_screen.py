"""The Search screen: results while one types, what enter goes to, and what is said where there is nothing."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from textual.pilot import Pilot

from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import EditTask
from core.actions.personal.search import Search
from core.actions.projects.members import RemoveMember
from core.actions.projects.projects import ArchiveProject
from core.actions.workspace.profile import GetCurrentUser, SetPreference
from tests.support.app_driver import comes, hides, on_stage, press, seen, settled, shows, write
from tests.support.waiting import until
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.cards.card import CardScreen
from tui.screens.framework.screen import PodiumScreen
from tui.screens.people.people import PeopleScreen
from tui.screens.personal import search
from tui.screens.personal.my_work import MyWorkScreen
from tui.screens.personal.search import SearchLine, SearchScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.products.application import ApplicationScreen
from tui.screens.products.product import ProductScreen
from tui.screens.projects.projects import ProjectsScreen

SIZES = [(120, 40), (80, 24), (40, 12)]


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search begins so soon after a key that the test's own waiting for an idle application includes it."""
    monkeypatch.setattr(search, "PAUSE", 0.01)


async def look_for(pilot: Pilot[int], text: str) -> None:
    """Type words and wait for what they find."""
    await write(pilot, text)
    await settled(pilot)


def screen_of(pilot: Pilot[int], kind: type[PodiumScreen]) -> Any:
    screen = pilot.app.screen
    assert isinstance(screen, kind), screen
    return screen


@pytest.mark.parametrize("size", SIZES)
async def test_enter_goes_to_the_card_that_was_found_and_escape_back_to_what_was_found(
    world: World, size: tuple[int, int]
) -> None:
    world.task("First")
    task = world.task("Call the quokka", world.build)
    async with on_stage(world, ProjectsScreen, size=size) as pilot:
        await press(pilot, "backslash")
        await look_for(pilot, "quo")
        assert "Search · 1 found" in seen(pilot)
        assert "Spring launch" in seen(pilot)
        assert "Call the quokka" in seen(pilot)
        await press(pilot, "enter")
        assert screen_of(pilot, CanvasScreen).board.cursor.card.id == task.id
        await press(pilot, "escape")
        assert screen_of(pilot, SearchScreen).text == "quo"
        assert "Call the quokka" in seen(pilot)
        await press(pilot, "escape")
        screen_of(pilot, ProjectsScreen)


@pytest.mark.parametrize("size", SIZES)
async def test_before_anything_is_typed_and_where_nothing_is_found_the_screen_says_what_to_do(
    world: World, size: tuple[int, int]
) -> None:
    async with on_stage(world, SearchScreen, size=size) as pilot:
        assert "Search everything that you can see" in seen(pilot)
        await look_for(pilot, "zzz")
        assert "Search · nothing found" in seen(pilot)
        assert "No results" in seen(pilot)
        await press(pilot, *["backspace"] * 3, "plus", "left_parenthesis")
        assert await shows(pilot, "No words to search for")
        await press(pilot, "enter")
        assert "Nothing to open" in seen(pilot)


async def test_each_kind_is_shown_where_it_is(world: World) -> None:
    archived, commented = world.task("Axolotl archived"), world.task("Has a comment")
    world.archive(archived.id)
    world.do(AddComment(item_id=commented.id, text="bandicoot seen"))
    application = world.add_application(world.product("Cassowary"))
    other = world.new_project("Dugong")
    world.do(ArchiveProject(project_id=other.id))
    places: dict[str, type[PodiumScreen]] = {
        "axolotl": CardScreen,
        "bandicoot": CanvasScreen,
        application.id: ApplicationScreen,
        application.product_id: ProductScreen,
        "dugong": CanvasScreen,
        world.build.id: PhaseScreen,
        "vera sato": PeopleScreen,
    }
    for text, kind in places.items():
        async with on_stage(world, partial(SearchScreen, text)) as pilot:
            await press(pilot, "enter")
            screen = screen_of(pilot, kind)
            if kind is PeopleScreen:
                assert screen.records.current.login == "vera"
            elif text == "bandicoot":
                assert screen.board.cursor.card.id == commented.id
            elif text == "dugong":
                assert screen.project_id == other.id


async def test_what_is_archived_says_so(world: World) -> None:
    world.archive(world.task("Axolotl").id)
    async with on_stage(world, lambda: SearchScreen("axolotl")) as pilot:
        assert "archived task" in seen(pilot)


async def test_down_goes_into_the_list_where_letters_are_keys_and_up_back_to_the_words(world: World) -> None:
    world.task("Emu one")
    newest = world.task("Emu two")
    async with on_stage(world, lambda: SearchScreen("emu")) as pilot:
        await press(pilot, "down")
        assert pilot.app.focused is screen_of(pilot, SearchScreen).listing
        await press(pilot, "y")
        assert f"Copied the key of “Emu two”: SPR-{newest.number}" in seen(pilot)
        await press(pilot, "j", "k", "k")
        assert isinstance(pilot.app.focused, SearchLine)
        await press(pilot, "down", "slash")
        await look_for(pilot, " one")
        assert screen_of(pilot, SearchScreen).text == "emu one"
        assert "1 found" in seen(pilot)


async def test_typing_does_not_wait_for_the_database(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.task("Fossa")
    asked: list[str] = []
    going_on = asyncio.Event()
    async with on_stage(world, SearchScreen) as pilot:
        podium = screen_of(pilot, SearchScreen).podium
        aside = podium.aside

        async def slowly(query: Any) -> Any:
            if isinstance(query, Search):
                asked.append(query.text)
                await going_on.wait()
            return await aside(query)

        monkeypatch.setattr(podium, "aside", slowly)
        await write(pilot, "fos")
        assert "fos" in seen(pilot)
        assert await comes(pilot, lambda: asked)
        await write(pilot, "sa")
        assert "fossa" in seen(pilot)
        assert "Search · 1 found" not in seen(pilot)
        going_on.set()
        assert await shows(pilot, "Search · 1 found")
        assert asked[-1] == "fossa"


async def test_what_others_do_is_found_without_typing_again(world: World) -> None:
    task = world.task("Gharial")
    async with on_stage(world, lambda: SearchScreen("gharial")) as pilot:
        assert "1 found" in seen(pilot)
        world.do(EditTask(task_id=task.id, title="Hoopoe"))
        assert await shows(pilot, "nothing found")


async def test_after_coming_back_to_a_result_one_goes_on_with_keys(world: World) -> None:
    task = world.task("Gharial")
    async with on_stage(world, lambda: SearchScreen("gharial")) as pilot:
        await press(pilot, "down", "T", "minus")
        screen = screen_of(pilot, SearchScreen)
        assert screen.records.current is not None
        assert screen.records.current.id == task.id
        await press(pilot, "T")
        assert isinstance(pilot.app.screen, MyWorkScreen)


async def test_who_is_removed_meanwhile_sees_it_no_more(world: World) -> None:
    world.task("Ibex")
    async with on_stage(world, lambda: SearchScreen("ibex"), as_=world.bob) as pilot:
        assert "Ibex" in seen(pilot)
        world.do(RemoveMember(project_id=world.project.id, user_id=world.bob.user_id))
        assert await hides(pilot, "Ibex")


async def test_hostile_words_do_nothing(world: World) -> None:
    world.task("[red]Jackal[/] [@click=app.bell]x[/]")
    async with on_stage(world, lambda: SearchScreen("jackal")) as pilot:
        assert "[red]Jackal[/] [@click=app.bell]x[/]" in seen(pilot)
    for text in ("[b]", "foo-bar (", '"""', "x" * 3_000, "\u202ejackal"):
        async with on_stage(world, partial(SearchScreen, text)) as pilot:
            assert "Search" in seen(pilot)


async def test_an_empty_box_lists_the_recent_searches_and_enter_repeats_one(world: World) -> None:
    world.task("Call the quokka", world.build)
    world.task("Feed the numbat", world.build)
    async with on_stage(world, ProjectsScreen) as pilot:
        for text in ("quokka", "numbat", "quokka"):
            await press(pilot, "backslash")
            await look_for(pilot, text)
            await press(pilot, "enter")
            await until(lambda text=text: recent_of(world)[:1] == [text])
        assert recent_of(world) == ["quokka", "numbat"]
        await press(pilot, "backslash")
        assert await shows(pilot, "Recent searches")
        await press(pilot, "down", "down", "enter")
        assert await shows(pilot, "Feed the numbat")
        assert screen_of(pilot, SearchScreen).text == "numbat"


async def test_d_removes_a_recent_search(world: World) -> None:
    world.do(SetPreference(name="recent_searches", value="quokka\nnumbat"))
    async with on_stage(world, SearchScreen) as pilot:
        await press(pilot, "down", "d")
        assert recent_of(world) == ["numbat"]
        assert "quokka" not in seen(pilot)
        assert "numbat" in seen(pilot)


async def test_a_recent_search_of_markup_is_shown_as_it_was_typed(world: World) -> None:
    world.do(SetPreference(name="recent_searches", value="[red]quokka[/]"))
    async with on_stage(world, SearchScreen) as pilot:
        assert "[red]quokka[/]" in seen(pilot)


@pytest.mark.parametrize(("size", "rows"), [((120, 40), 3), ((80, 24), 3), ((40, 12), 1)])
async def test_the_input_box_has_a_frame_where_there_is_room(world: World, size: tuple[int, int], rows: int) -> None:
    async with on_stage(world, SearchScreen, size=size) as pilot:
        assert pilot.app.screen.query_one(SearchLine).outer_size.height == rows


def recent_of(world: World) -> list[str]:
    return world.ask(GetCurrentUser()).preferences.get("recent_searches", "").splitlines()
