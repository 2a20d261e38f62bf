"""The state of a server of PostgreSQL, as ``/ready`` and ``podium doctor`` report it."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import psycopg
import pytest

from core.diagnostics.postgres import diagnose_open
from core.domain.finding import Verdict
from core.errors import ServerUnavailable
from core.storage.database import Tx
from core.storage.postgres import connections, health
from core.storage.postgres import database as under_test
from core.storage.postgres.connections import PooledConnection
from core.storage.postgres.database import PostgresDatabase

OF_TESTS = ("fsync", "full_page_writes")
"""Settings that the cluster of the tests turns off."""


def warnings(database: PostgresDatabase) -> list[str]:
    return [each for each in database.health().warnings if not any(setting in each for setting in OF_TESTS)]


def test_a_server_without_trouble_has_no_warnings(postgres: PostgresDatabase) -> None:
    found = postgres.health()
    assert found.server.startswith("PostgreSQL ")
    assert (found.waiting, found.retries_per_minute, found.unknown_commits, found.replicas) == (0, 0, 0, 0)
    assert found.replication_lag is None
    assert abs(found.clock_difference) < health.CLOCK_SECONDS
    assert warnings(postgres) == []


def test_it_counts_connections_in_use_and_transactions_that_wait(
    postgres: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    end, begun = Event(), []

    def hold(tx: Tx) -> None:
        begun.append(tx.tuples("SELECT 1"))
        assert end.wait(60)

    with ThreadPoolExecutor(connections.CONNECTIONS + 2) as threads:
        held = [threads.submit(postgres.read, hold) for _ in range(connections.CONNECTIONS + 2)]
        wait_until(lambda: postgres._connections.usage() == (connections.CONNECTIONS, connections.CONNECTIONS, 2))
        end.set()
        for each in held:
            each.result()
    assert postgres.health().in_use == 0
    assert len(begun) == connections.CONNECTIONS + 2


def wait_until(true: Callable[[], object]) -> None:
    from tests.support.waiting import wait_until

    wait_until(true)


def test_retries_are_counted_for_a_minute(postgres: PostgresDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    failed: list[int] = []

    def work(tx: Tx) -> None:
        if len(failed) < 3:
            failed.append(1)
            raise psycopg.errors.SerializationFailure
        tx.tuples("SELECT 1")

    postgres.write(work)
    assert postgres.health().retries_per_minute == 3
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 61)
    assert postgres._recent_retries() == 0


def test_a_commit_whose_result_is_unknown_stays_a_warning(
    postgres: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    single = postgres._connections.single

    def unreachable() -> PooledConnection:
        raise psycopg.OperationalError("connection refused")

    monkeypatch.setattr(under_test, "DECIDE_SECONDS", 0.1)
    with postgres._connections.lend() as connection:
        monkeypatch.setattr(postgres._connections, "single", unreachable)
        with pytest.raises(ServerUnavailable):
            postgres._commits_with(connection)
    monkeypatch.setattr(postgres._connections, "single", single)
    assert postgres.health().unknown_commits == 1
    assert "The result of a commit could not be learned" in warnings(postgres)[0]


@pytest.mark.parametrize("seconds", [5.0, -5.0])
def test_a_clock_that_differs_is_a_warning(
    postgres: PostgresDatabase, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() - seconds)
    (warning,) = warnings(postgres)
    assert float(warning.removeprefix("The clock of the server is ").split()[0]) == pytest.approx(seconds, abs=1)
    found = {each.what: each for each in diagnose_open(postgres)}
    apart, _, words = found["Clocks"].found.partition(" ")
    assert float(apart) == pytest.approx(5, abs=0.4)
    assert words == "seconds apart"
    assert found["Server"].verdict is Verdict.BAD


def test_commits_that_are_not_followed_are_a_warning(
    postgres: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres.data_version()
    monkeypatch.setattr(health, "BEHIND_SECONDS", -1)
    assert warnings(postgres)[0].startswith("The commits of others were last looked at")


def test_the_delay_of_replicas_is_shown_only_to_who_may_see_it(
    postgres: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A role without pg_read_all_stats sees the lines of replicas, and nothing in them. A silent replica hangs."""
    view = (
        "(VALUES ({!r}::text, make_interval(secs => {}), '0/{}'::pg_lsn, '0/2'::pg_lsn, now() - interval '9 s', 'sync')"
        ") AS replicas(state, replay_lag, flush_lsn, sent_lsn, reply_time, sync_state)"
    )
    for state, replay_lag, flushed, lag, found in (
        ("streaming", 0.25, 2, 0.25, "1, the slowest 0.2"),
        ("streaming", None, 2, 0, "1, the slowest 0.0"),
        ("streaming", 0.25, 1, 9, "1, the slowest 9.0"),
        (None, None, 2, None, "1; how far behind is not known"),
    ):
        of_one = view.format(state, replay_lag, flushed).replace("None", "NULL")
        of_one = health.REPLICAS.replace("pg_stat_replication", of_one)
        with monkeypatch.context() as patch:
            patch.setattr(health, "REPLICAS", of_one)
            assert (postgres.health().replicas, postgres.health().replication_lag) == (1, lag)
            findings = {each.what: each for each in diagnose_open(postgres)}
        assert findings["Replicas"].found.startswith(found)


def test_missing_abilities_are_noted_and_are_no_fault(connect: Callable[..., Any]) -> None:
    database = connect(without=frozenset({"listen", "advisory_locks"}))
    notes = [each for each in diagnose_open(database) if each.what == "Abilities"]
    assert [each.verdict for each in notes] == [Verdict.NOTE, Verdict.NOTE]
    assert "no LISTEN" in notes[0].found
