"""Two terminals on one database: each sees what the other does, and nobody's change is lost."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from core.domain.model import Status
from tests.support.terminal.podium import opened
from tests.support.workspace import World


@pytest.fixture
def place(world: World) -> Path:
    world.task("Write the brief")
    world.task("Call the venue")
    return Path(world.database.path)


def test_each_sees_the_moves_of_the_other_without_a_key(world: World, place: Path) -> None:
    with opened(place, "maya") as maya, opened(place, "bob") as bob:
        maya.wait_for("Write the brief")
        bob.wait_for("Write the brief")
        maya.send("L")
        bob.wait_for("In Progress 1")
        bob.send("L")  # his cursor stayed on the card: it goes one further
        maya.wait_for("Completed 1")
        bob.send("u")
        maya.wait_for("In Progress 1")
        assert world.row("item", title="Write the brief")["status"] == Status.IN_PROGRESS


def test_a_new_card_appears_while_the_other_one_types(place: Path) -> None:
    with opened(place, "maya") as maya, opened(place, "bob") as bob:
        maya.wait_for("Call the venue")
        bob.wait_for("Call the venue")
        maya.send("n")
        maya.wait_for("New card")
        maya.send("Half a ti")
        bob.send("n")
        bob.wait_for("New card")
        bob.send("Bob's card<enter>")
        bob.wait_for("To Do 3")
        maya.send("tle<enter>")
        maya.wait_for("Half a title")
        maya.wait_for("Bob's card")
        maya.wait_for("To Do 4")


def test_who_is_given_a_card_reads_of_it_in_their_title_line(world: World, place: Path) -> None:
    with opened(place, "maya") as maya, opened(place, "bob") as bob:
        maya.wait_for("Write the brief")
        bob.wait_for("Write the brief")
        bob.send("C")
        bob.wait_for("Comment on")
        bob.send("@maya?<ctrl+s>")
        maya.wait_for("inbox 1")
        maya.send("g")
        maya.wait_for("Go to")
        maya.send("i")
        maya.wait_for("Bob Lind mentioned you: @maya?")
        maya.send("<enter>")
        maya.wait_for("To Do 2")
        assert world.rows("SELECT * FROM notification WHERE read_at IS NULL") == []


def test_what_is_on_the_screen_survives_a_kill(world: World, place: Path) -> None:
    with opened(place) as first:
        first.wait_for("Write the brief")
        first.send("L")
        first.wait_for("In Progress 1")
        first.signal(signal.SIGKILL)
        assert first.exit_status() == -signal.SIGKILL
    assert world.row("item", title="Write the brief")["status"] == Status.IN_PROGRESS
    with opened(place) as again:
        again.wait_for("In Progress 1")
        again.send("u")
        again.wait_for("Undone: started")
    assert world.row("item", title="Write the brief")["status"] == Status.TO_DO
