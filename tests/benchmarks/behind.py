"""Podium on a terminal as the client of a server on this machine: a cursor move, a move of a card, and its memory."""

from __future__ import annotations

from tests.benchmarks import process, runs, workspace
from tests.benchmarks.notes import Notes
from tests.benchmarks.runs import PODIUM, Place, Run, whole_canvas
from tests.benchmarks.served import served, token_of
from tests.benchmarks.stopwatch import Stopwatch

CARDS = 1_000


def work(place: Place, notes: Notes) -> None:
    """On the Canvas of 1,000 cards."""
    with served(place.database, place.home) as server:
        argv = [PODIUM, "open", workspace.project_name(CARDS), "--server", str(server.address)]
        with Stopwatch(argv, env={**place.env(), "PODIUM_TOKEN": token_of(0)}) as app:
            notes.add("behind start", app.start(whole_canvas(CARDS)).ms)
            app.settle(0.5)
            notes.add("behind unique", process.memory(app.pid)[0])
            runs.move_cursor(notes, app, "behind cursor")
            runs.move_cards(place, notes, app, "behind move")


RUNS = (Run("behind", work, 2),)
