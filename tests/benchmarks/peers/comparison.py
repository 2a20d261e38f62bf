"""Podium and its peers in turn: starts to all cards, cursor moves, a dialog, moves of a card and a search.

All are given the same cards and the same keys. The times of start, cursor and move end with the last change
of the picture before the program is at rest; those of the dialog and of the search with the picture that is expected.
"""

from __future__ import annotations

import math
import random
import re
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
    IN_PYKANTUI,
    LOGIN,
    column_in_kanban_tui,
    column_in_pykantui,
    make_for_kanban_tui,
    make_for_podium,
    make_for_pykantui,
)
from tests.benchmarks.peers.installation import NotInstalled, found, installed
from tests.benchmarks.runs import HELLO, PODIUM
from tests.benchmarks.stopwatch import NoPicture, Stopwatch, shows
from tests.support.terminal.keys import encode
from tests.support.terminal.screen import Screen

SIZES = (100, 1_000, 10_000)
ONCE = 1_000
"""The number of cards above which a peer is measured once: it takes minutes."""

CURSOR = "jjkk"
DIALOG, DIALOGS = "n", 3
MOVE = "L"
"""A card to the next status. It is pressed once: kanban-tui does not always keep the focus on the card."""
SEARCH = "/"
SOUGHT = "T00005"
"""What is typed into the search: it finds one card."""

GOALS = {"start": 30, "cursor": 200, "move": 1_000}
"""How many times faster than kanban-tui Podium is to be with 1,000 cards. Elsewhere it is to be ahead."""

WHAT = {
    "start": "start to all cards",
    "cursor": "cursor down or up",
    "open": "open the dialog for a card",
    "close": "close it",
    "move": "move a card to the next status",
    "search": "search for a title",
}


@dataclass(frozen=True, slots=True)
class Board:
    """A program with a board. ``command`` is in its package's folder of programs."""

    name: str
    dialog: str
    """A text of the dialog for a new card."""
    command: tuple[str, ...]
    has_search: bool
    make: Callable[[Path, Path, int], None]
    saved: Path
    """Its file with the cards, in the home folder."""
    column: Callable[[Path, int], str]
    """The column in which it has saved a card."""


PODIUM_DIALOG = "New card in"

BOARDS = (
    Board("kanban-tui", "Create Task", ("ktui",), False, make_for_kanban_tui, IN_KANBAN_TUI, column_in_kanban_tui),
    Board(
        "pykantui",
        "New card",
        ("kbn", "--movement", "adjacent", "--no-confirm", "board"),
        True,
        make_for_pykantui,
        IN_PYKANTUI,
        column_in_pykantui,
    ),
)

WITHOUT_SEARCH = "it has no search, and filters by category and by date"

STARTS = {"a bare Textual app": ("^presses 0$",), "dooit": ("Welcome to Dooit",), "calcurse": ("Calendar", "TODO")}
"""The first picture of each peer that is only started."""

AS_MADE = "as-made"
"""A copy of a peer's file, with which each run begins."""

TITLE = re.compile(r"(T\d{5}) Approve")

QUIET = 0.5
QUIET_WHILE_BLINKING = 0.3
"""Seconds, fewer than between two changes of a cursor that blinks, at which a large board is never at rest."""
WITHIN = 600.0
"""Seconds for one picture."""


@dataclass(frozen=True, slots=True)
class Run:
    """The measurements in one start of one program."""

    name: str
    measure: Callable[[Notes], None]
    only_first: bool = False


def goal_of(name: str, part: str, cards: int) -> float:
    """Return how many times faster than a peer Podium is to be."""
    return GOALS.get(part, 1) if name == "kanban-tui" and cards == 1_000 else 1


def lines() -> Iterator[Line]:
    for part, what in WHAT.items():
        for cards in SIZES:
            own = f"Podium {cards} {part}"
            yield Line(f"{what}, {cards:,} cards: Podium", math.inf, "ms", *median(own))
            for board in BOARDS:
                if part != "search" or board.has_search:
                    peer = ratio(f"{board.name} {cards} {part}", own)
                    goal = goal_of(board.name, part, cards)
                    yield Line(f"{what}, {cards:,} cards: {board.name}", goal, "× Podium", *peer, least=True)
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
    for board in BOARDS:
        try:
            program = installed(board.name, folder) / board.command[0]
        except NotInstalled as why:
            missing.append(str(why))
            continue
        for cards in sizes:
            home = home_of(board, folder, cards)
            board.make(program, home, cards)
            shutil.copy(home / board.saved, home / AS_MADE)
            measure_peer = partial(work_in_peer, board, program, folder, cards)
            runs.append(Run(f"{board.name}, {cards:,} cards", measure_peer, only_first=cards > ONCE))
        if not board.has_search:
            missing.append(f"The search of {board.name} is not measured: {WITHOUT_SEARCH}.")
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


def home_of(board: Board, folder: Path, cards: int) -> Path:
    path = folder / f"{board.name}-{cards}"
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
        work(app, f"Podium {cards}", PODIUM_DIALOG, True, notes)
    for file in folder.glob("podium.db*"):
        file.unlink() if file.is_file() else shutil.rmtree(file)


def work_in_peer(board: Board, program: Path, folder: Path, cards: int, notes: Notes) -> None:
    home = home_of(board, folder, cards)
    shutil.copy(home / AS_MADE, home / board.saved)
    with Stopwatch([str(program), *board.command[1:]], env={"HOME": str(home)}) as app:
        work(app, f"{board.name} {cards}", board.dialog, board.has_search, notes)
    if (column := board.column(home, 1)) != COLUMNS[1]:
        raise NoPicture(f"The first card was not moved; it is in the column {column}.")


def work(app: Stopwatch, name: str, dialog: str, has_search: bool, notes: Notes) -> None:
    """Start, move the cursor and the first card, open and close the dialog for a card, and search for another."""
    app.quiet, app.timeout, app.until_idle = QUIET, WITHIN, True
    notes.add(f"{name} start", app.start_until_still(shows("T00001", "T00002", "T00003")).ms)
    for key in CURSOR:
        notes.add(f"{name} cursor", app.press_until_still(key).ms)
    notes.add(f"{name} move", app.press_until_still(MOVE).ms)
    app.settle()
    app.quiet, app.until_idle = QUIET_WHILE_BLINKING, False
    is_open = shows(dialog)
    for _ in range(DIALOGS):
        notes.add(f"{name} open", app.press(DIALOG, is_open).ms)
        notes.add(f"{name} close", app.press("<esc>", lambda screen: not is_open(screen)).ms)
    if has_search:
        app.settle()
        app.process.write(encode(SEARCH))
        app.settle()
        notes.add(f"{name} search", app.press(SOUGHT, is_found).ms)


def is_found(screen: Screen) -> bool:
    """True if the card that is sought is on the board, and no other one."""
    return {*TITLE.findall(screen.text)} == {SOUGHT}
