"""The mouse on the board: click, wheel, hover, drag and drop."""

from __future__ import annotations

import pytest
from textual import events
from textual.geometry import Offset
from textual.pilot import Pilot

from core.domain.model import Status
from tests.support.board_scene import canvas, line_with, lines, many_cards, showing, title
from tui.board.board import Board
from tui.board.layout import Grid
from tui.board.messages import CardDropped, CardOpened, MenuRequested, PhaseDropped, PhaseOpened


@pytest.mark.parametrize("width", range(1, 230, 7))
def test_every_cell_belongs_to_the_column_drawn_there(width: int) -> None:
    for total in (1, 2, 5, 9):
        grid = Grid(width, 40, total, 0, False)
        owners = [grid.column_at(x) for x in range(width)]
        for number in range(grid.first, grid.last):
            x, wide = grid.span(number)
            assert owners[x : x + wide] == [number] * wide
            assert owners.count(number) == wide


async def test_a_click_focuses_a_double_click_opens_and_the_right_button_asks_for_the_menu() -> None:
    async with showing() as (pilot, board, app):
        place = Offset(40, line_with(board, "Task 9"))
        await pilot.click(Board, offset=place)
        assert title(board) == "Task 9"
        assert app.count(CardOpened) == 0
        await pilot.click(Board, offset=place, times=2)
        await pilot.pause()
        opened = app.last(CardOpened)
        assert isinstance(opened, CardOpened)
        assert opened.card.title == "Task 9"
        await pilot.click(Board, offset=Offset(3, line_with(board, "Task 2")), button=3)
        menu = app.last(MenuRequested)
        assert isinstance(menu, MenuRequested)
        assert (menu.card.title, title(board)) == ("Task 2", "Task 2")


async def test_a_double_click_on_a_head_opens_the_phase() -> None:
    async with showing() as (pilot, board, app):
        await pilot.click(Board, offset=Offset(65, 0), times=2)
        await pilot.pause()
        opened = app.last(PhaseOpened)
        assert isinstance(opened, PhaseOpened)
        assert opened.phase_id == "phase3"
        assert board.cursor.phase is not None
        assert board.cursor.phase.id == "phase3"


async def drag(pilot: Pilot[None], start: Offset, end: Offset) -> None:
    await pilot.mouse_down(Board, offset=start)
    await pilot.hover(Board, offset=end)


async def test_dragging_draws_a_line_and_asks_for_the_move_when_dropped() -> None:
    async with showing() as (pilot, board, app):
        await drag(pilot, Offset(5, line_with(board, "Task 1")), Offset(40, line_with(board, "Task 9")))
        assert "━━━" in lines(board)[line_with(board, "Task 9") - 1]
        assert board.model.by_id["card00001"].phase_id == "phase1"
        await pilot.mouse_up(Board, offset=Offset(40, line_with(board, "Task 9")))
        await pilot.pause()
        dropped = app.last(CardDropped)
        assert isinstance(dropped, CardDropped)
        assert dropped.card.title == "Task 1"
        assert (dropped.phase_id, dropped.section, dropped.before_id) == ("phase2", Status.TO_DO, "card00009")
        assert board.mouse.drop is None


async def test_a_card_can_be_dropped_into_an_empty_section() -> None:
    async with showing() as (pilot, board, app):
        start = Offset(5, line_with(board, "Task 1"))
        row = lines(board).index(next(line for line in lines(board) if line[60:].startswith(" In Progress")))
        await drag(pilot, start, Offset(70, row))
        await pilot.mouse_up(Board, offset=Offset(70, row))
        await pilot.pause()
        dropped = app.last(CardDropped)
        assert isinstance(dropped, CardDropped)
        assert (dropped.phase_id, dropped.section, dropped.before_id) == ("phase3", Status.IN_PROGRESS, None)


async def test_escape_lets_go_and_a_drop_on_the_same_place_asks_for_nothing() -> None:
    async with showing() as (pilot, board, app):
        start = Offset(5, line_with(board, "Task 1"))
        await drag(pilot, start, Offset(40, 10))
        await pilot.press("escape")
        assert board.mouse.dragged is None
        assert not app.went_back
        await pilot.mouse_up(Board, offset=Offset(40, 10))
        await drag(pilot, start, start + Offset(3, 1))
        await pilot.mouse_up(Board, offset=start + Offset(3, 1))
        await pilot.pause()
        assert app.count(CardDropped) == 0


async def test_a_phase_is_dragged_by_its_head() -> None:
    async with showing() as (pilot, _board, app):
        await drag(pilot, Offset(5, 0), Offset(88, 0))
        await pilot.mouse_up(Board, offset=Offset(88, 0))
        await pilot.pause()
        dropped = app.last(PhaseDropped)
        assert isinstance(dropped, PhaseDropped)
        assert (dropped.phase_id, dropped.before_id) == ("phase1", "phase4")
        await drag(pilot, Offset(5, 0), Offset(118, 0))
        await pilot.mouse_up(Board, offset=Offset(118, 0))
        await pilot.pause()
        last = app.last(PhaseDropped)
        assert isinstance(last, PhaseDropped)
        assert last.before_id is None


def wheel(board: Board, kind: type[events.MouseEvent], x: int, shift: bool = False) -> None:
    board.post_message(kind(board, x, 20, 0, 0, 0, shift, False, False, x, 20))


async def test_the_wheel_scrolls_the_column_under_the_mouse_and_shift_scrolls_columns() -> None:
    async with showing(canvas(many_cards(600), phases=6)) as (pilot, board, _app):
        focused = title(board)
        wheel(board, events.MouseScrollDown, 40)
        await pilot.pause()
        assert (board.viewport.top(0), board.viewport.top(1), title(board)) == (0, 5, focused)  # to where a card begins
        wheel(board, events.MouseScrollUp, 40)
        wheel(board, events.MouseScrollUp, 40)
        await pilot.pause()
        assert board.viewport.top(1) == 0
        wheel(board, events.MouseScrollDown, 40, shift=True)
        await pilot.pause()
        assert board.viewport.grid.first == 1
        for _ in range(9):
            wheel(board, events.MouseScrollRight, 40)
        await pilot.pause()
        assert board.viewport.grid.first == 2
        wheel(board, events.MouseScrollLeft, 40)
        await pilot.pause()
        assert board.viewport.grid.first == 1


async def test_the_card_under_the_mouse_is_tinted() -> None:
    async with showing() as (pilot, board, _app):
        y = line_with(board, "Task 9")
        before = board.renderer._lines[y]
        await pilot.hover(Board, offset=Offset(40, y))
        assert board.renderer._lines[y] is not before
        await pilot.hover(Board, offset=Offset(70, 35))
        assert board.renderer._lines[y].text == before.text
        assert board.mouse.hovered is None
