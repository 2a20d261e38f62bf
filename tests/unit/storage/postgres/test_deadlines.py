"""Statements that run too long, that are cancelled, or whose server hangs."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from core.errors import Cancelled, DatabaseAway, TookTooLong
from core.storage import deadline
from core.storage.database import Tx
from core.storage.postgres import watchdog
from core.storage.postgres.database import PostgresDatabase
from core.storage.progress import Progress
from tests.support.waiting import wait_until

SLEEP = "SELECT pg_sleep(60)"


@pytest.fixture
def sleeping(in_database: Callable[[str], list[tuple[Any, ...]]]) -> Callable[[], bool]:
    asleep = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
    return lambda: bool(in_database(asleep))


def sleep(tx: Tx, pids: list[int]) -> None:
    """Sleep in the server, after the number of its process was noted."""
    pids.append(tx.tuples("SELECT pg_backend_pid()")[0][0])
    tx.tuples(SLEEP)


@pytest.fixture(params=["read", "write"])
def run(request: pytest.FixtureRequest, postgres: PostgresDatabase) -> Callable[..., object]:
    found: Callable[..., object] = getattr(postgres, request.param)
    return found


def test_a_statement_ends_when_another_thread_cancels_it(
    postgres: PostgresDatabase, run: Callable[..., object], sleeping: Callable[[], bool]
) -> None:
    progress = Progress()

    def cancel() -> None:
        wait_until(sleeping)
        progress.cancel()

    threading.Thread(target=cancel).start()
    with pytest.raises(Cancelled):
        run(lambda tx: tx.tuples(SLEEP), progress)
    assert not sleeping()
    assert postgres.read(lambda tx: tx.tuples("SELECT 1")) == [(1,)]


def test_a_statement_ends_at_the_deadline(
    postgres: PostgresDatabase,
    run: Callable[..., object],
    sleeping: Callable[[], bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deadline, "SLOWEST_SECONDS", 0.2)
    postgres.read_seconds = postgres.write_seconds = 0.1
    with pytest.raises(TookTooLong, match="Nothing was changed"):
        run(lambda tx: tx.tuples(SLEEP))
    assert not sleeping()


def test_a_server_that_does_not_answer_is_no_slow_statement(
    postgres: PostgresDatabase,
    run: Callable[..., object],
    sleeping: Callable[[], bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It hangs while its data is moved to another one; or a pooler takes connections, with no server behind them."""
    monkeypatch.setattr(watchdog, "ANSWER_SECONDS", 0.3)
    put_forward = list[float]()
    clock = {"monotonic": lambda: time.monotonic() + sum(put_forward)}
    monkeypatch.setattr(deadline, "time", SimpleNamespace(**vars(time) | clock))
    postgres.reconnect_seconds, pids = 0, list[int]()

    def hang() -> None:
        wait_until(sleeping)
        os.kill(pids[0], signal.SIGSTOP)
        put_forward.append(deadline.SLOWEST_SECONDS)

    def wait_in_vain(tx: Tx) -> None:
        put_forward.append(deadline.SLOWEST_SECONDS)
        raise psycopg.errors.ProtocolViolation("query_wait_timeout")

    threading.Thread(target=hang).start()
    try:
        with pytest.raises(DatabaseAway, match="Nothing was changed"):
            run(lambda tx: sleep(tx, pids))
    finally:
        os.kill(pids[0], signal.SIGCONT)
    postgres.reconnect_seconds = 5
    with pytest.raises(DatabaseAway, match="query_wait_timeout"):
        run(wait_in_vain)


def test_a_server_that_hangs_is_given_up(
    postgres: PostgresDatabase,
    run: Callable[..., object],
    sleeping: Callable[[], bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watchdog, "ANSWER_SECONDS", 0.3)
    progress, pids = Progress(), list[int]()

    def hang() -> None:
        wait_until(sleeping)
        os.kill(pids[0], signal.SIGSTOP)
        progress.cancel()

    def go_on() -> None:
        resumed.append(pids[0])
        os.kill(pids[0], signal.SIGCONT)

    resumed: list[int] = []
    threading.Thread(target=hang).start()
    if_not_given_up = threading.Timer(60, go_on)
    if_not_given_up.start()
    try:
        with pytest.raises(Cancelled):
            run(lambda tx: sleep(tx, pids), progress)
        assert resumed == []
    finally:
        if_not_given_up.cancel()
        os.kill(pids[0], signal.SIGCONT)
    postgres.write(lambda tx: tx.execute("UPDATE feed SET seq = seq + 1"))
