"""The Timeline: what keys do is in the rows and on the screen; a move is shown before it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import date, timedelta

from core.actions.dependencies.links import LinkCards
from core.actions.projects.projects import ArchiveProject, EditProject
from core.actions.workflow.phases import EditPhase, SetPhaseDueDate
from core.actions.workspace.profile import SetPreference
from core.domain.model import Gate, Id, Item, Phase
from tests.screens.views.conftest import FOLDED, MONDAY
from tests.support import waiting
from tests.support.app_driver import Text, line_of, on_stage, press, screen_of, seen, settled, shows, told
from tests.support.workspace import World
from tui.dialogs.blockers import BlockersDialog
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.cards.card import CardScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.views.timeline import TimelineScreen
from tui.timeline.chart import TimelineChart

HOSTILE = "[red]A[/] [@click=app.bell]b[/"

TO_BUILD = ("j", "j", "j")
"""From Discover, over its two cards, to Build."""


def timeline(world: World, focus: Id | None = None) -> Callable[[], TimelineScreen]:
    return lambda: TimelineScreen(world.project.id, focus)


def due(world: World, thing: Phase | Item) -> str | None:
    table = "phase" if isinstance(thing, Phase) else "item"
    due: str | None = world.row(table, id=thing.id)["due"]
    return due


async def test_phases_are_bars_over_days_with_gate_progress_ticks_and_today(plan: World) -> None:
    async with on_stage(plan, timeline(plan), size=(80, 24)) as pilot:
        shown = seen(pilot)
        assert "Mar 2026" in shown
        assert "▼ today" in shown
        discover, build, launch = (line_of(pilot, f"{n} ") for n in ("◐ 1", "⊘ 2", "⊘ 3"))
        assert "3d late" in discover
        assert all(sign in discover for sign in "━─◆╌")
        assert "16 Mar" in build
        assert "•" in build
        assert "━" not in build
        assert "no date" in launch
        assert "◆" not in launch
        assert "1 Discover · open · 1 of 2 done · due Fri 27 Feb 2026 · 1 card due in it" in shown
        await press(pilot, *TO_BUILD)
        assert "2 Build · locked" in seen(pilot)
        assert "review due Mon 16 Mar 2026" in seen(pilot)


async def test_it_opens_unfolded_where_it_fits_with_a_legend_and_spans_what_has_no_date(plan: World) -> None:
    cards = [row["title"] for row in plan.rows("SELECT title FROM item WHERE status <> 'ARCHIVED'")]
    plan.task("Fly the flag", plan.launch, due=MONDAY + timedelta(20))
    plan.task("Take it down", plan.launch, due=MONDAY + timedelta(30))
    async with on_stage(plan, timeline(plan), size=(120, 40)) as pilot:
        assert all(title in seen(pilot) for title in (*cards, "Fly the flag"))
        assert "◆ end of the phase" in seen(pilot)
        launch = line_of(pilot, "⊘ 3")
        assert launch.index("•") < launch.rindex("•")
        assert "─" in launch[launch.index("•") : launch.rindex("•")]
    for number in range(40):
        plan.task(f"More {number}", plan.build)
    async with on_stage(plan, timeline(plan), size=(120, 40)) as pilot:
        assert "More 1" not in seen(pilot)


async def test_several_due_dates_in_one_cell_have_a_sign_of_their_own_and_the_cursor_says_how_many(plan: World) -> None:
    for title in ("Ask", "Answer"):
        plan.task(title, plan.build, due=MONDAY + timedelta(4))
    async with on_stage(plan, timeline(plan), size=(120, 24)) as pilot:
        build = line_of(pilot, "⊘ 2")
        assert build.index("●") < build.index("•") < build.index("◆")
        await press(pilot, *TO_BUILD)
        assert "3 cards due in it: 2 on 6 Mar and 11 Mar" in seen(pilot)
        plan.do(SetPreference(name="signs", value="ascii"))
    async with on_stage(plan, timeline(plan), size=(120, 24)) as pilot:
        build = line_of(pilot, "2 Build")
        assert build.index('"') < build.index("'")


async def test_a_bar_begins_where_the_dated_phase_before_it_ends(plan: World) -> None:
    async with on_stage(plan, timeline(plan), size=(120, 24)) as pilot:
        gate = line_of(pilot, "◐ 1").index("◆")
        bar = line_of(pilot, "⊘ 2")
        assert bar.index("─") == gate


async def test_tab_unfolds_the_cards_of_a_phase_with_their_days_and_people(plan: World) -> None:
    async with on_stage(plan, timeline(plan), size=FOLDED) as pilot:
        assert "Build" in seen(pilot)
        assert "Draft" not in seen(pilot)
        await press(pilot, "j", "tab")
        assert "● Draft BL" in line_of(pilot, "Draft")
        assert "no date" in line_of(pilot, "Some day")
        await press(pilot, "j")
        assert "Draft, task, To Do, in Build" in seen(pilot)
        await press(pilot, "tab")
        assert "Some day" not in seen(pilot)
        assert "2 Build · locked" in seen(pilot)


async def test_a_move_is_shown_first_then_done_in_one_step_and_u_takes_it_back(plan: World) -> None:
    draft = plan.rows("SELECT id FROM item WHERE title = 'Draft'")[0]["id"]
    async with on_stage(plan, timeline(plan)) as pilot:
        await press(pilot, *TO_BUILD, *["right_parenthesis"] * 2, "right_curly_bracket", "left_parenthesis")
        assert "Move “Build” 8 days later, to Tue 24 Mar 2026, together with 1 item" in seen(pilot)
        assert "═" in line_of(pilot, "⊘ 2")
        assert "16 Mar → 24 Mar" in line_of(pilot, "⊘ 2")
        assert "Preview: enter apply · esc discard · X move only this date · w list changes" in seen(pilot)
        assert due(plan, plan.build) == "2026-03-16"
        await press(pilot, "enter")
        assert due(plan, plan.build) == "2026-03-24"
        assert plan.row("item", id=draft)["due"] == "2026-03-19"
        assert "Moved “Build”" in told(pilot)
        assert "═" not in seen(pilot)
        await press(pilot, "u")
        assert (due(plan, plan.build), plan.row("item", id=draft)["due"]) == ("2026-03-16", "2026-03-11")


async def test_esc_drops_a_move_and_so_does_going_back_to_no_days_or_to_another_line(plan: World) -> None:
    async with on_stage(plan, timeline(plan)) as pilot:
        await press(pilot, "right_parenthesis", "escape")
        assert "Discover" in seen(pilot)
        assert "Preview: enter" not in seen(pilot)
        await press(pilot, "right_parenthesis", "left_parenthesis")
        assert "Discover" in seen(pilot)
        assert "Preview: enter" not in seen(pilot)
        await press(pilot, "right_parenthesis", "j")
        assert "“Discover” stays where it is" in told(pilot)
        assert "Preview: enter" not in seen(pilot)
        assert plan.last_change()["message"] != "ReschedulePhase"


async def test_the_date_alone_is_moved_on_demand(plan: World) -> None:
    async with on_stage(plan, timeline(plan)) as pilot:
        await press(pilot, "right_parenthesis", "X")
        assert "X move what follows too" in seen(pilot)
        await press(pilot, "enter")
        assert (due(plan, plan.discover), due(plan, plan.build)) == ("2026-02-28", "2026-03-16")


async def test_w_lists_all_that_a_move_would_move(plan: World) -> None:
    async with on_stage(plan, timeline(plan)) as pilot:
        await press(pilot, "tab", "right_parenthesis", "w")
        assert isinstance(pilot.app.screen, BlockersDialog)
        for words in ("Affected items", "Write the brief", "Draft", "16 Mar → 17 Mar"):
            assert words in seen(pilot)
        assert "Ask around" not in seen(pilot)
        await press(pilot, "escape", "enter")
        assert due(plan, plan.build) == "2026-03-17"
        await press(pilot, "right_parenthesis", "w", "j", "enter")
        assert "Write the brief, task" in seen(pilot)
        assert "Preview: enter" not in seen(pilot)


async def test_a_card_is_moved_for_itself(plan: World) -> None:
    draft = plan.rows("SELECT id FROM item WHERE title = 'Draft'")[0]["id"]
    async with on_stage(plan, timeline(plan, draft)) as pilot:
        await press(pilot, "right_curly_bracket", "enter")
        assert plan.row("item", id=draft)["due"] == "2026-03-18"
        assert due(plan, plan.build) == "2026-03-16"
        assert plan.last_change()["message"] == "SetCardDueDate"


async def test_cards_that_wait_for_a_moved_card_move_along_as_far_as_they_have_to(plan: World) -> None:
    book = plan.task("Book", plan.build, due=MONDAY + timedelta(10))
    shoot = plan.task("Shoot", plan.build, due=MONDAY + timedelta(16))
    plan.do(LinkCards(waiting_id=shoot.id, blocker_id=book.id))
    both = "Move “Book” 8 days later, to Fri 20 Mar 2026, together with 1 item"
    async with on_stage(plan, timeline(plan, book.id), size=(120, 40)) as pilot:
        await press(pilot, "right_parenthesis")
        assert await shows(pilot, "Move “Book” 1 day later, to Fri 13 Mar 2026")
        assert "together" not in seen(pilot)
        await press(pilot, "right_curly_bracket")
        assert await shows(pilot, both)
        assert "18 Mar → 20 Mar" in line_of(pilot, "Shoot")
        await press(pilot, "X")
        assert await shows(pilot, "X move what follows too · w list changes")
        assert "together" not in seen(pilot)
        await press(pilot, "X")
        assert await shows(pilot, both)
        await press(pilot, "w")
        assert await shows(pilot, "Affected items")
        await press(pilot, "escape", "enter")
        assert (due(plan, book), due(plan, shoot)) == ("2026-03-20", "2026-03-20")
        await press(pilot, "u")
        assert (due(plan, book), due(plan, shoot)) == ("2026-03-12", "2026-03-18")


async def test_the_date_of_a_card_alone_is_moved_on_demand(plan: World) -> None:
    book = plan.task("Book", plan.build, due=MONDAY + timedelta(10))
    shoot = plan.task("Shoot", plan.build, due=MONDAY + timedelta(12))
    plan.do(LinkCards(waiting_id=shoot.id, blocker_id=book.id))
    async with on_stage(plan, timeline(plan, book.id), size=(120, 40)) as pilot:
        await press(pilot, "right_curly_bracket")
        assert await shows(pilot, "together with 1 item")
        await press(pilot, "X")
        assert await shows(pilot, "X move what follows too")
        await press(pilot, "enter")
        assert (due(plan, book), due(plan, shoot)) == ("2026-03-19", "2026-03-14")


async def test_a_change_of_another_user_is_in_the_move_that_is_shown(plan: World) -> None:
    async with on_stage(plan, timeline(plan)) as pilot:
        await press(pilot, *TO_BUILD, "right_parenthesis")
        plan.task("Bob was here", plan.build, due=MONDAY + timedelta(8))
        assert await shows(pilot, "together with 2 items")
        await press(pilot, "enter")
        assert due(plan, plan.build) == "2026-03-17"


async def test_a_move_that_was_overtaken_is_refused_and_shown_again(
    plan: World,
) -> None:
    async with on_stage(plan, timeline(plan)) as pilot:
        await press(pilot, *TO_BUILD, "right_parenthesis")
        screen = screen_of(pilot, TimelineScreen)
        move = screen.rescheduling._move
        assert move is not None
        plan.task("Bob was here", plan.build, due=MONDAY + timedelta(8))
        screen.rescheduling._move = move  # as it is when the news has not come yet
        await screen.rescheduling.do_open()
        await settled(pilot)
        await waiting.until(lambda: "since this preview" in told(pilot))
        assert due(plan, plan.build) == "2026-03-16"
        pilot.app.messages.clear()
        assert await shows(pilot, "together with 2 items")


async def test_what_has_no_date_or_is_complete_or_may_not_be_moved_says_so(plan: World) -> None:
    async with on_stage(plan, timeline(plan)) as pilot:
        await press(pilot, "G", "right_parenthesis")
        assert "“Launch” has no due date to move" in told(pilot)
    async with on_stage(plan, timeline(plan), plan.bob) as pilot:
        await press(pilot, "right_parenthesis")
        assert "you are a" in told(pilot)
        assert "Preview: enter" not in seen(pilot)
        await press(pilot, "j", "right_parenthesis", "enter")  # cards a contributor may date
        assert due(plan, plan.discover) == "2026-02-27"
        assert plan.last_change()["message"] == "SetCardDueDate"
    async with on_stage(plan, timeline(plan), plan.vera) as pilot:
        await press(pilot, "j", "right_parenthesis")
        assert "you are a" in told(pilot)


async def test_the_phase_of_the_cursor_is_dated(plan: World) -> None:
    async with on_stage(plan, timeline(plan)) as pilot:
        await press(pilot, "G", "D", Text("2026-03-30"), "ctrl+s")
        assert due(plan, plan.launch) is not None
        assert "◆" in line_of(pilot, "⊘ 3")


async def test_enter_opens_what_the_cursor_is_on(plan: World) -> None:
    async with on_stage(plan, timeline(plan)) as pilot:
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, PhaseScreen)
        await press(pilot, "escape", "j", "enter")
        assert isinstance(pilot.app.screen, CardScreen)


async def test_keys_act_on_marked_cards_and_list_what_was_refused(plan: World) -> None:
    review = EditPhase(phase_id=plan.discover.id, gate=Gate.REVIEW, reason="The client decides")
    plan.do(review)  # so that Build stays locked
    async with on_stage(plan, timeline(plan)) as pilot:
        await press(pilot, "V")
        assert "4 marked" in seen(pilot)
        await press(pilot, "c")
        assert "2 not possible" in seen(pilot)
        statuses = {row["title"]: row["status"] for row in plan.rows("SELECT title, status FROM item")}
        assert statuses["Write the brief"] == "COMPLETED"
        assert statuses["Draft"] == "TO_DO"


async def test_a_filter_unfolds_the_phases_that_have_what_it_leaves(plan: World) -> None:
    async with on_stage(plan, timeline(plan), size=FOLDED) as pilot:
        assert "Draft" not in seen(pilot)
        await press(pilot, "slash", Text("draft"), "enter")
        assert "● Draft BL" in line_of(pilot, "Draft")
        assert "Write the brief" not in seen(pilot)
        await press(pilot, "escape")
        assert "Build" in seen(pilot)
        assert "Draft" not in seen(pilot)


async def test_another_width_is_fitted_again_unless_the_person_zoomed(plan: World) -> None:
    def head() -> str:
        return "\n".join(seen(pilot).splitlines()[1:4])

    async with on_stage(plan, timeline(plan), size=(200, 40)) as pilot:
        wide = head()
        await pilot.resize_terminal(60, 24)
        await settled(pilot)
        narrow = head()
        await pilot.resize_terminal(200, 40)
        await settled(pilot)
        assert head() == wide
        await press(pilot, "z")
        zoomed = pilot.app.screen.query_one(TimelineChart).scale.zoom
        await pilot.resize_terminal(60, 24)
        await settled(pilot)
        assert pilot.app.screen.query_one(TimelineChart).scale.zoom is zoomed
    async with on_stage(plan, timeline(plan), size=(60, 24)) as pilot:
        assert head() == narrow


async def test_time_scrolls_zooms_and_comes_back_to_today(plan: World) -> None:
    async with on_stage(plan, timeline(plan), size=(80, 24)) as pilot:
        for zoom in ("months", "years", "days", "weeks"):
            await press(pilot, "z")
            assert f"  {zoom}" in seen(pilot)
            assert "▼ today" in seen(pilot)
        await press(pilot, *["l"] * 12)
        assert "▼ today" not in seen(pilot)
        assert "‹" in line_of(pilot, "◐ 1")
        await press(pilot, "t")
        assert "▼ today" in seen(pilot)


async def test_time_ends_where_dates_end(plan: World) -> None:
    async with on_stage(plan, timeline(plan), size=(80, 24)) as pilot:
        plan.do(SetPhaseDueDate(phase_id=plan.launch.id, due=date(2199, 12, 31)))
        plan.do(SetPhaseDueDate(phase_id=plan.discover.id, due=date(2000, 1, 1)))
        async with asyncio.timeout(30):
            while {date(2000, 1, 1), date(2199, 12, 31)} - {each.due for each in pilot.view.canvas.head.columns}:
                await pilot.pause(0.02)
        await press(pilot, "z", *["h"] * 3, "t", "R", "j", "z", "z", *["l"] * 5)
        assert "31 Dec 99" in seen(pilot)
        await press(pilot, "k", "k", "left_parenthesis")
        assert "would leave the years 2000 to 2199" in told(pilot)


async def test_the_views_are_stepped_through_with_the_cursor_on_the_same_card(plan: World) -> None:
    draft = plan.rows("SELECT id FROM item WHERE title = 'Draft'")[0]["id"]
    async with on_stage(plan, lambda: CanvasScreen(plan.project.id, draft)) as pilot:
        while not isinstance(pilot.app.screen, TimelineScreen):
            await press(pilot, "right_square_bracket")
        assert pilot.card.id == draft
        assert "  weeks" in seen(pilot)  # as close as all fits, on a card as well as on a phase
        await press(pilot, "j")
        while not isinstance(pilot.app.screen, CanvasScreen):
            await press(pilot, "left_square_bracket")
        assert pilot.title == "Some day"


async def test_n_adds_a_card_to_the_phase_of_the_cursor(plan: World) -> None:
    async with on_stage(plan, timeline(plan)) as pilot:
        await press(pilot, *TO_BUILD, "n", Text("Proof"), "ctrl+s")
        assert plan.row("item", title="Proof")["phase_id"] == plan.build.id
        assert "Proof, task" in seen(pilot)


async def test_hostile_names_are_text_and_an_archived_or_empty_project_is_no_trouble(world: World) -> None:
    world.do(EditPhase(phase_id=world.build.id, name=HOSTILE))
    world.do(SetPhaseDueDate(phase_id=world.build.id, due=MONDAY))
    world.task(HOSTILE, world.build, due=MONDAY)
    async with on_stage(world, timeline(world), size=(160, 40)) as pilot:
        await press(pilot, "j", "right_parenthesis")
        assert HOSTILE in seen(pilot)
        world.do(ArchiveProject(project_id=world.project.id))
        await press(pilot, "enter")
        assert due(world, world.build) == "2026-03-02"
        await waiting.until(lambda: "is archived" in told(pilot))
    empty = world.new_project("Empty")
    async with on_stage(world, lambda: TimelineScreen(empty.id)) as pilot:
        await press(pilot, "j", "right_parenthesis", "tab", "z", "l", "enter", "c", "x", "v", "V", "n", "G")
        assert "This project has no phases yet" in seen(pilot)


async def test_plain_signs_are_ascii(plan: World) -> None:
    plan.do(SetPreference(name="signs", value="ascii"))
    async with on_stage(plan, timeline(plan), size=(80, 24)) as pilot:
        await press(pilot, "j", "k", "right_parenthesis")
        lines = seen(pilot).splitlines()[1:20]
        assert all(line.isascii() for line in lines), lines
        assert "v today" in seen(pilot)


async def test_the_first_bar_begins_on_the_first_day_of_the_project(plan: World) -> None:
    async with on_stage(plan, timeline(plan), size=(120, 24)) as pilot:
        bar = line_of(pilot, "◐ 1")
        assert bar.index("◆") - bar.index("━") == 18  # a cell a day, from 9 to 27 February


async def test_a_plan_far_from_today_is_in_the_window_and_follows_the_cursor(world: World) -> None:
    for phase, year in ((world.discover, 2031), (world.build, 2032), (world.launch, 2036)):
        world.do(SetPhaseDueDate(phase_id=phase.id, due=date(year, 6, 4)))
    world.do(EditProject(project_id=world.project.id, start=date(2031, 5, 4)))
    async with on_stage(world, timeline(world), size=(80, 24)) as pilot:
        assert "2031" in seen(pilot)
        assert "◆" in line_of(pilot, "1 Discover")
        await press(pilot, "G")
        assert "2036" in seen(pilot)
        assert "◆" in line_of(pilot, "3 Launch")
