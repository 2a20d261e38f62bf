"""The charts of a project: drawn from its history, in words too, and drawn again when a user moves a card."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest

from core.actions.cards.cards import MoveCard
from core.actions.workspace.profile import SetPreference
from core.domain.model import Status
from tests.support.app_driver import on_stage, press, seen, settled, shows
from tests.support.workspace import Clock, World
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.views.charts import ChartsScreen
from tui.widgets.flow_chart import axis_of

SIZES = ((80, 24), (120, 40), (200, 60))


@pytest.fixture(autouse=True)
def today(clock: Clock) -> None:
    clock.now = datetime.now(UTC)


@pytest.fixture
def moved(world: World, clock: Clock) -> World:
    """Ten cards of which two are completed and one is begun, over ten days."""
    clock.forward(days=-10)
    cards = [world.task(f"Card {number}") for number in range(10)]
    clock.forward(days=5)
    world.complete(*(card.id for card in cards[:2]))
    world.start(cards[2].id)
    clock.forward(days=5)
    return world


def charts(world: World) -> Callable[[], ChartsScreen]:
    return lambda: ChartsScreen(world.project.id)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_charts_say_in_words_and_draw_what_is_done(moved: World, size: tuple[int, int]) -> None:
    async with on_stage(moved, charts(moved), size=size) as pilot:
        shown = seen(pilot)
        assert "2 of 10 cards are completed, 1 in progress." in " ".join(shown.split())
        assert "At the current pace (1 card a week) you finish around" in " ".join(shown.split())
        assert "Burn-up" in shown
        assert ("Cumulative flow" in shown) == (size[0] >= 110)
        assert "█" in shown


async def test_where_there_is_no_room_for_a_chart_its_words_stand_alone(moved: World) -> None:
    async with on_stage(moved, charts(moved), size=(40, 12)) as pilot:
        shown = seen(pilot)
        assert "2 of 10 cards are completed, 1 in" in shown
        assert "Burn-up" not in shown
        assert not set("─│┬┴█") & set(shown)
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        assert "Burn-up" in seen(pilot)
        assert "█" in seen(pilot)


async def test_tab_shows_the_other_chart_where_there_is_room_for_one(moved: World) -> None:
    async with on_stage(moved, charts(moved), size=(80, 24)) as pilot:
        await press(pilot, "tab")
        shown = seen(pilot)
        assert "Cumulative flow" in shown
        assert "Burn-up" not in shown
        assert all(band in shown for band in "░▒█")
        await press(pilot, "tab")
        assert "Burn-up" in seen(pilot)


async def test_a_change_of_another_user_is_drawn(moved: World) -> None:
    async with on_stage(moved, charts(moved)) as pilot:
        card = moved.rows("SELECT id FROM item WHERE title = 'Card 9'")[0]["id"]
        moved.do(MoveCard(card_id=card, status=Status.COMPLETED), moved.bob)
        assert await shows(pilot, "3 of 10 cards")


async def test_a_project_without_cards_says_so(world: World) -> None:
    async with on_stage(world, charts(world)) as pilot:
        assert "nothing to draw" in seen(pilot)
        assert "Burn-up" not in seen(pilot)


async def test_signs_can_be_plain_ascii(moved: World) -> None:
    moved.do(SetPreference(name="signs", value="ascii"))
    async with on_stage(moved, charts(moved)) as pilot:
        shown = seen(pilot)
        assert "#" in shown
        assert all(line.isascii() for line in shown.splitlines()[1:])


async def test_brackets_lead_from_the_canvas_to_the_charts_and_back(moved: World) -> None:
    async with on_stage(moved, lambda: CanvasScreen(moved.project.id)) as pilot:
        await press(pilot, "g", "B")
        assert isinstance(pilot.app.screen, ChartsScreen)
        await press(pilot, "right_square_bracket")
        assert isinstance(pilot.app.screen, CanvasScreen)


@pytest.mark.parametrize(
    ("total", "ticks"),
    [(1, "0 1"), (3, "0 1 2 3"), (5, "0 2 5"), (6, "0 2 4 6"), (9, "0 3 6 9"), (10, "0 3 6 10"), (36, "0 9 18 27 36")],
)
async def test_a_number_on_the_axis_is_at_its_own_height(world: World, total: int, ticks: str) -> None:
    for number in range(total):
        world.task(f"Card {number}")
    async with on_stage(world, charts(world), size=(80, 40)) as pilot:
        axis = [found for line in seen(pilot).splitlines() if (found := re.match(r" +(\d+) [┤└]", line))]
        rows = [number for number, line in enumerate(seen(pilot).splitlines()) if re.match(r" +(\d+) [┤└]", line)]
        assert " ".join(reversed([each[1] for each in axis])) == ticks
        cells = (rows[-1] - rows[0]) / total
        for row, found in zip(rows, axis, strict=True):
            assert abs(rows[-1] - row - int(found[1]) * cells) <= 0.5


@pytest.mark.parametrize("width", range(20, 320, 13))
def test_the_dates_on_the_axis_of_two_years_do_not_overlap(width: int) -> None:
    days = [date(2025, 10, 24) + timedelta(days=number) for number in range(width)]
    axis, dates = axis_of(days)
    assert len(axis) == len(dates) == width
    found = re.findall(r"\d+ [A-Z][a-z]{2}(?: \d{4})?", dates)
    assert " ".join(found) == " ".join(dates.split())
    assert axis.count("┬") == len(found)
    assert found[0] == ("24 Oct 2025" if days[-1].year == 2026 else "24 Oct")
