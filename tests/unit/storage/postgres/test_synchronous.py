"""Commits and synchronous replication: nothing is acknowledged that the standby lacks, and nothing is done twice."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from typing import Any

import psycopg
import pytest

from core.errors import Cancelled, DatabaseAway, ServerUnavailable
from core.storage.database import Tx
from core.storage.postgres import health, watchdog
from core.storage.postgres.connections import SETTINGS
from core.storage.postgres.database import PostgresDatabase
from core.storage.progress import Progress
from tests.long.cluster import LongCluster
from tests.support.waiting import wait_until

COMMITTING = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = 'podium'"
SLOW_COMMIT = (
    "CREATE FUNCTION rest() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1.5); RETURN NULL; END';"
    " CREATE CONSTRAINT TRIGGER rest AFTER UPDATE ON feed DEFERRABLE INITIALLY DEFERRED"
    " FOR EACH ROW EXECUTE FUNCTION rest()"
)


def add(tx: Tx) -> None:
    tx.execute("UPDATE feed SET seq = seq + 1 WHERE id = 'workspace'")


def add_row(name: str) -> Callable[[Tx], object]:
    return lambda tx: tx.execute("INSERT INTO feed (id, seq) VALUES (:id, 0)", id=name)


def seq(database: PostgresDatabase) -> int:
    return int(database.read(lambda tx: tx.tuples("SELECT seq FROM feed WHERE id = 'workspace'"))[0][0])


def test_nothing_stops_a_commit_that_is_under_way(
    postgres: PostgresDatabase, in_database: Callable[[str], list[tuple[Any, ...]]]
) -> None:
    in_database(SLOW_COMMIT)
    progress = Progress()

    def cancel() -> None:
        wait_until(
            lambda: in_database(
                "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
            )
        )
        progress.cancel()

    threading.Thread(target=cancel).start()
    postgres.write(add, progress)
    assert progress.cancelled
    in_database("DROP FUNCTION rest CASCADE")
    assert seq(postgres) == 1


def test_a_commit_does_not_begin_while_a_request_to_stop_is_on_its_way(
    postgres: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = Progress()

    def late(tx: Tx) -> None:
        add(tx)
        (watched,) = postgres._watchdog._watched.values()
        checked = watched.deadline.check
        monkeypatch.setattr(watched.deadline, "check", lambda: None)
        monkeypatch.setattr(watched.deadline, "is_over_at", lambda _: False)
        progress.cancel()
        wait_until(lambda: watched.asked_at)
        begin = watched.begin_commit

        def begin_commit() -> None:
            monkeypatch.setattr(watched.deadline, "check", checked)
            begin()

        monkeypatch.setattr(watched, "begin_commit", begin_commit)

    with pytest.raises(Cancelled):
        postgres.write(late, progress)
    assert seq(postgres) == 0


@pytest.fixture
def primary() -> Iterator[LongCluster]:
    with LongCluster() as cluster:
        PostgresDatabase(cluster.create(), create=True).close()
        yield cluster


@pytest.mark.sweep
def test_what_the_standby_lacks_is_not_acknowledged_and_the_primary_that_follows_decides(
    primary: LongCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog, "COMMIT_SECONDS", 1.0)
    monkeypatch.setattr("core.storage.postgres.connections.SETTINGS", (*SETTINGS, "lock_timeout = '1s'"))
    with primary.replica() as standby:
        hosts = f"127.0.0.1:{primary.port},127.0.0.1:{standby.port}"
        url = primary.url(hosts=hosts, options="?target_session_attrs=read-write")
        with ThreadPoolExecutor(2) as thread, ExitStack() as end:
            late, warned, decided = [end.enter_context(closing(PostgresDatabase(url))) for _ in range(3)]
            for each in (late, warned, decided):
                each.write(add)
            primary.execute("CREATE ROLE blind LOGIN")
            for role, is_known in (("podium", True), ("blind", False)):
                with psycopg.connect(primary.url().replace("podium@", f"{role}@")) as connection:
                    found = connection.execute(health.REPLICAS.encode()).fetchone() or (0, 0, 0)
                assert (found[0], found[1] is not None, found[2]) == (1, is_known, False)
            ((receiver,),) = standby.execute("SELECT pid FROM pg_stat_wal_receiver")
            os.kill(receiver, signal.SIGSTOP)
            end.callback(_end, receiver)

            with pytest.raises(ServerUnavailable, match="Whether your change was saved is not known"):
                late.write(add_row("late"))
            ((of_late,),) = primary.execute(COMMITTING)
            wait_until(lambda: said_by(late) == ["Changes wait for the synchronous standby"])
            assert (late.health().replication_lag or 0) > health.COMMIT_WAITS_SECONDS

            monkeypatch.setattr(watchdog, "COMMIT_SECONDS", 60.0)
            doing, other = thread.submit(warned.write, add_row("warned")), f"{COMMITTING} AND pid <> {of_late}"
            wait_until(lambda: primary.execute(other))
            monkeypatch.setattr(watchdog, "COMMIT_SECONDS", 1.0)
            primary.execute(f"SELECT pg_cancel_backend(pid) FROM ({other}) AS new")
            with pytest.raises(ServerUnavailable, match="Whether your change was saved is not known"):
                doing.result()

            monkeypatch.setattr(watchdog, "COMMIT_SECONDS", 60.0)
            before = len(primary.execute(COMMITTING))
            doing = thread.submit(decided.write, add_row("decided"))
            wait_until(lambda: len(primary.execute(COMMITTING)) > before)
            primary.kill()
            _end(receiver)
            wait_until(lambda: _answers(standby))
            standby.execute("ALTER SYSTEM RESET synchronous_standby_names")
            standby.execute("SELECT pg_reload_conf(), pg_promote()")
            doing.result()  # the new primary lacked it, so it was done there

            rows = decided.read(lambda tx: tx.tuples("SELECT id, seq FROM feed ORDER BY id"))
            assert rows == [("decided", 0), ("workspace", 3)]
            assert [each.health().unknown_commits for each in (late, warned, decided)] == [1, 1, 0]


@pytest.mark.sweep
def test_a_server_whose_standby_is_missing_says_so_and_whether_a_change_was_made(
    primary: LongCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog, "COMMIT_SECONDS", 1.0)
    monkeypatch.setattr("core.storage.postgres.connections.SETTINGS", (*SETTINGS, "lock_timeout = '0.5s'"))
    with closing(PostgresDatabase(primary.url())) as new, closing(PostgresDatabase(primary.url())) as known:
        new.reconnect_seconds = 0.5
        monkeypatch.setattr("core.storage.deadline.SLOWEST_SECONDS", 1.0)
        known.write(add)
        primary.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        primary.execute("SELECT pg_reload_conf()")
        wait_until(lambda: said_by(new) == ["Nothing can be saved"])
        with pytest.raises(DatabaseAway, match=r"the synchronous standby does not answer.*Nothing was changed"):
            new.write(add_row("new"))  # the row of its connection waits, before the work
        with pytest.raises(ServerUnavailable, match="Whether your change was saved is not known"):
            known.write(add_row("known"))
        assert [each.health().unknown_commits for each in (new, known)] == [0, 1]
        wait_until(lambda: said_by(new) == ["Nothing can be saved", "Changes wait for the synchronous standby"])
        primary.execute("ALTER SYSTEM RESET synchronous_standby_names")
        primary.execute("SELECT pg_reload_conf()")
        wait_until(lambda: not said_by(new))
        new.write(add)
        rows = new.read(lambda tx: tx.tuples("SELECT id, seq FROM feed ORDER BY id"))
        assert rows == [("known", 0), ("workspace", 2)]


def said_by(database: PostgresDatabase) -> list[str]:
    """The beginnings of the warnings about a standby."""
    begun = (each.partition(",")[0].partition(":")[0] for each in database.health().warnings)
    return [each for each in begun if each.startswith(("Nothing can be saved", "Changes wait"))]


def _answers(server: LongCluster) -> bool:
    with suppress(psycopg.OperationalError):
        return bool(server.execute("SELECT 1"))
    return False


def _end(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
