"""Texts that got into the database past every check do nothing on anybody's terminal, on any screen."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

from core.actions.cards.comments import AddComment
from core.actions.workflow.deliverables import AddDeliverable
from core.domain.model import Id
from tests.support.terminal.podium import opened
from tests.support.workspace import World

PAYLOADS = {
    "window title": "\x1b]0;owned\x07",
    "clipboard": "\x1b]52;c;b3duZWQ=\x07",
    "erasing": "\x1b[3J",
    "one-byte control": "\x9b31m",
    "device control": "\x90q",
    "right to left": "\u202e",
    "zero width": "\u200b",
    "delete": "\x7f",
}
MARKUP = "[@click=app.exit]x[/] [/] [bold"
HOSTILE = "evil " + "".join(PAYLOADS.values()) + MARKUP

WALK = (
    ("<enter>", "Comments ─"), ("<esc>", "D due"), ("p", "Gate record ─"), ("<esc>", "D due"),
    ("g", "esc close"), ("M", "^ ◆ Members"), ("g", "esc close"), ("h", "^ ◆ History"),
    ("g", "esc close"), ("w", "^ ◆ People"), ("g", "esc close"), ("p", "^ ◆ Projects"),
    ("g", "esc close"), ("d", "^ ◆ Check of this"), ("g", "esc close"), ("s", "^ ◆ Settings"),
)  # fmt: skip
"""Keys, each with what only the screen or the list says to which it leads."""


@pytest.fixture
def place(world: World) -> Path:
    """A project in which every text of every table is hostile."""
    task = world.task("Write the brief")
    world.do(AddComment(item_id=task.id, text="A remark"))
    world.do(AddDeliverable(phase_id=world.discover.id, name="Findings"))
    poison(Path(world.database.path), world.maya.user_id)
    return Path(world.database.path)


def poison(path: Path, me: Id) -> None:
    with contextlib.closing(sqlite3.connect(path)) as db:
        for statement in (
            "UPDATE item SET title = :evil, description = :evil, link = :evil",
            "UPDATE phase SET name = :evil, objectives = :evil, outcomes = :evil",
            "UPDATE comment SET text = :evil",
            "UPDATE deliverable SET name = :evil, evidence = :evil",
            "UPDATE project SET description = :evil, name = 'Spring launch' || :evil",
            "UPDATE app_user SET first_name = :evil, last_name = :evil, city = :evil",
            "UPDATE change SET summary = :evil",
            "UPDATE workspace SET name = :evil",
        ):
            db.execute(statement, {"evil": HOSTILE})
        db.commit()


def test_no_screen_sends_what_a_text_says(place: Path) -> None:
    with opened(place) as session:
        session.wait_for("evil")
        for key, shown in WALK:
            session.send(key)
            session.wait_for(shown)
            session.settle()
        raw = session.raw.decode("utf-8", "replace")
        session.send("q")
    for name, payload in PAYLOADS.items():
        assert payload not in raw, name


def test_a_click_on_a_hostile_title_runs_nothing(place: Path) -> None:
    with opened(place) as session:
        session.wait_for("evil")
        x, y = session.find("evil")
        for offset in range(0, 30, 3):
            session.send(f"<click:{x + offset},{y}>")
        session.settle()
        session.send("j")
        session.settle()
        assert session.process.wait(0) is None
        assert session.find("evil")
