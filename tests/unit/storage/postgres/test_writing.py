"""Transactions that write: alone in their effect, repeated after conflicts, and decided when a commit breaks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from operator import methodcaller
from typing import Any

import psycopg
import pytest

from core.errors import Cancelled, DatabaseReadOnly, ServerUnavailable, StorageError, VersionConflict
from core.storage.database import ConstraintViolation, Tx
from core.storage.postgres import database as under_test
from core.storage.postgres import schema
from core.storage.postgres.connections import PooledConnection
from core.storage.postgres.database import PostgresDatabase
from core.storage.progress import Progress
from tests.support.postgres_cluster import cluster

Execute = Callable[[str], list[tuple[Any, ...]]]

HELD_TURNS = (
    "SELECT count(*) FROM pg_locks JOIN pg_database ON database = pg_database.oid"
    " WHERE locktype = 'advisory' AND datname = current_database()"
)
ROWS = "SELECT count(*), sum(n) FROM commit_count"
ADD = "UPDATE feed SET seq = seq + 1 WHERE id = 'workspace'"


def seq(database: PostgresDatabase) -> int:
    return int(database.read(lambda tx: tx.tuples("SELECT seq FROM feed WHERE id = 'workspace'"))[0][0])


def add_after_reading(tx: Tx) -> None:
    """Raise the number in two steps, of which a transaction beside it must not get between."""
    ((before,),) = tx.tuples("SELECT seq FROM feed WHERE id = 'workspace'")
    tx.execute("UPDATE feed SET seq = :seq WHERE id = 'workspace'", seq=before + 1)


@pytest.mark.parametrize("scope", ["", "a project"])
def test_of_eight_who_write_the_same_row_at_once_none_is_lost(postgres: PostgresDatabase, scope: str) -> None:
    before = postgres.data_version()
    with ThreadPoolExecutor(8) as threads:
        for done in [threads.submit(postgres.write, add_after_reading, scope=scope) for _ in range(80)]:
            done.result()
    assert seq(postgres) == 80
    assert postgres.data_version() == before + 80


def test_writers_of_one_scope_wait_for_each_other_before_their_snapshot(postgres: PostgresDatabase) -> None:
    tries = []

    def work(tx: Tx) -> None:
        tries.append(1)
        add_after_reading(tx)

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(postgres.write, work, scope="a project") for _ in range(40)]:
            done.result()
    assert len(tries) == 40


def test_a_conflict_runs_the_work_again(postgres: PostgresDatabase) -> None:
    tries = []

    def work(tx: Tx) -> None:
        tries.append(1)
        tx.query("SELECT seq FROM feed")
        if len(tries) == 1:
            threading.Thread(target=lambda: other.append(postgres.write(add_after_reading))).start()
            wait(lambda: other)
        add_after_reading(tx)

    other: list[None] = []
    postgres.write(work)
    assert (len(tries), seq(postgres)) == (2, 2)


def wait(true: Callable[[], object]) -> None:
    from tests.support.waiting import wait_until

    wait_until(true)


def test_of_two_writes_that_each_build_on_a_row_of_the_other_one_runs_again(postgres: PostgresDatabase) -> None:
    """As two owners who leave a project at the same moment, while each still sees the other."""
    for owner in ("owner a", "owner b"):
        postgres.write(methodcaller("execute", "INSERT INTO feed (id, seq) VALUES (:id, 0)", id=owner))
    both_have_looked = threading.Barrier(2, timeout=60)

    def leave(owner: str) -> None:
        tries = []

        def work(tx: Tx) -> None:
            tries.append(owner)
            owners = tx.query("SELECT id FROM feed WHERE id LIKE 'owner %'")
            if len(tries) == 1:
                both_have_looked.wait()
            if len(owners) > 1:
                tx.execute("DELETE FROM feed WHERE id = :id", id=owner)

        postgres.write(work)

    with ThreadPoolExecutor(2) as threads:
        for done in [threads.submit(leave, owner) for owner in ("owner a", "owner b")]:
            done.result()
    left = postgres.read(lambda tx: tx.query("SELECT id FROM feed WHERE id LIKE 'owner %'"))
    assert len(left) == 1


def test_work_that_fails_leaves_nothing_and_frees_its_turn(postgres: PostgresDatabase, in_database: Execute) -> None:
    def fail(tx: Tx) -> None:
        tx.execute(ADD)
        raise KeyError

    for _ in range(3):
        with pytest.raises(KeyError):
            postgres.write(fail, scope="a project")
    postgres.write(lambda tx: tx.execute(ADD), scope="a project")
    assert seq(postgres) == 1
    assert in_database(HELD_TURNS) == [(0,)]


def test_a_savepoint_takes_back_only_its_own_part(postgres: PostgresDatabase) -> None:
    def fail(tx: Tx) -> None:
        tx.execute(ADD)
        tx.execute("INSERT INTO feed (id, seq) VALUES ('workspace', 0)")

    def work(tx: Tx) -> None:
        tx.execute(ADD)
        with pytest.raises(ConstraintViolation):
            tx.savepoint(lambda: fail(tx))
        tx.savepoint(lambda: tx.execute(ADD))

    postgres.write(work)
    assert seq(postgres) == 2


def test_what_is_read_within_a_read_is_of_the_same_snapshot(postgres: PostgresDatabase) -> None:
    def work(tx: Tx) -> tuple[int, int]:
        before = seq(postgres)
        writer = threading.Thread(target=postgres.write, args=(add_after_reading,))
        writer.start()
        writer.join()
        return before, seq(postgres)

    assert postgres.read(work) == (0, 0)
    assert seq(postgres) == 1


def test_a_read_cannot_write(postgres: PostgresDatabase) -> None:
    with pytest.raises(DatabaseReadOnly):
        postgres.read(lambda tx: tx.execute(ADD))


MEMBER = (
    "INSERT INTO member (project_id, user_id, role, invited_by, version)"
    " VALUES ('p', (SELECT min(id) FROM app_user), 'OWNER', '', 1)"
)


@pytest.mark.usefixtures("studio")
def test_references_are_checked_from_both_sides(postgres: PostgresDatabase) -> None:
    for sql in (MEMBER, "UPDATE item SET project_id = 'p'", "DELETE FROM project", "DELETE FROM app_user"):
        with pytest.raises(VersionConflict):
            postgres.write(methodcaller("execute_all", [(insert_item, {}), (sql, {})]))
    with pytest.raises(VersionConflict):
        postgres.write(lambda tx: tx.execute(insert_item.replace("NULL", "'nobody'", 2)))


insert_item = (
    "INSERT INTO item (project_id, id, kind, phase_id, rank, title, status, activity_id, assignee_id, due,"
    " description, link, archived_from, archived_with, version)"
    " SELECT project_id, 'i', 'TASK', id, 'a0', '', 'TO_DO', NULL, NULL, NULL, '', '', NULL, NULL, 1 FROM phase LIMIT 1"
)


@pytest.mark.usefixtures("studio")
def test_rows_of_a_project_can_come_before_it_where_references_are_not_checked(postgres: PostgresDatabase) -> None:
    postgres.write(lambda tx: tx.execute(MEMBER), linked=False)
    assert postgres.read(lambda tx: tx.tuples("SELECT count(*) FROM member WHERE project_id = 'p'")) == [(1,)]
    with pytest.raises(VersionConflict):
        postgres.write(lambda tx: tx.execute(MEMBER.replace("min(id)", "max(id)")))


# -- connections that break ------------------------------------------------------------------------------------------


def end_of(connection: psycopg.Connection[object]) -> None:
    """End the process of a connection at the server."""
    cluster().execute(f"SELECT pg_terminate_backend({connection.info.backend_pid}, 5000)")


def test_work_whose_connection_broke_runs_again(postgres: PostgresDatabase) -> None:
    tries = []

    def work(tx: Tx) -> None:
        tx.execute(ADD)
        ((pid,),) = tx.tuples("SELECT pg_backend_pid()")
        tries.append(pid)
        if len(tries) < 3:
            cluster().execute(f"SELECT pg_terminate_backend({pid}, 5000)")

    postgres.write(work, scope="a project")
    assert (len(tries), seq(postgres)) == (3, 1)


def test_a_read_whose_connection_broke_runs_again(postgres: PostgresDatabase) -> None:
    tries = []

    def work(tx: Tx) -> object:
        ((pid,),) = tx.tuples("SELECT pg_backend_pid()")
        tries.append(pid)
        if len(tries) == 1:
            cluster().execute(f"SELECT pg_terminate_backend({pid}, 5000)")
        return tx.tuples("SELECT seq FROM feed")

    assert postgres.read(work) == [(0,)]
    assert len(tries) == 2


@pytest.mark.parametrize("carried_out", [True, False])
def test_a_commit_that_broke_is_decided_and_never_guessed(
    postgres: PostgresDatabase, monkeypatch: pytest.MonkeyPatch, carried_out: bool
) -> None:
    execute = PooledConnection.execute
    broken: list[str] = []

    def breaking(self: PooledConnection, sql: str, *args: Any, **kwargs: Any) -> object:
        if "COMMIT; " not in sql or not sql.startswith("UPDATE commit_count") or broken:
            return execute(self, sql, *args, **kwargs)
        broken.append(sql)
        if carried_out:
            execute(self, sql.split("; ")[0])
            execute(self, "COMMIT")
        end_of(self)
        return execute(self, sql)

    monkeypatch.setattr(PooledConnection, "execute", breaking)
    tries = []
    postgres.write(lambda tx: tries.append(tx.execute(ADD)), scope="a project")
    assert len(broken) == 1
    assert len(tries) == (1 if carried_out else 2)
    assert seq(postgres) == 1


def test_a_commit_whose_answer_was_lost_on_an_open_connection_is_decided_by_its_row(
    postgres: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute = PooledConnection.execute

    def failing(self: PooledConnection, sql: str, *args: Any, **kwargs: Any) -> object:
        done = execute(self, sql, *args, **kwargs)
        if sql.startswith("UPDATE commit_count") and "COMMIT; " in sql:
            raise psycopg.errors.QueryCanceled("canceling statement due to user request")
        return done

    before = postgres.data_version()
    monkeypatch.setattr(PooledConnection, "execute", failing)
    tries = []
    postgres.write(lambda tx: tries.append(tx.execute(ADD)))
    assert (len(tries), seq(postgres), postgres.data_version()) == (1, 1, before + 1)


def test_a_transaction_that_is_still_under_way_cannot_commit_after_it_was_given_up(postgres: PostgresDatabase) -> None:
    """As when a network was cut, and the server gets the end of a transaction late."""
    with postgres._connections.lend() as connection:
        schema.add_slot(connection)
        connection.execute(f"{under_test.WRITING}; {ADD}")
        for _ in range(2):  # the answer to the first question may get lost too
            assert not postgres._commits_with(connection)
        with pytest.raises(psycopg.errors.SerializationFailure):
            connection.execute(f"UPDATE commit_count SET n = n + 1 WHERE slot = '{connection.slot}'; COMMIT")
    assert seq(postgres) == 0


def test_a_commit_of_which_nothing_can_be_learned_is_said_to_be_unknown(
    postgres: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(under_test, "DECIDE_SECONDS", 0.1)

    def unreachable() -> PooledConnection:
        raise psycopg.OperationalError("connection refused")

    with postgres._connections.lend() as connection:
        monkeypatch.setattr(postgres._connections, "single", unreachable)
        with pytest.raises(ServerUnavailable, match="Look whether your change was made"):
            postgres._commits_with(connection)


def test_a_write_waits_for_a_server_that_is_away_and_then_says_so(postgres: PostgresDatabase) -> None:
    postgres.reconnect_seconds = 0.3
    postgres.close()
    name = postgres._connections.url.split("/")[3].split("?")[0]
    cluster().execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    with pytest.raises(StorageError, match="There is no connection to"):
        postgres.write(lambda tx: tx.execute(ADD))
    with pytest.raises(StorageError, match="There is no connection to"):
        postgres.data_version()
    cluster().execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    postgres.write(lambda tx: tx.execute(ADD))
    assert seq(postgres) == 1


def test_a_cancelled_write_leaves_nothing(postgres: PostgresDatabase) -> None:
    progress = Progress()

    def work(tx: Tx) -> None:
        tx.execute(ADD)
        progress.cancel()
        tx.execute(ADD)

    with pytest.raises(Cancelled):
        postgres.write(work, progress)
    assert seq(postgres) == 0


def test_the_row_of_a_connection_ends_with_it(postgres: PostgresDatabase, in_database: Execute) -> None:
    in_database("DELETE FROM commit_count WHERE slot > ''")
    before = postgres.data_version()
    for _ in range(3):
        postgres.write(lambda tx: tx.execute(ADD))
        postgres.close()
    assert postgres.read(lambda tx: tx.tuples(ROWS)) == [(1, before + 3)]


def test_the_rows_of_programs_that_were_killed_are_added_up_later(
    postgres: PostgresDatabase, in_database: Execute, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_database("DELETE FROM commit_count WHERE slot > ''")
    before = postgres.data_version()
    for number in range(3):
        postgres.write(lambda tx: tx.execute(ADD))
        with postgres._connections.lend() as connection:
            end_of(connection)
        assert postgres.read(lambda tx: tx.tuples(ROWS)) == [(2 + number, before + number + 1)]
    monkeypatch.setattr(schema, "SLOT_SECONDS", 0)
    postgres.write(lambda tx: tx.execute(ADD))
    assert postgres.read(lambda tx: tx.tuples(ROWS)) == [(2, before + 4)]


def test_no_commit_is_lost_from_the_count_while_many_connections_end_at_once(
    connect: Callable[..., PostgresDatabase],
) -> None:
    programs = [connect() for _ in range(6)]
    before = programs[0].data_version()

    def write_and_close(program: PostgresDatabase) -> None:
        for _ in range(8):
            program.write(add_after_reading)
            program.close()

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(write_and_close, programs))
    assert programs[0].read(lambda tx: tx.tuples(ROWS))[0][1] == before + 48
    assert programs[0].data_version() == before + 48


def test_a_program_ends_although_the_server_does_not_end_its_rows(
    postgres: PostgresDatabase, connect: Callable[..., PostgresDatabase]
) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: postgres.write(add_after_reading), range(12)))
    with connect()._connections.lend() as other:
        other.execute("BEGIN; LOCK TABLE commit_count IN SHARE ROW EXCLUSIVE MODE")
        ((before,),) = other.execute("SELECT sum(n) FROM commit_count").fetchall()
        postgres.close()
        other.execute("ROLLBACK")
    assert postgres.read(lambda tx: tx.tuples(ROWS))[0][1] == before


def test_a_row_that_was_removed_under_a_connection_is_made_again_and_others_notice(
    postgres: PostgresDatabase, connect: Callable[..., PostgresDatabase]
) -> None:
    other = connect()
    postgres.write(lambda tx: tx.execute(ADD))
    postgres.write(lambda tx: tx.execute("DELETE FROM commit_count WHERE slot > ''"))
    before = postgres.read(lambda tx: tx.tuples("SELECT sum(n) FROM commit_count"))
    postgres.write(lambda tx: tx.execute(ADD))
    wait(lambda: other.data_version() == before[0][0] + 1)
    assert seq(postgres) == 2


def test_a_broken_commit_whose_row_was_removed_is_said_to_be_unknown(postgres: PostgresDatabase) -> None:
    with postgres._connections.lend() as connection:
        schema.add_slot(connection)
        connection.execute("DELETE FROM commit_count WHERE slot > ''")
        with pytest.raises(ServerUnavailable, match="Look whether your change was made"):
            postgres._commits_with(connection)


def test_rows_are_removed_by_the_clock_of_the_database(
    postgres: PostgresDatabase, connect: Callable[..., PostgresDatabase], monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres.write(lambda tx: tx.execute(ADD))
    rows = "SELECT count(*) FROM commit_count"
    ((before,),) = postgres.read(lambda tx: tx.tuples(rows))
    monkeypatch.setattr("time.time_ns", lambda: 4 * 10**18)
    monkeypatch.setattr("time.time", lambda: 4.0 * 10**9)
    connect().write(lambda tx: tx.execute(ADD))
    assert postgres.read(lambda tx: tx.tuples(rows)) == [(before + 1,)]
