"""The filter of cards: completed while one types, wrong in a place, kept under a name; alike on every view."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from textual.pilot import Pilot

from core.actions.cards.cards import SetCardDueDate
from core.actions.cards.labels import AddLabel, SetLabels
from core.actions.cards.tasks import AssignTask
from core.actions.personal.saved_filters import ListSavedFilters, SaveFilter
from core.domain.model import Status
from tests.support.app_driver import Text, on_stage, press, seen, write
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.people.people import PeopleScreen
from tui.screens.views.project_view import ProjectView
from tui.screens.views.status_board import StatusBoardScreen
from tui.widgets.bars import KeyBar
from tui.widgets.filter_completions import FilterHelp
from tui.widgets.filter_line import FilterLine

VIEWS = [CanvasScreen, StatusBoardScreen]
on_each_view = pytest.mark.parametrize("view", VIEWS)


def at(world: World, view: Callable[[str], ProjectView] = CanvasScreen) -> Callable[[], ProjectView]:
    return lambda: view(world.project.id)


def some_cards(world: World) -> None:
    """One of Bob's that is late, one without a date, one that is done."""
    late, _, done = (world.task(title) for title in ("Call Ada", "Write to Ben", "Draw a map"))
    world.do(AssignTask(task_id=late.id, assignee_id=world.bob.user_id))
    world.do(SetCardDueDate(card_id=late.id, due=(world.engine.clock() - timedelta(days=3)).date()))
    world.complete(done.id)


def line(pilot: Pilot[int]) -> FilterLine:
    return pilot.app.screen.query_one(FilterLine)


def left(pilot: Pilot[int]) -> set[str]:
    return {title for title in ("Call Ada", "Write to Ben", "Draw a map") if title in seen(pilot)}


@on_each_view
async def test_a_filter_is_completed_step_by_step(world: World, view: Callable[[str], ProjectView]) -> None:
    some_cards(world)
    async with on_stage(world, at(world, view), size=(80, 24)) as pilot:
        await press(pilot, "slash", "tab")
        assert all(field in seen(pilot) for field in ("assignee:", "due:", "status:", "label:", "priority:"))
        await press(pilot, "tab")
        assert line(pilot).text == "assignee:"
        assert left(pilot) == {"Call Ada", "Write to Ben", "Draw a map"}
        await write(pilot, "li")
        assert "Bob Lind" in seen(pilot)
        await press(pilot, "right")
        assert line(pilot).text == "assignee:bob"
        assert left(pilot) == {"Call Ada"}
        await press(pilot, Text(" due:"), "down", "down", "up", "enter")
        assert line(pilot).text == "assignee:bob due:today"
        assert left(pilot) == set()
        await press(pilot, "enter")
        assert not line(pilot).has_focus
        assert not pilot.app.screen.query_one(FilterHelp).display


async def test_what_is_wrong_is_underlined_and_said_while_the_other_terms_are_in_force(world: World) -> None:
    some_cards(world)
    async with on_stage(world, at(world), size=(80, 24)) as pilot:
        await press(pilot, "slash", Text("ada due:late"))
        assert left(pilot) == {"Call Ada"}
        await write(pilot, " status:tada ")
        assert left(pilot) == {"Call Ada"}
        assert "status: takes todo, doing, done, archived or open, not “tada”." in seen(pilot)
        assert [(span.start, span.end) for span in line(pilot)._value.spans] == [(20, 24)]
        await press(pilot, "enter")
        assert "not “tada”" in seen(pilot)
        assert line(pilot).has_focus
        await press(pilot, "down", "F")
        assert left(pilot) == {"Call Ada", "Write to Ben", "Draw a map"}
        assert "“tada”" not in seen(pilot)


