"""Copies of a workspace: they hold all of it, or are not kept; and they take no room that others need."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.errors import DatabaseDamaged, DatabaseFull, StorageError
from core.storage import backups
from core.storage.sqlite import copies
from core.storage.sqlite.database import SqliteDatabase
from core.storage.sqlite.disk_space import free_room
from tests.support.workspace import World, content
from tests.unit.storage.test_backups import NOON, names


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backups"


def test_a_backup_holds_all_that_the_workspace_does(world: World, stored: SqliteDatabase, tmp_path: Path) -> None:
    world.task("Before")
    then = content(stored)
    (tmp_path / "new").mkdir()
    copy = backups.backup(stored, tmp_path / "new" / "mine.db")
    world.task("After")
    assert names(copy.parent) == ["mine.db"]
    with closing(SqliteDatabase(copy)) as opened:
        assert content(opened) == then


def test_a_damaged_database_is_not_kept_as_a_backup_and_not_copied_again_at_each_command(
    stored: SqliteDatabase, folder: Path, tmp_path: Path
) -> None:
    stored.connection.execute("PRAGMA foreign_keys = OFF")
    stored.connection.execute("INSERT INTO favourite VALUES ('gone', 'x', 1)")
    with pytest.raises(DatabaseDamaged, match="refers to a missing row of project"):
        backups.backup(stored, tmp_path / "copy.db")
    assert not list(tmp_path.glob("copy*"))
    now = datetime.now(UTC)
    with pytest.raises(DatabaseDamaged):
        backups.rotate(stored, now)
    assert names(folder) == [".podium.db.podium-failed"]
    assert "refers to a missing row of project" in backups.backup_state(stored.path).problem
    assert backups.rotate(stored, now + timedelta(minutes=50)) is None
    with pytest.raises(DatabaseDamaged):
        backups.rotate(stored, now + timedelta(minutes=61))
    stored.connection.execute("DELETE FROM favourite WHERE project_id = 'gone'")
    assert backups.rotate(stored, now + timedelta(minutes=122)) is not None
    assert backups.backup_state(stored.path, now + timedelta(minutes=123)).problem == ""
    assert len(names(folder)) == 1


def test_a_copy_that_lacks_anything_is_not_kept(
    world: World, stored: SqliteDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.task("Kept")

    def lossy(path: Path) -> dict[str, object]:
        with closing(sqlite3.connect(path)) as copy:
            copy.execute("DELETE FROM comment")
            copy.execute("DELETE FROM assignment")
            copy.execute("DELETE FROM item")
            copy.commit()
        return read_back(path)

    read_back = copies.read_back
    monkeypatch.setattr(copies, "read_back", lossy)
    with pytest.raises(StorageError, match="does not hold what"):
        backups.backup(stored, tmp_path / "copy.db")
    assert not list(tmp_path.glob("copy*"))


def test_without_room_for_a_copy_and_a_reserve_none_is_begun(
    stored: SqliteDatabase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = stored.path.stat().st_size + Path(f"{stored.path}-wal").stat().st_size
    monkeypatch.setattr(copies, "free_room", lambda _: size)
    with pytest.raises(DatabaseFull, match="with a reserve"):
        backups.rotate(stored, NOON)
    assert names(folder) == [".podium.db.podium-failed"]
    assert "No room for a copy" in backups.backup_state(stored.path, NOON).problem
    monkeypatch.setattr(copies, "free_room", lambda _: copies.room_wanted(size))
    assert backups.rotate(stored, NOON) is not None, "as soon as there is room"


def test_a_copy_is_given_up_when_others_fill_the_disk_meanwhile(
    stored: SqliteDatabase, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = iter([1 << 40, 1 << 40, 1 << 40])
    monkeypatch.setattr(copies, "AT_ONCE", 8)
    monkeypatch.setattr(copies, "free_room", lambda _: next(looks, 0))
    with pytest.raises(DatabaseFull, match="It was given up"):
        backups.rotate(stored, NOON)
    assert names(folder) == [".podium.db.podium-failed"]


def test_what_others_write_while_a_copy_is_made_is_not_half_in_it(
    world: World, stored: SqliteDatabase, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(stored)
    written: list[Path] = []

    def meanwhile(folder: Path) -> int:
        with closing(SqliteDatabase(stored.path)) as other:
            other.write(lambda tx: tx.execute("UPDATE app_user SET city = city || 'x', version = version + 1"))
        written.append(folder)
        return free_room(folder)

    monkeypatch.setattr(copies, "AT_ONCE", 8)
    monkeypatch.setattr(copies, "free_room", meanwhile)
    backups.backup(stored, tmp_path / "copy.db")
    assert len(written) > 5
    with closing(SqliteDatabase(tmp_path / "copy.db")) as copy:
        assert content(copy) == before


def test_a_backup_that_cannot_be_written_says_so(stored: SqliteDatabase) -> None:
    with pytest.raises(StorageError, match=r"/proc/copy\.db cannot be created or opened"):
        backups.backup(stored, Path("/proc/copy.db"))
