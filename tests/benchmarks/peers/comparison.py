"""Podium and its peers in turn: starts to all cards, cursor moves, and moves of a card, each to the final picture.

Both are given the same cards and the same keys, and both times end with the last change of the picture before the
program is at rest.
"""

from __future__ import annotations

import math
import random
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.benchmarks.figures import Line, median, ratio
from tests.benchmarks.notes import Notes
from tests.benchmarks.peers.boards import (
    BOARD,
    COLUMNS,
    IN_KANBAN_TUI,
    LOGIN,
    column_in_kanban_tui,
    make_for_kanban_tui,
    make_for_podium,
)
from tests.benchmarks.peers.installation import NotInstalled, found, installed
from tests.benchmarks.runs import HELLO, PODIUM
from tests.benchmarks.stopwatch import NoPicture, Stopwatch, shows

SIZES = (10, 100, 1_000, 5_000)
ONCE = 1_000
"""The number of cards above which kanban-tui is measured once: it takes minutes."""

CURSOR = "jjkk"
MOVE = "L"
"""A card to the next status. It is pressed once: kanban-tui does not always keep the focus on the card."""

GOALS = {"start": 30, "cursor": 200, "move": 1_000}
"""How many times faster Podium is to be with 1,000 cards."""

WHAT = {
    "start": "start to all cards",
    "cursor": "cursor down or up",
    "move": "move a card to the next status",
}

STARTS = {"a bare Textual app": ("^presses 0$",), "dooit": ("Welcome to Dooit",), "calcurse": ("Calendar", "TODO")}
"""The first picture of each peer that is only started."""

AS_MADE = "board.db"
"""A copy of kanban-tui's database, with which each run begins."""

QUIET = 0.5
WITHIN = 600.0
"""Seconds for one picture."""


@dataclass(frozen=True, slots=True)
class Run:
    """The measurements in one start of one program."""

    name: str
    measure: Callable[[Notes], None]
    only_first: bool = False


def lines() -> Iterator[Line]:
    for part, what in WHAT.items():
        for cards in SIZES:
            own = f"Podium {cards} {part}"
            yield Line(f"{what}, {cards:,} cards: Podium", math.inf, "ms", *median(own))
            goal = GOALS[part] if cards == 1_000 else math.inf
            peer = ratio(f"kanban-tui {cards} {part}", own)
            yield Line(f"{what}, {cards:,} cards: kanban-tui", goal, "× Podium", *peer, least=True)
    for name in STARTS:
        beside = ratio(f"{name} start", f"Podium {SIZES[0]} start")
        yield Line(f"start to the first picture: {name}", math.inf, "× Podium", *beside)


LINES = tuple(lines())


def measure(folder: Path, notes: Notes, repetitions: int, quick: bool) -> list[str]:
    """Note all that can be measured here, in ``folder``. Return a sentence for each run that could not be."""
    sizes = [cards for cards in SIZES if not quick or cards <= ONCE]
    runs, missing = prepared(folder, sizes)
    for repetition in range(repetitions):
        due = [run for run in runs if not (repetition and run.only_first)]
        for run in random.sample(due, len(due)):
            print(f"Repetition {repetition + 1} of {repetitions}: {run.name}", file=sys.stderr)
            try:
                run.measure(notes)
            except NoPicture as failure:
                missing.append(f"{run.name} is not measured: {str(failure).splitlines()[0]}")
    return missing


def prepared(folder: Path, sizes: list[int]) -> tuple[list[Run], list[str]]:
    """The runs of the programs that there are, and a sentence for each program that there is not."""
    runs, missing = [Run("a bare Textual app", partial(start, "a bare Textual app", HELLO, folder))], list[str]()
    for cards in sizes:
        make_for_podium(folder / f"{cards}.db", cards)
        runs.append(Run(f"Podium, {cards:,} cards", partial(work_in_podium, folder, cards)))
    try:
        program = installed("kanban-tui", folder) / "ktui"
        for cards in sizes:
            home = home_of(folder, cards)
            make_for_kanban_tui(program, home, cards)
            shutil.copy(home / IN_KANBAN_TUI, home / AS_MADE)
            work = partial(work_in_kanban_tui, program, folder, cards)
            runs.append(Run(f"kanban-tui, {cards:,} cards", work, only_first=cards > ONCE))
    except NotInstalled as why:
        missing.append(str(why))
    places: Mapping[str, Callable[[], Path]] = {
        "dooit": lambda: installed("dooit", folder) / "dooit",
        "calcurse": lambda: found("calcurse"),
    }
    for name, place in places.items():
        try:
            runs.append(Run(name, partial(start, name, [str(place())], folder)))
        except NotInstalled as why:
            missing.append(str(why))
    return runs, missing


def home_of(folder: Path, cards: int) -> Path:
    path = folder / f"kanban-tui-{cards}"
    path.mkdir(exist_ok=True)
    return path


def start(name: str, argv: list[str], folder: Path, notes: Notes) -> None:
    with Stopwatch(argv, env={"HOME": str(folder)}) as app:
        notes.add(f"{name} start", app.start(shows(*STARTS[name])).ms)


def work_in_podium(folder: Path, cards: int, notes: Notes) -> None:
    database = folder / "podium.db"
    shutil.copy(folder / f"{cards}.db", database)
    argv = [PODIUM, "open", BOARD, "--db", str(database), "--as", LOGIN]
    with Stopwatch(argv, env={"HOME": str(folder)}) as app:
        work(app, f"Podium {cards}", notes)
    for file in folder.glob("podium.db*"):
        file.unlink() if file.is_file() else shutil.rmtree(file)


def work_in_kanban_tui(program: Path, folder: Path, cards: int, notes: Notes) -> None:
    home = home_of(folder, cards)
    shutil.copy(home / AS_MADE, home / IN_KANBAN_TUI)
    with Stopwatch([str(program)], env={"HOME": str(home)}) as app:
        work(app, f"kanban-tui {cards}", notes)
    if (column := column_in_kanban_tui(home, 1)) != COLUMNS[1]:
        raise NoPicture(f"The first card was not moved; it is in the column {column}.")


def work(app: Stopwatch, name: str, notes: Notes) -> None:
    """Start, move the cursor, and move the first card."""
    app.quiet, app.timeout, app.until_idle = QUIET, WITHIN, True
    notes.add(f"{name} start", app.start_until_still(shows("T00001", "T00002", "T00003")).ms)
    for key in CURSOR:
        notes.add(f"{name} cursor", app.press_until_still(key).ms)
    notes.add(f"{name} move", app.press_until_still(MOVE).ms)
