"""A database file with two names: each has a log of its own, so what is saved under one would be lost by the other."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from operator import methodcaller
from pathlib import Path

import pytest

from core.actions.cards.tasks import CreateTask
from core.errors import UnsafeFile
from core.storage.backups import backup
from core.storage.database import Tx
from core.storage.restoring import restore
from core.storage.sqlite.database import SqliteDatabase
from core.storage.sqlite.write_queue import only_server
from tests.support.api.server import ServerOfTests
from tests.support.postgres_cluster import about_the_file
from tests.support.terminal.podium import podium as terminal
from tests.support.workspace import World, content

pytestmark = about_the_file

TWO_NAMES = r"are names of one file \(hard links\): what is saved under one name is lost under the other"


@pytest.fixture
def original(world: World) -> Path:
    """A workspace that was closed in order."""
    world.task("Saved")
    world.database.close()
    path: Path = world.database.path
    path.with_name("podium.db.lock").unlink()
    return path


def names_in(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def held_in(path: Path) -> dict[str, list[dict[str, object]]]:
    with closing(SqliteDatabase(path)) as database:
        return content(database)


def titles(path: Path) -> list[str]:
    with closing(SqliteDatabase(path)) as database:
        rows = database.read(lambda tx: tx.query("SELECT title FROM item ORDER BY title"))
    return [row["title"] for row in rows]


def podium(database: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """``podium WORDS`` on this database, which ends by itself where it is refused."""
    line = [sys.executable, "-m", "tui", *words, "--db", str(database)]
    return subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("create", [False, True])
def test_a_database_with_two_names_is_opened_by_neither_and_nothing_is_made_beside_it(
    original: Path, create: bool
) -> None:
    before = held_in(original)
    original.with_name("podium.db.lock").unlink(missing_ok=True)
    (other := original.with_name("hard.db")).hardlink_to(original)
    there = names_in(original.parent)
    for path, named in ((original, other), (other, original)):
        with pytest.raises(UnsafeFile, match=TWO_NAMES) as refused:
            SqliteDatabase(path, create=create)
        assert str(refused.value).startswith(f"{path} and {named} are names of one file")
        assert "and remove all names but one" in str(refused.value)
    assert names_in(original.parent) == there
    other.unlink()
    assert held_in(original) == before


def test_a_second_name_in_another_folder_or_behind_a_link_is_refused_with_a_way_to_find_it(original: Path) -> None:
    (original.parent / "elsewhere").mkdir()
    (original.parent / "elsewhere" / "hard.db").hardlink_to(original)
    (link := original.with_name("link.db")).symlink_to(original)
    for path in (original, link):
        with pytest.raises(UnsafeFile, match="one of several names of one file") as refused:
            SqliteDatabase(path)
        assert f"“find / -samefile {original}” lists them" in str(refused.value)
    assert names_in(original.parent / "elsewhere") == ["hard.db"]


def test_the_command_that_finds_a_second_name_can_be_copied_and_names_it(original: Path) -> None:
    (folder := original.parent / "a folder").mkdir()
    path = original.rename(folder / "my work.db")
    (other := original.with_name("hard.db")).hardlink_to(path)
    with pytest.raises(UnsafeFile) as refused:
        SqliteDatabase(path)
    command = shlex.split(str(refused.value).partition("“")[2].partition("”")[0])
    assert command == ["find", "/", "-samefile", str(path)]
    command[1] = str(original.parent)  # instead of the whole machine
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert sorted(found.splitlines()) == sorted([str(path), str(other)])


def test_no_server_starts_on_a_database_with_two_names(original: Path) -> None:
    original.with_name("hard.db").hardlink_to(original)
    there = names_in(original.parent)
    with pytest.raises(UnsafeFile, match=TWO_NAMES), only_server(original):
        pass
    assert names_in(original.parent) == there


@pytest.mark.parametrize(
    "words",
    [
        ("task", "add", "Spring launch", "Discover", "Lost", "--as", "maya"),
        ("project", "list", "--as", "maya"),
        ("serve", "--port", "0"),
        ("init", "--name", "U", "--login", "maya"),
        ("backup", "copy.db"),
    ],
    ids=lambda words: words[0],
)
def test_every_command_on_a_database_with_two_names_ends_with_5_and_one_sentence(
    original: Path, words: tuple[str, ...]
) -> None:
    (other := original.with_name("hard.db")).hardlink_to(original)
    there = names_in(original.parent)
    run = podium(other, *words)
    assert run.returncode == 5, run.stdout + run.stderr
    assert f"{other} and {original} are names of one file" in run.stderr
    assert len(run.stderr.strip().splitlines()) == 1
    assert names_in(original.parent) == there
    other.unlink()
    assert titles(original) == ["Saved"]


def test_the_screens_do_not_open_on_a_database_with_two_names(original: Path, tmp_path: Path) -> None:
    (other := original.with_name("hard.db")).hardlink_to(original)
    there = names_in(original.parent)
    with terminal("--db", str(other), "--as", "maya", home=tmp_path, cols=600) as session:
        assert session.exit_status() == 5
        assert f"{other} and {original} are names of one file" in session.text
    assert [name for name in names_in(original.parent) if name.startswith("hard")] == ["hard.db"]
    assert [name for name in there if name.startswith("podium.db")] == ["podium.db"]


def test_doctor_says_that_a_database_has_two_names_and_makes_nothing_beside_it(original: Path) -> None:
    (other := original.with_name("hard.db")).hardlink_to(original)
    there = names_in(original.parent)
    run = podium(other, "doctor")
    assert run.returncode != 0
    said = " ".join((run.stdout + run.stderr).split())
    assert f"{other} and {original} are names of one file" in said
    assert "Traceback" not in said
    assert names_in(original.parent) == there


def test_a_second_name_that_is_made_while_a_server_runs_stops_its_writes_until_it_is_removed(
    world: World, tmp_path: Path
) -> None:
    path = tmp_path / "podium.db"
    with ServerOfTests(world) as server:
        world.task("Saved")
        client = server.client(world.maya)
        (other := tmp_path / "hard.db").hardlink_to(path)
        assert server.stranger().get("/ready").status_code == 503
        world.refuses(CreateTask(phase_id=world.discover.id, title="Refused"), UnsafeFile, TWO_NAMES)
        refused = podium(other, "task", "add", "Spring launch", "Discover", "Lost", "--as", "maya")
        assert refused.returncode == 5
        answer = client.post("/v1/projects", json={"name": "Refused"})
        assert answer.status_code == 503
        assert "UNSAFE_FILE" in answer.text
        assert [row["title"] for row in world.rows("SELECT title FROM item")] == ["Saved"], "it is still read"
        other.unlink()
        world.task("Saved too")
        assert server.stranger().get("/ready").status_code == 200
    assert titles(path) == ["Saved", "Saved too"]


def test_a_second_name_that_is_made_during_a_write_undoes_it(world: World, tmp_path: Path) -> None:
    def write(tx: Tx) -> None:
        tx.execute("INSERT INTO feed (id, seq) VALUES ('lost', 1)")
        (tmp_path / "hard.db").hardlink_to(tmp_path / "podium.db")

    with pytest.raises(UnsafeFile, match=TWO_NAMES):
        world.database.write(write)
    (tmp_path / "hard.db").unlink()
    assert world.rows("SELECT id FROM feed WHERE id = 'lost'") == []


@pytest.mark.parametrize("left", ["podium.db.replaced-20260101T000000000000", ".podium.db.podium-part"])
def test_a_name_that_a_killed_restore_or_backup_left_does_not_close_the_workspace(original: Path, left: str) -> None:
    (other := original.with_name(left)).hardlink_to(original)
    assert titles(original) == ["Saved"]
    with closing(SqliteDatabase(original)) as database:
        database.write(lambda tx: tx.execute("UPDATE item SET title = 'Changed'"))
    with pytest.raises(UnsafeFile, match=TWO_NAMES):
        SqliteDatabase(other)
    original.with_name("hard.db").hardlink_to(original)
    with pytest.raises(UnsafeFile, match=r"hard\.db are names of one file"):
        SqliteDatabase(original)


def test_a_backup_with_two_names_is_restored_from(world: World, tmp_path: Path) -> None:
    world.task("In the backup")
    (tmp_path / "kept").mkdir()
    assert isinstance(world.database, SqliteDatabase)
    copy = backup(world.database, tmp_path / "kept" / "copy.db")
    (tmp_path / "kept" / "older.db").hardlink_to(copy)
    world.task("Since then")
    world.database.close()
    restore(copy, tmp_path / "podium.db")
    assert titles(tmp_path / "podium.db") == ["In the backup"]
    assert copy.stat().st_nlink == 2


def test_a_restore_gives_a_database_with_two_names_a_file_of_its_own(original: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    with closing(SqliteDatabase(original)) as database:
        copy = backup(database, tmp_path / "kept" / "copy.db")
    (other := original.with_name("hard.db")).hardlink_to(original)
    (replaced,) = restore(copy, original)
    assert replaced.samefile(other)
    assert titles(original) == ["Saved"]
    with pytest.raises(UnsafeFile, match=TWO_NAMES):
        SqliteDatabase(other)


def link_beside(path: Path) -> Path:
    (link := path.with_name("link.db")).symlink_to(path.name)
    return link


def link_to_a_link(path: Path) -> Path:
    (link := path.with_name("again.db")).symlink_to(link_beside(path))
    return link


def link_elsewhere(path: Path) -> Path:
    (folder := path.parent / "elsewhere").mkdir()
    (link := folder / "link.db").symlink_to(path)
    return link


def linked_folder(path: Path) -> Path:
    (folder := path.parent / "folder").symlink_to(path.parent)
    return folder / path.name


@pytest.mark.parametrize("made", [link_beside, link_to_a_link, link_elsewhere, linked_folder])
def test_what_is_written_at_once_through_a_symbolic_link_and_beside_it_is_all_there(
    original: Path, made: Callable[[Path], Path]
) -> None:
    link = made(original)
    with closing(SqliteDatabase(original)) as one, closing(SqliteDatabase(link)) as other:
        for number in range(6):
            database = (one, other)[number % 2]
            database.write(methodcaller("execute", "INSERT INTO feed (id, seq) VALUES (:id, 1)", id=f"by {number}"))
        found = [
            each.read(lambda tx: tx.query("SELECT id FROM feed WHERE id LIKE 'by %' ORDER BY id"))
            for each in (one, other)
        ]
        assert os.path.samefile(link, original)
        beside = {"podium.db-wal", "podium.db-shm", "podium.db.lock"}
        assert beside <= set(names_in(original.parent))
        there = {each.name for each in original.parent.rglob("*")} | {each.name for each in link.parent.iterdir()}
        assert {name for name in there if name.endswith(("-wal", "-shm", ".lock"))} == beside
    wanted = [{"id": f"by {number}"} for number in range(6)]
    assert [[dict(row) for row in rows] for rows in found] == [wanted, wanted]
    with closing(SqliteDatabase(original)) as after:
        rows = after.read(lambda tx: tx.query("SELECT id FROM feed WHERE id LIKE 'by %' ORDER BY id"))
    assert [dict(row) for row in rows] == wanted
