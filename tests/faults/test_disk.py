"""A full disk, a disk that is read-only, and another program that holds the database for long."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from core.actions import load_catalog
from core.actions.workspace.users import EditUser
from core.engine.engine import Engine
from core.errors import DatabaseBusy, DatabaseFull, DatabaseReadOnly
from core.storage import backups, restoring
from core.storage.backups import backup
from core.storage.schema.integrity import damage
from core.storage.sqlite import copies
from core.storage.sqlite.database import SqliteDatabase
from tests.support.api.server import ServerOfTests
from tests.support.postgres_cluster import about_the_file
from tests.support.system_programs import needs
from tests.support.workspace import Clock, World, content, gather, new_database

pytestmark = about_the_file

ROOM = 4 * 1024 * 1024


@contextmanager
def mounted(folder: Path, options: str) -> Iterator[Path]:
    """A file system of our own in memory."""
    folder.mkdir(exist_ok=True)
    command = [needs("mount"), "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if os.getuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a small disk can only be mounted by root")
    try:
        yield folder
    finally:
        subprocess.run([needs("umount"), "--lazy", str(folder)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "disk", f"size={ROOM}") as folder:
        yield folder


@pytest.fixture
def on_disk(disk: Path, clock: Clock) -> Iterator[World]:
    """The world, on the small disk."""
    engine = Engine(new_database(disk / "podium.db"), load_catalog, clock=clock)
    world = World(engine, gather(engine))
    yield world
    engine.database.close()


def fill(disk: Path, leave: int = 0) -> Path:
    """Take all the room there is, but for some bytes."""
    ballast = disk / "ballast"
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize - leave
    with ballast.open("wb") as file:
        file.write(bytes(max(0, free)))
    return ballast


def test_a_server_is_not_ready_while_its_disk_is_full(on_disk: World, disk: Path) -> None:
    with ServerOfTests(on_disk) as server:
        stranger = server.stranger()
        assert stranger.get("/ready").status_code == 200
        ballast = fill(disk)
        assert stranger.get("/ready").status_code == 503
        assert stranger.get("/health").status_code == 200
        ballast.unlink()
        assert stranger.get("/ready").status_code == 200


def test_a_server_is_not_ready_after_a_write_that_failed_until_one_succeeds(on_disk: World, disk: Path) -> None:
    database = on_disk.engine.database
    assert isinstance(database, SqliteDatabase)
    with ServerOfTests(on_disk) as server:
        stranger = server.stranger()
        ballast = fill(disk)
        until_refused(on_disk)
        ballast.unlink()
        answer = stranger.get("/ready")
        assert (answer.status_code, "The disk is full" in answer.text) == (503, True)
        assert str(disk) not in answer.text
        on_disk.task("There is room again")
        assert stranger.get("/ready").status_code == 200
        ballast = fill(disk)
        until_refused(on_disk)
        ballast.unlink()
        assert stranger.get("/ready").status_code == 503
        database.retry_seconds = 0
        assert stranger.get("/ready").status_code == 200  # it has tried a write itself


def until_refused(world: World) -> tuple[int, DatabaseFull]:
    """Add large tasks until there is no room; how many there was room for, and the refusal."""
    for written in range(200):
        try:
            world.task("x" * 200, description="y" * 20_000)
        except DatabaseFull as refused:
            return written, refused
    raise AssertionError("the disk was never full")


@pytest.mark.parametrize("leave", [0, 4096, 65536])
def test_a_full_disk_is_said_in_a_sentence_and_nothing_is_lost_or_half_done(
    on_disk: World, disk: Path, leave: int
) -> None:
    on_disk.task("Before")
    ballast = fill(disk, leave)
    written, refused = until_refused(on_disk)
    assert "No room is left" in str(refused) or "disk may be full" in str(refused)
    assert "Nothing was changed" in str(refused)
    assert len(on_disk.rows("SELECT 1 FROM item")) == 1 + written
    whole = content(on_disk.database)
    with pytest.raises(DatabaseFull):
        on_disk.task("x" * 200, description="y" * 20_000)
    assert content(on_disk.database) == whole
    ballast.unlink()
    assert on_disk.task("After").title == "After"
    database = on_disk.engine.database
    assert isinstance(database, SqliteDatabase)
    assert damage(database.connection) == []
    assert len(on_disk.rows("SELECT 1 FROM item")) == 2 + written


def test_no_room_for_a_backup_is_said_in_a_sentence_and_leaves_no_half_of_one(on_disk: World, disk: Path) -> None:
    database = on_disk.engine.database
    assert isinstance(database, SqliteDatabase)
    fill(disk, leave=65536)
    with pytest.raises(DatabaseFull):
        backup(database, disk / "copy.db")
    assert not list(disk.glob("*copy.db*"))


def test_a_backup_that_would_fill_the_disk_is_not_begun_and_made_as_soon_as_there_is_room(
    on_disk: World,
    disk: Path,
) -> None:
    database = on_disk.engine.database
    assert isinstance(database, SqliteDatabase)
    size = database.path.stat().st_size
    ballast = fill(disk, leave=size + 200_000)
    free = os.statvfs(disk).f_bavail
    for _ in range(3):
        with pytest.raises(DatabaseFull, match="with a reserve"):
            backups.rotate(database)
    assert list(disk.rglob("*podium-part*")) == []
    assert free - os.statvfs(disk).f_bavail <= 4, "the folder, and the file that says why"
    assert "No room" in backups.backup_state(database.path).problem
    on_disk.task("There is room for work")
    ballast.unlink()
    assert backups.rotate(database) is not None
    assert backups.backup_state(database.path).problem == ""


def test_a_disk_that_fills_while_a_copy_is_made_leaves_no_half_of_one(
    on_disk: World,
    disk: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    database = on_disk.engine.database
    assert isinstance(database, SqliteDatabase)
    copy = backups.backup(database, disk / "copy.db")
    before = content(database)
    monkeypatch.setattr(copies, "free_room", lambda _: 1 << 40)
    ballast = fill(disk, leave=database.path.stat().st_size // 2)
    for _ in range(2):
        with pytest.raises(DatabaseFull):
            backups.rotate(database)
    database.close()
    with pytest.raises(DatabaseFull):
        restoring.restore(copy, database.path)
    assert list(disk.rglob("*podium-part*")) == []
    assert not [each for each in disk.iterdir() if "replaced" in each.name]
    ballast.unlink()
    assert content(database) == before


def test_two_backups_at_once_on_a_disk_with_room_for_one_leave_none_that_is_half(on_disk: World, disk: Path) -> None:
    database = on_disk.engine.database
    assert isinstance(database, SqliteDatabase)
    before = content(database)
    database.close()
    fill(disk, leave=copies.room_wanted(database.path.stat().st_size) + 100_000)
    words = [sys.executable, "-m", "tui", "backup", "--db", str(database.path)]
    started = [
        subprocess.Popen([*words, str(disk / name)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for name in ("a.db", "b.db")
    ]
    said = [program.communicate()[1].decode() for program in started]
    for name, program, sentence in zip(("a.db", "b.db"), started, said, strict=True):
        assert (disk / name).exists() == (program.returncode == 0)
        if program.returncode:
            assert program.returncode == 5
            assert "room" in sentence.lower()
        else:
            with closing(SqliteDatabase(disk / name)) as copy:
                assert content(copy) == before
    assert 0 in [program.returncode for program in started]
    assert list(disk.rglob("*podium-part*")) == []


def test_no_room_for_a_new_workspace_is_said_in_a_sentence(disk: Path) -> None:
    fill(disk)
    with pytest.raises(DatabaseFull):
        SqliteDatabase(disk / "podium.db", create=True)


def test_on_a_read_only_disk_the_refusal_names_the_file(tmp_path: Path, clock: Clock) -> None:
    with mounted(tmp_path / "disk", f"size={ROOM}") as folder:
        engine = Engine(new_database(folder / "podium.db"), load_catalog, clock=clock)
        people = gather(engine)
        engine.database.close()
        subprocess.run([needs("mount"), "-o", "remount,ro", str(folder)], check=True)
        rename = EditUser(user_id=people.bob.user_id, city="Oslo")
        with pytest.raises(DatabaseReadOnly) as refused, closing(SqliteDatabase(folder / "podium.db")) as database:
            Engine(database, load_catalog, clock=clock).execute(rename, people.maya)
        assert str(folder / "podium.db") in str(refused.value)


def test_a_program_that_holds_the_database_for_long_is_waited_for_then_named(world: World, tmp_path: Path) -> None:
    world.database.close()
    database = SqliteDatabase(tmp_path / "podium.db")
    database.close()
    database.busy_seconds = 0.2
    engine = Engine(database, load_catalog, clock=world.engine.clock)
    with closing(sqlite3.connect(tmp_path / "podium.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DatabaseBusy) as refused:
            engine.execute(EditUser(user_id=world.bob.user_id, city="Oslo"), world.maya)
        assert "Another program is using" in str(refused.value)
        assert "Nothing was changed; try again" in str(refused.value)
        other.execute("ROLLBACK")
    engine.execute(EditUser(user_id=world.bob.user_id, city="Oslo"), world.maya)
    assert world.row("app_user", id=world.bob.user_id)["city"] == "Oslo"
    database.close()


def test_a_writer_that_hangs_in_the_queue_is_waited_for_then_named(world: World, tmp_path: Path) -> None:
    import fcntl

    database = world.engine.database
    assert isinstance(database, SqliteDatabase)
    world.task("Write the first one")  # which makes the file of the queue
    database.busy_seconds = 0.2
    world.new_project("Autumn launch")  # the first write makes the file of the queue
    with (tmp_path / "podium.db.lock").open("r+") as queue:
        fcntl.flock(queue, fcntl.LOCK_EX)
        with pytest.raises(DatabaseBusy, match="has held"):
            world.task()
        assert world.rows("SELECT title FROM item") == [{"title": "Write the first one"}]
    assert world.task().title == "Write the brief"
