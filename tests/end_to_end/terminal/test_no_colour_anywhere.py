"""With NO_COLOR no screen, dialog, preview or chart sends a colour, over a walk through the whole program."""

from __future__ import annotations

import re
from datetime import date, timedelta
from pathlib import Path

import pytest

from core.actions.cards.cards import RestoreCard
from tests.support.terminal.podium import opened
from tests.support.workspace import World

STYLE = re.compile(rb"\x1b\[([\d;:]*)m")
WALK = (
    ("n", "New card in", "<esc>"),
    ("g", "Go to", "<esc>"),
    (":", "Find anything", "<esc>"),
    ("?", "If you only learn six", "<esc>"),
    ("D", "Due date of", "<esc>"),
    ("gt", "◆ Timeline", ""),
    ("gb", "◆ Status board", ""),
    ("gl", "◆ Table", ""),
    ("gC", "◆ Calendar", ""),
    ("gB", "◆ Charts", ""),
    ("gM", "◆ Members", ""),
    ("gh", "◆ History", ""),
    ("gm", "◆ My work", ""),
    ("gi", "◆ Inbox", ""),
    ("gs", "◆ Settings", ""),
    ("<enter>", "Type to filter", "<esc>"),
    ("gd", "◆ Check of this", ""),
    ("gp", "◆ Projects", ""),
)
"""Keys, a text on the screen that they lead to at every size, and the key that closes it."""


def colours_in(sent: bytes) -> set[bytes]:
    """The styles among some output that choose a colour (ECMA-48, 8.3.117; 90 to 107 are xterm's)."""
    numbers = {*range(30, 39), *range(40, 49), *range(90, 108)}
    styles = {found[1] for found in STYLE.finditer(sent)}
    return {style for style in styles if numbers & {int(each) for each in re.split(rb"[;:]", style) if each}}


def test_the_search_for_colours_finds_each_kind() -> None:
    coloured = [b"31", b"38;5;9", b"48;2;1;2;3", b"38:2::1:2:3", b"1;97", b"107", b"0;40", b"30"]
    for style in coloured:
        assert colours_in(b"a\x1b[%bmb" % style) == {style}
    assert colours_in(b"\x1b[m\x1b[0m\x1b[1;7mx\x1b[2;3;4;9m\x1b[39;49m\x1b[22;27m") == set()


@pytest.fixture
def place(world: World) -> Path:
    """The database file of a project with late, due, completed and archived cards, more than fit in a Timeline."""
    world.task("Write the brief", due=date(2020, 1, 1), assignee_id=world.maya.user_id)
    for number in range(2, 31):
        card = world.task(f"Card {number}", due=date.today() + timedelta(days=number), assignee_id=world.bob.user_id)
        if number % 3 == 0:
            world.complete(card.id)
    world.archive(card.id)
    world.do(RestoreCard(card_id=card.id))
    return Path(world.database.path)


@pytest.mark.parametrize(("cols", "rows"), [(40, 12), (120, 40)])
def test_a_walk_through_the_program_sends_no_colour(place: Path, cols: int, rows: int) -> None:
    with opened(place, cols=cols, rows=rows, env={"NO_COLOR": "1", "COLORTERM": "truecolor"}) as session:
        session.wait_for("To Do")
        for keys, shown, closing in WALK:
            before = len(session.raw)
            session.send(keys)
            session.wait_for(shown)
            if closing:
                session.send(closing)
                session.wait_until_gone(shown)
            assert colours_in(session.raw[before:]) == set(), f"after {keys}"
        assert colours_in(session.raw) == set()
