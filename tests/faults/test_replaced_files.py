"""Files of an open database that are moved, removed, overwritten or upgraded: no change is lost in silence."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from operator import methodcaller
from pathlib import Path

import pytest

from core.actions.cards.tasks import CreateTask
from core.errors import StorageError
from core.storage.backups import backup
from core.storage.schema.migrations import SCHEMA_VERSION
from core.storage.sqlite import opened_file
from core.storage.sqlite.database import SqliteDatabase
from tests.support.api.server import ServerOfTests
from tests.support.postgres_cluster import about_the_file
from tests.support.workspace import World, new_database

pytestmark = about_the_file


def test_a_file_that_vanishes_under_an_open_workspace_is_told(world: World, tmp_path: Path) -> None:
    world.database.close()
    for each in tmp_path.glob("podium.db*"):
        each.unlink()
    with pytest.raises(StorageError):
        world.task()


def test_what_is_written_to_a_file_that_was_replaced_would_be_lost_so_nothing_is(world: World, tmp_path: Path) -> None:
    """SQLite would write on into the file that has no name any more, and say nothing."""
    other = tmp_path / "other.db"
    new_database(other).close()
    for each in (tmp_path / "podium.db-wal", tmp_path / "podium.db-shm"):
        each.unlink()
    other.replace(tmp_path / "podium.db")
    with pytest.raises(StorageError, match=r"Another file stands at .*podium\.db since it was opened"):
        world.task()
    with pytest.raises(StorageError, match="quit, and start Podium again"):
        world.database.write(lambda tx: tx.execute("DELETE FROM hierarchy_node"))
    with pytest.raises(StorageError, match="quit, and start Podium again"):
        world.database.read(lambda tx: tx.query("SELECT id FROM workspace"))
    with closing(SqliteDatabase(tmp_path / "podium.db")) as database:
        assert database.read(lambda tx: tx.query("SELECT id FROM item")) == []


def titles(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        return {row[0] for row in connection.execute("SELECT title FROM item")}


def fold(path: Path) -> None:
    """Have everything in the file itself, as SQLite does now and then."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0


def test_a_check_goes_on_while_another_thread_learns_of_a_file_beside_the_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("podium.db", "podium.db-wal"):
        (tmp_path / name).touch()
    file = opened_file.OpenedFile(tmp_path / "podium.db")
    file.learn()
    (tmp_path / "podium.db-shm").touch()
    identity = opened_file.file_identity

    def meanwhile(path: Path | str) -> tuple[int, int]:
        monkeypatch.setattr(opened_file, "file_identity", identity)
        file.learn()
        return identity(path)

    monkeypatch.setattr(opened_file, "file_identity", meanwhile)
    file.check_not_replaced(to_write=True)
    assert opened_file.file_identity is identity
    (tmp_path / "podium.db-shm").unlink()
    with pytest.raises(StorageError, match=r"podium\.db-shm was removed or replaced"):
        file.check_not_replaced()


@pytest.mark.parametrize("suffixes", [("-wal",), ("-shm",), ("-wal", "-shm")])
def test_a_log_that_is_removed_while_it_is_open_is_noticed_at_the_next_write(
    world: World, tmp_path: Path, suffixes: tuple[str, ...]
) -> None:
    world.task("Saved")
    for suffix in suffixes:
        (tmp_path / f"podium.db{suffix}").unlink()
    with pytest.raises(StorageError, match=r"podium\.db-(wal|shm) was removed or replaced while the database was open"):
        world.task("Lost")
    with pytest.raises(StorageError, match="removed or replaced"):
        world.rows("SELECT title FROM item")
    world.database.close()
    assert titles(tmp_path / "podium.db") == {"Saved"}


def test_a_log_that_another_program_replaced_is_noticed_too(world: World, tmp_path: Path) -> None:
    fold(tmp_path / "podium.db")
    world.task("Saved")
    for suffix in ("-wal", "-shm"):
        (tmp_path / f"podium.db{suffix}").unlink()
    code = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('DELETE FROM last_seen').connection.commit()"
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "podium.db")], check=True)
    with pytest.raises(StorageError, match="removed or replaced"):
        world.task("Lost")


