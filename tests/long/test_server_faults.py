"""Servers of PostgreSQL that end, restart, hang or are replaced under load."""

from __future__ import annotations

import os
import signal
import threading
import time

import psycopg
import pytest

from core.errors import StorageError
from core.storage.postgres import connections
from core.storage.postgres.database import PostgresDatabase
from tests.long.cluster import LongCluster
from tests.long.load import Load, again_and_again
from tests.support.system_programs import needs
from tests.support.waiting import wait_until


def test_backends_that_are_terminated_every_20_ms(server: LongCluster, seconds: float) -> None:
    load = Load(server.create())
    kill = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = 'podium' AND state <> 'idle' ORDER BY random() LIMIT 1"
    )
    with load.running(), psycopg.connect(server.url("postgres"), autocommit=True) as killer:
        ended = again_and_again(seconds, 0.02, lambda: killer.execute(kill))
        assert ended > 10 * seconds
        load.wait_for()
    load.check("backends terminated every 20 ms")


def test_a_postmaster_that_is_killed(server: LongCluster, seconds: float) -> None:
    load = Load(server.create())

    def kill_and_start() -> None:
        load.wait_for()
        server.kill()
        server.start()

    with load.running():
        assert again_and_again(seconds, 1, kill_and_start)
        load.wait_for()
    load.check("postmaster killed and started again")


@pytest.mark.parametrize("mode", ["fast", "immediate"])
def test_restarts(server: LongCluster, seconds: float, mode: str) -> None:
    load = Load(server.create())

    def restart() -> None:
        load.wait_for()
        server.stop(mode)
        server.start()

    with load.running():
        assert again_and_again(seconds, 1, restart)
        load.wait_for()
    load.check(f"{mode} restarts")


def test_a_server_that_stays_away_is_said_to_be_away_and_waited_for(server: LongCluster) -> None:
    load = Load(server.create())
    with load.running():
        load.wait_for()
        server.stop("fast")
        wait_until(lambda: len(load.refused) > 8, seconds=60)
        server.start()
        load.wait_for()
    load.check("server away for longer than people wait")
    assert any("There is no connection to" in each for each in load.refused.values())


def test_a_replica_that_is_promoted(server: LongCluster, seconds: float) -> None:
    server.create()
    with server.replica() as replica:
        hosts = f"127.0.0.1:{server.port},127.0.0.1:{replica.port}"
        load = Load(server.url(hosts=hosts, options="?target_session_attrs=read-write"))
        with load.running():
            load.wait_for(200)
            server.kill()
            replica.execute("ALTER SYSTEM SET synchronous_standby_names = ''")
            replica.run(needs("pg_ctl"), "-D", str(replica.data), "-w", "promote")
            replica.execute("SELECT pg_reload_conf()")
            load.wait_for(200)
        load.check("promotion of a synchronous replica")


def test_backends_that_hang(server: LongCluster, seconds: float) -> None:
    load = Load(server.create())
    busy = "SELECT pid FROM pg_stat_activity WHERE datname = 'podium' AND backend_type = 'client backend'"
    stopped: list[int] = []
    with load.running():
        load.wait_for()
        for (pid,) in server.execute(busy)[:4]:
            os.kill(pid, signal.SIGSTOP)
            stopped.append(pid)
        time.sleep(max(30.0, seconds / 2))
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        load.wait_for()
    load.check("backends stopped by SIGSTOP")


def test_a_pool_that_is_exhausted(server: LongCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "FREE_SECONDS", 0.5)
    load = Load(server.create())
    held, begun = threading.Event(), []

    def hold() -> None:
        def read(tx: object) -> None:
            begun.append(1)
            held.wait(60)

        load.database.read(read)

    threads = [threading.Thread(target=hold) for _ in range(connections.CONNECTIONS)]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(begun) == connections.CONNECTIONS)
    with load.running():
        wait_until(lambda: len(load.refused) > 8)
        held.set()
        load.wait_for()
    for thread in threads:
        thread.join()
    load.check("pool exhausted")
    assert any("No connection is free" in each for each in load.refused.values())


def test_more_connections_than_the_server_takes_are_refused_in_a_sentence(server: LongCluster) -> None:
    url = server.create()
    PostgresDatabase(url, create=True).close()
    server.execute("CREATE ROLE app LOGIN CONNECTION LIMIT 0")
    with pytest.raises(StorageError, match="too many connections"):
        PostgresDatabase(url.replace("podium@", "app@"))