@on_each_view
async def test_a_term_that_means_nothing_leaves_out_nothing_and_the_title_line_agrees(
    world: World, view: Callable[[str], ProjectView]
) -> None:
    some_cards(world)
    world.do(AddLabel(project_id=world.project.id, name="Nordic"))
    world.do(SetLabels(card_id=world.row("item", title="Call Ada")["id"], add=("Nordic",)))
    async with on_stage(world, at(world, view), size=(100, 24)) as pilot:
        await press(pilot, "slash", *"label", "colon", *"no")
        assert left(pilot) == {"Call Ada"}
        assert "filtered" in seen(pilot)
        await press(pilot, *"such", "enter")
        assert "There is no label “nosuch”" in seen(pilot)
        assert left(pilot) == {"Call Ada", "Write to Ben", "Draw a map"}
        assert "filtered" not in seen(pilot)
        assert line(pilot).has_focus
        assert line(pilot).text == "label:nosuch"
        await write(pilot, " ben")
        assert left(pilot) == {"Write to Ben"}
        assert "filtered" in seen(pilot)
        assert "There is no label “nosuch”" in seen(pilot)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("priority:hi", "priority: takes urgent, high, normal, low or >=high, not “hi”."),
        ("has:label", "has: takes comments, link, tasks, labels, due or assignee, not “label”."),
    ],
)
async def test_enter_says_what_is_wrong_with_a_half_typed_value_and_stays(world: World, text: str, says: str) -> None:
    some_cards(world)
    async with on_stage(world, at(world), size=(100, 24)) as pilot:
        await press(pilot, "slash", Text(text))
        assert says not in seen(pilot)
        await press(pilot, "enter")
        assert says in seen(pilot)
        assert line(pilot).has_focus
        await press(pilot, "tab", "tab", "enter")
        assert not line(pilot).has_focus
        assert says not in seen(pilot)


async def test_no_completion_is_left_on_the_screen_when_the_line_is_left(world: World) -> None:
    some_cards(world)
    async with on_stage(world, at(world)) as pilot:
        await press(pilot, "slash", Text("@bo"))
        assert "Bob Lind" in seen(pilot)
        await press(pilot, "enter")
        assert left(pilot) == {"Call Ada"}
        assert not pilot.app.screen.query_one(FilterHelp).display


async def test_the_archive_is_shown_when_the_filter_asks_for_it(world: World) -> None:

    world.archive(world.task("Draw a map").id)
    async with on_stage(world, at(world)) as pilot:
        assert left(pilot) == set()
        await press(pilot, "slash", Text("status:archived"))
        assert left(pilot) == {"Draw a map"}
        await press(pilot, "escape")
        assert left(pilot) == set()


@on_each_view
async def test_a_common_filter_is_a_key_away_and_another_clears_it(
    world: World, view: Callable[[str], ProjectView]
) -> None:
    some_cards(world)
    async with on_stage(world, at(world, view)) as pilot:
        await press(pilot, "f", "l")
        assert (line(pilot).text, left(pilot)) == ("due:late", {"Call Ada"})
        await press(pilot, "f", "o")
        assert left(pilot) == {"Call Ada", "Write to Ben"}
        await press(pilot, "F")
        assert left(pilot) == {"Call Ada", "Write to Ben", "Draw a map"}
        await press(pilot, "F")
        assert "There is no filter here" in seen(pilot)


async def test_a_filter_is_kept_offered_and_forgotten(world: World) -> None:
    some_cards(world)
    async with on_stage(world, at(world)) as pilot:
        await press(pilot, "f", "k")
        assert "No filter to save" in seen(pilot)
        await press(pilot, "escape", "slash", Text("status:done"), "enter", "f", "k", Text("[red]Done[/]"), "ctrl+s")
        assert [(each.name, each.text) for each in world.ask(ListSavedFilters())] == [("[red]Done[/]", "status:done")]
        await press(pilot, "F", "f")
        assert "[red]Done[/]" in seen(pilot)
        await press(pilot, "1")
        assert left(pilot) == {"Draw a map"}
        await press(pilot, "f", "d", "enter")
        assert world.rows("SELECT * FROM saved_filter") == []
        assert "which was status:done" in seen(pilot)


