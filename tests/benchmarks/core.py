"""The core by itself: a whole Canvas read, and a move made durable, out of the large database."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from core.actions import load_catalog
from core.actions.cards.cards import MoveCard
from core.actions.cards.tasks import EditTask
from core.actions.workflow.canvas import GetCanvas
from core.domain.model import Status
from core.engine.engine import Engine
from core.sign_in.local import sign_on
from core.storage.sqlite.database import SqliteDatabase
from tests.benchmarks.notes import Notes
from tests.benchmarks.workspace import card_id, project_id

CARDS = 1_000


class Colleague:
    """Another user at work on the same database, in this process and without a screen."""

    def __init__(self, database: Path) -> None:
        self.database = SqliteDatabase(database)
        self.engine = Engine(self.database, load_catalog)
        self.actor = sign_on(self.engine, "user1")

    def read(self, cards: int) -> None:
        """Read a whole Canvas."""
        canvas = self.engine.query(GetCanvas(project_id=project_id(cards)), self.actor)
        assert len(canvas.cards) == cards

    def move(self, cards: int, place: int, status: Status) -> None:
        """Give a card of the first phase another status."""
        self.engine.execute(MoveCard(card_id=card_id(cards, 0, place), status=status), self.actor)

    def rename(self, cards: int, place: int, title: str) -> None:
        """Give a card of the first phase another title."""
        self.engine.execute(EditTask(task_id=card_id(cards, 0, place), title=title), self.actor)


def measure(database: Path, notes: Notes, times: int) -> None:
    """Note "core canvas" and "core move", the latter there and back."""
    colleague = Colleague(database)
    colleague.read(CARDS)
    for _ in range(times):
        notes.add("core canvas", _clocked(partial(colleague.read, CARDS)))
    for _ in range(times * 3):
        for status in (Status.IN_PROGRESS, Status.TO_DO):
            notes.add("core move", _clocked(partial(colleague.move, CARDS, 2, status)))
    colleague.database.close()


def _clocked(work: Callable[[], None]) -> float:
    """The milliseconds that some work takes."""
    begin = time.perf_counter()
    work()
    return (time.perf_counter() - begin) * 1000