def older_copy(world: World, path: Path) -> None:
    """Replace the file by a copy from some changes ago."""
    fold(path)
    shutil.copy(path, path.with_name("older.db"))
    world.task("Since then")
    fold(path)
    shutil.copyfile(path.with_name("older.db"), path)


def other_workspace(world: World, path: Path) -> None:
    new_database(path.with_name("other.db")).close()
    shutil.copyfile(path.with_name("other.db"), path)


def nothing(world: World, path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(0)


def a_text(world: World, path: Path) -> None:
    path.write_text("Dear diary\n" * 1000)


def a_backup(world: World, path: Path) -> None:
    backup(world.database, path.with_name("copy.db"))
    world.task("Since then")
    shutil.copyfile(path.with_name("copy.db"), path)


OVERWRITTEN: dict[str, Callable[[World, Path], None]] = {
    "an older copy": older_copy,
    "a backup": a_backup,
    "another workspace": other_workspace,
    "nothing": nothing,
    "a text": a_text,
}


@pytest.mark.parametrize("overwrite", OVERWRITTEN.values(), ids=OVERWRITTEN.keys())
@pytest.mark.parametrize("folded", [True, False], ids=["with an empty log", "with a log"])
def test_a_file_that_is_overwritten_while_it_is_open_is_noticed_at_the_next_write(
    world: World, tmp_path: Path, overwrite: Callable[[World, Path], None], folded: bool
) -> None:
    path = tmp_path / "podium.db"
    world.task("Before")
    fold(path)
    if not folded:
        world.task("In the log")
    overwrite(world, path)
    before = path.read_bytes()
    for _ in range(2):
        with pytest.raises(StorageError, match=r"podium\.db (was overwritten while it was open|is damaged)"):
            world.task("Lost")
    assert path.read_bytes() == before


def test_what_sqlite_itself_writes_into_the_file_is_no_overwriting(world: World, tmp_path: Path) -> None:
    """Checkpoints of other programs, a project that came and went meanwhile, and a new date of the file."""
    path = tmp_path / "podium.db"
    for turn in range(4):
        gone = world.new_project(f"Project {turn}")
        world.task(f"Task {turn}")
        with closing(SqliteDatabase(path)) as other:
            other.write(methodcaller("execute", "DELETE FROM feed WHERE id = :id", id=gone.id))
        fold(path)
        if turn % 2:
            path.touch()
    with closing(sqlite3.connect(path, isolation_level=None)) as tool:
        tool.execute("VACUUM")
        tool.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    world.task("After")
    assert titles(path) == {"Task 0", "Task 1", "Task 2", "Task 3", "After"}


def test_a_program_that_looked_at_the_file_still_has_it_locked_for_others(world: World, tmp_path: Path) -> None:
    """A process that opens and closes the file itself drops SQLite's locks on it."""
    path = tmp_path / "podium.db"
    world.task("One")
    fold(path)
    world.task("Two")
    code = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('PRAGMA journal_mode = DELETE')"
    run = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert "database is locked" in run.stderr
    assert (tmp_path / "podium.db-wal").exists()


@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_a_server_whose_files_were_taken_away_refuses_and_is_not_ready(
    world: World, tmp_path: Path, suffix: str
) -> None:
    with ServerOfTests(world) as server:
        world.task("Saved")
        assert server.stranger().get("/ready").status_code == 200
        if suffix:
            (tmp_path / f"podium.db{suffix}").unlink()
        else:
            older_copy(world, tmp_path / "podium.db")
        world.refuses(CreateTask(phase_id=world.discover.id, title="Lost"), StorageError)
        assert server.stranger().get("/ready").status_code == 503
        assert server.stranger().get("/health").status_code == 200


def test_a_server_whose_database_was_upgraded_by_a_newer_podium_stops_writing(world: World, tmp_path: Path) -> None:
    with ServerOfTests(world) as server:
        client = server.client(world.maya)
        with closing(sqlite3.connect(tmp_path / "podium.db", isolation_level=None)) as newer:
            newer.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
        answer = client.post("/v1/projects", json={"name": "Lost"})
        assert answer.status_code == 503
        assert "DATABASE_TOO_NEW" in answer.text
        assert server.stranger().get("/ready").status_code == 503
    with closing(sqlite3.connect(tmp_path / "podium.db")) as connection:
        assert connection.execute("SELECT count(*) FROM project WHERE name = 'Lost'").fetchone() == (0,)
