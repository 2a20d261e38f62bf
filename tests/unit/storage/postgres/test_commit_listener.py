"""Commits of other connections: noticed by NOTIFY, and by polling where the server has none."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from core.storage.change_watcher import ChangeWatcher
from core.storage.database import Tx
from core.storage.postgres import commit_listener
from core.storage.postgres.connections import PooledConnection
from core.storage.postgres.database import PostgresDatabase
from core.storage.postgres.transaction import COMMITS
from tests.support.waiting import wait_until
from tests.support.work_done import work_done

Connect = Callable[..., PostgresDatabase]
Execute = Callable[[str], list[tuple[Any, ...]]]

by_either = pytest.mark.parametrize("without", [frozenset(), frozenset({"listen"})], ids=["NOTIFY", "polling"])


def add(tx: Tx) -> None:
    tx.execute("UPDATE feed SET seq = seq + 1 WHERE id = 'workspace'")


@by_either
def test_each_commit_is_noticed_by_another_program(connect: Connect, without: frozenset[str]) -> None:
    here, there = connect(without=without), connect(without=without)
    woken = threading.Event()
    end = there.on_commit(woken.set)
    before = there.data_version()
    for number in range(1, 6):
        woken.clear()
        here.write(add)
        assert woken.wait(30)
        assert there.data_version() == before + number
    end()
    end()
    woken.clear()
    here.write(add)
    wait_until(lambda: there.data_version() == before + 6)
    assert not woken.is_set()


@by_either
def test_own_commits_are_known_at_once(connect: Connect, without: frozenset[str]) -> None:
    database = connect(without=without)
    before = database.data_version()
    for number in range(1, 30):
        database.write(add)
        assert database.data_version() == before + number


def test_a_commit_that_writes_no_seq_is_noticed_too(connect: Connect) -> None:
    here, there = connect(), connect()
    before = there.data_version()
    here.write(lambda tx: tx.execute("DELETE FROM receipt"))
    wait_until(lambda: there.data_version() == before + 1)


@by_either
def test_a_watcher_sees_a_commit_of_another_program(connect: Connect, without: frozenset[str]) -> None:
    here, there = connect(without=without), connect(without=without)
    seen: list[int] = []
    watcher = ChangeWatcher(there, lambda: seen.append(there.read(lambda tx: tx.tuples("SELECT seq FROM feed"))[0][0]))
    watcher.start()
    wait_until(lambda: seen)
    here.write(add)
    wait_until(lambda: seen[-1] == 1)
    watcher.stop()
    watcher.join()


LISTENERS = "FROM pg_stat_activity WHERE query LIKE 'SELECT coalesce(sum%' AND datname = current_database()"


def test_after_its_connection_broke_it_listens_again(connect: Connect, in_database: Execute) -> None:
    here, there = connect(), connect()
    woken = threading.Event()
    there.on_commit(woken.set)
    before = there.data_version()
    wait_until(lambda: in_database(f"SELECT pg_terminate_backend(pid, 5000) {LISTENERS}"))
    here.write(add)
    assert woken.wait(30)
    assert there.data_version() == before + 1


def test_a_look_reads_one_row_however_many_connections_have_written(
    connect: Connect, in_database: Execute, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_database("INSERT INTO commit_count SELECT to_char(n, 'FM00000'), 2 FROM generate_series(1, 3000) AS n")
    read: list[int] = []
    execute = PooledConnection.execute

    def counting(self: PooledConnection, sql: str, *args: Any, **kwargs: Any) -> psycopg.Cursor[Any]:
        done = execute(self, sql, *args, **kwargs)
        if "FROM commit_count" in sql:
            read.append(done.rowcount)
        return done

    monkeypatch.setattr(PooledConnection, "execute", counting)
    here, there = connect(), connect()
    before = there.data_version()
    here.write(add)
    wait_until(lambda: there.data_version() == before + 1)
    assert before > 6000
    assert set(read) == {1}


def test_without_any_notification_it_looks_all_the_same(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = connect(without=frozenset({"listen"})), connect()
    before = there.data_version()
    here.write(add)
    wait_until(lambda: there.data_version() == before + 1)


def test_a_number_that_is_too_old_is_read_again(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = connect(), connect()
    before = there.data_version()
    there._commit_listener.stop()
    monkeypatch.setattr(commit_listener.CommitListener, "_start", lambda self: None)
    here.write(add)
    assert there.data_version() == before + 1
    monkeypatch.setattr(commit_listener, "MAX_AGE", 1000)
    here.write(add)
    assert there.data_version() == before + 1


def test_a_notification_comes_sooner_than_the_next_look(
    connect: Connect, in_database: Execute, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit_listener, "LOOK_SECONDS", 60)
    here, there = connect(), connect()
    woken = threading.Event()
    there.on_commit(woken.set)
    there.data_version()
    wait_until(lambda: in_database(f"SELECT 1 {LISTENERS}"))
    start = time.monotonic()
    here.write(add)
    assert woken.wait(30)
    assert time.monotonic() - start < 30


def test_the_look_at_a_commit_is_no_work_of_the_message_that_it_comes_in(connect: Connect) -> None:
    here, there = connect(), connect()
    woken = threading.Event()
    there.on_commit(woken.set)
    with work_done(there) as work:
        here.write(add)
        assert woken.wait(30)
    assert work.sent
    assert COMMITS not in work.sent


@pytest.mark.parametrize("scope", ["", "a project"])
def test_results_are_kept_until_the_next_commit(connect: Connect, scope: str) -> None:
    here, there = connect(), connect()
    found = []

    def read() -> list[tuple[int]]:
        def find() -> list[tuple[int]]:
            found.append(1)
            return there.read(lambda tx: tx.tuples("SELECT seq FROM feed"))

        return there.read(lambda tx: tx.find_cached("seq", find))

    assert read() == read() == [(0,)]
    here.write(add, scope=scope)
    assert read() == read() == [(1,)]
    assert len(found) == 2


def test_an_older_snapshot_gets_no_newer_result(postgres: PostgresDatabase) -> None:
    def seq(tx: Tx) -> int:
        return int(tx.find_cached("seq", lambda: tx.tuples("SELECT seq FROM feed")[0][0]))

    def old(tx: Tx) -> int:
        tx.tuples("SELECT 1 FROM feed")
        other = threading.Thread(target=lambda: (postgres.write(add), postgres.read(seq)))
        other.start()
        other.join()
        return seq(tx)

    assert postgres.read(old) == 0
    assert postgres.read(seq) == 1
