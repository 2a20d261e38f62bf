"""Files that count as backups: not those that a user named, reserved ones, or damaged ones."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from core.actions import load_catalog
from core.actions.workspace.create import FirstUser, new_workspace
from core.errors import DatabaseLost, InvalidInput, RuleViolation, UnsafeFile
from core.files import own_files
from core.files.own_files import RESERVED
from core.storage import backups
from core.storage.restoring import restore
from core.storage.sqlite import backup_folder
from core.storage.sqlite import database as sqlite
from core.storage.sqlite.database import SqliteDatabase
from tests.support.workspace import content
from tests.unit.storage.test_backups import DAY, NOON, made_at


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backups"


# -- names that a person may have chosen ---------------------------------------------------------------------------


def test_a_backup_leaves_a_persons_files_with_similar_names_alone(stored: SqliteDatabase, tmp_path: Path) -> None:
    (tmp_path / "mine.db.part").write_text("three years of work")
    (tmp_path / "backups").mkdir(mode=0o700)
    for name in ("podium.db.part", "backups/podium.db.part", "backups/podium.db.failed"):
        backups.backup(stored, tmp_path / name)
    whole = backups.backup(stored, tmp_path / "backups" / "podium-20260301T000000.db.part")
    backups.backup(stored, tmp_path / "mine.db")
    assert backups.rotate(stored, NOON) is not None
    assert (tmp_path / "mine.db.part").read_text() == "three years of work"
    for path in (
        tmp_path / "podium.db.part",
        whole,
        *(whole.with_name(f"podium.db.{end}") for end in ("part", "failed")),
    ):
        with closing(SqliteDatabase(path)) as copy:
            assert content(copy) == content(stored)


def test_a_workspace_beside_another_is_never_taken_for_what_is_left_of_that(
    stored: SqliteDatabase, tmp_path: Path
) -> None:
    beside = backups.backup(stored, tmp_path / "podium.db.part")
    with closing(SqliteDatabase(beside)) as database:
        assert backups.rotate(database, NOON) is not None
        assert backups.rotate(stored, NOON) is not None
        assert content(database) == content(stored)
    assert beside.exists()


def test_another_file_with_the_name_of_an_unfinished_one_is_refused_and_stays(
    stored: SqliteDatabase, tmp_path: Path
) -> None:
    places = [tmp_path / "backups" / ".podium.db.podium-part", tmp_path / ".mine.db.podium-part"]
    places[0].parent.mkdir()
    for place in places:
        place.write_text("three years of work")
    with pytest.raises(UnsafeFile, match="is not a file of Podium"):
        backups.rotate(stored, NOON)
    with pytest.raises(UnsafeFile, match="is not a file of Podium"):
        backups.backup(stored, tmp_path / "mine.db")
    assert [place.read_text() for place in places] == ["three years of work"] * 2


@pytest.mark.parametrize("ending", RESERVED)
def test_no_backup_and_no_workspace_gets_a_name_that_would_be_removed(
    ending: str, stored: SqliteDatabase, tmp_path: Path
) -> None:
    place = tmp_path / f"other.db{ending}"
    copy = backups.backup(stored, tmp_path / "copy.db")
    for make in (
        lambda: backups.backup(stored, place, replace=True),
        lambda: restore(copy, place),
        lambda: SqliteDatabase(place, create=True),
    ):
        with pytest.raises(InvalidInput, match="Choose another name"):
            make()
    assert not place.exists()


# -- damaged ones --------------------------------------------------------------------------------------------------


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def halved(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def a_text(path: Path) -> None:
    path.write_text("Dear diary\n" * 10_000)


def another_database(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE recipe (id)")


damaged = pytest.mark.parametrize("spoil", [emptied, halved, a_text, another_database])


@damaged
def test_a_damaged_backup_is_not_that_of_the_day_and_is_a_problem_until_another_is_made(
    spoil: Callable[[Path], None], stored: SqliteDatabase, folder: Path
) -> None:
    for hour in (2, 1):
        path = backup_folder.own_backup(
            stored.path, stored.connection, f"{NOON - timedelta(hours=hour):{backups.STAMP}}"
        )
        if hour == 1:
            spoil(path)
        written = (NOON - timedelta(hours=hour)).timestamp()
        os.utime(path, (written, written))
    assert f"{path.name}, cannot be read back" in backups.backup_state(stored.path, NOON).problem
    assert backups.backup_state(stored.path, NOON).newest == backup_folder.list_daily_backups(stored.path)[0]
    backup_folder.list_daily_backups(stored.path)[0].path.unlink()
    made = backups.rotate(stored, NOON)
    assert made is not None
    found = backups.backup_state(stored.path, NOON)
    assert found.problem == ""
    assert found.newest is not None
    assert found.newest.path == made
    assert path.exists(), "it may be the last of something"


@damaged
def test_the_newest_backup_is_the_newest_that_can_be_read(
    spoil: Callable[[Path], None], stored: SqliteDatabase, folder: Path
) -> None:
    before = backup_folder.own_backup(stored.path, stored.connection, "before-upgrade")
    days = [
        backup_folder.own_backup(stored.path, stored.connection, f"{NOON + day * DAY:{backups.STAMP}}")
        for day in range(3)
    ]
    kept = [None, before, *days]
    while path := kept.pop():
        assert backup_folder.newest_backup(stored.path) == path
        spoil(path)
    assert backup_folder.newest_backup(stored.path) is None


def test_a_backup_that_is_damaged_inside_is_not_named_as_the_way_back(stored: SqliteDatabase, folder: Path) -> None:
    first, last = (
        backup_folder.own_backup(stored.path, stored.connection, f"{NOON + day * DAY:{backups.STAMP}}")
        for day in range(2)
    )
    with last.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (last.stat().st_size - 4096))
    assert backup_folder.newest_backup(stored.path) == first


def test_a_lost_workspace_of_which_all_backups_are_damaged_is_not_replaced_by_a_new_one(
    stored: SqliteDatabase, tmp_path: Path
) -> None:
    emptied(backup_folder.own_backup(stored.path, stored.connection, f"{NOON:{backups.STAMP}}"))
    stored.close()
    stored.path.unlink()
    with pytest.raises(DatabaseLost, match="All of them are damaged"):
        SqliteDatabase(stored.path, create=True)
    assert not stored.path.exists()


def test_damaged_backups_push_out_no_whole_one(stored: SqliteDatabase, folder: Path) -> None:
    whole = [made_at(folder, NOON - day * DAY) for day in range(6, 0, -1)]
    for day in range(1, 7):
        emptied(made_at(folder, NOON - day * DAY + timedelta(minutes=1)))
    made = backups.rotate(stored, NOON)
    assert sorted(folder.iterdir()) == [*whole, made]


# -- a new workspace that is refused --------------------------------------------------------------------------------


def test_a_new_workspace_that_is_refused_leaves_the_files_that_were_there(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    (tmp_path / "new.db.lock").write_text("three years of work")
    with pytest.raises(InvalidInput):
        new_workspace(path, "New", FirstUser(login="", first_name="Ann", last_name="Lee"), load_catalog)
    assert [each.name for each in tmp_path.iterdir()] == ["new.db.lock"]
    assert (tmp_path / "new.db.lock").read_text() == "three years of work"


def test_a_workspace_that_another_program_makes_at_the_same_time_is_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "new.db"
    make = own_files.make_database

    def second(place: Path) -> None:
        monkeypatch.setattr(sqlite, "make_database", make)
        new_workspace(
            path, "First", FirstUser(login="ann", first_name="Ann", last_name="Lee"), load_catalog
        ).database.close()
        make(place)

    monkeypatch.setattr(sqlite, "make_database", second)
    with pytest.raises(RuleViolation, match="a workspace here already"):
        new_workspace(path, "Second", FirstUser(login="bob", first_name="Bob", last_name="Lee"), load_catalog)
    with closing(SqliteDatabase(path)) as database:
        assert [row["name"] for row in database.read(lambda tx: tx.query("SELECT name FROM workspace"))] == ["First"]
