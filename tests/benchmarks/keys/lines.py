"""The tables, in Markdown: each key of the Canvas with its goals, and each screen with the slowest of its keys.

What misses its goal is bold. Times are in milliseconds from the key; ratios are of medians.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.benchmarks.figures import missed
from tests.benchmarks.keys.screens import MODAL, SCREEN, Goal, goal_of, measured_keys, screens
from tests.benchmarks.keys.slow_line import LINES as SLOW_LINES
from tests.benchmarks.keys.slow_line import WITHIN
from tests.benchmarks.notes import Notes, NotMeasured

NAME = re.compile(r"(\d+) (\w+) (\S+), (place|dialog|screen): opened last byte")

CANVAS = "canvas"

CLOSED = 1.2
"""Times what ``q`` takes in the bare program to close the drawn modal."""

ESC_WAIT = 15.0
"""Milliseconds in which an Esc can still become the beginning of another key: they are not counted in a ratio."""

HEAD = (
    "Key",
    "Cards",
    "First byte",
    "Last byte",
    "× bare",
    "Goal",
    "kB",
    "Goal",
    "Closed",
    "× bare",
    "Goal",
    "kB",
    "Goal",
)
HEAD_OF_SLOW_LINE = ("Key", "ms", "kB", "Goal")
HEAD_OF_SCREENS = ("Screen", "Cards", "Keys", "Slowest that opens nothing", "Slowest that opens something", "Missed")


@dataclass(frozen=True, slots=True)
class Pressed:
    """One key of one screen at one size, of which notes were taken."""

    cards: int
    screen: str
    key: str
    opened: str
    """A "dialog", a "screen", or nothing: its "place"."""

    @property
    def name(self) -> str:
        return f"{self.cards} {self.screen} {self.key}, {self.opened}"

    @property
    def goal(self) -> Goal | None:
        verb = next((key.verb for key in measured_keys(self.screen) if key.shown == self.key), "")
        return goal_of(verb, self.opened, self.cards)

    def last_byte(self, notes: Notes) -> float:
        return notes.median(f"{self.name}: opened last byte")


def pressed_keys(notes: Notes) -> list[Pressed]:
    """The keys of which notes were taken, in the order of the screens, of their keys, and of the sizes."""
    found = [Pressed(int(m[1]), m[2], m[3], m[4]) for name in notes.listed() if (m := NAME.fullmatch(name))]
    order = {(name, key.shown): at for name in screens() for at, key in enumerate(measured_keys(name))}
    return sorted(found, key=lambda each: (screens().index(each.screen), order[each.screen, each.key], each.cards))


def table_of_keys(notes: Notes, screen: str = CANVAS) -> str:
    """A row for each key of a screen that opens something."""
    rows = [_row(notes, each) for each in pressed_keys(notes) if each.screen == screen and each.goal]
    return in_markdown(HEAD, rows)


def table_of_screens(notes: Notes) -> str:
    """A row for each screen and size."""
    groups: dict[tuple[str, int], list[Pressed]] = {}
    for each in pressed_keys(notes):
        groups.setdefault((each.screen, each.cards), []).append(each)
    return in_markdown(HEAD_OF_SCREENS, [_row_of_screen(notes, *name, keys) for name, keys in groups.items()])


def count_missed(notes: Notes) -> int:
    """The number of keys that miss a goal, at each size and over the slow line."""
    return sum(_is_missed(notes, each) for each in pressed_keys(notes)) + missed(notes, SLOW_LINES)


def table_of_slow_line(notes: Notes) -> str:
    """A row for each key that was pressed over the slow line."""
    rows = []
    for key, limit in WITHIN.items():
        try:
            last, size = (notes.median(f"slow line {key} {what}") for what in ("last byte", "bytes"))
        except NotMeasured:
            continue
        rows.append((f"`{key}`", _bold(f"{last:,.0f}", last > limit), f"{size / 1000:.1f}", f"{limit:,}"))
    return in_markdown(HEAD_OF_SLOW_LINE, rows)


def in_markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *rows))


def _row(notes: Notes, each: Pressed) -> tuple[str, ...]:
    first, last = (f"{notes.median(f'{each.name}: opened {which} byte'):.0f}" for which in ("first", "last"))
    cells = [cell for figure in _figures(notes, each) for cell in figure.cells()]
    try:
        cells.insert(4, f"{notes.median(f'{each.name}: closed last byte'):.0f}")
    except NotMeasured:
        cells += ["–"] * 5
    return (f"`{each.key}`", f"{each.cards:,}", first, last, *cells)


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure beside its goal; bytes are shown in kB."""

    value: float
    goal: float
    is_bytes: bool = False

    @property
    def is_missed(self) -> bool:
        return self.value > self.goal

    def cells(self) -> tuple[str, str]:
        value, goal = (each / 1000 if self.is_bytes else each for each in (self.value, self.goal))
        return _bold(f"{value:.1f}" if self.is_bytes else f"{value:.2f}", self.is_missed), f"{goal:g}"


def _figures(notes: Notes, each: Pressed) -> Iterator[Figure]:
    """Opening and its bytes, closing and its bytes: the last two only where one Esc closes it."""
    goal = each.goal
    if goal is None:
        return
    opened = each.last_byte(notes) - (ESC_WAIT if each.key == "esc" else 0)
    yield Figure(opened / notes.median(f"{goal.bare}: opened last byte"), goal.times)
    yield Figure(notes.median(f"{each.name}: opened bytes"), goal.bytes, True)
    try:
        closed = notes.median(f"{each.name}: closed last byte") - ESC_WAIT
    except NotMeasured:
        return
    bare, limit = (SCREEN, goal.times) if each.opened == "screen" else (MODAL, CLOSED)
    yield Figure(closed / notes.median(f"{bare}: closed last byte"), limit)
    yield Figure(notes.median(f"{each.name}: closed bytes"), goal.bytes, True)


def _is_missed(notes: Notes, each: Pressed) -> bool:
    return any(figure.is_missed for figure in _figures(notes, each))


def _row_of_screen(notes: Notes, screen: str, cards: int, keys: list[Pressed]) -> tuple[str, ...]:
    in_place = [each for each in keys if each.opened == "place"]
    opening = [each for each in keys if each.goal]
    beyond = sum(_is_missed(notes, each) for each in opening)
    return (
        screen.replace("_", " ").capitalize(),
        f"{cards:,}",
        str(len(keys)),
        _slowest(notes, in_place),
        _slowest(notes, opening),
        _bold(f"{beyond} of {len(opening)}", beyond > 0),
    )


def _slowest(notes: Notes, keys: list[Pressed]) -> str:
    if not keys:
        return "–"
    each = max(keys, key=lambda each: each.last_byte(notes))
    shown = each.key.replace("|", "\\|")
    size = notes.median(f"{each.name}: opened bytes") / 1000
    return f"`{shown}` {each.last_byte(notes):.0f} ms, {size:.1f} kB"


def _bold(text: str, is_missed: bool) -> str:
    return f"**{text}**" if is_missed else text
