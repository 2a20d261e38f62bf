"""A log that is removed, or a file that is replaced, while a program has it open: when that program ends, it takes
nothing from others, and keeps what it can."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.diagnostics.local import diagnose_local
from core.errors import DatabaseLost, StorageError
from core.storage import backups
from core.storage.sqlite.database import SqliteDatabase
from tests.support.api.program import ServerProgram
from tests.support.api.server import link_account
from tests.support.postgres_cluster import about_the_file
from tests.support.sweeps import sweep
from tests.support.terminal.podium import podium
from tests.support.workspace import World
from tui.cli.program import podium as command_line

pytestmark = about_the_file

PROGRAM = """
import gc, sys
from pathlib import Path
from core.storage.sqlite.database import SqliteDatabase
database = SqliteDatabase(Path(sys.argv[1]))
database.write(lambda tx: tx.execute("INSERT INTO feed (id, seq) VALUES ('mine', 1)"))
print("saved", flush=True)
sys.stdin.read()
"""

ENDS = {
    "closes it": "database.close()",
    "loses it": "del database; gc.collect()",
    "ends": "",
    "fails": "raise SystemExit('it failed')",
}
"""What a program does with a database that it has open in a global variable."""

GONE = ["-wal", "-shm", "-wal -shm"]


@contextmanager
def running(path: Path, end: str = "closes it") -> Iterator[None]:
    """A program that saves “mine”, and ends after the block."""
    command = [sys.executable, "-c", PROGRAM + ENDS[end], str(path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "saved\n"
        yield
        _, said = program.communicate()
        assert said == ("it failed\n" if end == "fails" else "")


def save(path: Path) -> None:
    """Save “theirs” as a tool that knows nothing of Podium; the log is its own where there is none."""
    with closing(sqlite3.connect(path, isolation_level=None)) as tool:
        tool.execute("INSERT INTO feed (id, seq) VALUES ('theirs', 1)")


def saved(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {row[0] for row in connection.execute("SELECT id FROM feed")} & {"mine", "theirs"}


@pytest.fixture
def path(world: World) -> Path:
    """A workspace that no program has open."""
    world.database.close()
    found: Path = world.database.path
    return found


ENDINGS = [(end, gone) for end in ENDS for gone in GONE if gone != "-wal"]


@pytest.mark.parametrize(("end", "gone"), sweep(ENDINGS, lambda ending: ending[1] == "-wal -shm"))
def test_what_a_tool_saves_after_the_log_was_removed_is_there_when_the_program_has_ended(
    path: Path, end: str, gone: str
) -> None:
    with running(path, end):
        for suffix in gone.split():
            Path(f"{path}{suffix}").unlink()
        save(path)
    assert "theirs" in saved(path)


@pytest.mark.parametrize("end", sweep(ENDS, lambda end: end == "ends"))
@pytest.mark.parametrize("gone", GONE)
def test_what_a_program_saved_is_kept_where_nobody_opened_the_file_since(path: Path, gone: str, end: str) -> None:
    with running(path, end):
        for suffix in gone.split():
            Path(f"{path}{suffix}").unlink()
    assert saved(path) == {"mine"}


def replaced(path: Path) -> bytes:
    """Put another workspace in the place of this one, as a program that synchronises folders does."""
    shutil.copy(path, path.with_name("newer"))
    with closing(sqlite3.connect(path.with_name("newer"), isolation_level=None)) as newer:
        newer.execute("INSERT OR REPLACE INTO feed (id, seq) VALUES ('theirs', 1)")
    path.with_name("newer").replace(path)
    return path.read_bytes()


@pytest.mark.parametrize("end", sweep(ENDS, lambda end: end in ("closes it", "ends")))
def test_a_file_that_took_the_place_is_as_it_was_and_the_log_stays_aside(path: Path, end: str) -> None:
    with running(path, end):
        newer = replaced(path)
    assert path.read_bytes() == newer
    assert len([*path.parent.glob(f"{path.name}.replaced-*-wal")]) == 1
    assert saved(path) == {"theirs"}


def test_a_folder_that_was_renamed_has_all_that_was_saved(path: Path) -> None:
    folder = path.parent / "before"
    folder.mkdir()
    shutil.copy(path, folder)
    with running(folder / path.name):
        folder.rename(path.parent / "after")
    assert saved(path.parent / "after" / path.name) == {"mine"}


@pytest.mark.parametrize("gone", sweep(GONE, lambda gone: gone == "-wal -shm"))
def test_nobody_saves_beside_a_server_whose_log_was_removed_and_its_changes_are_kept(world: World, gone: str) -> None:
    """Otherwise the changes of one of them would be lost."""
    link_account(world, world.maya)
    world.database.close()
    path = world.database.path
    with ServerProgram(path, warm=True) as server:
        server.podium("task", "add", "Spring launch", "Discover", "Mine")
        for suffix in gone.split():
            Path(f"{path}{suffix}").unlink()
        line = [sys.executable, "-m", "tui", "task", "add", "Spring launch", "Discover", "Theirs", "--db", str(path)]
        refused = subprocess.run([*line, "--as", "maya"], capture_output=True, text=True, check=False)
        assert refused.returncode == 5, refused
        assert "was removed while another program has the database open" in refused.stderr
        assert server.client.get("/ready").status_code == 503
        assert server.stop() == 0
    assert [row["title"] for row in world.rows("SELECT title FROM item")] == ["Mine"]


@pytest.mark.parametrize("gone", sweep(GONE, lambda gone: gone == "-wal -shm"))
def test_a_thread_that_asks_after_the_log_was_removed_takes_nothing_of_what_was_saved(world: World, gone: str) -> None:
    """SQLite gives its connection a log of its own, and that was folded into the file when it was closed last."""
    world.task("Mine")
    for suffix in gone.split():
        Path(f"{world.database.path}{suffix}").unlink()
    with ThreadPoolExecutor(1) as another, pytest.raises(StorageError, match="was removed or replaced"):
        another.submit(world.rows, "SELECT title FROM item").result()
    world.database.close()
    assert [row["title"] for row in world.rows("SELECT title FROM item")] == ["Mine"]


@pytest.mark.parametrize("has_backup", [False, True])
def test_a_file_that_was_moved_away_from_its_log_is_to_be_put_back_before_a_restore(
    path: Path, tmp_path: Path, has_backup: bool
) -> None:
    """The log has the newest changes, and SQLite removes it when a new file takes the place."""
    (kept := tmp_path / "kept").mkdir()
    with closing(SqliteDatabase(path)) as database:
        copy = backups.backup(database, kept / "copy.db")
        if has_backup:
            backups.rotate(database)
    with running(path):
        path.rename(away := path.with_name("away.db"))
    assert saved(Path(shutil.copy(away, kept))) == set()
    for create in (False, True):
        with pytest.raises(DatabaseLost, match=rf"changes are in {path}-wal\. .* put it back to this place") as lost:
            SqliteDatabase(path, create=create)
    first, last = str(lost.value).split("If it is gone, ")
    assert "podium restore" not in first
    assert ("podium restore" in last) == has_backup
    assert str(lost.value) in [each.found for each in diagnose_local(path)]
    answer = CliRunner().invoke(command_line, ["restore", str(copy), "--db", str(path)], catch_exceptions=False).stdout
    (log,) = path.parent.glob(f"{path.name}.replaced-*-wal")
    assert answer == f"Restored {path}. What was there is kept as {log}.\n"
    log.rename(f"{path}-wal")
    away.replace(path)
    assert saved(path) == {"mine"}


def remove_both(path: Path) -> None:
    for suffix in ("-wal", "-shm"):
        Path(f"{path}{suffix}").unlink()
    save(path)


@pytest.mark.parametrize("happens", [remove_both, replaced], ids=["removed", "replaced"])
def test_screens_that_are_open_meanwhile_take_nothing_from_others_either(
    path: Path, tmp_path: Path, happens: Callable[[Path], object]
) -> None:
    with podium("open", "Spring launch", "--db", str(path), "--as", "maya", home=tmp_path) as terminal:
        terminal.wait_for("Discover")
        happens(path)
        terminal.send("ctrl+q")
        assert terminal.exit_status() == 0
    assert saved(path) == {"theirs"}
