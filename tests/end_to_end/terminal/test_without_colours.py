"""With NO_COLOR nothing on a terminal has a colour, and the cursor and what is chosen are still seen."""

from __future__ import annotations

import re
import sys
from datetime import date
from pathlib import Path

import pytest

from tests.support.terminal.podium import opened, podium
from tests.support.terminal.session import TerminalSession
from tests.support.workspace import World

STYLE = re.compile(rb"\x1b\[([\d;:]*)m")
INVERSE = b"7"
COLOURS = {str(number).encode() for begin in (30, 40, 90, 100) for number in range(begin, begin + 8)} | {b"38", b"48"}
"""The parameters of SGR that choose a colour (ECMA-48, 8.3.117); 38 and 48 go before one of 256 or of 24 bits."""


def styles(session: TerminalSession) -> set[bytes]:
    """Every parameter that was sent in a style."""
    return {each for found in STYLE.finditer(session.raw) for each in re.split(rb"[;:]", found[1])}


@pytest.fixture
def place(world: World) -> Path:
    """The database file of a project with one late task, whose date is red where there are colours."""
    world.task("Write the brief", due=date(2020, 1, 1))
    return Path(world.database.path)


@pytest.mark.parametrize("colours", [None, "truecolor"])
def test_the_screens_send_no_colour(place: Path, colours: str | None) -> None:
    with opened(place, env={"NO_COLOR": "1", "COLORTERM": colours}) as session:
        session.wait_for("Write the brief")
        assert not styles(session) & COLOURS
        session.send(":sett")
        session.wait_for("Settings")
        assert INVERSE in styles(session), "the cursor in the line and the offer that enter takes are shown inverse"
        session.send("<enter>")
        session.wait_for("Theme")
        assert not styles(session) & COLOURS


def test_the_first_run_sends_no_colour_and_shows_its_cursor(tmp_path: Path) -> None:
    with podium(home=tmp_path, cols=80, rows=24, env={"NO_COLOR": "1"}) as session:
        session.wait_for("esc cancel")
        session.send("Studio")
        session.wait_for("Studio ")
        assert not styles(session) & COLOURS
        assert INVERSE in styles(session)


def test_an_empty_no_color_takes_no_colour_away(place: Path) -> None:
    with opened(place, env={"NO_COLOR": "", "COLORTERM": "truecolor"}) as session:
        session.wait_for("Write the brief")
        assert styles(session) & COLOURS


@pytest.mark.parametrize(("value", "without"), [("1", True), ("0", True), ("", False), (None, False)])
def test_the_command_line_sends_colours_unless_it_is_asked_not_to(
    place: Path, value: str | None, without: bool
) -> None:
    words = ["-m", "tui", "task", "list", "Spring launch", "--db", str(place), "--as", "maya"]
    env = {"HOME": str(place.parent), "NO_COLOR": value}
    with TerminalSession([sys.executable, *words], env=env) as session:
        assert session.exit_status() == 0
        session.wait_for("Write the brief")
        assert bool(styles(session) - {b"", b"0"}) != without
