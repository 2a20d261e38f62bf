"""Backups and restores that are killed at any step or run at the same time, and a workspace that is lost."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.storage import backups, restoring
from core.storage.schema.integrity import damage
from core.storage.sqlite import backup_folder
from core.storage.sqlite.database import SqliteDatabase
from tests.support.postgres_cluster import about_the_file
from tests.support.terminal.podium import podium
from tests.support.workspace import World, content

pytestmark = about_the_file


def store_of(world: World) -> SqliteDatabase:
    """The database of the world, with its own methods."""
    database = world.engine.database
    assert isinstance(database, SqliteDatabase)
    return database


def killed_at_each_step(what: str, folder: Path) -> list[Path]:
    """The folder as it was left each time; in the last one the work came through."""
    command = [sys.executable, "-m", "tests.support.faults.killed", what, str(folder)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    last = int(result.stdout)
    assert last > 10
    return [folder.with_name(str(step)) for step in range(1, last + 1)]


def whole(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The content of a database, which must not be damaged."""
    with closing(SqliteDatabase(path)) as database:
        assert damage(database.connection) == []
        return content(database)


def unfinished(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.rglob("*") if "podium-part" in each.name)


@pytest.fixture
def folder(world: World, tmp_path: Path) -> Path:
    """A folder with a workspace that nobody has open, and a backup from before its last change."""
    base = tmp_path / "steps" / "0"
    (base / "kept").mkdir(parents=True)
    backups.backup(store_of(world), base / "kept" / "copy.db")
    world.task("After the backup")
    backups.backup(store_of(world), base / "podium.db")
    with closing(SqliteDatabase(base / "podium.db")) as database:
        database.connection.execute("PRAGMA journal_mode = WAL")
    return base


def test_a_backup_that_is_killed_leaves_one_unfinished_file_at_most_which_the_next_removes(folder: Path) -> None:
    before = whole(folder / "podium.db")
    *killed, last = killed_at_each_step("backup", folder)
    for each in killed:
        assert len(unfinished(each)) <= 1, each
        assert whole(each / "podium.db") == before
        for backup in backup_folder.list_daily_backups(each / "podium.db"):
            assert whole(backup.path) == before, "what has the name of a backup is one"
        with closing(SqliteDatabase(each / "podium.db")) as database:
            backups.rotate(database)
        assert unfinished(each) == []
        assert len(backup_folder.list_daily_backups(each / "podium.db")) == 1
    assert [whole(backup.path) for backup in backup_folder.list_daily_backups(last / "podium.db")] == [before]


def test_a_restore_that_is_killed_leaves_a_whole_workspace_and_the_backup_as_it_was(folder: Path) -> None:
    now, then = whole(folder / "podium.db"), whole(folder / "kept" / "copy.db")
    assert now != then
    bytes_of_backup = (folder / "kept" / "copy.db").read_bytes()
    *killed, last = killed_at_each_step("restore", folder)
    assert whole(last / "podium.db") == then
    for each in killed:
        assert (each / "podium.db").exists(), each
        assert (each / "kept" / "copy.db").read_bytes() == bytes_of_backup
        assert len([name for name in unfinished(each) if name.endswith(".podium-part")]) <= 1
        assert whole(each / "podium.db") in (now, then)
        restoring.restore(each / "kept" / "copy.db", each / "podium.db")
        assert whole(each / "podium.db") == then
        assert unfinished(each) == []
        kept = [path for path in each.iterdir() if "replaced" in path.name]
        assert kept
        assert all(path.stat().st_nlink == 1 for path in (each / "podium.db", *kept))
        with closing(SqliteDatabase(each / "podium.db")) as database:
            assert database.connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_commands_that_end_at_the_same_time_make_one_backup(world: World, tmp_path: Path) -> None:
    path = store_of(world).path
    world.database.close()
    words = [sys.executable, "-m", "tui", "project", "favourite", "Spring", "--db", str(path), "--as", "maya"]
    for _ in range(2):
        programs = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(5)]
        said = [program.communicate() for program in programs]
        assert [program.returncode for program in programs] == [0] * 5, said
        assert {error for _, error in said} == {b""}
    assert [each.path.name for each in backup_folder.list_daily_backups(path)] == os.listdir(tmp_path / "backups")
    assert len(backup_folder.list_daily_backups(path)) == 1


def test_programs_that_make_the_same_backup_end_well_or_with_a_true_sentence(world: World, tmp_path: Path) -> None:
    before = content(store_of(world))
    for force in ((), ("--force",)):
        target = tmp_path / f"copy{len(force)}.db"
        words = [sys.executable, "-m", "tui", "backup", str(target), "--db", str(store_of(world).path), *force]
        started = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
        said = [program.communicate()[1].decode() for program in started]
        ends = [program.returncode for program in started]
        assert 0 in ends
        for end, sentence in zip(ends, said, strict=True):
            true = {0: "^$", 2: "is there already", 5: "Another program is writing"}
            assert re.search(true[end], sentence), sentence
            assert not force or end != 2
        assert whole(target) == before
    assert unfinished(tmp_path) == []


# -- the first page ------------------------------------------------------------------------------------------------


def test_a_person_whose_workspace_is_lost_is_shown_the_way_back_and_not_the_first_page(
    world: World, tmp_path: Path
) -> None:
    made = backups.rotate(store_of(world))
    world.database.close()
    for each in tmp_path.glob("podium.db*"):
        each.unlink()
    with podium("--db", str(tmp_path / "podium.db"), home=tmp_path, cols=400) as session:
        assert session.exit_status() == 5
        assert f"podium restore {made}" in session.text
        assert "Welcome" not in session.text
    assert not (tmp_path / "podium.db").exists()
