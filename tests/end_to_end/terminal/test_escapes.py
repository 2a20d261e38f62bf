"""Esc and a key in one write, on a real terminal: both count, except where alt with the key has a meaning."""

from __future__ import annotations

from pathlib import Path

from tests.support.terminal.podium import opened
from tests.support.workspace import World


def test_esc_and_a_letter_in_one_write_are_esc_and_the_key(world: World) -> None:
    world.task("Write the brief")
    with opened(Path(world.database.path)) as session:
        session.wait_for("Write the brief")
        session.send("/brief")
        session.wait_for("filtered")
        session.send_bytes(b"\x1bn")
        session.wait_for("New card")
        assert "filtered" not in session.text
        session.send("one two")
        session.send_bytes(b"\x1bb")  # in a text field: a word to the left
        session.send("and <enter>")
        session.wait_for("To Do 2")
    assert [row["title"] for row in world.rows("SELECT title FROM item ORDER BY id")] == [
        "Write the brief",
        "one and two",
    ]
