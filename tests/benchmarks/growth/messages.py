"""The statements, rows and steps of SQLite of a move and of the lists, which do not depend on the machine."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from core.actions import load_catalog
from core.actions.cards.cards import MoveCard
from core.actions.personal.inbox import ListInbox
from core.actions.personal.my_work import GetMyWork
from core.actions.personal.search import Search
from core.actions.projects.lists import ListProjects
from core.actions.workflow.canvas import GetCanvas
from core.actions.workflow.canvas_changes import GetCanvasChanges
from core.domain.model import Status
from core.engine.engine import Engine
from core.engine.messages import Query
from core.sign_in.local import sign_on
from core.storage.sqlite.database import SqliteDatabase
from tests.benchmarks.growth.screens import NEEDLE
from tests.benchmarks.growth.sizes import BUSY, Size
from tests.benchmarks.notes import Notes
from tests.benchmarks.workspace import LOGIN
from tests.support.work_done import Work, work_done

LISTS: dict[str, Query[Any]] = {
    "Projects": ListProjects(most=40),
    "My work": GetMyWork(),
    "Inbox": ListInbox(),
    "letter in the search box": Search(text=NEEDLE),
}
"""By what is done on the screen."""


def count_in_project(database: Path, size: Size, name: str, notes: Notes) -> None:
    """Count a move with the answer that the Canvas draws."""
    with closing(Engine(SqliteDatabase(database), load_catalog)) as engine:
        actor = sign_on(engine, LOGIN)
        for status in (Status.IN_PROGRESS, Status.TO_DO):
            head = engine.query(GetCanvas(project_id=size.project_id), actor).head
            move = MoveCard(card_id=size.card_id(1), status=status)
            with work_done(engine.database) as work:
                _, answered = engine.execute_and_ask(move, GetCanvasChanges.of(head), actor)
            assert answered is not None
            _note(notes, "move", name, work)


def count_in_lists(database: Path, name: str, notes: Notes) -> None:
    """Count the reading of each list of the person with many projects."""
    with closing(Engine(SqliteDatabase(database), load_catalog)) as engine:
        actor = sign_on(engine, BUSY)
        for what, query in LISTS.items():
            engine.query(query, actor)
            with work_done(engine.database) as work:
                engine.query(query, actor)
            _note(notes, what, name, work)


def _note(notes: Notes, what: str, name: str, work: Work) -> None:
    notes.add(f"{what}: statements, {name}", work.statements)
    notes.add(f"{what}: rows, {name}", work.rows)
    notes.add(f"{what}: steps of SQLite, {name}", work.steps)
