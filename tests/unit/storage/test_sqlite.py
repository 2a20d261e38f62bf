"""SQLite behind the Database protocol: its file, the modes of the file, its faults, its snapshots and steps."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.actions import load_catalog
from core.engine.engine import Engine
from core.errors import (
    DatabaseDamaged,
    DatabaseMissing,
    DatabaseReadOnly,
    DatabaseTooNew,
    StorageError,
    VersionConflict,
)
from core.storage.backups import backup
from core.storage.schema.integrity import damage
from core.storage.schema.migrations import SCHEMA_VERSION
from core.storage.sqlite import database as sqlite
from core.storage.sqlite.database import SqliteDatabase
from core.storage.sqlite.transaction import SqliteTx
from tests.support.postgres_cluster import about_the_file
from tests.support.sweeps import sweep
from tests.support.waiting import wait_until
from tests.support.workspace import Clock, World, content, gather, new_database

pytestmark = about_the_file

# -- every statement has its index ---------------------------------------------------------------------------------


# -- making, opening, upgrading ------------------------------------------------------------------------------------


def test_references_are_kept_and_the_log_is_written_ahead(database: SqliteDatabase) -> None:
    def pragma(name: str) -> Any:
        return database.connection.execute(f"PRAGMA {name}").fetchone()[0]

    assert (pragma("foreign_keys"), pragma("journal_mode")) == (1, "wal")


def test_the_first_change_of_a_copied_backup_is_written_ahead_even_if_it_is_larger_than_the_cache(
    stored: SqliteDatabase, tmp_path: Path
) -> None:
    """Without a log, SQLite writes what the cache has no room for into the file before the commit."""
    copy = backup(stored, tmp_path / "copy.db")
    with closing(SqliteDatabase(copy)) as database:
        assert database.connection.execute("PRAGMA journal_mode").fetchone()[0] == "delete"
        many = "INSERT INTO feed (id, seq) SELECT hex(randomblob(1000)), 1 FROM json_each(:numbers)"
        database.write(lambda tx: tx.execute(many, numbers=json.dumps(list(range(10_000)))))
        assert database.connection.execute("SELECT count(*) FROM feed").fetchone()[0] > 10_000
        assert database.connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        assert damage(database.connection) == []


def test_the_file_is_private_and_so_is_all_beside_it(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        database = new_database(tmp_path / "deep" / "podium.db")
        gather(Engine(database, load_catalog, clock=Clock()))
        modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in (tmp_path / "deep").iterdir()}
    finally:
        os.umask(umask)
    database.close()
    assert modes == dict.fromkeys(("podium.db", "podium.db-wal", "podium.db-shm", "podium.db.lock"), 0o600)


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_in_a_folder_set_up_for_sharing_the_group_may_write_all_of_it(tmp_path: Path, umask: int) -> None:
    tmp_path.chmod(0o2770)
    before = os.umask(umask)
    try:
        database = new_database(tmp_path / "podium.db")
        gather(Engine(database, load_catalog, clock=Clock()))
        modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir()}
    finally:
        os.umask(before)
    database.close()
    assert modes == dict.fromkeys(("podium.db", "podium.db-wal", "podium.db-shm", "podium.db.lock"), 0o660)


# -- files that cannot be opened -----------------------------------------------------------------------------------


def sentence(error: StorageError, path: Path) -> str:
    """The message of an error, which must name the file and end with a full stop."""
    text = str(error)
    assert str(path) in text
    assert text.endswith(".")
    assert "Traceback" not in text
    return text


def test_a_workspace_is_not_made_by_accident(tmp_path: Path) -> None:
    path = tmp_path / "missing.db"
    with pytest.raises(DatabaseMissing) as refused:
        SqliteDatabase(path)
    assert "podium init" in sentence(refused.value, path)
    assert not path.exists()
    path.touch()
    with pytest.raises(DatabaseMissing, match="is empty"):
        SqliteDatabase(path)
    assert path.stat().st_size == 0


def test_a_newer_schema_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "podium.db"
    new_database(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    before = path.read_bytes()
    with pytest.raises(DatabaseTooNew) as refused:
        SqliteDatabase(path)
    assert "newer Podium" in sentence(refused.value, path)
    assert path.read_bytes() == before


def foreign(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (text)")
        connection.execute(f"PRAGMA user_version = {version}")


NO_DATABASE: dict[str, Callable[[Path], object]] = {
    "a text": lambda path: path.write_text("Dear diary\n" * 200),
    "a short text": lambda path: path.write_text("x"),
    "noise": lambda path: path.write_bytes(bytes(range(256)) * 64),
    "a database of others": lambda path: foreign(path, 0),
    "a database of others with our version": lambda path: foreign(path, SCHEMA_VERSION),
}


@pytest.mark.parametrize("make", NO_DATABASE.values(), ids=NO_DATABASE.keys())
@pytest.mark.parametrize("create", [False, True])
def test_what_is_no_database_of_podium_is_left_alone(
    tmp_path: Path, make: Callable[[Path], object], create: bool
) -> None:
    path = tmp_path / "podium.db"
    make(path)
    before = path.read_bytes()
    with pytest.raises(DatabaseDamaged) as refused:
        SqliteDatabase(path, create=create)
    sentence(refused.value, path)
    assert path.read_bytes() == before


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(StorageError) as refused:
        SqliteDatabase(tmp_path)
    sentence(refused.value, tmp_path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_a_truncated_database_is_told_to_be_damaged(world: World, tmp_path: Path, share: float) -> None:
    path = tmp_path / "podium.db"
    world.database.close()
    size = path.stat().st_size
    os.truncate(path, int(size * share))
    with pytest.raises(StorageError) as refused, closing(SqliteDatabase(path)) as damaged:
        content(damaged)
    assert "restore" in sentence(refused.value, path)


def test_without_the_right_to_write_it_is_read_and_says_so(world: World, tmp_path: Path) -> None:
    """As the user "nobody", because root, who runs the tests in CI, is allowed everything."""
    if os.getuid() != 0:
        pytest.skip("only root can become another account")
    world.database.close()
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(0o755)
    (tmp_path / "podium.db").chmod(0o444)
    code = """
