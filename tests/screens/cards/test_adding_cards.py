"""The form for new cards: the shorthand of its title, add and stay, pasted lists."""

from __future__ import annotations

import asyncio
from datetime import date
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from core.actions.workspace.users import DeactivateUser
from core.domain.max_lengths import MAX_STEPS
from core.text.dates import in_full, parse_due
from tests.support.app_driver import Text, canvas, comes, on_stage, press, screen_of, seen, settled, shows, write
from tests.support.terminal.podium import opened
from tests.support.waiting import until
from tests.support.workspace import World
from tui.dialogs.adding import AddDialog, PastedListDialog
from tui.screens.canvas.screen import CanvasScreen
from tui.screens.cards.card import CardScreen


async def paste(pilot: Pilot[int], text: str) -> None:
    pilot.app.post_message(events.Paste(text))
    await settled(pilot)


def friday() -> date:
    due = parse_due("fri", date.today())
    assert due is not None
    return due


def titles(world: World) -> list[str]:
    return [row["title"] for row in world.rows("SELECT title FROM item ORDER BY rank, id")]


def short(day: date) -> str:
    return in_full(day).removesuffix(f" {date.today().year}")


def in_one_line(shown: str) -> str:
    return " ".join(shown.replace("│", " ").split())


async def test_the_end_of_a_title_assigns_and_schedules_the_card_and_is_shown_before(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n", Text("Write brief @bob fri"))
        assert f"→ Bob Lind · due {short(friday())}" in seen(pilot)
        assert titles(world) == []
        await press(pilot, "enter")
        row = world.row("item")
        assert (row["title"], row["assignee_id"], row["due"]) == (
            "Write brief",
            world.bob.user_id,
            friday().isoformat(),
        )
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert "Write brief" in seen(pilot)
        assert "@bob" not in seen(pilot)


async def test_quotes_keep_the_end_of_a_title_literal(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n", Text('Plan "fri"'))
        assert "→" not in seen(pilot)
        await press(pilot, "enter")
        assert (world.row("item")["title"], world.row("item")["due"]) == ("Plan fri", None)


async def test_a_name_that_is_not_understood_says_so_while_the_title_is_typed(world: World) -> None:
    world.do(DeactivateUser(user_id=world.bob.user_id))
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n", Text("Write brief @bob"))
        assert "“@bob” stays in the title: no member has this name." in in_one_line(seen(pilot))
        await press(pilot, "enter")
        assert titles(world) == ["Write brief @bob"]


async def test_a_priority_that_there_is_not_says_so_while_the_title_is_typed(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n", Text("Write brief !soon #print"))
        assert "→ #print" in seen(pilot)
        assert "“!soon” stays in the title: a priority is" in in_one_line(seen(pilot))
        await press(pilot, "enter")
        assert titles(world) == ["Write brief !soon"]


async def test_me_is_the_user_and_the_title_comes_before_the_fields(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n", Text("Write brief @me fri"), "tab", "tab", "tab", Text("+4w"), "enter")
        row = world.row("item")
        assert (row["assignee_id"], row["due"]) == (world.maya.user_id, friday().isoformat())


@pytest.mark.parametrize("key", ["ctrl+j", "ctrl+enter"])
async def test_one_key_adds_and_stays_for_the_next_card(world: World, key: str) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n", Text("Write brief @bob"), key)
        assert isinstance(pilot.app.screen, AddDialog)
        assert "Added “Write brief”." in seen(pilot)
        assert "What needs to be done?" in seen(pilot)
        assert "To Do 1" in seen(pilot)
        await write(pilot, "Read brief")
        assert "Added" not in seen(pilot)
        await press(pilot, key, "escape")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert titles(world) == ["Write brief", "Read brief"]
        assert pilot.app.screen.board.cursor.card.title == "Read brief"
        await press(pilot, "u")
        assert titles(world) == ["Write brief"]


async def test_the_form_keeps_its_size_when_a_card_is_added(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n")
        panel = pilot.app.screen.query_one("#panel").region
        await write(pilot, "Write brief @bob fri")
        assert pilot.app.screen.query_one("#panel").region == panel
        await press(pilot, "ctrl+j")
        assert "Added" in seen(pilot)
        assert pilot.app.screen.query_one("#panel").region == panel


async def test_an_added_card_is_saved_while_the_screen_below_is_still_drawn_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.dialogs.form.SHOWN_AFTER", 0.3)
    drawn = asyncio.Event()

    async def redraw() -> None:
        form.set_timer(0.5, drawn.set)
        await drawn.wait()

    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n")
        form = screen_of(pilot, AddDialog)
        form._redraw = redraw
        await write(pilot, "Write brief")
        await pilot.press("ctrl+j")
        await drawn.wait()
        await until(lambda: not form.is_saving)
        assert "Added “Write brief”." in seen(pilot)
        assert "Saving…" not in seen(pilot)


async def test_a_refused_title_stays_when_the_form_would_have_stayed(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n", Text("x" * 201), "ctrl+j")
        assert "at most 200 characters" in in_one_line(seen(pilot))
        await press(pilot, "backspace", "enter")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert titles(world) == ["x" * 200]


async def test_a_task_goes_into_the_activity_under_the_cursor_unless_told_otherwise(world: World) -> None:
    talks = world.activity("Interviews")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n")
        assert "‹ Interviews ›" in seen(pilot)
        await press(pilot, Text("Call Ana"), "enter")
        assert world.row("item", title="Call Ana")["activity_id"] == talks.id
        await press(pilot, "n")
        assert "‹ Interviews ›" in seen(pilot)
        await press(pilot, Text("Book a room"), "tab", "tab", "right", "enter")
        assert world.row("item", title="Book a room")["activity_id"] is None


async def test_an_activity_is_not_asked_where_it_goes(world: World) -> None:
    world.activity("Interviews")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n", Text("Workshops @bob"), "tab", "right")
        assert "Add to" not in seen(pilot)
        await press(pilot, "enter")
        row = world.row("item", title="Workshops")
        assert (row["kind"], row["activity_id"]) == ("ACTIVITY", None)
        assert world.row("assignment")["user_id"] == world.bob.user_id


async def test_a_pasted_list_is_added_in_one_step_after_a_question_and_one_undo_takes_it_back(world: World) -> None:
    world.task("Old")
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n")
        await paste(pilot, "- [ ] Write brief @bob fri\r- Book crew\r\r* Scout [red]x[/]\r")
        assert isinstance(pilot.app.screen, PastedListDialog)
        assert "Add 3 tasks?" in seen(pilot)
        assert f"Write brief · Bob Lind · due {short(friday())}" in seen(pilot)
        assert "Scout [red]x[/]" in seen(pilot)
        assert titles(world) == ["Old"]
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, CanvasScreen)
        assert titles(world) == ["Old", "Write brief", "Book crew", "Scout [red]x[/]"]
        assert world.row("item", title="Write brief")["assignee_id"] == world.bob.user_id
        assert pilot.card.title == "Write brief"
        assert "Added 3 tasks in one step. u to undo." in seen(pilot)
        await press(pilot, "u")
        assert titles(world) == ["Old"]


async def test_a_list_pasted_into_the_form_of_an_activity_becomes_its_tasks(world: World) -> None:
    talks = world.activity("Interviews")
    async with on_stage(world, lambda: CardScreen(world.project.id, talks.id)) as pilot:
        await press(pilot, "n")
        await paste(pilot, "Call Ana\nCall Li")
        await press(pilot, "y")
        rows = world.rows("SELECT title, activity_id FROM item WHERE kind = 'TASK' ORDER BY rank")
        assert [(row["title"], row["activity_id"]) for row in rows] == [("Call Ana", talks.id), ("Call Li", talks.id)]
        assert "Call Ana" in seen(pilot)


async def test_a_pasted_list_can_be_activities_or_one_title_or_nothing(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n", "tab", "right", "shift+tab")
        await paste(pilot, "Talks\nTests")
        assert "Add 2 activities?" in seen(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, AddDialog)
        assert titles(world) == []
        await paste(pilot, "Talks\nand tests")
        await press(pilot, "tab", "enter")
        assert "Talks and tests" in seen(pilot)
        await press(pilot, "enter")
        assert [(row["title"], row["kind"]) for row in world.rows("SELECT * FROM item")] == [
            ("Talks and tests", "ACTIVITY")
        ]


async def test_a_list_that_is_too_long_offers_as_many_as_one_step_takes(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n")
        await paste(pilot, "\n".join(f"Task {number}" for number in range(MAX_STEPS + 7)))
        assert f"Add the first {MAX_STEPS} tasks?" in seen(pilot)
        assert "the last 7 lines are left out" in in_one_line(seen(pilot))
        await press(pilot, "y")
        assert await shows(pilot, f"Added {MAX_STEPS} tasks in one step.")
        assert len(titles(world)) == MAX_STEPS


async def test_lines_that_cannot_be_titles_are_named_and_the_others_added(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n")
        await paste(pilot, "Good\n" + "x" * 201)
        await press(pilot, "y")
        told = in_one_line(seen(pilot))
        assert "Added 1 of 2 tasks. u to undo." in told
        assert "was not added" in told
        assert titles(world) == ["Good"]


async def test_a_list_of_which_nothing_can_be_added_says_why_under_the_title(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "n")
        await paste(pilot, "\n".join("x" * 201 for _ in range(2)))
        await press(pilot, "y")
        assert isinstance(pilot.app.screen, AddDialog)
        assert "at most 200 characters" in in_one_line(seen(pilot))
        assert titles(world) == []


async def test_a_list_for_a_complete_phase_says_that_it_reopens_it(world: World) -> None:
    done = world.task("Done")
    world.complete(done.id)
    async with on_stage(world, canvas(world)) as pilot:
        await press(pilot, "1", "n")
        await paste(pilot, "One\nTwo")
        assert "This reopens “Discover”, so later phases can lock again." in in_one_line(seen(pilot))
        await press(pilot, "y")
        assert titles(world) == ["Done", "One", "Two"]


async def test_keys_and_pastes_in_one_burst_arrive_in_their_order(world: World) -> None:
    async with on_stage(world, canvas(world)) as pilot:
        pilot.app.post_message(events.Key("n", "n"))
        pilot.app.post_message(events.Paste("Write "))
        for letter in "the":
            pilot.app.post_message(events.Key(letter, letter))
        pilot.app.post_message(events.Paste(" brief\n"))
        pilot.app.post_message(events.Key("enter", "\r"))
        assert await comes(pilot, lambda: titles(world) == ["Write the brief"])


def test_in_a_terminal_the_newline_key_adds_and_stays_and_enter_adds(world: World) -> None:
    with opened(Path(world.database.path)) as session:
        session.wait_for("To Do 0")
        session.send("nOne<ctrl+j>")
        session.wait_for("Added “One”")
        session.send("Two\x1b[13;5uThree<enter>")
        session.wait_until_gone("New card")
        session.wait_for("To Do 3")
    assert titles(world) == ["One", "Two", "Three"]


def test_a_paste_right_after_the_key_that_opens_the_form_is_in_its_title(world: World) -> None:
    with opened(Path(world.database.path)) as session:
        session.wait_for("To Do 0")
        session.send_bytes(b"n\x1b[200~Write the brief\x1b[201~\r")
        session.wait_for("To Do 1")
    assert titles(world) == ["Write the brief"]


def test_enter_typed_before_podium_has_the_terminal_is_enter(world: World) -> None:
    """The terminal turns it into a newline then, which is the key that adds and stays."""
    with opened(Path(world.database.path)) as session:
        session.send("nOne<enter>")
        session.wait_for("To Do 1")
        session.wait_until_gone("New card")
    assert titles(world) == ["One"]
