"""The keys of the screens in turn, each to its last byte, and Esc after what they open; the bare program beside them.

The first time that a key is pressed, in which modules may be loaded, is noted apart. A frame with a title is a
dialog, and another title line that of another screen.
"""

from __future__ import annotations

import random
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.keys.bare import OPENS
from tests.benchmarks.keys.project import LOGIN, make_workspace, name_project
from tests.benchmarks.keys.screens import AROUND, FIRST, INPUT, WAYS, measured_keys, typed
from tests.benchmarks.notes import Notes
from tests.benchmarks.runs import PODIUM
from tests.benchmarks.stopwatch import Answer, NoPicture, Stopwatch, shows
from tui.keys.table import Key

BARE = [sys.executable, str(Path(__file__).with_name("bare.py"))]

SIZES = (100, 10_000)

DIALOG = re.compile("╭─ [^─]")
"""The frame of a dialog, with its title."""

SILENCE = 0.15
"""Seconds without a byte after which an answer has ended. They are not counted."""

TIMES, TIMES_OF_DIALOGS, TIMES_OF_BARE = 2, 4, 7

ESCAPES = 3
"""Keys Esc that are tried to come back, before the program is started again."""

IN_BOX = ("filter", "words")
"""Verbs after which letters go to a box in the screen."""


def measure(folder: Path, notes: Notes, repetitions: int, screens: Sequence[str]) -> int:
    """Note all keys of these screens at each size, in ``folder``. Return the number of screens that failed."""
    made = folder / "made.db"
    make_workspace(made, SIZES)
    failures = 0
    for repetition in range(repetitions):
        runs = [(cards, screen) for cards in SIZES for screen in screens]
        for cards, screen in random.sample(runs, len(runs)):
            print(f"Repetition {repetition + 1} of {repetitions}: {screen}, {cards:,} cards", file=sys.stderr)
            press_in_bare(folder, notes)
            try:
                with Walk(made, folder, cards, screen) as walk:
                    walk.press_all(notes)
            except NoPicture as failure:
                print(f"{screen}, {cards:,} cards: {failure}", file=sys.stderr)
                failures += 1
    return failures


def press_in_bare(home: Path, notes: Notes) -> None:
    """Note all that the bare program opens, and closes by ``q``, or by Esc where an Input takes the letter."""
    with Stopwatch(BARE, env={"HOME": str(home)}) as app:
        app.start(shows("first 39"))
        app.quiet, app.until_idle = SILENCE, True
        for name, key in OPENS.items():
            for number in range(TIMES_OF_BARE):
                opened = app.hear(key)
                closed = app.hear("<esc>" if name == INPUT else "q")
                if number:
                    note(notes, f"{name}: opened", opened)
                    note(notes, f"{name}: closed", closed)


def note(notes: Notes, name: str, answer: Answer | None) -> None:
    """Note an answer, if one came."""
    if answer:
        notes.add(f"{name} first byte", answer.first)
        notes.add(f"{name} last byte", answer.last)
        notes.add(f"{name} bytes", answer.bytes)


class Walk:
    """Podium on one screen, started again where a key leads to a place from which no key leads back."""

    def __init__(self, made: Path, folder: Path, cards: int, screen: str) -> None:
        self._made, self._folder, self._cards, self._screen = made, folder, cards, screen
        self._app = self._started()
        self._canvas = title_of(self._app)
        self._go_to_screen()
        self._heading = title_of(self._app)

    def __enter__(self) -> Walk:
        return self

    def __exit__(self, *_: object) -> None:
        self._app.process.close()

    def _started(self) -> Stopwatch:
        database = self._folder / "walked.db"
        for file in self._folder.glob("walked.db*"):
            file.unlink() if file.is_file() else shutil.rmtree(file)
        shutil.copy(self._made, database)
        argv = [PODIUM, "open", name_project(self._cards), "--db", str(database), "--as", LOGIN]
        app = Stopwatch(argv, env={"HOME": str(self._folder)})
        app.start(shows(rf"{name_project(self._cards)} .*saved", r"\? help"))
        app.quiet, app.until_idle = SILENCE, True
        app.settle()
        return app

    def _go_to_screen(self) -> None:
        for key in re.findall(r"<\w+>|.", WAYS[self._screen]):
            self._app.hear(key)

    def press_all(self, notes: Notes) -> None:
        """Press each key of the screen, and note its answers."""
        for key in measured_keys(self._screen):
            before, after = AROUND.get(f"{self._screen}.{key.verb}", ("", ""))
            if before:
                self._app.hear(before)
            for number in range(TIMES_OF_DIALOGS if key.verb in FIRST else TIMES):
                self._press(key, notes, number == 0)
            if after:
                self._app.hear(after)

    def _press(self, key: Key, notes: Notes, is_first: bool) -> None:
        answer = self._app.hear(typed(key))
        opened = self._opened()
        name = f"{self._cards} {self._screen} {key.shown}, {opened}"
        if is_first:
            note(notes, f"{name}: the first time", answer)
        else:
            note(notes, f"{name}: opened", answer)
        if opened != "place" or key.verb in IN_BOX:
            closed = self._app.hear("<esc>")
            if self._opened() == "place" and not is_first:
                note(notes, f"{name}: closed", closed)
        self._come_back()

    def _opened(self) -> str:
        """Tell what the last key has opened: a "screen", a "dialog", or nothing, when it acts in its "place"."""
        if DIALOG.search(self._app.screen.text):
            return "dialog"
        return "place" if title_of(self._app) == self._heading else "screen"

    def _come_back(self) -> None:
        for _ in range(ESCAPES):
            if self._opened() == "place":
                return
            if self._opened() == "screen" and title_of(self._app) == self._canvas:
                self._go_to_screen()
            else:
                self._app.hear("<esc>")
        if self._opened() != "place":
            self._app.process.close()
            self._app = self._started()
            self._go_to_screen()


def title_of(app: Stopwatch) -> list[str]:
    """The first two parts of the title line, without numbers, which keys change."""
    return re.sub(r"\d+", "", app.screen.lines[0]).split(" · ")[:2]
