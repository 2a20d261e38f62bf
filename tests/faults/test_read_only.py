"""A database that cannot be written is looked at, exported and backed up elsewhere; each write is refused."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest

from core.actions import load_catalog
from core.actions.workspace.users import EditUser
from core.diagnostics.local import diagnose_local
from core.domain.finding import Verdict
from core.engine.engine import Engine
from core.errors import DatabaseBusy, DatabaseFull, DatabaseReadOnly, StorageError, UnsafeFile
from core.storage.restoring import restore
from core.storage.sqlite import read_only
from core.storage.sqlite.database import SqliteDatabase
from tests.faults.test_disk import ROOM, fill, mounted
from tests.support.api.program import ServerProgram
from tests.support.api.server import link_account
from tests.support.postgres_cluster import about_the_file
from tests.support.system_programs import needs, needs_root
from tests.support.terminal.podium import podium
from tests.support.workspace import World, content

pytestmark = about_the_file

COMMANDS = (
    ("project", "list"),
    ("search", "brief"),
    ("history", "Spring launch"),
    ("project", "show", "Spring launch"),
)


def command(database: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """``podium WORDS`` as Maya, on this database."""
    line = [sys.executable, "-m", "tui", *words, "--db", str(database), "--as", "maya"]
    return subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def original(world: World) -> Path:
    """A workspace that was closed in order: all of it is in one file."""
    world.task("Write the brief")
    world.database.close()
    path: Path = world.database.path
    assert sorted(each.name for each in path.parent.glob("podium.db*")) == ["podium.db", "podium.db.lock"]
    return path


@contextmanager
def on_read_only_disk(original: Path, tmp_path: Path, also: Callable[[Path], object] = str) -> Iterator[Path]:
    with mounted(tmp_path / "disk", f"size={ROOM}") as folder:
        shutil.copy(original, folder / "podium.db")
        also(folder / "podium.db")
        subprocess.run([needs("mount"), "-o", "remount,ro", str(folder)], check=True)
        yield folder / "podium.db"


@contextmanager
def on_full_disk(original: Path, tmp_path: Path, leave: int = 0) -> Iterator[Path]:
    with mounted(tmp_path / "disk", f"size={ROOM}") as folder:
        shutil.copy(original, folder / "podium.db")
        fill(folder, leave)
        yield folder / "podium.db"


KINDS: dict[str, Callable[[Path, Path], AbstractContextManager[Path]]] = {
    "a read-only disk": on_read_only_disk,
    "a full disk": on_full_disk,
}


@pytest.fixture(params=KINDS)
def unwritable(request: pytest.FixtureRequest, original: Path, tmp_path: Path) -> Iterator[Path]:
    with KINDS[request.param](original, tmp_path) as path:
        yield path


def test_it_is_looked_at_exported_and_backed_up_elsewhere_by_commands(
    unwritable: Path, original: Path, tmp_path: Path
) -> None:
    for words in COMMANDS:
        done = command(unwritable, *words)
        assert (done.returncode, done.stderr) == (0, ""), words
    export, copy = tmp_path / "out.json", tmp_path / "copy.db"
    assert command(unwritable, "project", "export", "Spring launch", "-o", str(export)).returncode == 0
    assert "Write the brief" in export.read_text()
    made = subprocess.run(
        [sys.executable, "-m", "tui", "backup", str(copy), "--db", str(unwritable)], capture_output=True, check=False
    )
    assert (made.returncode, made.stderr) == (0, b"")
    with closing(SqliteDatabase(copy)) as found, closing(SqliteDatabase(original)) as expected:
        assert content(found) == content(expected)
    assert not read_only.has_log(unwritable)


def test_each_write_is_refused_in_one_sentence_that_names_the_cause(unwritable: Path) -> None:
    refused = command(unwritable, "task", "add", "Spring launch", "Discover", "Call the venue")
    assert refused.returncode == 5, refused
    assert len(refused.stderr.strip().splitlines()) == 1
    assert ("is read-only, so nothing can be changed" in refused.stderr) or ("No room is left" in refused.stderr)


def test_doctor_says_that_it_is_read_only_and_looks_at_the_rest(unwritable: Path) -> None:
    told = command(unwritable, "doctor").stdout
    assert "read only: " in told
    assert next(line.split() for line in told.splitlines() if "Quick check" in line)[-1] == "ok"


def test_the_title_line_of_the_terminal_says_read_only(unwritable: Path, tmp_path: Path) -> None:
    where = ("open", "Spring launch", "--db", str(unwritable), "--as", "maya")
    with podium(*where, home=tmp_path) as terminal:
        terminal.wait_for("Write the brief")
        terminal.wait_for("read only")
        terminal.send("L")
        terminal.wait_for("The disk of|No room is")  # a toast breaks lines anywhere
        terminal.wait_for("To Do 1")


def test_a_server_lets_people_read_and_notices_when_the_disk_can_be_written_again(world: World, tmp_path: Path) -> None:
    world.task("Write the brief")
    link_account(world, world.maya)
    world.database.close()
    with on_read_only_disk(world.database.path, tmp_path) as path, ServerProgram(path, warm=True) as server:
        assert "Write the brief" in server.podium("search", "brief").stdout
        for _ in range(2):
            refused = server.podium("task", "add", "Spring launch", "Discover", "Call the venue", status=5)
            assert "The database cannot be written: Nothing was changed." in refused.stderr
        answer = server.client.get("/ready")
        assert (answer.status_code, "Read only" in answer.text) == (503, True)
        assert [line.get("state") for line in server.log() if line["event"] == "serving"] == ["read only"]
        subprocess.run([needs("mount"), "-o", "remount,rw", str(path.parent)], check=True)
        server.podium("task", "add", "Spring launch", "Discover", "Call the venue")
        assert "Call the venue" in server.podium("search", "venue").stdout
        assert server.client.get("/ready").status_code == 200


def test_a_full_disk_is_written_again_once_there_is_room(original: Path, tmp_path: Path, world: World) -> None:
    with on_full_disk(original, tmp_path) as path, closing(SqliteDatabase(path)) as database:
        engine = Engine(database, load_catalog, clock=world.engine.clock)
        rename = EditUser(user_id=world.bob.user_id, city="Oslo")
        for _ in range(2):
            with pytest.raises(DatabaseFull):
                engine.execute(rename, world.maya)
        (path.parent / "ballast").unlink()
        engine.execute(rename, world.maya)
        assert database.unwritable is None
        assert database.read(lambda tx: tx.query("SELECT city FROM app_user WHERE login = 'bob'"))[0]["city"] == "Oslo"


def test_a_database_with_changes_in_its_log_is_read_on_a_read_only_disk(original: Path, tmp_path: Path) -> None:
    def killed(path: Path) -> None:
        words = "from pathlib import Path; from core.storage.sqlite.database import SqliteDatabase; import os, sys;"
        words += (
            "SqliteDatabase(Path(sys.argv[1])).write(lambda tx: tx.execute(\"UPDATE item SET title = 'In the log'\"));"
        )
        subprocess.run([sys.executable, "-c", words + "os._exit(0)", str(path)], check=True)

    with on_read_only_disk(original, tmp_path, killed) as path:
        assert (path.parent / "podium.db-wal").stat().st_size
        with closing(SqliteDatabase(path)) as database:
            titles = database.read(lambda tx: tx.query("SELECT title FROM item ORDER BY id"))
            assert [row["title"] for row in titles] == ["In the log"]


def test_a_log_that_cannot_be_read_is_never_passed_over(original: Path, tmp_path: Path) -> None:
    def killed(path: Path) -> None:
        Path(f"{path}-wal").write_bytes(bytes(100))

    with on_read_only_disk(original, tmp_path, killed) as path, pytest.raises(DatabaseReadOnly, match="Copy both"):
        SqliteDatabase(path)


AS_ACCOUNT = """
import os, sys
from click.testing import CliRunner
import core.wire.error_bodies
from tui.cli.program import podium
def run(db): return CliRunner().invoke(podium, [*sys.argv[3:], "--db", db, "--as", "maya"])
run(sys.argv[1])  # what is imported here cannot be read as the other account
os.setgroups([]); os.setgid(65534); os.setuid(65534)
done = run(sys.argv[2])
print(done.output)
sys.exit(done.exit_code)
"""


def as_nobody(original: Path, path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command as an account that has no rights of its own."""
    line = [sys.executable, "-c", AS_ACCOUNT, str(original), str(path), *words]
    env = {**os.environ, "HOME": "/nonexistent"}  # it cannot enter that of root
    return subprocess.run(line, capture_output=True, text=True, timeout=60, check=False, env=env)


