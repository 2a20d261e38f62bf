"""A large project opens with the cards in view, and the others follow: what is shown and what keys do meanwhile."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest
from textual.pilot import Pilot

from core.actions.workflow import canvas as canvas_query
from core.actions.workflow.canvas import GetCanvas
from core.backends.local import LocalBackend
from core.domain.model import Status
from core.engine.messages import Query
from core.errors import DatabaseBusy
from tests.support.app_driver import comes, on_stage, press, seen, settled, shows
from tests.support.waiting import PATIENCE
from tests.support.workspace import World
from tui.board.board import Board
from tui.screens.canvas.screen import CanvasScreen

MANY = 70
"""Cards of the first section: more than a screen has lines."""


class Rest:
    """The read of all cards, which waits until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked, self.let_go = asyncio.Event(), asyncio.Event()
        self.error: Exception | None = None
        ask = LocalBackend.query

        async def query(backend: LocalBackend, query: Query[Any]) -> Any:
            if isinstance(query, GetCanvas) and query.most is None:
                self.asked.set()
                await self.let_go.wait()
                if self.error is not None:
                    raise self.error
            return await ask(backend, query)

        monkeypatch.setattr(LocalBackend, "query", query)


@pytest.fixture(autouse=True)
def large_from_ten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canvas_query, "LARGE", 10)


@pytest.fixture
def rest(monkeypatch: pytest.MonkeyPatch) -> Rest:
    return Rest(monkeypatch)


def fill(world: World) -> None:
    """Add to one phase a family, tasks in all sections, and an application."""
    for number in range(MANY):
        world.task(f"Write page {number:02}")
    interviews = world.activity("Interviews")
    for number in range(3):
        world.task(f"Ask person {number}", activity_id=interviews.id)
    for status in (Status.IN_PROGRESS, Status.COMPLETED):
        for number in range(4):
            world.move(world.task(f"Draw figure {number}").id, status)
    world.start(world.task("Ask person 9", activity_id=interviews.id).id)
    world.add_application()


def board_of(pilot: Pilot[Any]) -> Board:
    return pilot.app.screen.query_one(Board)


def is_partial(pilot: Pilot[Any]) -> bool:
    screen: Any = pilot.app.screen
    return bool(screen.reading.is_partial)


def cells(pilot: Pilot[Any]) -> list[list[Any]]:
    """The picture of the board, with its styles."""
    board = board_of(pilot)
    return [list(strip) for strip in board.render_lines(board.size.region)]


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_the_first_part_looks_as_the_whole_does(world: World, rest: Rest, size: tuple[int, int]) -> None:
    fill(world)
    async with on_stage(world, lambda: CanvasScreen(world.project.id), size=size) as pilot:
        await asyncio.wait_for(rest.asked.wait(), PATIENCE)
        assert is_partial(pilot)
        read = len(board_of(pilot).model.by_id)
        first = cells(pilot)
        assert "To Do 73" in seen(pilot)
        rest.let_go.set()
        assert await comes(pilot, lambda: not is_partial(pilot))
        await settled(pilot)
        assert len(board_of(pilot).model.by_id) > read
        assert cells(pilot) == first


async def test_the_cursor_moves_among_the_cards_in_view_before_the_others_are_read(world: World, rest: Rest) -> None:
    fill(world)
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await asyncio.wait_for(rest.asked.wait(), PATIENCE)
        await press(pilot, "j", "j", "k", "j")
        card = board_of(pilot).cursor.card
        assert card is not None
        assert card.title == "Write page 02"
        await press(pilot, *["j"] * MANY)
        last = board_of(pilot).cursor.card
        assert last is not None
        assert (last.status, last.rank) == (Status.TO_DO, max(each.rank for each in _read_to_do(pilot)))
        rest.let_go.set()
        assert await comes(pilot, lambda: not is_partial(pilot))
        assert board_of(pilot).cursor.card == last


def _read_to_do(pilot: Pilot[Any]) -> list[Any]:
    model = board_of(pilot).model
    return [
        card for card in model.by_id.values() if (card.status, card.phase_id) == (Status.TO_DO, model.columns[0].id)
    ]


