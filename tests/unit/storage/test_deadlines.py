"""A transaction that takes too long, or that nobody waits for, is given up, and nothing of it stays."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from core.actions.cards.bulk import BulkUpdate
from core.actions.cards.tasks import CreateTask
from core.errors import Cancelled, TookTooLong
from core.storage import deadline
from core.storage.database import Tx
from core.storage.progress import Progress
from core.storage.sqlite.database import SqliteDatabase
from tests.support.counting import Looks
from tests.support.postgres_cluster import about_the_file
from tests.support.workspace import World, content

pytestmark = about_the_file

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
SHORT = 0.05
"""Seconds."""


def one_endless_statement(tx: Tx) -> None:
    tx.query(ENDLESS)


def short_statements_without_end(tx: Tx) -> None:
    while True:
        tx.tuples("SELECT 1")


def endless_writing(tx: Tx) -> None:
    tx.execute(
        "INSERT INTO feed (id, seq) WITH RECURSIVE n(i) AS"
        " (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 'feed ' || i, 0 FROM n"
    )


@pytest.mark.parametrize("work", [one_endless_statement, short_statements_without_end, endless_writing])
def test_a_write_that_takes_too_long_is_stopped_and_leaves_nothing(
    database: SqliteDatabase, work: Callable[[Tx], None]
) -> None:
    def begun(tx: Tx) -> None:
        tx.execute("INSERT INTO feed (id, seq) VALUES ('half', 1)")
        work(tx)

    database.write_seconds = SHORT
    with pytest.raises(TookTooLong, match="Nothing was changed"):
        database.write(begun)
    database.write_seconds = 60.0
    assert database.read(lambda tx: tx.tuples("SELECT id FROM feed WHERE id <> 'commits'")) == [("workspace",)]
    database.write(lambda tx: tx.execute("INSERT INTO feed (id, seq) VALUES ('next', 1)"))
    assert len(database.read(lambda tx: tx.tuples("SELECT id FROM feed WHERE id <> 'commits'"))) == 2


@pytest.mark.parametrize("work", [one_endless_statement, short_statements_without_end])
def test_a_read_has_a_deadline_too(database: SqliteDatabase, work: Callable[[Tx], None]) -> None:
    database.read_seconds = SHORT
    with pytest.raises(TookTooLong):
        database.read(work)
    assert database.read(lambda tx: tx.tuples("SELECT 1")) == [(1,)]


@pytest.mark.parametrize("which", ["read", "write"])
def test_a_long_statement_ends_when_another_thread_gives_it_up(database: SqliteDatabase, which: str) -> None:
    progress = Progress()
    threading.Timer(SHORT, progress.cancel).start()
    with pytest.raises(Cancelled):
        getattr(database, which)(one_endless_statement, progress)


def test_a_step_of_a_bulk_that_is_stopped_is_no_refused_step(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "CHECK_EVERY", 100)
    steps = tuple(CreateTask(phase_id=world.discover.id, title=str(number)) for number in range(20))
    bulk = BulkUpdate(project_id=world.project.id, commands=steps)
    before, until = content(world.database), 1
    while True:
        try:
            world.engine.execute(bulk, world.maya, Looks(until))
        except Cancelled:
            assert content(world.database) == before
        else:
            break
        until += 1 + until // 4
    assert until > 100
    assert len(world.rows("SELECT 1 FROM item")) == 20
