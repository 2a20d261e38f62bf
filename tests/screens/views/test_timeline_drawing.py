"""The Timeline as it is drawn: titles beside dots, old and new dates, weekends; and the phase that it opens at."""

from __future__ import annotations

from datetime import date, timedelta
from unittest.mock import patch

import pytest
from rich.cells import cell_len
from textual.strip import Strip

from tests.screens.views.conftest import MONDAY
from tests.screens.views.test_timeline_screen import HOSTILE, timeline
from tests.support.app_driver import line_of, on_stage, press, seen
from tests.support.workspace import World
from tui.drawing.styles import BackgroundRole, TextRole
from tui.timeline.chart import TimelineChart


async def test_it_opens_at_the_open_phase(plan: World) -> None:
    plan.complete(*(task["id"] for task in plan.rows("SELECT id FROM item WHERE title = 'Write the brief'")))
    for number in range(60):
        plan.phase(f"Later {number}")
    async with on_stage(plan, timeline(plan), size=(80, 24)) as pilot:
        assert "2 Build · open" in seen(pilot)
        await press(pilot, "k", "R")
        assert pilot.app.screen.query_one(TimelineChart).line_id == plan.discover.id  # only the first time


async def test_the_cursor_comes_back_to_its_card_and_not_to_the_open_phase(plan: World) -> None:
    draft = plan.rows("SELECT id FROM item WHERE title = 'Draft'")[0]["id"]
    async with on_stage(plan, timeline(plan, draft)) as pilot:
        assert "Draft, task, To Do, in Build" in seen(pilot)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_title_stands_beside_its_dot_and_is_cut_or_left_out_where_there_is_no_room(
    plan: World, size: tuple[int, int]
) -> None:
    long = "Translate everything that the customers in four countries wrote by hand"
    plan.task(long, plan.build, due=MONDAY + timedelta(10))
    plan.task("e\u0301crire 概要を書く", plan.build, due=MONDAY + timedelta(11), assignee_id=plan.bob.user_id)
    plan.task(HOSTILE, plan.build, due=MONDAY + timedelta(12))
    async with on_stage(plan, timeline(plan), size=size) as pilot:
        lines = seen(pilot).splitlines()
        assert {cell_len(line) for line in lines} == {size[0]}
        beside = line_of(pilot, "Translate").partition("● ")[2].strip()
        assert beside.endswith("…")
        assert long.startswith(beside[:-1])
        assert len(beside) >= 10
        assert line_of(pilot, "crire").partition("crire 概")[2].rstrip().endswith(" BL")
        hostile = line_of(pilot, f"○ {HOSTILE[:9]}").partition("● ")[2].strip()
        assert hostile[:9] == (HOSTILE[:9] if size[0] > 80 else "")
        for _ in range(20):
            await press(pilot, "right")
        assert {cell_len(line) for line in seen(pilot).splitlines()} == {size[0]}


async def test_a_step_in_time_neither_measures_nor_cuts_its_lines(plan: World) -> None:
    async with on_stage(plan, timeline(plan)) as pilot:
        chart = pilot.app.screen.query_one(TimelineChart)
        before, drawn = chart.scale, chart.size.region
        with (
            patch.object(Strip, "adjust_cell_length", autospec=True, side_effect=Strip.adjust_cell_length) as measured,
            patch.object(Strip, "crop_extend", autospec=True, side_effect=Strip.crop_extend) as cut,
        ):
            chart.scroll_time(1)
            lines = chart.render_lines(drawn)
        assert chart.scale != before
        assert (measured.call_count, cut.call_count) == (0, 0)
        assert {(strip.cell_length, cell_len(strip.text)) for strip in lines} == {(drawn.width, drawn.width)}


@pytest.mark.parametrize("width", [15, 16, 24, 80])
async def test_every_line_is_as_wide_as_it_says_at_any_width(plan: World, width: int) -> None:
    for title in (HOSTILE, "概要を書く" * 9):
        plan.task(title, plan.build, due=MONDAY + timedelta(10), assignee_id=plan.bob.user_id)
    async with on_stage(plan, timeline(plan), size=(width, 24)) as pilot:
        chart = pilot.app.screen.query_one(TimelineChart)
        for _ in range(12):
            lines = chart.render_lines(chart.size.region)
            assert {(strip.cell_length, cell_len(strip.text)) for strip in lines} == {(width, width)}
            await press(pilot, "left")


async def test_a_previewed_date_of_a_card_stands_beside_the_old_one_and_goes_with_esc(plan: World) -> None:
    async with on_stage(plan, timeline(plan)) as pilot:
        await press(pilot, *"jjjj", "right_curly_bracket")
        assert "11 Mar → 18 Mar" in line_of(pilot, "Draft")
        await press(pilot, "escape")
        assert "→" not in line_of(pilot, "Draft")
        assert line_of(pilot, "Draft").split()[3:5] == ["11", "Mar"]
    async with on_stage(plan, timeline(plan), size=(80, 24)) as pilot:
        await press(pilot, *"jjj", "right_curly_bracket")
        assert "→ 23 Mar" in line_of(pilot, "⊘ 2")  # the old date has no room


async def test_weekends_are_shaded_in_the_axis_and_where_a_day_has_several_cells_in_every_line(plan: World) -> None:
    async with on_stage(plan, timeline(plan)) as pilot:
        chart = pilot.app.screen.query_one(TimelineChart)

        def shaded(line: int) -> set[date]:
            under = chart._tools.look.style(TextRole.QUIET, BackgroundRole.WEEKEND).bgcolor
            strip, found, x = chart._strip(line, chart.size.width), set(), 0
            for segment in strip:
                if segment.style and segment.style.bgcolor == under:
                    found |= set(range(x, x + segment.cell_length))
                x += segment.cell_length
            days = (chart.scale.first + timedelta(number) for number in range(chart.scale.length))
            return {day for day in days if chart._label + chart.scale.x(day) in found}

        seen_zooms = set()
        for _ in range(4):
            days = {chart.scale.first + timedelta(number) for number in range(chart.scale.length)}
            weekends = {day for day in days if day.weekday() >= 5} if chart.scale.zoom.days == 1 else set()
            assert shaded(-2) == weekends
            assert shaded(len(chart._lines)) == (weekends if chart.scale.zoom.cells > 1 else set())
            seen_zooms.add(chart.scale.zoom.words)
            await press(pilot, "z")
        assert seen_zooms == {"days", "weeks", "months", "years"}
