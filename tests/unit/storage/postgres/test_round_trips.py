"""Round trips to PostgreSQL, each of which waits for the network: counted in the protocol, and bounded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from core.actions.cards.cards import MoveCard
from core.actions.personal.search import Search
from core.actions.projects.lists import ListProjects
from core.actions.workflow.canvas import GetCanvas
from core.domain.model import Status
from core.engine.messages import Query
from core.storage.database import Database
from core.storage.postgres.database import PostgresDatabase
from tests.support.workspace import World


def trips(database: Database, folder: Path, act: Callable[[], object]) -> int:
    """The round trips of an action on the one open connection."""
    assert isinstance(database, PostgresDatabase)
    trace = folder / "trace"
    with trace.open("wb") as written:
        with database._connections.lend() as connection:
            connection.pgconn.trace(written.fileno())
        act()
        with database._connections.lend() as connection:
            connection.pgconn.untrace()
    return trace.read_text().count("\tReadyForQuery")


def moves(world: World) -> Iterable[MoveCard]:
    """Moves of one task, there and back, in a phase that stays open."""
    world.task("Another")
    task = world.task("Write the brief")
    while True:
        yield MoveCard(card_id=task.id, status=Status.IN_PROGRESS)
        yield MoveCard(card_id=task.id, status=Status.TO_DO)


def test_the_move_of_a_card_takes_11_round_trips_with_permission_history_commit_and_notification(
    studio: World, tmp_path: Path
) -> None:
    move = iter(moves(studio))
    studio.do(next(move))
    before = studio.ask(GetCanvas(project_id=studio.project.id)).head.seq
    assert 8 < trips(studio.database, tmp_path, lambda: studio.do(next(move))) <= 11
    assert studio.ask(GetCanvas(project_id=studio.project.id)).head.seq == before + 1


@pytest.mark.parametrize(
    ("query", "most"),
    [
        (lambda world: GetCanvas(project_id=world.project.id), 7),
        (lambda world: ListProjects(), 5),
        (lambda world: Search(text="brief"), 10),  # which can be the key of a project
        (lambda world: Search(text="the brief"), 9),
    ],
    ids=["canvas", "projects", "search", "search for words"],
)
def test_a_query_takes_few_round_trips_after_a_change(
    studio: World, tmp_path: Path, query: Callable[[World], Query[Any]], most: int
) -> None:
    """What is kept of the answers of earlier snapshots is dropped by the change."""
    move = iter(moves(studio))
    for _ in range(3):  # what is sent often is prepared on the way, which is a round trip of its own
        studio.ask(query(studio))
    studio.do(next(move))
    assert 3 < trips(studio.database, tmp_path, lambda: studio.ask(query(studio))) <= most
