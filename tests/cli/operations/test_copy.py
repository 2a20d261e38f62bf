"""``podium copy`` from the command line."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from click.testing import CliRunner, Result

from tests.cli.conftest import CommandLine
from tests.support.paths import ROOT
from tests.support.waiting import wait_until
from tui.cli.program import podium


def copy(*args: str, status: int = 0) -> Result:
    result = CliRunner().invoke(podium, ["copy", *args], catch_exceptions=False)
    assert result.exit_code == status, result.output
    return result


def test_a_copy_says_what_it_did_and_the_old_place_where_the_workspace_is(run: CommandLine) -> None:
    to = run.db.with_name("new.db")
    answer = json.loads(copy(str(run.db), str(to), "--json").stdout)
    assert (answer["source"], answer["target"]) == (str(run.db), str(to))
    assert len(answer["tables"]["item"]["sha256"]) == 64
    assert run.error("project", "list", status=5)["errorCode"] == "DATABASE_MOVED"
    assert f"has been in {to} since" in run.error("project", "favourite", "torq", status=5)["errorMessage"]
    assert CommandLine(to)("project", "list").stdout
    rows = sum(table["rows"] for table in answer["tables"].values())
    said = copy(str(to), str(run.db.with_name("back.db"))).stdout
    assert said.startswith(f"Copied {rows:,} rows in {len(answer['tables'])} tables.")
    assert said.endswith(f"in {run.db.with_name('back.db')} now. The old one, {to}, is marked as moved.\n")


def test_a_file_with_a_workspace_is_no_target(run: CommandLine) -> None:
    to = Path(shutil.copy(run.db, run.db.with_name("other.db")))
    assert f"There is a workspace in {to}." in copy(str(run.db), str(to), status=2).stderr
    run("project", "favourite", "torq")


def test_ctrl_c_stops_a_copy_and_nothing_is_changed(run: CommandLine) -> None:
    with closing(sqlite3.connect(run.db)) as connection, connection:
        connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) INSERT INTO receipt"
            " (user_id, key, request, answer, at) SELECT 'x', i, '', '', '2026' FROM n"
        )
    to = run.db.with_name("new.db")
    command = [sys.executable, "-m", "tui", "copy", str(run.db), str(to)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        wait_until(to.exists, "no copy began")
        process.send_signal(signal.SIGINT)
        assert process.communicate()[1] == "Stopped. Nothing of it was kept.\n"
    assert process.returncode == 130
    assert not list(to.parent.glob("new.db*"))
    run("project", "favourite", "torq")


def test_a_place_that_is_none_and_a_password_are_refused(run: CommandLine) -> None:
    for args in (["postgresql://x", str(run.db)], [str(run.db), "postgresql://x"]):
        assert "This is no place of a workspace." in copy(*args, status=2).stderr
    secret = copy(str(run.db), "postgresql://podium:s3cret@db/podium", status=2).stderr
    assert "~/.pgpass" in secret
    assert "s3cret" not in secret


def test_a_backup_is_restored_over_a_moved_place_only_with_consent(run: CommandLine, tmp_path: Path) -> None:
    backup, new = tmp_path / "backup.db", tmp_path / "new.db"
    run("backup", str(backup))
    CliRunner().invoke(podium, ["copy", str(run.db), str(new)], catch_exceptions=False)
    error = run.error("restore", str(backup), status=2)
    assert f"The workspace has been in {new} since" in error["errorMessage"]
    assert "there would be two of it" in error["errorMessage"]
    assert "--yes" in error["errorMessage"]
    run("restore", str(backup), status=130, stdin=b"n\n")
    assert "podium copy" in run.error("project", "list", status=5)["errorMessage"]
    said = run("restore", str(backup), "--yes").stderr
    assert f"The workspace has been in {new} since" in said
    assert "there would be two of it" in said
    assert run.json("project", "list")["data"]
