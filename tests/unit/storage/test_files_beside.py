"""Files beside a database with names that Podium and SQLite use can be another account's trap."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import StorageError, UnsafeFile
from core.storage.sqlite.database import SqliteDatabase
from tests.support.postgres_cluster import about_the_file
from tests.support.workspace import World, new_database

pytestmark = about_the_file

SECRET = b"-----BEGIN OPENSSH PRIVATE KEY-----\n"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A private file of the person who opens the workspace."""
    file = tmp_path / "elsewhere" / "secret"
    file.parent.mkdir()
    file.write_bytes(SECRET)
    file.chmod(0o600)
    return file


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A closed workspace that everybody may write, as its owner made it: nothing stands beside it."""
    path = tmp_path / "shared" / "w.db"
    new_database(path).close()
    path.with_name("w.db.lock").unlink()
    path.chmod(0o666)
    return path


TRAPS: dict[str, Callable[[Path, Path], object]] = {
    "a link": lambda place, victim: place.symlink_to(victim),
    "a second name": lambda place, victim: os.link(victim, place),
    "a pipe": lambda place, victim: os.mkfifo(place),
}


def write(path: Path) -> None:
    with closing(SqliteDatabase(path)) as database:
        database.write(lambda tx: tx.execute("INSERT INTO feed (id, seq) VALUES ('more', 1)"))


@pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS.keys())
@pytest.mark.parametrize("suffix", [".lock", "-wal", "-shm", "-journal"])
def test_no_file_beside_a_database_is_opened_through_a_trap(
    workspace: Path, victim: Path, suffix: str, trap: Callable[[Path, Path], object]
) -> None:
    trap(place := Path(f"{workspace}{suffix}"), victim)
    with pytest.raises(UnsafeFile, match=r"does not open it\. Remove it") as refused:
        write(workspace)
    assert str(place) in str(refused.value)
    assert victim.read_bytes() == SECRET
    assert stat.S_IMODE(victim.stat().st_mode) == 0o600
    place.unlink()
    write(workspace)


@pytest.mark.parametrize("suffix", ["", ".lock", "-wal", "-shm", "-journal"])
def test_a_link_to_nothing_makes_no_file_at_its_other_end(workspace: Path, tmp_path: Path, suffix: str) -> None:
    if not suffix:
        workspace.unlink()
    Path(f"{workspace}{suffix}").symlink_to(tmp_path / "made")
    with pytest.raises(StorageError), closing(SqliteDatabase(workspace, create=True)) as database:
        database.write(lambda tx: tx.execute("INSERT INTO feed (id, seq) VALUES ('more', 1)"))
    assert not (tmp_path / "made").exists()


def test_a_lock_file_of_another_keeps_its_mode(workspace: Path) -> None:
    lock = Path(f"{workspace}.lock")
    lock.touch(mode=0o600)
    write(workspace)
    assert stat.S_IMODE(lock.stat().st_mode) == 0o600


def test_a_new_lock_file_is_never_open_to_everybody(workspace: Path) -> None:
    write(workspace)
    assert stat.S_IMODE(Path(f"{workspace}.lock").stat().st_mode) == 0o660


def test_programs_that_come_through_a_link_to_the_database_wait_in_the_same_queue(
    workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "shortcut.db").symlink_to(workspace)
    write(tmp_path / "shortcut.db")
    assert Path(f"{workspace}.lock").exists()
    assert not (tmp_path / "shortcut.db.lock").exists()


# -- root goes through every right ---------------------------------------------------------------------------------

NOBODY = 65534


def podium(path: Path, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tui", *words, "--db", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | environ)


@pytest.fixture
def of_another(world: World, tmp_path: Path) -> Path:
    """A workspace that belongs to another account, and so does its folder."""
    if os.getuid() != 0:
        pytest.skip("only root can become another account")
    world.database.close()
    path = tmp_path / "podium.db"
    for each in (tmp_path, *tmp_path.glob("podium.db*")):
        os.chown(each, NOBODY, NOBODY)
    return path


@pytest.mark.parametrize("words", [("project", "list", "--as", "maya"), ("doctor",), ("backup", "{}/copy.db")])
def test_root_does_not_open_a_workspace_of_another_account(
    of_another: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    before = {each: each.stat() for each in of_another.parent.iterdir() if each.is_file()}
    run = podium(of_another, *(word.format(of_another.parent) for word in words))
    assert run.returncode != 0
    said = " ".join((run.stdout + run.stderr).split())
    assert f"{of_another} belongs to nobody, and root opens only its own workspaces. Run “sudo -u nobody" in said
    assert {each: each.stat() for each in of_another.parent.iterdir() if each.is_file()} == before


def test_root_opens_it_when_told_and_leaves_it_to_its_owner(of_another: Path) -> None:
    of_another.with_name("podium.db.lock").unlink(missing_ok=True)
    run = podium(of_another, "project", "create", "Told", "--as", "maya", PODIUM_AS_ROOT="1", PODIUM_DAILY_BACKUP="off")
    assert run.returncode == 0, run.stderr
    assert {each.stat().st_uid for each in of_another.parent.glob("podium.db*")} == {NOBODY}


def test_the_owner_opens_it(of_another: Path, tmp_path: Path) -> None:
    for folder in tmp_path.parents[:3]:
        folder.chmod(0o755)
    code = (
        "import os, sys; from pathlib import Path; from core.storage.sqlite.database import SqliteDatabase;"
        f"os.setgid({NOBODY}); os.setuid({NOBODY});"
        "database = SqliteDatabase(Path(sys.argv[1]));"
        "database.write(lambda tx: tx.execute(\"INSERT INTO feed (id, seq) VALUES ('more', 1)\"))"
    )
    subprocess.run([sys.executable, "-c", code, str(of_another)], check=True)
