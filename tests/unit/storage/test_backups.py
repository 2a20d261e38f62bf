"""Backups of the day: whole names, one a day, whatever the clock says, none half, and said when they fail."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.errors import DatabaseBusy, InvalidInput, UnsafeFile
from core.files.own_files import APPLICATION_ID, HEADER, open_own
from core.storage import backups
from core.storage.sqlite import backup_folder
from core.storage.sqlite.database import SqliteDatabase
from tests.support.workspace import content

HALF = HEADER + b"half of a database"
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backups"


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def made_at(folder: Path, at: datetime, name: str = "podium") -> Path:
    """Create a file that looks like a backup of that time."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}-{at:%Y%m%dT%H%M%S}.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("CREATE TABLE workspace (id)")
    os.utime(path, (at.timestamp(), at.timestamp()))
    return path


# -- which are ours, and which stay --------------------------------------------------------------------------------


def test_backups_rotate_daily_and_the_oldest_go(stored: SqliteDatabase, folder: Path) -> None:
    made = []
    for day in range(backups.KEEP_BACKUPS + 3):
        path = backups.rotate(stored, NOON + day * DAY)
        assert path is not None
        assert backups.rotate(stored, NOON + day * DAY + timedelta(hours=23)) is None
        made.append(path)
    assert sorted(folder.iterdir()) == made[-backups.KEEP_BACKUPS :]
    assert {stat.S_IMODE(each.stat().st_mode) for each in folder.iterdir()} == {0o600}


NEIGHBOURS = (
    "podium-2-20261101T120000.db",
    "podium-2026-20261101T120000.db",
    "podium-20261101T120000.db.old",
    "podium-20261101T120000.sqlite",
    "podium-20261101.db",
    "podium-20261341T120000.db",
    "podium-٢٠٢٦١١٠١T١٢٠٠٠٠.db",
    "podium--20261101T120000.db",
    "my-podium-20261101T120000.db",
    "Podium-20261101T120000.db",
    "podium-before-upgrade.db",
    "podium-20261101T120000.db\n",
)


def test_backups_of_another_workspace_with_a_similar_name_are_neither_counted_nor_removed(
    stored: SqliteDatabase, folder: Path, tmp_path: Path
) -> None:
    folder.mkdir()
    for name in NEIGHBOURS:
        (folder / name).write_text("of another workspace")
        os.utime(folder / name, (NOON.timestamp(), NOON.timestamp()))
    (tmp_path / "elsewhere").write_text("a file")
    (folder / "podium-20260302T110000.db").symlink_to(tmp_path / "elsewhere")
    (folder / "podium-20260302T100000.db").mkdir()
    for day in range(10):
        assert backups.rotate(stored, NOON + day * DAY) is not None
    assert len(backup_folder.list_daily_backups(stored.path)) == backups.KEEP_BACKUPS
    assert all((folder / name).read_text() == "of another workspace" for name in NEIGHBOURS)
    assert (folder / "podium-20260302T110000.db").is_symlink()
    assert (folder / "podium-20260302T100000.db").is_dir()


