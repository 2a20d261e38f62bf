"""The colours follow the background of the terminal, and its answer costs no key, whenever and however it arrives."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.actions.workspace.profile import SetPreference
from tests.support.system_programs import needs
from tests.support.terminal.podium import opened, podium
from tests.support.terminal.session import TerminalSession
from tests.support.waiting import wait_until
from tests.support.workspace import World
from tui.terminal.background import QUESTION

LIGHT_ANSWER = b"\x1b]11;rgb:ffff/fdfd/f6f6\x1b\\"
ASKED = QUESTION.encode()


@pytest.fixture
def place(world: World) -> Path:
    """The database file of a project with one task."""
    world.task("Write the brief")
    return Path(world.database.path)


def brightness(session: TerminalSession) -> int:
    """The red of the background of the last row, from 0 to 255, which is high where it is light."""
    behind = session.style_at(0, 39)[1]
    return 0 if behind == "default" else int(behind[:2], 16)


def is_dark(session: TerminalSession) -> bool:
    return brightness(session) < 64


def is_light(session: TerminalSession) -> bool:
    return brightness(session) > 192


def shows_light(session: TerminalSession) -> None:
    wait_until(lambda: is_light(session), "Podium does not become light")


def shows_dark(session: TerminalSession) -> None:
    wait_until(lambda: is_dark(session), "Podium does not become dark")


def add(session: TerminalSession, title: str = "Typed") -> None:
    """Add a card with keys, and wait for it."""
    session.send(f"n{title}<enter>")
    session.wait_for("To Do 2")
    session.wait_for(title)


def assert_only_added(world: World, title: str = "Typed") -> None:
    """The one change since the scene was made is the new card, with its title as it was typed."""
    assert [row["title"] for row in world.rows("SELECT title FROM item ORDER BY id")] == ["Write the brief", title]
    assert title in world.last_change()["summary"]


@pytest.mark.parametrize(
    "answer",
    [b"rgb:ffff/ffff/ffff", b"rgb:f/f/f", b"rgba:ffff/ffff/e0e0/ffff", b"rgb:fa/fa/d2"],
    ids=["sixteen bits", "four bits", "with alpha", "eight bits"],
)
def test_a_light_terminal_gets_the_light_colours(world: World, place: Path, answer: bytes) -> None:
    with opened(place, background=answer) as session:
        session.wait_for("Write the brief")
        shows_light(session)
        add(session)
        assert session.raw.count(ASKED) == 1
    assert_only_added(world)


def test_a_dark_terminal_keeps_the_dark_colours(world: World, place: Path) -> None:
    with opened(place, background=b"rgb:2020/2020/3030") as session:
        session.wait_for("Write the brief")
        add(session)
        shows_dark(session)
        assert b"\x1b[38;2;43;48;59" not in session.raw, "the text of the light theme"
    assert_only_added(world)


def test_a_terminal_that_never_answers_costs_no_paint_and_no_key(world: World, place: Path) -> None:
    with opened(place, background=None) as session:
        session.wait_for("Write the brief")
        add(session)
        shows_dark(session)
        assert session.raw.count(ASKED) == 1
        session.send("q")
        assert session.exit_status() == 0
    assert_only_added(world)


def test_without_an_answer_the_environment_can_name_a_light_background(place: Path) -> None:
    with opened(place, background=None, env={"COLORFGBG": "0;15"}) as session:
        session.wait_for("Write the brief")
        shows_light(session)
        assert b"\x1b[38;2;200;207;221" not in session.raw, "the text of the dark theme, before the first paint"
    with opened(place, background=b"rgb:0000/0000/0000", env={"COLORFGBG": "0;default;15"}) as session:
        session.wait_for("Write the brief")
        shows_dark(session)


def test_an_answer_that_arrives_while_a_title_is_typed_costs_no_key(world: World, place: Path) -> None:
    with opened(place, background=None) as session:
        session.wait_for("Write the brief")
        session.send_bytes(b"nTy" + LIGHT_ANSWER + b"ped\r")
        session.wait_for("To Do 2")
        shows_light(session)
    assert_only_added(world)


def test_an_answer_that_arrives_byte_by_byte_costs_no_key(world: World, place: Path) -> None:
    unhurried = {"ESCDELAY": "60000"}  # so that no pause of this machine turns the first byte into the key
    with opened(place, background=None, env=unhurried) as session:
        session.wait_for("Write the brief")
        session.send("nTy")
        session.wait_for("Ty")
        for at in range(len(LIGHT_ANSWER)):
            session.send_bytes(LIGHT_ANSWER[at : at + 1])
        session.send("ped<enter>")
        session.wait_for("To Do 2")
        shows_light(session)
    assert_only_added(world)


def test_an_answer_in_the_middle_of_a_paste_leaves_the_text_whole(world: World, place: Path) -> None:
    with opened(place, background=None) as session:
        session.wait_for("Write the brief")
        session.send("n")
        session.wait_for("New card")
        session.send_bytes(b"\x1b[200~Pas" + LIGHT_ANSWER + b"ted\x1b[201~")
        session.wait_for("Pasted")
        session.send("<enter>")
        session.wait_for("To Do 2")
        shows_light(session)
    assert_only_added(world, "Pasted")


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x1b]11;\x1b\\",
        b"\x1b]11;dddddddd\x07",
        b"\x1b]11;rgb:zzzz/dddd/dddd\x07",
        b"\x1b]11;rgb:ffff/ffff\x1b\\",
        b"\x1b]11;\xff\xfed\xc3\x07",
        b"\x1b]11;" + b"d" * 5000 + b"\x07",
        b"\x1b]11;rgb:ffff/ffff/ffffffff\x1b[I",  # has no end
    ],
    ids=["empty", "word", "no digits", "two colours", "no UTF-8", "long", "without an end"],
)
def test_an_answer_that_means_nothing_changes_nothing(world: World, place: Path, garbage: bytes) -> None:
    with opened(place, background=None) as session:
        session.wait_for("Write the brief")
        session.send_bytes(garbage)
        add(session)
        shows_dark(session)
    assert_only_added(world)


@pytest.mark.parametrize(
    ("theme", "shown", "other"),
    [("podium-dark", is_dark, b"rgb:ffff/ffff/ffff"), ("podium-light", is_light, b"rgb:0000/0000/0000")],
    ids=["dark", "light"],
)
def test_a_theme_that_was_set_wins_and_asks_nothing(
    world: World, place: Path, theme: str, shown: Callable[[TerminalSession], bool], other: bytes
) -> None:
    world.do(SetPreference(name="theme", value=theme), world.maya)
    with opened(place, background=other, env={"COLORFGBG": "0;15"}) as session:
        session.wait_for("Write the brief")
        session.send_bytes(b"\x1b]11;" + other + b"\x07")  # the answer to a question of another program
        add(session)
        wait_until(lambda: shown(session), f"It does not become {theme}")
        assert ASKED not in session.raw


def test_the_setting_can_say_dark_light_and_as_the_terminal_again(world: World, place: Path) -> None:
    with opened(place, background=b"rgb:ffff/ffff/ffff") as session:
        session.wait_for("Write the brief")
        shows_light(session)
        session.send("gs")
        session.wait_for("as the terminal")
        session.send("<enter>")
        session.wait_for("Type to filter")
        session.send("<down>")
        shows_dark(session)
        session.send("<enter>")
        session.wait_until_gone("Type to filter")
        session.wait_for("podium-dark")
        shows_dark(session)
        assert world.row("preference", name="theme")["value"] == "podium-dark"
        session.send("r")
        shows_light(session)
        session.wait_for("as the terminal")
        assert not world.rows("SELECT * FROM preference")


def test_the_setting_asks_the_terminal_where_the_start_did_not(world: World, place: Path) -> None:
    world.do(SetPreference(name="theme", value="podium-dark"), world.maya)
    with opened(place, background=b"rgb:ffff/ffff/ffff") as session:
        session.wait_for("Write the brief")
        session.send("gs")
        session.wait_for("podium-dark")
        assert ASKED not in session.raw
        session.send("r")
        shows_light(session)


def test_no_color_asks_nothing(place: Path) -> None:
    with opened(place, background=b"rgb:ffff/ffff/ffff", env={"NO_COLOR": "1"}) as session:
        session.wait_for("Write the brief")
        add(session)
        assert ASKED not in session.raw


def test_the_first_run_is_light_too_and_the_first_screen_after_it_from_the_start(tmp_path: Path) -> None:
    with podium(home=tmp_path, background=b"rgb:ffff/ffff/ffff") as session:
        session.wait_for("Welcome to Podium")
        shows_light(session)
        session.send("Studio<enter>Ines Duarte<enter>")
        session.wait_for("Show me around")
        shows_light(session)
        assert b"\x1b[38;2;200;207;221" not in session.raw.partition(b"Studio")[2], "the text of the dark theme"


def test_after_fg_the_colours_are_those_of_the_terminal_now(place: Path) -> None:
    command = f'{sys.executable} -m tui open "Spring launch" --db {place} --as maya'
    env = {"HOME": str(place.parent), "PS1": "$ "}
    with TerminalSession([needs("bash"), "--norc", "-i"], env=env, background=None) as session:
        session.send(f"{command}<enter>")
        session.wait_for("To Do 1")
        shows_dark(session)
        session.send("<ctrl+z>")
        session.wait_for("Stopped")
        session.send("fg<enter>")
        wait_until(lambda: session.raw.count(ASKED) == 2, "Podium asks once")
        session.send_bytes(LIGHT_ANSWER)
        shows_light(session)


def test_an_answer_after_a_quick_q_does_not_reach_the_shell(place: Path) -> None:
    command = f'{sys.executable} -m tui open "Spring launch" --db {place} --as maya'
    env = {"HOME": str(place.parent), "PS1": "$ "}
    with TerminalSession([needs("bash"), "--norc", "-i"], env=env, background=b"rgb:ffff/ffff/ffff") as session:
        session.send(f"{command}; echo status=$?<enter>")
        session.send("q")
        session.wait_for("status=0")
        session.send("echo back in the she''ll<enter>")
        session.wait_for("back in the shell")
        assert "rgb:" not in session.text
