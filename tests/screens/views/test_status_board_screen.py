"""The status board: statuses as columns, the keys of every view, the mouse, and how it looks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from core.actions.personal.presets import ActivatePreset, SavePreset
from core.domain.model import Id
from core.domain.view_settings import Density, Sort
from tests.support.app_driver import Text, on_stage, press, screen_of, seen, settled
from tests.support.board_scene import lines
from tests.support.workspace import World
from tui.board.board import Board
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.cards.card import CardScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.views.status_board import StatusBoardScreen


def status_board(world: World, focus: Id | None = None) -> Callable[[], StatusBoardScreen]:
    return lambda: StatusBoardScreen(world.project.id, focus)


def board(pilot: Pilot[int]) -> Board:
    return pilot.app.screen.query_one(Board)


@pytest.fixture
def plan(world: World) -> World:
    """To do: two in Discover and one in Build; in progress: one; an application, and one that is archived."""
    for title in ("Ask", "Write"):
        world.task(title)
    world.task("Draft", world.build)
    world.start(world.task("Call").id)
    world.archive(world.task("Old").id)
    world.add_application(world.product("Films"))
    return world


async def test_each_status_lists_its_cards_under_their_phases_and_no_applications(plan: World) -> None:
    async with on_stage(plan, status_board(plan)) as pilot:
        shown = seen(pilot)
        for words in ("To Do 3", "In Progress 1", "Completed 0", "1 Discover 2", "2 Build 1"):
            assert words in shown
        assert "Films" not in shown
        assert "3 Launch" not in shown
        assert "Old" not in shown
        assert pilot.title == "Ask"


async def test_l_and_h_go_from_status_to_status_and_L_moves_the_card_there(plan: World) -> None:  # noqa: N802
    async with on_stage(plan, status_board(plan)) as pilot:
        await press(pilot, "j", "j")
        assert pilot.title == "Draft"
        await press(pilot, "l")
        assert pilot.title == "Call"
        await press(pilot, "h", "home", "L")
        assert pilot.title == "Ask"
        assert board(pilot).cursor.number == 1
        ask = plan.row("item", title="Ask")
        assert ask["status"] == "IN_PROGRESS"
        assert "Ask, task, In Progress, in Discover, nobody assigned" in seen(pilot)
        await press(pilot, "u")
        assert plan.row("item", title="Ask")["status"] == "TO_DO"
        await press(pilot, "G")
        assert pilot.title == "Draft"
        await press(pilot, "L")
        assert "Build" in seen(pilot)
        assert plan.row("item", title="Draft")["status"] == "TO_DO"  # its phase is locked


async def test_marks_move_together_and_are_gone_afterwards(plan: World) -> None:
    async with on_stage(plan, status_board(plan)) as pilot:
        await press(pilot, "space", "space", "L")
        assert [row["status"] for row in plan.rows("SELECT status FROM item WHERE title IN ('Ask', 'Write')")] == [
            "IN_PROGRESS",
            "IN_PROGRESS",
        ]
        assert "■" not in seen(pilot)
        await press(pilot, "u")
        assert "To Do 3" in seen(pilot)


async def test_the_filter_leaves_cards_and_the_archive_is_a_column_on_demand(plan: World) -> None:
    async with on_stage(plan, status_board(plan)) as pilot:
        await press(pilot, "slash", Text("dra"), "enter")
        assert pilot.title == "Draft"
        assert "To Do 1" in seen(pilot)
        await press(pilot, "escape", "A")
        assert "Archived 1" in seen(pilot)
        await press(pilot, "end", "l", "l", "l")
        assert pilot.title == "Old"
        await press(pilot, "r")
        assert plan.row("item", title="Old")["status"] == "TO_DO"
        assert "Archived 0" in seen(pilot)


async def test_a_card_and_its_phase_open_and_esc_comes_back_to_it(plan: World) -> None:
    async with on_stage(plan, status_board(plan)) as pilot:
        await press(pilot, "j", "enter")
        assert isinstance(pilot.app.screen, CardScreen)
        await press(pilot, "escape", "p")
        assert isinstance(pilot.app.screen, PhaseScreen)
        await press(pilot, "escape")
        assert pilot.title == "Write"


async def test_it_is_reached_from_the_canvas_with_the_cursor_on_the_same_card(plan: World) -> None:
    draft = plan.row("item", title="Draft")["id"]
    async with on_stage(plan, lambda: CanvasScreen(plan.project.id, draft)) as pilot:
        await press(pilot, "right_square_bracket")
        assert isinstance(pilot.app.screen, StatusBoardScreen)
        assert pilot.title == "Draft"
        await press(pilot, "left_square_bracket")
        assert isinstance(pilot.app.screen, CanvasScreen)
        await press(pilot, "g", "b")
        assert isinstance(pilot.app.screen, StatusBoardScreen)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, CanvasScreen)


async def test_a_card_is_dragged_to_another_status_and_keeps_its_phase(plan: World) -> None:
    async with on_stage(plan, status_board(plan)) as pilot:
        await drag(pilot, "Ask", 2)
        assert plan.row("item", title="Ask")["status"] == "COMPLETED"
        assert plan.row("item", title="Ask")["phase_id"] == plan.discover.id
        await drag(pilot, "Write", 0)
        assert plan.row("item", title="Write")["version"] == 1


async def test_a_viewer_moves_nothing_by_key_or_mouse(plan: World) -> None:
    async with on_stage(plan, status_board(plan), plan.vera) as pilot:
        await press(pilot, "L")
        assert "you are a viewer" in " ".join(seen(pilot).split())
        await drag(pilot, "Ask", 1)
        assert plan.row("item", title="Ask")["version"] == 1


async def test_the_preset_gives_order_fields_density_and_filter(plan: World) -> None:
    preset = plan.do(
        SavePreset(
            project_id=plan.project.id, name="By name", sort=Sort.TITLE, density=Density.COMPACT, filter="phase:1"
        )
    )
    plan.task("Aaa")
    plan.do(ActivatePreset(project_id=plan.project.id, preset_id=preset.id))
    async with on_stage(plan, status_board(plan)) as pilot:
        assert [card.title for card in board(pilot).model.cards()] == ["Aaa", "Ask", "Write", "Call"]
        assert board(pilot).viewport.compact
        assert "By name" in seen(pilot).splitlines()[0]


async def test_what_others_do_is_drawn_and_the_cursor_stays(plan: World) -> None:
    async with on_stage(plan, status_board(plan)) as pilot:
        await press(pilot, "j")
        item = plan.row("item", title="Ask")
        plan.complete(item["id"], as_=plan.bob)
        await pilot.refresh()
        assert pilot.title == "Write"
        assert "Completed 1" in seen(pilot)


async def test_an_empty_project_and_one_without_phases_say_so(world: World) -> None:
    async with on_stage(world, status_board(world)) as pilot:
        assert seen(pilot).count("No cards") == 3
        await press(pilot, "j", "l", "L", "enter", "space", "v", "V", "J")
    bare = world.new_project("Bare")
    async with on_stage(world, lambda: StatusBoardScreen(bare.id)) as pilot:
        assert "This project has no phases yet" in seen(pilot)
        await press(pilot, "j", "l", "L", "enter", "p", "n")


async def drag(pilot: Pilot[int], title: str, column: int) -> None:
    """Drag a card onto another column, by the line it lies on."""
    row = next(y for y, line in enumerate(lines(board(pilot))) if title in line)
    here = next(x for x in range(120) if (card := board(pilot).mouse.card_at(x, row)) and card.title == title)
    there = board(pilot).viewport.grid.span(column)[0] + 5
    await pilot.mouse_down(Board, offset=(here + 4, row))
    await pilot.hover(Board, offset=(there, row))
    await pilot.mouse_up(Board, offset=(there, row))
    await settled(pilot)


async def test_every_key_of_views_works_here(plan: World) -> None:
    async with on_stage(plan, status_board(plan)) as pilot:
        screen = screen_of(pilot, StatusBoardScreen)
        assert [key.id for key in screen.keys.live() if key.verb not in screen.keys.actions] == []


async def test_a_new_card_without_a_card_under_the_cursor_goes_to_the_phase_that_is_open(world: World) -> None:
    world.complete(world.task("Ask around").id)
    async with on_stage(world, status_board(world)) as pilot:
        assert pilot.title == ""
        await press(pilot, "n", Text("Print"), "enter")
        assert world.row("item", title="Print")["phase_id"] == world.build.id
        assert pilot.title == "Print"


async def test_a_preset_of_applications_says_why_no_card_is_shown(plan: World) -> None:
    async with on_stage(plan, status_board(plan)) as pilot:
        plan.do(ActivatePreset(project_id=plan.project.id, preset_id="APPLICATIONS"))
        await press(pilot, "R")
        assert "applications, which have no status" in seen(pilot)
        assert "no phases" not in seen(pilot)