@pytest.mark.parametrize(
    ("owner", "mode", "folder_mode"),
    [(65534, 0o400, 0o755), (0, 0o644, 0o755), (65534, 0o600, 0o555), (65534, 0o400, 0o777)],
)
def test_an_account_that_may_only_read_the_file_looks_at_it(
    original: Path, owner: int, mode: int, folder_mode: int
) -> None:
    needs_root()
    with mounted(Path("/tmp") / f"podium-{os.getpid()}", f"size={ROOM},mode={folder_mode:o}") as folder:
        path = folder / "podium.db"
        shutil.copy(original, path)
        os.chown(path, owner, -1)
        path.chmod(mode)
        for words in COMMANDS:
            done = as_nobody(original, path, *words)
            assert done.returncode == 0, done
        refused = as_nobody(original, path, "task", "add", "Spring launch", "Discover", "Call the venue")
        assert (refused.returncode, "You cannot write to" in refused.stdout) == (5, True), refused
        assert "read only: " in as_nobody(original, path, "doctor").stdout
        assert [each.name for each in folder.iterdir()] == ["podium.db"]
    folder.rmdir()


def test_what_a_server_writes_is_seen_by_an_account_that_may_only_read(
    original: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with closing(SqliteDatabase(original)) as reader:
        assert reader.unwritable is not None
        before = reader.data_version()
        assert titles(reader) == ["Write the brief"]
        monkeypatch.undo()
        with ServerProgram(original) as server:
            done = server.podium(
                "task", "add", "Spring launch", "Discover", "Call", "--db", str(original), "--as", "maya"
            )
            assert done.returncode == 0
            monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
            assert reader.data_version() != before
            assert titles(reader) == ["Call", "Write the brief"]
            monkeypatch.undo()
        monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
        assert titles(reader) == ["Call", "Write the brief"]


def test_a_database_that_is_written_while_it_is_read_without_locks_is_read_again(
    original: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with closing(SqliteDatabase(original)) as reader:

        def meanwhile(tx: object) -> None:
            os.utime(original)

        with pytest.raises(DatabaseBusy, match="Try again"):
            reader.read(meanwhile)
        assert titles(reader) == ["Write the brief"]


def titles(database: SqliteDatabase) -> list[str]:
    return [row["title"] for row in database.read(lambda tx: tx.query("SELECT title FROM item ORDER BY title"))]


@pytest.mark.parametrize("lock", ["flock", "lockf"])
def test_doctor_and_each_program_say_at_once_that_the_file_system_has_no_locks(
    original: Path, lock: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, lock, no_locks)
    with (
        pytest.raises(StorageError, match=r"cannot be locked \(No locks available\).*has locks, or turn them on there"),
        closing(SqliteDatabase(original)) as database,
    ):
        database.write(lambda tx: tx.execute("UPDATE feed SET seq = seq"))
    told = [each.found for each in diagnose_local(original) if each.what == "Writing"]
    assert len(told) == 1
    assert "cannot be locked (No locks available)" in told[0]


def test_doctor_warns_of_little_room_and_does_not_call_it_read_only(original: Path, tmp_path: Path) -> None:
    with on_full_disk(original, tmp_path, leave=500_000) as path:
        assert command(path, "task", "add", "Spring launch", "Discover", "Call the venue").returncode == 0
        (told,) = (each for each in diagnose_local(path) if each.what == "Writing")
        assert told.verdict is Verdict.NOTE
        assert re.fullmatch(r"Only \d+ kB are free on the disk of .*, so the next changes may find .*", told.found)


def test_a_restore_follows_no_link_beside_the_database(original: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    shutil.copy(original, copy)
    (secret := tmp_path / "secret").write_text("not Podium's")
    (tmp_path / "podium.db-wal").symlink_to(secret)
    with pytest.raises(UnsafeFile, match="is a link"):
        restore(copy, original)
    assert secret.read_text() == "not Podium's"
