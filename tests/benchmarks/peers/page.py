"""The table of the peers on the page, from which ``tests/docs/peers_chart.py`` draws a chart."""

from __future__ import annotations

import re

from tests.benchmarks.notes import Notes, NotMeasured
from tests.benchmarks.peers.comparison import BOARDS, SIZES, WHAT, goal_of

START, END = "<!-- peers -->\n", "<!-- /peers -->"

PODIUM = "Podium"
NAMES = tuple(board.name for board in BOARDS)

HEAD = ("What", "Cards", f"{PODIUM}, ms", *(cell for name in NAMES for cell in (f"{name}, ms", "× Podium", "Goal")))

NONE = "–"
"""In the place of what a program cannot do, or was not measured."""


def with_table(page: str, notes: Notes) -> str:
    """The text of the page with the table of a run."""
    before, after = page.partition(START)[0], page.partition(END)[2]
    rows = [_row(notes, part, cards) for part in WHAT for cards in SIZES]
    lines = [f"| {' | '.join(row)} |" for row in (HEAD, ("---",) * len(HEAD), *rows)]
    return "\n".join([f"{before}{START}{lines[0]}", *lines[1:], f"{END}{after}"])


def times_on_page(page: str, cards: int) -> dict[str, dict[str, float]]:
    """The milliseconds of each program that has them, by what is done, at one size."""
    rows = page.partition(START)[2].partition(END)[0].splitlines()[2:]
    found = {}
    for row in rows:
        what, size, *cells = row.strip("| ").split(" | ")
        if int(size.replace(",", "")) == cards:
            times = zip((PODIUM, *NAMES), (cells[0], *cells[1::3]), strict=True)
            found[what] = {name: float(cell.replace(",", "")) for name, cell in times if cell != NONE}
    return found


def _row(notes: Notes, part: str, cards: int) -> list[str]:
    row = [WHAT[part], f"{cards:,}", _milliseconds(notes, f"{PODIUM} {cards} {part}")]
    for name in NAMES:
        peer, goal = f"{name} {cards} {part}", goal_of(name, part, cards)
        row.append(_milliseconds(notes, peer))
        row.append(_ratio(notes, peer, f"{PODIUM} {cards} {part}", goal))
        row.append(f"{goal:,}")
    return row


def _milliseconds(notes: Notes, name: str) -> str:
    try:
        return re.sub(r"\.0$", "", f"{notes.median(name):,.1f}")
    except NotMeasured:
        return NONE


def _ratio(notes: Notes, name: str, to: str, goal: float) -> str:
    try:
        ratio = notes.ratio(name, to)
    except NotMeasured:
        return NONE
    text = f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}"
    return f"**{text}**" if ratio < goal else text