import os, sys
from pathlib import Path
from core.actions import load_catalog
from core.actions.workspace.workspace import RenameWorkspace
from core.engine.engine import Engine
from core.errors import StorageError
from core.sign_in.local import sign_on
from core.storage.sqlite.database import SqliteDatabase
import core.actions.catalog
os.setgid(65534); os.setuid(65534)
try:
    engine = Engine(SqliteDatabase(Path(sys.argv[1])), load_catalog)
    engine.execute(RenameWorkspace(name="Mine"), sign_on(engine, "maya"))
except StorageError as error:
    print(type(error).__name__, error)
"""
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "podium.db")], capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith(DatabaseReadOnly.__name__), run.stdout
    assert str(tmp_path / "podium.db") in run.stdout
    assert not list(tmp_path.glob("*-wal"))


def test_a_database_is_not_made_where_no_account_may_write() -> None:
    with pytest.raises(DatabaseReadOnly) as refused:
        SqliteDatabase(Path("/proc/podium/podium.db"), create=True)
    sentence(refused.value, Path("/proc/podium/podium.db"))


def test_a_reference_that_is_broken_at_the_last_moment_is_a_conflict(world: World) -> None:
    sql = "INSERT INTO favourite (project_id, user_id, version) VALUES ('gone', 'x', 1)"
    with pytest.raises(VersionConflict):
        world.database.write(lambda tx: tx.execute(sql))


def test_who_reads_cannot_write(world: World) -> None:
    add = "INSERT INTO preference (user_id, name, value, version) VALUES ('u', 'n', 'v', 1)"
    for work in (
        lambda tx: tx.execute("DELETE FROM favourite"),
        lambda tx: tx.execute_all([("DELETE FROM favourite", {})]),
        lambda tx: tx.query(f"{add} RETURNING name"),
        lambda tx: tx.tuples(f"{add} RETURNING name"),
    ):
        with pytest.raises(StorageError, match="cannot write"):
            world.database.read(work)
    assert world.rows("SELECT name FROM preference WHERE user_id = 'u'") == []
    world.task("Writing works again")


def test_a_statement_is_prepared_once_for_all_reads(world: World) -> None:
    """SQLite asks the authorizer while it prepares a statement."""
    sql, asked = "SELECT count(*) AS sum FROM preference", list[object]()

    def note(_: int, table: str | None, *rest: object) -> int:
        asked.append(table)
        return sqlite3.SQLITE_OK

    world.database.connection.set_authorizer(note)
    for _ in range(3):
        world.database.read(lambda tx: tx.query(sql))
    assert asked.count("preference") == 1


def test_only_what_is_read_without_locks_is_looked_at_for_other_programs_writes(
    database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[Path] = []
    monkeypatch.setattr(sqlite, "state_of", lambda path: looked.append(path))
    assert database.read(lambda tx: tx.query("SELECT 1 AS one")[0]["one"]) == 1
    assert looked == [], "four looks at two files, with each question of each person"


def test_reads_within_a_read_see_its_snapshot_whatever_others_commit_meanwhile(world: World) -> None:
    path = world.database.path
    with closing(SqliteDatabase(path)) as other:

        def seq(tx: Any) -> int:
            return int(tx.query("SELECT seq FROM feed WHERE id = 'workspace'")[0]["seq"])

        def look(tx: Any) -> list[int]:
            before = seq(tx)
            other.write(lambda tx: tx.execute("UPDATE feed SET seq = seq + 1 WHERE id = 'workspace'"))
            return [before, world.database.read(seq), world.database.read(lambda _: world.database.read(seq))]

        before, *within = world.database.read(look)
        assert within == [before, before]
        assert world.database.read(seq) == before + 1


def test_a_step_that_fails_takes_back_its_own_part_only(database: SqliteDatabase) -> None:
    def write(tx: Any) -> None:
        tx.execute("INSERT INTO feed (id, seq) VALUES ('kept', 1)")
        with pytest.raises(ValueError, match="no"):
            tx.savepoint(lambda: (tx.execute("INSERT INTO feed (id, seq) VALUES ('gone', 1)"), int("no")))
        tx.savepoint(lambda: tx.execute("INSERT INTO feed (id, seq) VALUES ('also kept', 1)"))

    database.write(write)
    found = database.read(lambda tx: {row["id"] for row in tx.query("SELECT id FROM feed")})
    assert found == {"workspace", "commits", "kept", "also kept"}


def test_the_data_version_changes_when_another_connection_commits(world: World, tmp_path: Path) -> None:
    other = SqliteDatabase(tmp_path / "podium.db")
    before = other.data_version()
    assert other.data_version() == before
    world.task()
    assert other.data_version() != before
    other.close()


def test_a_database_that_is_closed_while_a_thread_reads_it_waits_for_the_end_of_the_read(tmp_path: Path) -> None:
    """Without it, SQLite crashes the process."""
    database = SqliteDatabase(tmp_path / "podium.db", create=True)
    reading, go_on = threading.Event(), threading.Event()

    def work(tx: SqliteTx) -> int:
        reading.set()
        assert go_on.wait(30)
        return int(tx.tuples("SELECT 7")[0][0])

    with ThreadPoolExecutor(2) as threads:
        read = threads.submit(lambda: database.read(work))
        assert reading.wait(30)
        closing = threads.submit(database.close)
        wait_until(closing.running)
        with pytest.raises(TimeoutError):
            closing.result(0.2)
        go_on.set()
        assert read.result(30) == 7
        closing.result(30)


@pytest.mark.parametrize("times", sweep([30, 100], lambda times: times == 30))
def test_a_database_is_closed_again_and_again_under_threads_that_read_it_on_and_on(tmp_path: Path, times: int) -> None:
    path = tmp_path / "podium.db"
    SqliteDatabase(path, create=True).close()
    code = (
        "import sys, threading\n"
        "from pathlib import Path\n"
        "from core.errors import StorageError\n"
        "from core.storage.sqlite.database import SqliteDatabase\n"
        "sys.setswitchinterval(1e-5)\n"
        "database, ended = SqliteDatabase(Path(sys.argv[1])), []\n"
        "def read():\n"
        "    while not ended:\n"
        "        try:\n"
        "            database.read(lambda tx: [tx.tuples('SELECT * FROM sqlite_schema') for _ in range(9)])\n"
        "        except StorageError as error:\n"
        "            assert 'closed' in str(error), error\n"
        "threads = [threading.Thread(target=read) for _ in range(3)]\n"
        "for thread in threads:\n"
        "    thread.start()\n"
        f"for _ in range({times}):\n"
        "    database.close()\n"
        "    database.read(lambda tx: tx.tuples('SELECT 1'))\n"
        "ended.append(True)\n"
        "for thread in threads:\n"
        "    thread.join()\n"
        "database.close()\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
