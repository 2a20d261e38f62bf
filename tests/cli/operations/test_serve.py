"""``podium serve``: one server on one database, unless --also is given; a killed one does not block the next."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.engine.engine import Engine
from core.errors import DatabaseBusy, UnsafeFile
from core.server import run
from core.storage.sqlite.database import SqliteDatabase
from core.storage.sqlite.write_queue import only_server
from tests.support.api.program import ServerProgram
from tests.support.workspace import World
from tui.cli.operations.serve import serve_

NORMAL, FULL = 1, 2
"""What “PRAGMA synchronous” answers (sqlite.org/pragma.html)."""


@pytest.fixture
def database(world: World, tmp_path: Path) -> Path:
    world.database.close()
    return tmp_path / "podium.db"


def second(database: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A server on a port that is free; one that is refused ends by itself."""
    command = [sys.executable, "-m", "tui", "serve", "--db", str(database), "--port", "0", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_a_second_server_on_one_database_is_refused_in_one_sentence(database: Path) -> None:
    with ServerProgram(database, warm=True) as first:
        refused = second(database)
        assert refused.returncode == 5
        assert "Another “podium serve” runs on" in refused.stderr
        assert "--also" in refused.stderr
        assert len(refused.stderr.strip().splitlines()) == 1
        assert first.client.get("/ready").status_code == 200


def test_a_second_name_of_the_folder_is_no_way_around_the_lock(database: Path, tmp_path: Path) -> None:
    (link := tmp_path / "other.db").symlink_to(database)
    with ServerProgram(database, warm=True):
        assert "Another “podium serve” runs on" in second(link).stderr


def test_with_also_two_servers_serve_one_database(database: Path) -> None:
    with ServerProgram(database, "--also", warm=True) as first, ServerProgram(database, "--also", warm=True) as other:
        assert [each.client.get("/ready").status_code for each in (first, other)] == [200, 200]
        assert second(database).returncode == 5


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_next_server_starts_after_one_that_ended_however_it_ended(database: Path, number: signal.Signals) -> None:
    with ServerProgram(database, warm=True) as first:
        for _ in range(2):
            first.stop(number)
            first.start()
            assert first.client.get("/ready").status_code == 200


def test_commands_work_on_the_file_beside_its_server(database: Path) -> None:
    with ServerProgram(database, warm=True) as server:
        assert "Spring launch" in server.podium("project", "list", "--as", "maya", "--db", str(database)).stdout


def test_a_link_at_the_lock_file_is_refused_and_not_followed(database: Path, tmp_path: Path) -> None:
    (tmp_path / "podium.db.server").symlink_to(tmp_path / "made.txt")
    with pytest.raises(UnsafeFile), only_server(database):
        pass
    assert not (tmp_path / "made.txt").exists()


def test_the_lock_is_held_for_as_long_as_the_server_runs(database: Path) -> None:
    with only_server(database):
        with pytest.raises(DatabaseBusy, match="--also"), only_server(database):
            pass
        with only_server(database, also=True):
            pass
    with only_server(database):
        assert (database.parent / "podium.db.server").stat().st_mode & 0o777 == database.stat().st_mode & 0o777


@pytest.mark.parametrize(("setting", "expected"), [("", FULL), ("NORMAL", NORMAL), ("FULL", FULL)])
def test_a_server_keeps_what_was_saved_through_a_loss_of_power_unless_the_setting_says_otherwise(
    database: Path, setting: str, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []

    def serve(engine: Engine, listeners: list[run.Listener], *_: object, daily_backup: bool) -> None:
        assert daily_backup
        for each in listeners:
            each.socket.close()
        assert isinstance(engine.database, SqliteDatabase)
        found.append(engine.database.connection.execute("PRAGMA synchronous").fetchone()[0])

    monkeypatch.setattr(run, "serve", serve)
    monkeypatch.setenv("PODIUM_SYNCHRONOUS", setting)
    result = CliRunner().invoke(serve_, ["--db", str(database), "--port", "0"])
    assert (result.exception, found) == (None, [expected])
