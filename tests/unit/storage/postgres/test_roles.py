"""The roles of core/server/examples/roles.sql: each can do what it is for, and nothing else."""

from __future__ import annotations

import contextlib
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from core.actions.catalog import MESSAGES
from core.diagnostics.postgres import diagnose_open
from core.engine.messages import Command
from core.errors import DatabaseBusy, DatabaseReadOnly
from core.net.database_url import DatabasePlace, DatabaseUrl
from core.storage.postgres import database as under_test
from core.storage.postgres import health
from core.storage.postgres.connections import CONNECTIONS
from core.storage.postgres.database import PostgresDatabase
from core.storage.postgres.migrating import migrate_database
from tests.support import postgres_cluster
from tests.support.copied_workspaces import copy, text_of
from tests.support.message_examples import messages
from tests.support.paths import ROOT
from tests.support.postgres_cluster import cluster
from tests.support.system_programs import needs
from tests.support.waiting import wait_until
from tests.unit.storage.postgres.conftest import studio_in

ROLES = ROOT / "core" / "server" / "examples" / "roles.sql"
MAKING_ROLES = "SELECT pg_advisory_lock(17)"
"""The roles are those of the whole cluster, which other tests use at the same time."""


def make_roles(url: str) -> None:
    """Run the file twice, since it can be run again."""
    with psycopg.connect(cluster().url("postgres")) as connection:
        connection.execute(MAKING_ROLES)
        for _ in range(2):
            subprocess.run([needs("psql"), "--quiet", "--file", ROLES, url], check=True)


@pytest.fixture
def of_role(url: str) -> Iterator[Callable[[str], str]]:
    """The URL of the database for a role. Afterwards other tests get the database as it was."""
    make_roles(url)
    yield lambda role: url.replace("podium@", f"{role}@")
    name = url.split("/")[3].split("?")[0]
    cluster().execute(f"GRANT ALL ON DATABASE {name} TO PUBLIC; GRANT USAGE ON SCHEMA public TO PUBLIC", name)


@pytest.fixture
def app(of_role: Callable[[str], str]) -> Iterator[PostgresDatabase]:
    with closing(PostgresDatabase(of_role("podium_app"))) as database:
        yield database


def test_a_server_can_carry_out_every_message(app: PostgresDatabase, tmp_path: Path) -> None:
    studio = studio_in(app)
    rows = postgres_cluster.rows_of(tmp_path / "podium.db")
    for kind in MESSAGES:
        message: Any = messages.ALL[kind](studio)
        studio.do(message) if isinstance(message, Command) else studio.ask(message)
        postgres_cluster.fill(tmp_path / "podium.db", rows)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE change SET actor_id = 'x'",
        "UPDATE change_record SET after = '{}'",
        "UPDATE podium_schema SET version = 1",
        "DELETE FROM podium_schema",
        "CREATE TABLE mine (id BIGINT)",
        "ALTER TABLE item ADD COLUMN mine BIGINT",
        "DROP TABLE item",
        "TRUNCATE change_record",
        "ALTER TABLE commit_count DISABLE TRIGGER ALL",
    ],
)
def test_a_server_cannot_change_the_history_or_the_tables(app: PostgresDatabase, statement: str) -> None:
    with pytest.raises(DatabaseReadOnly, match="lacks a right"):
        app.write(lambda tx: tx.execute(statement))


def test_a_server_that_may_not_make_tables_names_the_one_who_may(of_role: Callable[[str], str], empty_url: str) -> None:
    of_role("podium_app")
    with pytest.raises(DatabaseReadOnly, match="or name the role that owns the tables"):
        migrate_database(empty_url.replace("podium@", "podium_app@"))


def test_only_the_owner_moves_the_workspace(
    filled: Callable[[str], DatabasePlace], new: Callable[[str], DatabasePlace]
) -> None:
    url, to = text_of(filled("database")), new("file")
    make_roles(url)
    with pytest.raises(DatabaseReadOnly, match="lacks a right"):
        copy(DatabaseUrl(url.replace("podium:s3cret@", "podium_app@")), to)
    assert not Path(text_of(to)).exists()
    assert copy(DatabaseUrl(url), to).tables


NOT_FOR_REPORTS = {
    "active_preset", "application_role", "card_origin", "change_record", "favourite", "feed", "gateway_token",
    "last_seen", "launch", "linked_account", "member_meta_role", "meta_role", "notification", "podium_note",
    "preference", "preset", "product_token", "receipt", "role_mapping", "saved_filter", "search_doc", "token",
    "unfinished", "usage",
}  # fmt: skip
"""Tables with secrets, with what belongs to one person, and of the program itself. A new table is in here, or in the
list of roles.sql."""

LARGE = tuple(
    f"SELECT {call}"
    for call in (
        "lo_creat(-1)", "lo_create(0)", "lo_from_bytea(0, 'x')", "lo_import('x')", "lo_export(1, 'x')", "lo_get(1)",
        "lo_put(1, 0, 'x')", "lo_open(1, 131072)", "lowrite(0, 'x')", "loread(0, 1)", "lo_unlink(1)",
    )
)  # fmt: skip
"""Statements about large objects."""


