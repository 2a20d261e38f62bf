"""The Table: sorting, columns by preset, and keys on its cards, in the rows and on the screen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

import pytest

from core.actions.cards.comments import AddComment
from core.actions.cards.tasks import EditTask
from core.actions.personal.presets import ActivatePreset, SavePreset
from core.actions.projects.projects import ArchiveProject
from core.actions.workspace.profile import SetPreference
from core.domain.model import Id
from core.domain.view_settings import CardField, Layout, Sort
from tests.support.app_driver import Text, hides, on_stage, press, screen_of, seen, settled, shows, told
from tests.support.workspace import World
from tui.screens.cards import controller
from tui.screens.cards.card import CardScreen
from tui.screens.phases.phase import PhaseScreen
from tui.screens.views.table import TableScreen
from tui.widgets.list_view import FEW

MONDAY = date(2026, 3, 2)
"""The day on which the clock of the tests stands."""
HOSTILE = "[red]A[/] [@click=app.bell]b[/"


def table(world: World, focus: Id | None = None) -> Callable[[], TableScreen]:
    return lambda: TableScreen(world.project.id, focus)


@pytest.fixture
def plan(world: World) -> World:
    """Five cards in two phases: with and without dates, people, comments, and an activity with a task in it."""
    ask = world.task("Ask around", due=MONDAY + timedelta(9), assignee_id=world.bob.user_id)
    world.task("brief", due=MONDAY - timedelta(1))
    talks = world.activity("Customer talks")
    world.task("Call Ana", activity_id=talks.id, due=MONDAY, assignee_id=world.maya.user_id)
    world.task("Draft", world.build)
    world.do(AddComment(item_id=ask.id, text="Soon."))
    return world


IN_ORDER = ["Ask around", "brief", "Customer talks", "Call Ana", "Draft"]


async def test_cards_stand_under_their_phases_with_all_that_is_known_of_them(plan: World) -> None:
    async with on_stage(plan, table(plan), size=(160, 40)) as pilot:
        shown = seen(pilot)
        assert pilot.titles == IN_ORDER
        for words in ("1 Discover · open · 0/4", "2 Build · locked · 0/1", "Assigned to", "Bob Lind", "yesterday"):
            assert words in shown
        call = next(line for line in shown.splitlines() if "Call Ana" in line)
        assert "Customer talks" in call
        assert "0/1" in next(line for line in shown.splitlines() if "◇ Customer talks" in line)


async def test_S_sorts_by_the_next_column_and_b_turns_it_around(plan: World) -> None:  # noqa: N802 - as the key is
    async with on_stage(plan, table(plan)) as pilot:
        await press(pilot, "S")
        assert pilot.titles == ["Ask around", "brief", "Call Ana", "Customer talks", "Draft"]
        assert "Title ▲" in seen(pilot)
        assert "1 Discover" in seen(pilot)  # as a column now
        await press(pilot, "b")
        assert pilot.titles[0] == "Draft"
        assert "Title ▼" in seen(pilot)
        found = {}
        while "by phase" not in seen(pilot):
            await press(pilot, "S")
            screen = screen_of(pilot, TableScreen)
            found[screen.place().rpartition("by ")[2]] = pilot.titles
        assert found["due"] == ["brief", "Call Ana", "Ask around", "Customer talks", "Draft"]
        assert found["assigned to"][:2] == ["Ask around", "Call Ana"]
        assert found["comments"][0] == "Ask around"
        assert found["kind"][0] == "Customer talks"
        assert found["phase"] == IN_ORDER


async def test_tasks_stand_below_their_activity_in_the_order_of_the_phases(plan: World) -> None:
    later = plan.task("Book a room", activity_id=plan.row("item", title="Customer talks")["id"])
    plan.task("Last")
    async with on_stage(plan, table(plan, later.id)) as pilot:
        assert pilot.titles == ["Ask around", "brief", "Customer talks", "Call Ana", "Book a room", "Last", "Draft"]
        rows = seen(pilot).split("\n")
        assert [row[:12].rstrip() for row in rows if "Call Ana" in row] == ["  ↳ ○ Call A"]
        assert any(row.startswith("▌ ↳ ○ Book a room") for row in rows)
        assert "↳ ○ Last" not in seen(pilot)
        await press(pilot, "b")
        assert pilot.titles == ["Draft", "Last", "Customer talks", "Book a room", "Call Ana", "brief", "Ask around"]
        await press(pilot, "S")
        assert "↳" not in seen(pilot)


async def test_several_people_are_named_whole_or_counted(plan: World) -> None:
    team = (plan.maya.user_id, plan.bob.user_id)
    plan.activity("Talks in town", member_ids=team)
    async with on_stage(plan, table(plan), size=(100, 30)) as pilot:
        row = next(row for row in seen(pilot).split("\n") if "Talks in town" in row)
        assert "Maya, Bob " in row
        assert "Bob Lind " in next(row for row in seen(pilot).split("\n") if "Ask around" in row)


async def test_the_cursor_stays_on_its_card_when_the_order_changes(plan: World) -> None:
    async with on_stage(plan, table(plan)) as pilot:
        await press(pilot, "j", "S")
        assert pilot.title == "brief"
        await press(pilot, "b", "S", "S")
        assert pilot.title == "brief"


async def test_a_click_on_the_title_of_a_column_sorts_by_it_and_a_second_one_turns_it_around(plan: World) -> None:
    async with on_stage(plan, table(plan)) as pilot:
        x = seen(pilot).splitlines()[1].index("Due")
        await pilot.click(offset=(x, 1))
        await settled(pilot)
        assert "Due ▲" in seen(pilot)
        await pilot.click(offset=(seen(pilot).splitlines()[1].index("Due"), 1))
        await settled(pilot)
        assert "Due ▼" in seen(pilot)


async def test_columns_and_order_follow_the_preset_until_another_order_is_chosen(plan: World) -> None:
    saved = plan.do(
        SavePreset(
            project_id=plan.project.id,
            name="Dates",
            layout=Layout.TABLE,
            fields=(CardField.DUE,),
            sort=Sort.DUE,
            filter="a",
        )
    )
    plan.do(ActivatePreset(project_id=plan.project.id, preset_id=saved.id))
    async with on_stage(plan, table(plan), size=(160, 40)) as pilot:
        assert "Assigned to" not in seen(pilot)
        assert "Comments" not in seen(pilot)
        assert "by due" in seen(pilot)
        assert pilot.titles[:2] == ["Call Ana", "Ask around"]
        assert "brief" not in pilot.titles
        await press(pilot, "S", "R")
        assert "brief" not in pilot.titles
        assert "Call Ana" in pilot.titles
        assert "by due" not in seen(pilot)


async def test_an_archived_card_leaves_the_table_until_the_archive_is_shown(plan: World) -> None:
    async with on_stage(plan, table(plan)) as pilot:
        await press(pilot, "j", "d")
        assert plan.row("item", title="brief")["status"] == "ARCHIVED"
        assert "brief" not in pilot.titles
        await press(pilot, "A")
        assert "brief" in pilot.titles


async def test_marked_cards_are_changed_in_one_step_and_what_is_refused_is_listed(plan: World) -> None:
    async with on_stage(plan, table(plan)) as pilot:
        await press(pilot, "space", "space", "G", "space")
        assert "3 marked" in seen(pilot)
        assert seen(pilot).count("■") == 3
        await press(pilot, "L")
        assert "1 not possible" in seen(pilot)
        assert "Locked until “Discover” is complete (1)" in seen(pilot).replace("\n", " ")
        statuses = {row["title"]: row["status"] for row in plan.rows("SELECT title, status FROM item")}
        assert [statuses[name] for name in ("Ask around", "brief", "Draft")] == ["IN_PROGRESS", "IN_PROGRESS", "TO_DO"]
        await press(pilot, "escape", "u")
        assert plan.row("item", title="brief")["status"] == "TO_DO"


async def test_a_range_and_all_in_view_are_marked_and_esc_takes_the_marks_away(plan: World) -> None:
    async with on_stage(plan, table(plan)) as pilot:
        await press(pilot, "space", "j", "v")
        assert "3 marked" in seen(pilot)
        await press(pilot, "V")
        assert "5 marked" in seen(pilot)
        await press(pilot, "escape")
        assert len(pilot.titles) == 5
        assert "marked" not in seen(pilot)
        await press(pilot, "V")
        assert "5 marked" in seen(pilot)


async def test_a_colleagues_change_shows_and_the_cursor_stays_on_its_card(plan: World) -> None:
    async with on_stage(plan, table(plan)) as pilot:
        await press(pilot, "S", "G")
        assert pilot.title == "Draft"
        item = plan.row("item", title="brief")
        plan.do(EditTask(task_id=item["id"], title="Zebra"), as_=plan.bob)
        assert await shows(pilot, "Zebra")
        assert pilot.title == "Draft"
        plan.archive(plan.row("item", title="Draft")["id"], as_=plan.bob)
        assert await hides(pilot, "Draft")
        assert pilot.title == "Zebra"


async def test_h_and_l_go_from_phase_to_phase_and_enter_and_p_open(plan: World) -> None:
    async with on_stage(plan, table(plan)) as pilot:
        await press(pilot, "l")
        assert pilot.title == "Draft"
        await press(pilot, "h")
        assert pilot.title == "Call Ana"
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CardScreen)
        await press(pilot, "escape", "p")
        assert isinstance(pilot.app.screen, PhaseScreen)


async def test_n_adds_a_card_where_the_cursor_is_and_w_says_why_it_is_blocked(plan: World) -> None:
    async with on_stage(plan, table(plan)) as pilot:
        await press(pilot, "G", "w")
        assert "locked" in seen(pilot)
        await press(pilot, "escape", "n", Text("Proof"), "ctrl+s")
        assert plan.row("item", title="Proof")["phase_id"] == plan.build.id
        assert pilot.title == "Proof"


async def test_a_filter_leaves_what_fits_and_an_empty_table_says_what_to_do(plan: World) -> None:
    async with on_stage(plan, table(plan)) as pilot:
        await press(pilot, "slash", Text("ana"), "enter")
        assert pilot.titles == ["Call Ana"]
        await press(pilot, "slash", Text("xyz"), "enter")
        assert "No matches" in seen(pilot)
        await press(pilot, "c", "L", "x", "enter", "l", "h", "escape")
        assert len(pilot.titles) == 5
    empty = plan.new_project("Empty")
    async with on_stage(plan, lambda: TableScreen(empty.id)) as pilot:
        assert "This project has no phases yet." in seen(pilot)
        await press(pilot, "c", "S", "b", "n")
        assert told(pilot) == "This project has no phases yet. Press N to add the first one."
        plan.phase("Idea", empty.id)
        await press(pilot, "R")
        assert await shows(pilot, "No cards yet.")


async def test_a_table_that_the_preset_leaves_empty_offers_another_preset_and_the_archive(plan: World) -> None:
    preset = plan.do(SavePreset(project_id=plan.project.id, name="Nothing", layout=Layout.TABLE, filter="nowhere"))
    plan.do(ActivatePreset(project_id=plan.project.id, preset_id=preset.id))
    async with on_stage(plan, table(plan)) as pilot:
        assert "P for another preset" in seen(pilot)
        assert "to clear the filter" not in seen(pilot)


async def test_a_viewer_looks_and_changes_nothing_and_an_archived_project_says_so(plan: World) -> None:
    async with on_stage(plan, table(plan), plan.vera) as pilot:
        await press(pilot, "S", "b", "V")
        assert "5 marked" in seen(pilot)
    plan.do(ArchiveProject(project_id=plan.project.id))
    async with on_stage(plan, table(plan)) as pilot:
        await press(pilot, "c")
        assert "is archived" in told(pilot)


async def test_hostile_titles_are_text_and_signs_can_be_plain(plan: World) -> None:
    plan.task(HOSTILE, plan.build)
    plan.complete(plan.row("item", title="brief")["id"])
    plan.do(SetPreference(name="signs", value="ascii"))
    async with on_stage(plan, table(plan), size=(80, 24)) as pilot:
        await press(pilot, "S", "space", "b")
        assert HOSTILE[:20] in seen(pilot)
        assert "Title v" in seen(pilot)
        assert all(line.isascii() for line in seen(pilot).splitlines()[1:20])


async def test_more_marks_than_one_step_may_change_are_refused_in_a_sentence(
    plan: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(controller, "MAX_STEPS", 3)
    before = plan.rows("SELECT status FROM item ORDER BY id")
    async with on_stage(plan, table(plan)) as pilot:
        await press(pilot, "V", "c")
        assert told(pilot).startswith("5 cards are marked. One step changes at most")
        assert plan.rows("SELECT status FROM item ORDER BY id") == before


async def test_the_table_opens_in_a_terminal_of_three_columns_and_grows_with_it(world: World) -> None:
    world.task("Write the brief")
    async with on_stage(world, table(world), size=(3, 6)) as pilot:
        assert len(seen(pilot).splitlines()) == 6
        await pilot.resize_terminal(80, 24)
        assert await shows(pilot, "Write the brief")


async def test_a_new_card_where_the_filter_leaves_none_goes_to_the_phase_that_is_open(world: World) -> None:
    world.complete(world.task("Ask around").id)
    async with on_stage(world, table(world)) as pilot:
        await press(pilot, "slash", Text("nothing"), "enter", "n", Text("Print"), "enter")
        assert world.row("item", title="Print")["phase_id"] == world.build.id


async def test_a_column_that_only_a_card_far_below_fills_is_there_from_the_start(world: World) -> None:
    tasks = [world.task(f"Write page {number}") for number in range(FEW + 30)]
    async with on_stage(world, table(world)) as pilot:
        assert "Comments" not in seen(pilot)
        world.do(AddComment(item_id=tasks[-1].id, text="Soon."))
        await press(pilot, "R")
        assert "Comments" in seen(pilot)
        await press(pilot, "G")
        assert next(line for line in seen(pilot).splitlines() if tasks[-1].title in line).split()[-1] == "1"