@pytest.mark.parametrize("name", ["p[0-9].db", "p*.db", "p?.db", "p.x.db", "p+.db", "(p).db", "p", ".p"])
def test_signs_of_patterns_in_the_name_of_a_workspace_are_taken_as_they_are(
    name: str, stored: SqliteDatabase, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    backups.backup(stored, here / name)
    other = made_at(here / "backups", NOON, "p1")
    with closing(SqliteDatabase(here / name)) as database:
        made = [backups.rotate(database, NOON + day * DAY) for day in range(9)]
        assert [each.path for each in backup_folder.list_daily_backups(database.path)] == made[-backups.KEEP_BACKUPS :]
    assert other.exists()


def test_several_of_one_day_do_not_push_out_the_days_before(stored: SqliteDatabase, folder: Path) -> None:
    days = [made_at(folder, NOON - day * DAY) for day in range(7, 1, -1)]
    for minute in range(20):
        made_at(folder, NOON - DAY - timedelta(minutes=minute))
    newest_of_yesterday = folder / "podium-20260301T120000.db"
    made = backups.rotate(stored, NOON)
    assert sorted(folder.iterdir()) == [*days[1:], newest_of_yesterday, made]


# -- the clock -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ahead", [timedelta(days=3), timedelta(days=27_000)])
def test_a_backup_that_is_dated_in_the_future_stops_none(
    ahead: timedelta, stored: SqliteDatabase, folder: Path
) -> None:
    future = made_at(folder, NOON + ahead)
    made = [backups.rotate(stored, NOON + (day + 0.1) * DAY) for day in range(3)]
    assert None not in made
    assert future.exists()


def test_a_clock_that_went_back_by_seconds_stops_none(stored: SqliteDatabase, folder: Path) -> None:
    made_at(folder, NOON + timedelta(seconds=2))
    assert backups.rotate(stored, NOON) is not None


@pytest.mark.parametrize("wrong", ["name", "file"])
def test_one_time_that_is_a_wrong_clocks_is_enough_to_make_another(
    wrong: str, stored: SqliteDatabase, folder: Path
) -> None:
    late = NOON + 9_000 * DAY
    path = made_at(folder, late if wrong == "name" else NOON)
    written = late if wrong == "file" else NOON
    os.utime(path, (written.timestamp(), written.timestamp()))
    assert backups.rotate(stored, NOON + timedelta(hours=1)) is not None


def test_backups_from_the_future_go_before_those_of_true_days(stored: SqliteDatabase, folder: Path) -> None:
    ahead = [made_at(folder, NOON + (9_000 + day) * DAY) for day in range(backups.KEEP_BACKUPS)]
    made = [backups.rotate(stored, NOON + day * DAY) for day in range(3)]
    assert sorted(folder.iterdir()) == [*made, *ahead[3:]]
    assert backup_folder.newest_backup(stored.path) == made[-1]


# -- what is left of those that were killed ------------------------------------------------------------------------


def test_what_was_left_unfinished_is_removed_also_that_of_an_older_podium(stored: SqliteDatabase, folder: Path) -> None:
    folder.mkdir()
    left = [f"podium-20260301T{hour:02}0000.db.part{end}" for hour in range(24) for end in ("", "-journal")]
    for name in (*left, ".podium.db.podium-part", ".podium.db.podium-part-journal"):
        (folder / name).write_bytes(HALF)
    (folder / "podium-2-20260301T000000.db.part").write_bytes(b"of another")
    made = backups.rotate(stored, NOON)
    assert made is not None
    assert names(folder) == ["podium-2-20260301T000000.db.part", made.name]


def test_what_is_left_is_removed_at_the_next_start_also_when_none_is_due(stored: SqliteDatabase, folder: Path) -> None:
    made = backups.rotate(stored, NOON)
    assert made is not None
    (folder / ".podium.db.podium-part").write_bytes(HALF)
    assert backups.rotate(stored, NOON + timedelta(hours=1)) is None
    assert names(folder) == [made.name]


def test_what_another_program_writes_just_now_stays(stored: SqliteDatabase, folder: Path) -> None:
    folder.mkdir()
    old = folder / "podium-20260301T000000.db.part"
    old.write_bytes(HALF)
    (folder / f"{old.name}-journal").write_bytes(b"half")
    with old.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        backups.sweep(stored.path)
        assert names(folder) == [old.name, f"{old.name}-journal"]
    backups.sweep(stored.path)
    assert names(folder) == []


def test_while_one_program_makes_the_backup_no_other_does(stored: SqliteDatabase, folder: Path) -> None:
    folder.mkdir()
    descriptor = open_own(folder / ".podium.db.podium-part")
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    assert backups.rotate(stored, NOON) is None
    assert names(folder) == [".podium.db.podium-part"]
    with pytest.raises(DatabaseBusy, match="Another program is writing"):
        backup_folder.own_backup(stored.path, stored.connection, "before-upgrade")
    os.close(descriptor)
    assert backups.rotate(stored, NOON) is not None


# -- links ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["podium-part", "podium-part-journal", "podium-part-wal", "podium-failed"])
def test_a_link_in_the_folder_is_not_followed(name: str, stored: SqliteDatabase, folder: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("the key of another person")
    victim.chmod(0o640)
    folder.mkdir()
    (folder / f".podium.db.{name}").symlink_to(victim)
    assert backups.rotate(stored, NOON) is not None
    assert victim.read_text() == "the key of another person"
    assert stat.S_IMODE(victim.stat().st_mode) == 0o640


def test_a_link_instead_of_the_folder_is_refused_and_said(stored: SqliteDatabase, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "private").mkdir()
    folder.symlink_to(tmp_path / "private")
    with pytest.raises(UnsafeFile, match="backups is a link, not a folder"):
        backups.rotate(stored, NOON)
    assert names(tmp_path / "private") == []
    assert "is a link" in backups.backup_state(stored.path).problem


@pytest.mark.parametrize("kind", ["link", "dangling", "second name"])
def test_a_backup_to_a_name_goes_through_nothing_that_stands_there(
    kind: str, stored: SqliteDatabase, tmp_path: Path
) -> None:
    victim = tmp_path / "victim"
    if kind != "dangling":
        victim.write_text("as it was")
    for name in ("mine.db", ".mine.db.podium-part"):
        place = tmp_path / name
        place.hardlink_to(victim) if kind == "second name" else place.symlink_to(victim)
    with pytest.raises(InvalidInput, match="is there already" if kind == "second name" else f"is a link to {victim}"):
        backups.backup(stored, tmp_path / "mine.db")
    if kind != "second name":
        with pytest.raises(InvalidInput, match=f"is a link to {victim}"):
            backups.backup(stored, tmp_path / "mine.db", replace=True)
        (tmp_path / "mine.db").unlink()
    made = backups.backup(stored, tmp_path / "mine.db", replace=True)
    assert not made.is_symlink()
    assert kind == "dangling" or victim.read_text() == "as it was"
    assert victim.exists() == (kind != "dangling")
    with closing(SqliteDatabase(made)) as copy:
        assert content(copy) == content(stored)


def test_in_a_folder_set_up_for_sharing_the_group_may_make_and_restore_backups(
    stored: SqliteDatabase, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o2770)
    backups.backup(stored, shared / "podium.db")
    with closing(SqliteDatabase(shared / "podium.db")) as database:
        made = backups.rotate(database, NOON)
    assert made is not None
    assert stat.S_IMODE(made.stat().st_mode) == 0o660
    assert stat.S_IMODE(made.parent.stat().st_mode) == 0o2770


# -- how they are --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("age", "said"),
    [
        (timedelta(hours=1), ""),
        (timedelta(hours=47), ""),
        (timedelta(hours=49), "is 2 days old"),
        (timedelta(days=9), "is 9 days old"),
        (-timedelta(days=9), "dated in the future"),
    ],
)
def test_a_newest_backup_that_is_old_or_from_the_future_is_a_problem(
    age: timedelta, said: str, stored: SqliteDatabase, folder: Path
) -> None:
    made_at(folder, NOON - age)
    problem = backups.backup_state(stored.path, NOON).problem
    assert said in problem
    assert bool(said) == bool(problem)


@pytest.mark.parametrize("days", [-9, 9])
def test_a_file_that_is_older_or_newer_than_its_name_counts_as_the_worse_of_the_two(
    days: int, stored: SqliteDatabase, folder: Path
) -> None:
    path = made_at(folder, NOON - timedelta(hours=1))
    written = (NOON + timedelta(days=days)).timestamp()
    os.utime(path, (written, written))
    assert ("is 9 days old" if days < 0 else "in the future") in backups.backup_state(stored.path, NOON).problem
    assert backups.rotate(stored, NOON) is not None
    assert backups.backup_state(stored.path, NOON).problem == ""


def test_what_a_killed_restore_left_is_removed_with_the_next_backup(stored: SqliteDatabase, tmp_path: Path) -> None:
    for suffix in ("", "-wal", "-shm", ".lock"):
        (tmp_path / f".podium.db.podium-part{suffix}").write_bytes(HALF)
    backups.rotate(stored, NOON)
    assert not list(tmp_path.glob("*part*"))


def test_a_folder_that_cannot_be_written_is_a_problem(stored: SqliteDatabase, folder: Path) -> None:
    assert backups.backup_state(stored.path).problem == ""
    folder.write_text("no folder")
    with pytest.raises(UnsafeFile):
        backups.rotate(stored)
    assert "is a file, not a folder" in backups.backup_state(stored.path).problem