def test_reports_read_what_they_need_and_write_nothing(of_role: Callable[[str], str]) -> None:
    with psycopg.connect(of_role("podium_read"), autocommit=True) as connection:
        assert connection.execute("SELECT count(*) FROM item").fetchone() == (0,)
        of = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND {}"
        hidden = connection.execute(of.format("NOT has_table_privilege(oid, 'SELECT')").encode()).fetchall()
        assert {name for (name,) in hidden} == NOT_FOR_REPORTS
        writable = of.format("has_table_privilege(oid, 'INSERT, UPDATE, DELETE')")
        assert connection.execute(writable.encode()).fetchall() == []
        for statement in ("SELECT hash FROM token", "CREATE TABLE x ()", "SELECT pg_advisory_lock(1)", *LARGE):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement.encode())
        for setting in ("statement_timeout", "idle_in_transaction_session_timeout"):
            assert connection.execute(f"SHOW {setting}".encode()).fetchone() == ("1min",)


def test_no_other_role_holds_up_the_writers(app: PostgresDatabase, url: str) -> None:
    """Neither by the locks with which they take turns, nor in a database where these could not be taken away."""
    assert app.capabilities.advisory_locks
    key = under_test.key_of("a project")
    with psycopg.connect(url, autocommit=True) as other:
        other.execute(f"SELECT pg_advisory_lock({key})".encode())
        begun = time.monotonic()
        app.write(lambda tx: tx.execute("UPDATE feed SET seq = seq + 1"), scope="a project")
        assert 1 < time.monotonic() - begun < 5
        assert other.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").fetchone() == (1,)
    assert app.read(lambda tx: tx.tuples("SELECT seq FROM feed")) == [(1,)]


def test_the_limits_of_connections_fit_each_other_and_the_guide(of_role: Callable[[str], str]) -> None:
    of_role("podium_app")
    limits = dict(cluster().execute("SELECT rolname, rolconnlimit FROM pg_roles WHERE rolname LIKE 'podium_%'"))
    ((most,),) = cluster().execute("SELECT current_setting('max_connections')::int")
    assert limits == {"podium_app": most - 20, "podium_read": 5, "podium_backup": 5}
    each = CONNECTIONS + 2  # one follows the commits, one asks about a commit that broke
    guide = " ".join((ROOT / "core" / "server" / "README.md").read_text().split())
    assert f"opens up to {each}. Set `max_connections` to {each} for each, and 20 more" in guide


def test_roles_in_a_database_without_tables_are_refused_in_a_sentence(empty_url: str) -> None:
    done = subprocess.run([needs("psql"), "--quiet", "--file", ROLES, empty_url], capture_output=True, text=True)
    assert done.returncode == 3
    assert "This database has no tables of Podium yet. Run “podium migrate”" in done.stderr


def test_a_role_without_rights_does_not_reach_the_database(of_role: Callable[[str], str]) -> None:
    url = of_role("stranger_to_podium")
    with psycopg.connect(cluster().url("postgres"), autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS stranger_to_podium; CREATE ROLE stranger_to_podium LOGIN")
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(url)


def test_tables_of_a_later_migration_are_not_for_reports(of_role: Callable[[str], str], url: str) -> None:
    app, reads = of_role("podium_app"), of_role("podium_read")
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("CREATE TABLE later (id BIGINT)")
        try:
            for role, may in ((app, True), (reads, False)):
                with psycopg.connect(role, autocommit=True) as connection:
                    for right in ("SELECT", "INSERT", "UPDATE", "DELETE"):
                        query = f"SELECT has_table_privilege('later', '{right}')"
                        assert connection.execute(query.encode()).fetchone() == (may,)
        finally:
            owner.execute("DROP TABLE later")


def test_a_server_names_an_idle_transaction_of_another_database_that_keeps_its_locks(
    app: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "LOCKED_SHARE", 0)
    with psycopg.connect(cluster().url("postgres")) as other:
        other.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SELECT 1")
        app.write(lambda tx: tx.execute("UPDATE feed SET seq = seq + 1"))
        named = f"process {other.info.backend_pid} of podium."
        wait_until(lambda: any(named in each for each in app.health().warnings))
        assert any(named in each.found for each in diagnose_open(app))


@pytest.mark.sweep
def test_writers_without_room_for_locks_say_who_finds_the_cause() -> None:
    folder, process = postgres_cluster.start("max_pred_locks_per_transaction=10", "max_connections=20")
    url, count_up = postgres_cluster.Cluster(folder).url("postgres"), "UPDATE feed SET seq = seq + 1"
    try:
        with (
            closing(PostgresDatabase(url, create=True)) as database,
            psycopg.connect(url) as idle,
            psycopg.connect(url, autocommit=True) as busy,
        ):
            busy.execute("CREATE TABLE many (id INT PRIMARY KEY); INSERT INTO many SELECT generate_series(1, 100000)")
            busy.execute("SET default_transaction_isolation = serializable; SET enable_seqscan = off")
            idle.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SELECT 1")
            with contextlib.suppress(psycopg.errors.OutOfMemory):
                for number in range(1, 100_000):
                    busy.execute(b"SELECT FROM many WHERE id = %s", (number,))
            with pytest.raises(DatabaseBusy, match=r"Another transaction holds .* finds it by “podium doctor”"):
                database.write(lambda tx: tx.execute(count_up))
            (found,) = [each for each in database.health().warnings if "the room for locks" in each]
            assert f"process {idle.info.backend_pid} of podium." in found
            idle.rollback()
            database.write(lambda tx: tx.execute(count_up))
    finally:
        postgres_cluster.stop(folder, process)
