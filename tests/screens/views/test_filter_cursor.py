"""The cursor while a filter is typed: other tests look at what the filter leaves."""

from __future__ import annotations

from datetime import timedelta

import pytest

from core.domain.canvas import PhaseColumn
from tests.support.app_driver import PodiumPilot, Text, canvas, on_stage, press, screen_of, seen
from tests.support.workspace import World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.views.calendar import CalendarScreen
from tui.screens.views.project_view import ProjectView
from tui.screens.views.status_board import StatusBoardScreen
from tui.screens.views.table import TableScreen
from tui.screens.views.timeline import TimelineScreen

VIEWS = [TableScreen, CalendarScreen, StatusBoardScreen, TimelineScreen, CanvasScreen]


async def test_the_cursor_goes_to_the_first_match_and_esc_brings_it_back(world: World) -> None:
    first = world.task("Write the brief")
    found = world.task("Zieliński's rushes", world.launch)
    async with on_stage(world, canvas(world, first.id)) as pilot:
        await press(pilot, "slash", Text("zielinski"))
        assert pilot.card.id == found.id
        await press(pilot, "escape")
        assert pilot.card.id == first.id
        await press(pilot, "slash", Text("zielinski"), "enter", "c")
        assert world.status(first) == "TO_DO"
        assert "1 of 2" in seen(pilot)


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.__name__)
@pytest.mark.parametrize("typed", ["al", "alx", "none"])
async def test_typed_letter_by_letter_it_comes_back_to_its_card_in_every_view(
    world: World, view: type[ProjectView], typed: str
) -> None:
    """Other cards stand before and after it in its phase, and another one matches the beginning of what is typed."""
    today = world.engine.clock().date()
    for title in ("Alma", "Alx one", "Brief", "Alx two"):
        world.task(title, due=today + timedelta(len(title)))
    brief = world.row("item", title="Brief")["id"]
    async with on_stage(world, lambda: view(world.project.id, brief)) as pilot:
        await press(pilot, "slash", *typed)
        if not typed.startswith("none"):
            assert pilot.title == {"al": "Alma", "alx": "Alx one"}[typed]
        await press(pilot, "escape")
        assert pilot.title == "Brief"


async def test_it_comes_back_to_an_empty_phase_to_the_line_of_a_folded_phase_and_to_a_day(world: World) -> None:
    today = world.engine.clock().date()
    world.task("Write the brief", due=today + timedelta(3))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "2", "slash", Text("brief"))
        assert pilot.title == "Write the brief"
        await press(pilot, "escape")
        assert pilot.view.presenter.column == column(pilot, "Build")
    async with on_stage(world, lambda: TimelineScreen(world.project.id), size=(120, 10)) as pilot:
        await press(pilot, "j", "slash", *"brief")
        assert pilot.title == "Write the brief"
        await press(pilot, "escape")
        assert pilot.view.presenter.column == column(pilot, "Build")
        assert "Write the brief" not in seen(pilot)
    async with on_stage(world, lambda: CalendarScreen(world.project.id)) as pilot:
        await press(pilot, "slash", Text("brief"))
        assert pilot.title == "Write the brief"
        await press(pilot, "escape")
        assert screen_of(pilot, CalendarScreen).presenter.day == today


def column(pilot: PodiumPilot, name: str) -> PhaseColumn:
    return next(each for each in pilot.view.head.columns if each.name == name)


async def test_a_cursor_that_was_moved_by_hand_stays_when_the_filter_is_cleared(world: World) -> None:
    first, second, third = (world.task(title) for title in ("Brief", "Call one", "Call two"))
    async with on_stage(world, canvas(world, first.id)) as pilot:
        await press(pilot, "slash", Text("call"), "enter", "j", "F")
        assert pilot.card.id == third.id
        assert second.id != third.id


async def test_a_card_is_found_by_its_key(world: World) -> None:
    world.task("Brief")
    found = world.task("Rushes", world.build)
    key = world.row("project", id=world.project.id)["key"]
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "slash", Text(f"{key.lower()}-{found.number}"))
        assert pilot.card.id == found.id
        assert "Brief" not in seen(pilot)
