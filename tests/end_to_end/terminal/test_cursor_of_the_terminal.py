"""The terminal's own cursor, which screen readers and magnifiers follow, is on what is selected."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from core.actions.cards.labels import AddLabel
from core.actions.cards.tasks import AssignTask
from tests.support.sweeps import sweep
from tests.support.terminal.podium import opened, podium
from tests.support.terminal.session import TerminalSession
from tests.support.workspace import World

SIZES = sweep([(120, 40), (80, 24)], lambda case: case[1] == 24)


def expect_cursor(session: TerminalSession, words: str, sentence: str = "") -> None:
    """Wait until the terminal's cursor is before these words and their signs, and the last line but one says more."""
    session.wait_for_cursor(rf"[▌❯›‹◐○□■⊘ ]*{re.escape(words)}")
    if sentence:
        session.wait_for(rf"^ +{re.escape(sentence)}.*\n.*\Z")


@pytest.fixture
def place(world: World) -> Path:
    """The database file of two projects, one with two cards."""
    world.task("Write the brief")
    world.task("Book the hall")
    world.new_project("Autumn launch")
    return Path(world.database.path)


@pytest.mark.parametrize(("cols", "rows"), SIZES)
def test_the_cursor_is_on_the_card_and_the_line_below_says_which(place: Path, cols: int, rows: int) -> None:
    with opened(place, cols=cols, rows=rows) as session:
        expect_cursor(session, "Write the brief", "Write the brief, task, To Do, in Discover")
        session.send("j")
        expect_cursor(session, "Book the hall", "Book the hall, task, To Do, in Discover")
        session.send("L")
        expect_cursor(session, "Book the hall", "Book the hall, task, In Progress, in Discover")
        session.send("l")
        expect_cursor(session, "2", "Build, locked")
        session.send("h.")
        expect_cursor(session, "enter  Open the card")
        session.send("<down>")
        expect_cursor(session, "L      Move to the next status")
        session.send("<esc>")
        expect_cursor(session, "Book the hall", "Book the hall, task, In Progress, in Discover")
        for view in ("Status board", "Timeline", "Table"):
            session.send("]")
            session.wait_for(f"◆ {view}")
            expect_cursor(session, "Book the hall", "Book the hall")


def test_the_cursor_is_on_the_day_of_the_calendar(place: Path) -> None:
    with opened(place) as session:
        expect_cursor(session, "Write the brief")
        session.send("gC")
        before = session.wait_for_cursor(r"▌(\d+) +today")
        x, y = session.cursor
        key, day = ("j", int(before[1]) + 7) if int(before[1]) < 15 else ("k", int(before[1]) - 7)
        session.send(key)
        session.wait_for_cursor(rf"▌{day}\b")
        assert session.cursor[0] == x
        assert session.cursor[1] != y


@pytest.mark.parametrize(("cols", "rows"), SIZES)
def test_the_cursor_is_on_the_line_of_a_list(place: Path, world: World, cols: int, rows: int) -> None:
    for title in ("Call the printer", "Call the band"):
        world.do(AssignTask(task_id=world.task(title).id, assignee_id=world.bob.user_id))
    with podium("--db", str(place), "--as", "maya", home=place.parent, cols=cols, rows=rows) as session:
        expect_cursor(session, "Autumn launch")
        session.send("j")
        expect_cursor(session, "Spring launch")
    with podium("--db", str(place), "--as", "bob", home=place.parent, cols=cols, rows=rows) as session:
        session.wait_for("Spring launch")
        session.send("gi")
        expect_cursor(session, "● Call the band")
        session.send("j")
        expect_cursor(session, "● Call the printer", "When" if cols == 80 else "")  # else there is a column for it
        session.send("/assi<enter>")
        expect_cursor(session, "● Call the")


def test_the_cursor_is_on_the_row_of_a_dialog_or_in_its_text_while_that_is_typed(place: Path, world: World) -> None:
    for name in ("film", "print"):
        world.do(AddLabel(project_id=world.project.id, name=name))
    with opened(place) as session:
        expect_cursor(session, "Write the brief")
        session.send("a")
        expect_cursor(session, "ype to filter")
        session.send("<down*2>")
        expect_cursor(session, "Vera Sato")
        session.send("b")
        session.wait_until_gone("Vera Sato")
        session.wait_for_cursor(" +│")
        assert session.cursor[1] == session.find(" b ")[1]
        session.send("<up>")
        expect_cursor(session, "Bob Lind")
        session.send("<esc>")
        expect_cursor(session, "Write the brief")
        session.send("#<down>")
        expect_cursor(session, "P   print")
        session.send("<space>")
        expect_cursor(session, "P   print")
        session.send("<esc>g")
        expect_cursor(session, "> p  Projects")
        session.send("<down>")
        expect_cursor(session, "> m  My work")


def test_the_cursor_is_on_the_option_of_a_form_and_on_a_completion(place: Path) -> None:
    with opened(place) as session:
        expect_cursor(session, "Write the brief")
        session.send("n")
        expect_cursor(session, "hat needs to be done?")
        session.send("<tab>")
        expect_cursor(session, "Task ›")
        session.send("<right>")
        expect_cursor(session, "Activity ›")
        session.send("<left>")
        expect_cursor(session, "Task ›")
        session.send("<tab>")
        expect_cursor(session, "Nobody (Space to choose)")
        session.send("<shift+tab*3>")
        expect_cursor(session, "Cancel")
        session.send("<esc>")
        expect_cursor(session, "Write the brief")
        session.send("/due:<down>")
        expect_cursor(session, "today     due today")
        session.send("x")
        session.wait_for_cursor(" *$")


@pytest.mark.parametrize(("cols", "rows"), SIZES)
def test_the_cursor_is_on_the_line_of_the_palette(place: Path, cols: int, rows: int) -> None:
    with opened(place, cols=cols, rows=rows) as session:
        expect_cursor(session, "Write the brief")
        session.send(":")
        expect_cursor(session, "n action, a project")
        session.send("<down>")
        first = session.wait_for_cursor("❯ (.+?)  ")[1]
        session.send("<down>")
        session.wait_for_cursor(f"❯ (?!{re.escape(first)})")
        session.send("<up>")
        expect_cursor(session, first)
        session.send("zz")
        session.wait_for("Search for “zz”")
        session.wait_for_cursor(" +│")
        assert session.cursor[1] == session.find(" zz ")[1]
