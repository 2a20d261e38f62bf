"""Findings of a transaction are cached for the next ones of its thread, until the next commit.

A new database has one row in the table that these tests read.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from operator import methodcaller
from pathlib import Path

import pytest

from core.storage.sqlite.database import SqliteDatabase
from core.storage.sqlite.transaction import MAX_KEPT, SqliteTx
from tests.support.postgres_cluster import about_the_file
from tests.support.workspace import open_database_of_test


def _looks(database: SqliteDatabase, times: int = 1) -> list[str]:
    """The results of ``times`` lookups, each in a transaction, and as the last word the number of real ones."""
    looked = []

    def look(tx: SqliteTx) -> str:
        def find() -> str:
            looked.append(1)
            return str(tx.query("SELECT count(*) AS n FROM feed WHERE id <> 'commits'")[0]["n"])

        return tx.find_cached("feeds", find)

    return [*(database.read(look) for _ in range(times)), f"{len(looked)} looks"]


def _feeds(tx: SqliteTx) -> int:
    return len(tx.query("SELECT id FROM feed WHERE id <> 'commits'"))


def _commit(database: SqliteDatabase, name: str) -> None:
    database.write(lambda tx: tx.execute("INSERT INTO feed (id, seq) VALUES (:id, 0)", id=name))


def test_what_was_found_is_not_looked_for_again_until_the_next_commit(tmp_path: Path) -> None:
    own, other = (open_database_of_test(tmp_path / "any.db", create=True) for _ in range(2))
    assert _looks(own, 3) == ["1", "1", "1", "1 looks"]
    _commit(other, "of another connection")
    assert _looks(own, 2) == ["2", "2", "1 looks"]
    _commit(own, "of one's own")
    assert _looks(own, 2) == ["3", "3", "1 looks"]
    for database in (own, other):
        database.close()


def test_a_transaction_that_began_before_a_commit_finds_what_was_there_then(tmp_path: Path) -> None:
    own, other = (open_database_of_test(tmp_path / "any.db", create=True) for _ in range(2))

    def look(tx: SqliteTx) -> tuple[int, int]:
        before = tx.find_cached("before", lambda: _feeds(tx))
        _commit(other, "meanwhile")
        return before, tx.find_cached("after", lambda: _feeds(tx))

    assert own.read(look) == (1, 1)
    assert own.read(lambda tx: tx.find_cached("after", lambda: _feeds(tx))) == 2
    for database in (own, other):
        database.close()


def test_nothing_is_kept_of_what_is_seen_while_writing(tmp_path: Path) -> None:
    database = open_database_of_test(tmp_path / "any.db", create=True)

    def write(tx: SqliteTx) -> tuple[int, int]:
        tx.execute("INSERT INTO feed (id, seq) VALUES ('a', 0)")
        first = tx.find_cached("feeds", lambda: _feeds(tx))
        tx.execute("INSERT INTO feed (id, seq) VALUES ('b', 0)")
        return first, tx.find_cached("feeds", lambda: _feeds(tx))

    assert database.write(write) == (2, 3)
    database.close()


@about_the_file
def test_findings_are_few(tmp_path: Path) -> None:
    database = open_database_of_test(tmp_path / "any.db", create=True)
    for number in range(2 * MAX_KEPT):
        database.read(methodcaller("find_cached", number, lambda: 0))
    assert len(database._findings.found) <= MAX_KEPT + 1
    database.close()


def test_nothing_is_kept_of_a_database_that_was_closed(tmp_path: Path) -> None:
    database = open_database_of_test(tmp_path / "any.db", create=True)
    assert _looks(database, 2) == ["1", "1", "1 looks"]
    database.close()  # the next connection counts the commits of others from the same number
    assert _looks(database) == ["1", "1 looks"]
    database.close()


DRAWN = "SELECT random(), CAST(:which AS TEXT)"


def test_a_statement_that_a_transaction_sends_again_is_carried_out_once(tmp_path: Path) -> None:
    database = open_database_of_test(tmp_path / "any.db", create=True)

    def draw(tx: SqliteTx) -> list[tuple[float, str]]:
        first = tx.tuples(DRAWN, which="one")
        drawn = [*first, *tx.tuples(DRAWN, which="one"), *tx.tuples(DRAWN, which="two")]
        first.clear()  # the list is the caller's own
        return drawn + tx.tuples(DRAWN, which="one")

    one, again, two, last = database.read(draw)
    assert one == again == last
    assert one[0] != two[0]
    assert database.read(draw)[0] != one
    one, again, _, last = database.write(draw)
    assert one == again == last
    database.close()


DRAWN_OFTEN = (
    "WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 10000)"
    " SELECT {columns} FROM counted"
)


@pytest.mark.parametrize(("columns", "again"), [(2, True), (20, False)], ids=["short", "long"])
def test_thousands_of_rows_are_kept_for_a_statement_that_comes_again_if_they_are_short(
    tmp_path: Path, columns: int, again: bool
) -> None:
    database = open_database_of_test(tmp_path / "any.db", create=True)
    sql = DRAWN_OFTEN.format(columns=", ".join(["random()"] * columns))
    one, other = database.read(lambda tx: (tx.tuples(sql), tx.tuples(sql)))
    assert len(one) == len(other) == 10_000
    assert (one == other) is again
    database.close()


def test_after_a_write_a_statement_is_carried_out_again(tmp_path: Path) -> None:
    database = open_database_of_test(tmp_path / "any.db", create=True)
    writes: list[Callable[[SqliteTx], object]] = [
        lambda tx: tx.execute("UPDATE feed SET seq = seq WHERE id = 'workspace'"),
        lambda tx: tx.execute_all([("UPDATE feed SET seq = seq WHERE id = 'workspace'", {})]),
        lambda tx: tx.query("UPDATE feed SET seq = seq WHERE id = 'workspace' RETURNING seq"),
        _rolled_back,
    ]

    def draw(tx: SqliteTx) -> list[tuple[float, str]]:
        drawn = []
        for write in writes:
            drawn += tx.tuples(DRAWN, which="one")
            write(tx)
        return drawn + tx.tuples(DRAWN, which="one")

    drawn = database.write(draw)
    assert len(set(drawn)) == len(writes) + 1
    database.close()


def _rolled_back(tx: SqliteTx) -> None:
    def step() -> None:
        raise ValueError("none of it stays")

    with suppress(ValueError):
        tx.savepoint(step)
