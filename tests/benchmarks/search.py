"""Searching among 1,000,000 cards as a member of 54 projects, and typing in the search box meanwhile.

The titles are made of few words, so this is the hard case: "approve" and "the" are in every one of them, and each of
the others in a ninth. What is looked for is typed in the way people do: whole words, their beginnings, an id.
"""

from __future__ import annotations

import re
import time
from pathlib import Path

from core.actions import load_catalog
from core.actions.personal.search import Search
from core.engine.engine import Engine
from core.sign_in.local import sign_on
from core.storage.sqlite.database import SqliteDatabase
from tests.benchmarks.notes import Notes
from tests.benchmarks.runs import Place, Run
from tests.benchmarks.stopwatch import Expectation, shows
from tests.benchmarks.workspace import card_id

LOGIN = "user6"
TEXTS = (
    *("approve", "the", "film", "budget", "media plan", "landing page", "press kit", "approve the survey"),
    *("ap", "fi", "bud", "surv", "repo", "lan pag", "a000", "b00123", "c00077 survey"),
    *("bench", "project 7", "nothing like it", card_id(10_000, 0, 5)),
)
TYPED = ("approve", "landing", "survey")


def measure(database: Path, notes: Notes, times: int) -> None:
    """Note "core search", about ``times`` times of each text in five."""
    opened = SqliteDatabase(database)
    engine = Engine(opened, load_catalog)
    actor = sign_on(engine, LOGIN)
    for number in range(max(2, times // 5)):
        for text in TEXTS:
            begin = time.perf_counter()
            engine.query(Search(text=text), actor)
            if number:  # the first time reads the index from the disk
                notes.add("core search", (time.perf_counter() - begin) * 1000)
    engine.close()


def type_words(place: Place, notes: Notes) -> None:
    """Each letter of some words, and each of them taken back, while what they find is looked for and drawn."""
    with place.projects() as app:
        app.start(shows("Projects", r"\? help"))
        app.settle(0.3)
        app.press("\\", shows("Search everything that you can see"))
        for word in TYPED:
            for letters in range(1, len(word) + 1):
                notes.add("search key", app.press(word[letters - 1], typed(word[:letters])).ms)
            for letters in range(len(word) - 1, 0, -1):
                notes.add("search key", app.press("<backspace>", typed(word[:letters])).ms)
            app.press_until_still("<backspace>")


def typed(text: str) -> Expectation:
    """The search box holds this text."""
    return shows(rf"^[│ ] {re.escape(text)} *│?$")


RUNS = (Run("search", type_words, 2),)
