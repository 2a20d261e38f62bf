"""A comment that is damaged in the file: the card is shown all the same, and says that one cannot be read."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from core.actions.cards.comments import AddComment
from tests.support.app_driver import on_stage, seen
from tests.support.workspace import World
from tui.screens.cards.card import CardScreen


def damage(world: World, set_to: str) -> None:
    """Write a value past all checks, as another program or a faulty disk does."""
    with closing(sqlite3.connect(world.database.path)) as file:
        file.execute("PRAGMA foreign_keys = OFF")
        file.execute(f"UPDATE comment SET {set_to} WHERE text = 'First'")
        file.commit()


@pytest.mark.parametrize(
    ("set_to", "shown", "first"),
    [
        ("at = 'x'", "1 comment cannot be read. “podium doctor” says ", False),
        ("author_id = 'x'", "an unknown person  ", True),
    ],
)
async def test_a_card_says_what_it_cannot_show_of_its_comments(
    world: World, set_to: str, shown: str, first: bool
) -> None:
    task = world.task("Write the brief")
    for text in ("First", "Second"):
        world.do(AddComment(item_id=task.id, text=text))
    damage(world, set_to)
    async with on_stage(world, lambda: CardScreen(world.project.id, task.id)) as pilot:
        assert "Write the brief" in seen(pilot)
        assert "Second" in seen(pilot)
        assert shown in seen(pilot)
        assert ("First" in seen(pilot)) is first
