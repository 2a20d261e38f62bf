"""Putting a backup in the place of a workspace: the backup stays as it is, and a whole workspace at its place."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import DatabaseBusy, DatabaseDamaged, DatabaseFull, InvalidInput, StorageError, UnsafeFile
from core.storage import backups, restoring
from core.storage.schema.integrity import damage
from core.storage.schema.migrations import FIRST_VERSION
from core.storage.sqlite import backup_folder, copies
from core.storage.sqlite.database import SqliteDatabase
from tests.support.database_forms import make_database, rows_of
from tests.support.workspace import World, content
from tests.unit.storage.test_sqlite import NO_DATABASE

HOLD = (
    "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT * FROM item');"
    "print(1, flush=True); input()"
)


@pytest.fixture
def copy(stored: SqliteDatabase, tmp_path: Path) -> Path:
    """A backup in a folder of its own; nobody has the database open any more."""
    (tmp_path / "kept").mkdir()
    made = backups.backup(stored, tmp_path / "kept" / "copy.db")
    stored.close()
    return made


def beside(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir() if each.is_file())


def test_a_restore_brings_back_what_was_and_keeps_what_is(world: World, stored: SqliteDatabase, tmp_path: Path) -> None:
    task = world.task("Before")
    then = content(stored)
    (tmp_path / "backups").mkdir(mode=0o700)
    copy = backups.backup(stored, tmp_path / "backups" / "mine.db")
    world.task("After")
    now = content(stored)
    stored.close()
    (replaced,) = restoring.restore(copy, stored.path)
    assert content(stored) == then
    assert stored.connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert stat.S_IMODE(stored.path.stat().st_mode) == 0o600
    assert (stored.path.stat().st_nlink, replaced.stat().st_nlink) == (1, 1)
    with closing(SqliteDatabase(replaced)) as kept:
        assert content(kept) == now
    assert world.status(task) == "TO_DO"
    world.task("And on it goes")


def test_a_backup_of_an_older_form_is_not_changed_by_restoring_it(copy: Path, stored: SqliteDatabase) -> None:
    old = copy.with_name("old.db")
    make_database(old, FIRST_VERSION)
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    old.chmod(0o400)
    old.parent.chmod(0o500)
    before, files = old.read_bytes(), beside(old)
    restoring.restore(old, stored.path)
    old.parent.chmod(0o700)
    assert old.read_bytes() == before
    assert beside(old) == files
    assert beside(stored.path)[0] == "podium.db"
    assert not [each for each in beside(stored.path) if "part" in each or "upgrade" in each]
    assert not backup_folder.folder_of(stored.path).exists(), "the backup itself is what is kept of the old form"
    with closing(SqliteDatabase(stored.path)) as opened:
        assert damage(opened.connection) == []
    assert rows_of(stored.path)["hierarchy_node"] == rows_of(old)["hierarchy_node"]


def test_what_is_in_the_log_of_a_copied_database_is_restored_too(
    world: World, stored: SqliteDatabase, tmp_path: Path
) -> None:
    world.task("Only in the log")
    then = content(stored)
    raw = tmp_path / "raw"
    raw.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(f"{stored.path}{suffix}", raw / f"copy.db{suffix}")
    files = {each.name: each.read_bytes() for each in raw.iterdir()}
    stored.close()
    restoring.restore(raw / "copy.db", stored.path)
    assert content(stored) == then
    assert {each.name: each.read_bytes() for each in raw.iterdir()} == files


def test_a_restore_that_cannot_be_leaves_the_database_alone(copy: Path, stored: SqliteDatabase, tmp_path: Path) -> None:
    before = content(stored)
    stored.close()
    with pytest.raises(InvalidInput, match="There is no backup"):
        restoring.restore(tmp_path / "nothing.db", stored.path)
    bad = tmp_path / "kept" / "bad.db"
    for make in (*NO_DATABASE.values(), Path.touch):
        make(bad)
        with pytest.raises(DatabaseDamaged, match=r"bad\.db"):
            restoring.restore(bad, stored.path)
        bad.unlink()
    os.truncate(copy, copy.stat().st_size // 2)
    with pytest.raises(StorageError):
        restoring.restore(copy, stored.path)
    assert content(stored) == before
    assert not [each for each in beside(stored.path) if "part" in each or "replaced" in each]


def test_a_restore_to_a_new_place_needs_nothing_there(copy: Path, stored: SqliteDatabase, tmp_path: Path) -> None:
    assert restoring.restore(copy, tmp_path / "elsewhere" / "podium.db") == []
    with closing(SqliteDatabase(tmp_path / "elsewhere" / "podium.db")) as other:
        assert content(other) == content(stored)


def test_a_log_that_a_lost_database_left_is_not_read_as_a_part_of_the_restored_one(
    world: World, stored: SqliteDatabase, tmp_path: Path
) -> None:
    (tmp_path / "kept").mkdir()
    copy = backups.backup(stored, tmp_path / "kept" / "copy.db")
    then = content(stored)
    world.task("Written after the backup")
    log = Path(f"{stored.path}-wal").read_bytes()
    stored.close()
    stored.path.unlink()
    Path(f"{stored.path}-wal").write_bytes(log)
    (kept,) = restoring.restore(copy, stored.path)
    assert content(stored) == then
    assert [kept.name] == [each for each in beside(stored.path) if "replaced" in each]
    assert kept.name.endswith("-wal")
    assert kept.read_bytes() == log


@pytest.mark.parametrize("is_damaged", [False, True])
def test_nothing_is_restored_under_a_program_that_has_the_database_open(
    is_damaged: bool, copy: Path, stored: SqliteDatabase
) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(stored.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdout is not None
    other.stdout.readline()
    if is_damaged:
        with stored.path.open("r+b") as file:
            file.write(b"not a database at all")
    before = stored.path.read_bytes()
    with pytest.raises(DatabaseBusy, match=r"is in use\. Stop its server"):
        restoring.restore(copy, stored.path)
    other.communicate(b"\n")
    assert stored.path.read_bytes() == before
    assert restoring.restore(copy, stored.path) is not None
    with closing(SqliteDatabase(stored.path)) as opened:
        assert damage(opened.connection) == []


def test_a_damaged_database_is_replaced_and_kept(world: World, stored: SqliteDatabase, copy: Path) -> None:
    with stored.path.open("r+b") as file:
        file.write(b"not a database at all")
    (replaced,) = restoring.restore(copy, stored.path)
    assert replaced.read_bytes().startswith(b"not a database")
    world.task("And on it goes")


def damage_schema(path: Path) -> None:
    """Change bytes in the text of the schema, so that they are no UTF-8 any more."""
    data = path.read_bytes()
    at = data.index(b"CREATE TABLE app_user")
    path.write_bytes(data[:at] + b"\xff\xfe\xff" + data[at + 3 :])


def test_a_database_whose_schema_is_damaged_is_replaced(world: World, stored: SqliteDatabase, copy: Path) -> None:
    damage_schema(stored.path)
    assert restoring.restore(copy, stored.path) is not None
    world.task("And on it goes")


def test_a_backup_whose_schema_is_damaged_is_refused(stored: SqliteDatabase, copy: Path) -> None:
    before = content(stored)
    stored.close()
    damage_schema(copy)
    with pytest.raises(DatabaseDamaged, match=r"copy\.db is damaged"):
        restoring.restore(copy, stored.path)
    assert content(stored) == before


def test_the_database_keeps_its_mode_and_its_owner(
    copy: Path, stored: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored.path.chmod(0o660)
    if os.geteuid() == 0:
        os.chown(stored.path, 12345, 12345)
        with pytest.raises(UnsafeFile, match="root opens only its own"):
            restoring.restore(copy, stored.path)
        monkeypatch.setenv("PODIUM_AS_ROOT", "1")
    before = stored.path.stat()
    restoring.restore(copy, stored.path)
    after = stored.path.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)


@pytest.mark.parametrize("ending", ["", "-wal", "-shm", ".lock"])
def test_a_link_that_stands_where_the_copy_is_made_is_not_followed(
    ending: str, copy: Path, stored: SqliteDatabase, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("as it was")
    (tmp_path / f".podium.db.podium-part{ending}").symlink_to(victim)
    restoring.restore(copy, stored.path)
    assert victim.read_text() == "as it was"


def test_a_backup_that_another_program_writes_just_then_is_refused(
    copy: Path, stored: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = restoring._write

    def meanwhile(descriptor: int, data: bytes) -> None:
        write(descriptor, data)
        os.utime(copy)

    monkeypatch.setattr(restoring, "_write", meanwhile)
    with pytest.raises(DatabaseBusy, match="is written by another program"):
        restoring.restore(copy, stored.path)


def test_without_room_for_a_copy_nothing_is_begun(
    copy: Path, stored: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "free_room", lambda _: copy.stat().st_size)
    with pytest.raises(DatabaseFull, match="No room for a copy"):
        restoring.restore(copy, stored.path)
    assert not [each for each in beside(stored.path) if "part" in each or "replaced" in each]


def test_a_second_name_that_a_killed_restore_left_goes_with_the_next(copy: Path, stored: SqliteDatabase) -> None:
    left = stored.path.with_name("podium.db.replaced-20260101T000000000000")
    left.hardlink_to(stored.path)
    other = stored.path.with_name("podium.db.replaced-20250101T000000000000")
    other.write_text("of another restore")
    named = stored.path.with_name("podium.db.replaced-by-ann")
    named.hardlink_to(stored.path)
    (replaced,) = restoring.restore(copy, stored.path)
    assert not left.exists()
    assert replaced.samefile(named)
    assert replaced.stat().st_nlink == 2
    assert other.exists()
    assert named.exists(), "a person chose that name"
