"""Folds on the Canvas: what a key folds is on the screen at once, and kept for the person."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from core.actions.personal.folds import SetFold
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.phases import EditPhase
from core.domain.canvas import Folds
from core.domain.model import Item
from tests.support.app_driver import Text, canvas, comes, hides, on_stage, press, seen, shows, told
from tests.support.workspace import World
from tui.board.board import Board
from tui.board.layout import FOLDED


@pytest.fixture
def half_done(world: World) -> World:
    """Discover is complete; Build has an activity with two tasks, of which one is completed, and a task."""
    world.complete(world.task("Interview customers").id)
    films = world.activity("Shoot the films", world.build)
    world.task("Book the crew", world.build, activity_id=films.id)
    done = world.task("Scout kitchens", world.build, activity_id=films.id)
    world.complete(done.id)
    world.task("Brief the agencies", world.build)
    return world


def folds(world: World) -> Folds:
    return world.ask(GetCanvas(project_id=world.project.id)).folds


def board_of(pilot: Pilot[int]) -> Board:
    board: Board = pilot.app.screen.query_one(Board)
    return board


def widths(pilot: Pilot[int]) -> list[int]:
    grid = board_of(pilot).viewport.grid
    return [grid.span(number)[1] for number in range(grid.first, grid.last)]


async def test_a_complete_phase_is_a_narrow_column_and_the_others_have_the_width(half_done: World) -> None:
    async with on_stage(half_done, canvas(half_done)) as pilot:
        assert widths(pilot) == [FOLDED, 58, 57]
        first, second = seen(pilot).split("\n")[1:3]
        assert first.startswith(" 1 ✓ ")
        assert second.startswith(" 1 ")
        letters = [line[1] for line in seen(pilot).split("\n")[5:13]]
        assert "".join(letters) == "Discover"
        assert "Interview customers" not in seen(pilot)
        assert pilot.card.title == "Shoot the films"


async def test_beside_heads_with_summaries_the_name_of_a_folded_phase_is_below_their_line(half_done: World) -> None:
    half_done.do(
        EditPhase(phase_id=half_done.build.id, objectives="Two films\n\nTwelve posters", outcomes="All cleared")
    )
    async with on_stage(half_done, canvas(half_done), size=(80, 24)) as pilot:
        await press(pilot, "P", "end", "enter")
        assert await shows(pilot, "Objectives")
        lines = seen(pilot).split("\n")
        rule = next(number for number, line in enumerate(lines) if line.startswith("────"))
        assert set(lines[rule][6:40]) <= set("─━┬┼ ")
        assert "".join(line[1] for line in lines[rule + 1 : rule + 9]) == "Discover"


async def test_h_enters_a_folded_phase_and_enter_unfolds_it_for_good(half_done: World) -> None:
    async with on_stage(half_done, canvas(half_done)) as pilot:
        await press(pilot, "h")
        assert "Discover, complete, folded, 1 card" in seen(pilot)
        assert "▌1 ✓" in seen(pilot)
        await press(pilot, "l")
        assert pilot.card.title == "Shoot the films"
        await press(pilot, "h", "enter")
        assert "▌✓ Interview customers" in seen(pilot)
        assert len(set(widths(pilot))) == 1
        assert await comes(pilot, lambda: folds(half_done) == Folds((), (half_done.discover.id,)))
    async with on_stage(half_done, canvas(half_done)) as pilot:
        assert "Interview customers" in seen(pilot)
        await press(pilot, "h", "Z")
        assert "Interview customers" not in seen(pilot)
    assert folds(half_done) == Folds((half_done.discover.id,), ()), "saved when the screen was left at once"


async def test_z_folds_any_phase_and_unfolds_it_on_the_card_that_it_was_on(half_done: World) -> None:
    async with on_stage(half_done, canvas(half_done)) as pilot:
        await press(pilot, "j", "j", "Z")
        assert widths(pilot)[:2] == [FOLDED, FOLDED]
        assert "Build, locked, folded" in seen(pilot) or "Build, open, folded, 4 cards" in seen(pilot)
        await press(pilot, "Z")
        assert pilot.card.title == "Brief the agencies"
        assert await comes(pilot, lambda: folds(half_done) == Folds((), (half_done.build.id,)))


async def test_tab_folds_an_activity_from_its_task_and_the_fold_is_kept(half_done: World) -> None:
    async with on_stage(half_done, canvas(half_done)) as pilot:
        await press(pilot, "j")
        assert pilot.card.title == "Book the crew"
        await press(pilot, "tab")
        assert "1/2 ▸" in seen(pilot)
        assert "Book the crew" not in seen(pilot)
        assert "▌◇ Shoot the films" in seen(pilot)
        films = half_done.row("item", title="Shoot the films")["id"]
        assert await comes(pilot, lambda: folds(half_done) == Folds((films,), ()))
        await press(pilot, "j", "tab")
        assert told(pilot) == "There is no activity with tasks here to fold."
    async with on_stage(half_done, canvas(half_done)) as pilot:
        assert "Book the crew" not in seen(pilot)
        await press(pilot, "tab")
        assert "Book the crew" in seen(pilot)
    async with on_stage(half_done, canvas(half_done), half_done.vera) as pilot:
        assert "Book the crew" in seen(pilot), "folds are one person's own"


async def test_a_viewer_can_fold(half_done: World) -> None:
    async with on_stage(half_done, canvas(half_done), half_done.vera) as pilot:
        await press(pilot, "tab")
        assert "1/2 ▸" in seen(pilot)
    assert len(half_done.ask(GetCanvas(project_id=half_done.project.id), half_done.vera).folds.folded) == 1


async def test_two_windows_of_one_person_keep_the_folds_of_both(half_done: World) -> None:
    films = half_done.row("item", title="Shoot the films")["id"]
    async with on_stage(half_done, canvas(half_done)) as pilot:
        half_done.do(SetFold(project_id=half_done.project.id, target_id=half_done.launch.id, folded=True))
        await press(pilot, "tab")
        assert await comes(pilot, lambda: folds(half_done) == Folds((half_done.launch.id, films), ()))


async def test_a_typed_filter_opens_the_folds_of_what_it_finds(half_done: World) -> None:
    async with on_stage(half_done, canvas(half_done)) as pilot:
        await press(pilot, "tab", "slash", Text("interview"))
        assert "Interview customers" in seen(pilot)
        await press(pilot, "enter", "Z")
        assert "Press F to clear it." in told(pilot)
        await press(pilot, "F", "slash", Text("crew"))
        assert "Book the crew" in seen(pilot)
        assert widths(pilot)[0] == FOLDED, "a phase without a match stays folded"
        await press(pilot, "escape")
        assert "Book the crew" not in seen(pilot)
        assert folds(half_done).folded == (half_done.row("item", title="Shoot the films")["id"],)


async def test_a_card_that_is_gone_to_opens_its_folds(half_done: World) -> None:
    crew = half_done.row("item", title="Book the crew")["id"]
    async with on_stage(half_done, canvas(half_done)) as pilot:
        await press(pilot, "tab", "Z")
        pilot.view.presenter.go_to(crew)
        await press(pilot, "k", "j")
        assert "▌↳ ○ Book the crew" in seen(pilot)


async def test_a_new_card_in_a_folded_phase_unfolds_it(half_done: World) -> None:
    async with on_stage(half_done, canvas(half_done)) as pilot:
        await press(pilot, "3", "Z", "n", Text("Invite the press"), "enter")
        assert await shows(pilot, "▌○ Invite the press")
        assert half_done.row("item", title="Invite the press")["phase_id"] == half_done.launch.id


async def test_marks_in_folds_are_told_and_changed(half_done: World) -> None:
    async with on_stage(half_done, canvas(half_done)) as pilot:
        await press(pilot, "j", "space", "space", "tab")
        assert "1/2 ▸" in seen(pilot)
        await press(pilot, "Z")
        assert "■2" in seen(pilot)
        assert "2 marked, 2 of them in folds" in seen(pilot)
        await press(pilot, "c")
        assert half_done.row("item", title="Brief the agencies")["status"] == "COMPLETED"
        assert half_done.row("item", title="Book the crew")["status"] == "COMPLETED"


async def test_a_phase_that_i_complete_is_folded_when_i_leave_it(world: World) -> None:
    world.task("Interview customers")
    world.task("Draw the page", world.build)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "c")
        assert "▌✓ Interview customers" in seen(pilot)
        await press(pilot, "l")
        assert "Interview customers" not in seen(pilot)
        assert widths(pilot)[0] == FOLDED
        await press(pilot, "u")
        assert await shows(pilot, "Interview customers")
        await press(pilot, "h")
        assert board_of(pilot).cursor.card is not None


async def test_a_phase_that_someone_else_completes_is_folded_and_the_cursor_stays(world: World) -> None:
    task = world.task("Interview customers")
    world.task("Draw the page", world.build)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "2")
        world.complete(task.id, as_=world.bob)
        assert await hides(pilot, "Interview customers")
        assert "▌○ Draw the page" in seen(pilot)


async def drag(pilot: Pilot[int], start: tuple[int, int], end: tuple[int, int]) -> None:
    await pilot.mouse_down(Board, offset=start)
    await pilot.hover(Board, offset=end)
    await pilot.mouse_up(Board, offset=end)
    await pilot.pause()


async def test_a_card_is_dropped_into_a_folded_phase_and_a_double_click_unfolds_it(half_done: World) -> None:
    moved: Item = half_done.task("Ask the board", half_done.build)
    async with on_stage(half_done, canvas(half_done)) as pilot:
        y = next(at for at, line in enumerate(seen(pilot).split("\n")) if "Ask the board" in line) - 1
        await press(pilot, "3", "Z")
        x = board_of(pilot).viewport.grid.span(2)[0] + 2
        await drag(pilot, (20, y), (x, 12))
        assert await comes(pilot, lambda: half_done.row("item", id=moved.id)["phase_id"] == half_done.launch.id)
        assert half_done.row("item", id=moved.id)["status"] == "TO_DO"
        assert await hides(pilot, "○ Ask the board")
        assert "Launch, locked, folded, 1 card" in seen(pilot)
        await pilot.click(Board, offset=(x, 1), times=2)
        assert await shows(pilot, "○ Ask the board")


async def test_j_and_k_move_a_family_as_a_whole_and_a_task_within_it(half_done: World) -> None:
    def order() -> list[Any]:
        return [card.title for card in board_of(pilot).model.column_cards(half_done.build.id)]

    films = half_done.row("item", title="Shoot the films")["id"]
    half_done.task("Write the call sheet", half_done.build, activity_id=films)
    async with on_stage(half_done, canvas(half_done)) as pilot:
        family = ["Shoot the films", "Book the crew", "Write the call sheet"]
        assert order() == [*family, "Brief the agencies", "Scout kitchens"]
        await press(pilot, "J")
        assert order() == ["Brief the agencies", *family, "Scout kitchens"]
        await press(pilot, "K", "j", "K")
        assert told(pilot) == "Already the first task of its activity here."
        await press(pilot, "J")
        assert order() == [
            "Shoot the films",
            "Write the call sheet",
            "Book the crew",
            "Brief the agencies",
            "Scout kitchens",
        ]
        await press(pilot, "J")
        assert told(pilot) == "Already the last task of its activity here."


@pytest.mark.parametrize("size", [(40, 12), (80, 24), (200, 60)])
async def test_every_phase_can_be_reached_whatever_is_folded(half_done: World, size: tuple[int, int]) -> None:
    for number in range(6):
        half_done.phase(f"Phase {number}")
    async with on_stage(half_done, canvas(half_done), size=size) as pilot:
        for key in ["l"] * 9 + ["Z", "h"] * 9 + ["l"] * 9:
            await press(pilot, key)
            grid, cursor = board_of(pilot).viewport.grid, board_of(pilot).cursor
            assert grid.first <= cursor.number < grid.last
            left, cells = grid.span(cursor.number)
            assert left + cells <= size[0]