async def test_a_kept_filter_that_names_no_member_says_so(world: World) -> None:
    some_cards(world)
    world.do(SaveFilter(name="Hers", text="assignee:zoe"))
    async with on_stage(world, at(world)) as pilot:
        await press(pilot, "f", "1")
        assert "There is no member “zoe”" in seen(pilot)
        assert left(pilot) == {"Call Ada", "Write to Ben", "Draw a map"}


async def test_a_filter_means_the_phases_and_people_as_they_are_now(world: World) -> None:
    from core.actions.workflow.phases import EditPhase

    some_cards(world)
    async with on_stage(world, at(world)) as pilot:
        await press(pilot, "slash", Text("phase:disco"), "enter")
        assert left(pilot) == {"Call Ada", "Write to Ben", "Draw a map"}
        world.do(EditPhase(phase_id=world.discover.id, name="Find out"), world.maya)
        world.do(EditPhase(phase_id=world.build.id, name="Rediscover"), world.maya)
        await press(pilot, "R")
        assert left(pilot) == set()


async def test_in_lists_a_filter_is_words_and_nothing_is_offered(world: World) -> None:
    async with on_stage(world, PeopleScreen) as pilot:
        await press(pilot, "slash", Text("status:x"))
        assert not pilot.app.screen.query(FilterHelp)
        assert "No matches" in seen(pilot)


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
async def test_while_it_is_typed_the_line_of_keys_says_what_its_keys_do(world: World, size: tuple[int, int]) -> None:
    some_cards(world)

    def keys() -> str:
        return seen(pilot).splitlines()[-1].strip()

    async with on_stage(world, at(world), size=size) as pilot:
        before = keys()
        await press(pilot, "slash", Text("ada"))
        assert keys() == "enter keep  esc clear  tab complete" + ("  ↑↓ choose" if size[0] >= 80 else "")
        await press(pilot, "enter")
        assert left(pilot) == {"Call Ada"}
        assert keys().startswith("F clear filter (1 of 3)  ")
        await press(pilot, "slash")
        await pilot.click(KeyBar, offset=(keys().index("clear") + 2, 0))
        assert (line(pilot).text, line(pilot).display, keys()) == ("", False, before)
    async with on_stage(world, PeopleScreen) as pilot:
        before = keys()
        await press(pilot, "slash")
        assert keys() == "enter keep  esc clear  ↓ to the list"
        await press(pilot, "down")
        assert keys() == before


async def test_a_viewer_filters_as_everybody_does(world: World) -> None:
    some_cards(world)
    async with on_stage(world, at(world), as_=world.vera) as pilot:
        await press(pilot, "f", "u")
        assert left(pilot) == {"Write to Ben", "Draw a map"}


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (200, 60)])
async def test_the_help_of_the_filter_leaves_the_board_where_it_is(world: World, size: tuple[int, int]) -> None:
    some_cards(world)
    async with on_stage(world, at(world), size=size) as pilot:
        await press(pilot, "slash")
        region = pilot.app.screen.query_one("Board").region
        await press(pilot, "tab")
        help_ = pilot.app.screen.query_one(FilterHelp)
        assert pilot.app.screen.query_one("Board").region == region
        assert help_.region.bottom == line(pilot).region.y
        assert help_.region.width == size[0]
        assert all(len(each) <= size[0] for each in seen(pilot).splitlines())


@on_each_view
async def test_is_ready_follows_a_phase_that_opens_and_one_that_locks(
    world: World, view: Callable[[str], ProjectView]
) -> None:
    first, _ = world.task("Call Ada"), world.task("Write to Ben", world.build)
    async with on_stage(world, at(world, view)) as pilot:
        await press(pilot, "slash", *"is", "colon", *"ready", "enter")
        assert left(pilot) == {"Call Ada"}
        world.complete(first.id, as_=world.bob)
        await pilot.screen.refresh_from_core()
        assert left(pilot) == {"Write to Ben"}
        world.move(first.id, Status.TO_DO, world.bob, relock=True)
        await pilot.screen.refresh_from_core()
        assert left(pilot) == {"Call Ada"}