async def test_a_key_about_all_cards_waits_for_them_and_so_do_the_keys_after_it(world: World, rest: Rest) -> None:
    fill(world)
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await asyncio.wait_for(rest.asked.wait(), PATIENCE)
        await press(pilot, "G", "space")
        assert is_partial(pilot)
        assert (_title(pilot), board_of(pilot).marks.ids) == ("Write page 00", set())
        rest.let_go.set()
        assert await comes(pilot, lambda: board_of(pilot).marks.ids)
        assert _title(pilot) == "Draw figure 3"
        assert board_of(pilot).marks.ids == {
            card.id for card in board_of(pilot).marks.cards if card.title == _title(pilot)
        }


def _title(pilot: Pilot[Any]) -> str:
    card = board_of(pilot).cursor.card
    return card.title if card else ""


async def test_a_drag_begins_when_all_cards_are_read(world: World, rest: Rest) -> None:
    fill(world)
    before = _ranks(world)
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await asyncio.wait_for(rest.asked.wait(), PATIENCE)
        await pilot.mouse_down(Board, offset=(5, 10))
        await pilot.hover(Board, offset=(5, 20))
        await pilot.mouse_up(Board, offset=(5, 20))
        await settled(pilot)
        assert is_partial(pilot)
        rest.let_go.set()
        assert await comes(pilot, lambda: not is_partial(pilot))
    assert _ranks(world) == before


def _ranks(world: World) -> list[dict[str, object]]:
    return world.rows("SELECT id, rank, version FROM item ORDER BY id")


async def test_where_the_others_cannot_be_read_it_says_so_and_a_key_tries_again(world: World, rest: Rest) -> None:
    fill(world)
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await asyncio.wait_for(rest.asked.wait(), PATIENCE)
        rest.error = DatabaseBusy("Another program holds the database.")
        rest.let_go.set()
        assert await shows(pilot, "Another program holds the database.")
        assert is_partial(pilot)
        rest.error = None
        await press(pilot, "G")
        assert await comes(pilot, lambda: not is_partial(pilot) and _title(pilot) == "Draw figure 3")


async def test_a_change_of_another_before_the_others_are_read_is_not_lost(world: World, rest: Rest) -> None:
    fill(world)
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await asyncio.wait_for(rest.asked.wait(), PATIENCE)
        world.task("Written meanwhile", phase=world.build)
        rest.let_go.set()
        assert await shows(pilot, "Written meanwhile")
        assert not is_partial(pilot)


async def test_a_card_that_is_not_in_the_first_part_gets_the_cursor(world: World, rest: Rest) -> None:
    fill(world)
    last = world.task("The last one")
    rest.let_go.set()
    async with on_stage(world, lambda: CanvasScreen(world.project.id, last.id)) as pilot:
        assert await comes(pilot, lambda: _title(pilot) == "The last one")
        assert not is_partial(pilot)


async def test_a_folded_phase_names_the_number_of_all_its_cards(world: World, rest: Rest) -> None:
    fill(world)
    rest.let_go.set()
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        assert await comes(pilot, lambda: not is_partial(pilot))
        await press(pilot, "Z")
        folded = board_of(pilot).description
    assert "folded, 84 cards" in folded
    rest.let_go.clear()
    rest.asked.clear()
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await asyncio.wait_for(rest.asked.wait(), PATIENCE)
        board_of(pilot).cursor.go_to_column(1)
        assert board_of(pilot).description == folded
        rest.let_go.set()


async def test_a_click_below_the_cards_that_are_read_opens_none_of_them(world: World, rest: Rest) -> None:
    fill(world)
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        await asyncio.wait_for(rest.asked.wait(), PATIENCE)
        board = board_of(pilot)
        board.viewport.scroll_column(0, 100)
        board.sync()
        await settled(pilot)
        assert "Write page 39" in seen(pilot)
        await pilot.click(Board, offset=(5, 32), times=2)
        await settled(pilot)
        assert (_title(pilot), pilot.app.screen) == ("Write page 00", board.screen)
        rest.let_go.set()
        assert await comes(pilot, lambda: not is_partial(pilot))


async def test_the_garbage_collector_skips_the_cards_that_follow(world: World, rest: Rest) -> None:
    """Some keys took five times as long as others, while it looked through 10,000 cards."""
    fill(world)
    rest.let_go.set()
    async with on_stage(world, lambda: CanvasScreen(world.project.id)) as pilot:
        assert await comes(pilot, lambda: not is_partial(pilot))
        cards = {id(card) for card in board_of(pilot).model.by_id.values()}
        assert await comes(pilot, lambda: cards.isdisjoint(map(id, gc.get_objects())))
