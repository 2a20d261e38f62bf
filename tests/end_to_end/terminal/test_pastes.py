"""Pastes with escape sequences, such as coloured output, are text and not keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.terminal.podium import opened
from tests.support.terminal.session import TerminalSession
from tests.support.workspace import World

COLOURED = "first \x1b[31msecond\x1b[0m\rthird id"
"""As a terminal sends it, with carriage returns. As keys ``i`` would assign the card, and ``d`` archive it."""


@pytest.fixture
def place(world: World) -> Path:
    world.task("Write the brief")
    return Path(world.database.path)


def paste(session: TerminalSession, text: str) -> None:
    session.send_bytes(b"\x1b[200~" + text.encode() + b"\x1b[201~")


def test_in_a_title_it_is_one_line_that_enter_saves(world: World, place: Path) -> None:
    with opened(place) as session:
        session.wait_for("Write the brief")
        session.send("n")
        session.wait_for("New card")
        paste(session, COLOURED)
        session.wait_for("Use as one title")
        session.send("<tab><enter>")
        session.wait_for("first second third id")
        assert "New card" in session.text
        assert [row["title"] for row in world.rows("SELECT title FROM item")] == ["Write the brief"]
        session.send("<enter>")
        session.wait_for("To Do 2")
    rows = world.rows("SELECT title, assignee_id, status FROM item ORDER BY id")
    assert [row["title"] for row in rows] == ["Write the brief", "first second third id"]
    assert all(row["assignee_id"] is None and row["status"] == "TO_DO" for row in rows)


def test_in_a_comment_it_keeps_its_lines(world: World, place: Path) -> None:
    with opened(place) as session:
        session.wait_for("Write the brief")
        session.send("C")
        session.wait_for("Comment on")
        paste(session, COLOURED)
        session.wait_for("third id")
        session.send("<ctrl+s>")
        session.wait_until_gone("Comment on")
    assert world.row("comment")["text"] == "first second\nthird id"


@pytest.mark.parametrize("times", [1, 2000], ids=["in one read", "in several reads"])
def test_on_the_board_it_does_nothing(world: World, place: Path, times: int) -> None:
    before = world.last_change()
    with opened(place) as session:
        session.wait_for("Write the brief")
        paste(session, "log: \x1b[0mdd\r" * times)
        session.send("n")
        session.wait_for("New card")
        session.send("Typed<enter>")
        session.wait_for("To Do 2")
        session.wait_for("Write the brief")
    (change,) = world.rows("SELECT summary FROM change WHERE seq > :seq", seq=before["seq"])
    assert "Typed" in change["summary"]
