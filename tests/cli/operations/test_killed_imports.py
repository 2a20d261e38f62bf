"""Rows that a killed import left are removed by the next program that may write, and are in no backup."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from core.net.this_host import host_id
from core.storage.schema.migrations import SCHEMA_VERSION
from core.storage.sqlite.database import SqliteDatabase
from tests.cli.conftest import CommandLine
from tui.cli.program import podium


def leave_rows(path: Path, pid: int) -> None:
    """Leave a phase of a project that is not there, as an import by this process does."""
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        columns = [row[1] for row in file.execute("PRAGMA table_info(phase)") if row[1] not in ("project_id", "id")]
        names = ", ".join(columns)
        file.execute(f"INSERT INTO phase (project_id, id, {names}) SELECT 'hidden', 'p1', {names} FROM phase LIMIT 1")
        row = ["hidden", pid, datetime.now(UTC).isoformat(timespec="milliseconds"), host_id()]
        file.execute("INSERT INTO unfinished (project_id, pid, at, host) VALUES (?, ?, ?, ?)", row)


def dangling(path: Path) -> int:
    """The rows that refer to a project that is not there, and the notes about it."""
    with closing(sqlite3.connect(path)) as file:
        notes = file.execute("SELECT 1 FROM unfinished").fetchall()
        return len(file.execute("PRAGMA foreign_key_check").fetchall() + notes)


def backup(run: CommandLine) -> Path:
    copy = run.db.with_name("copy.db")
    CliRunner().invoke(podium, ["backup", str(copy), "--db", str(run.db)], catch_exceptions=False)
    return copy


@pytest.mark.parametrize("words", [("project", "list"), ("search", "brief"), ("doctor",), ("backup",)], ids=" ".join)
def test_each_command_removes_what_a_killed_import_left(run: CommandLine, words: tuple[str, ...]) -> None:
    leave_rows(run.db, pid=0)
    assert dangling(run.db) > 1
    if words == ("backup",):
        assert dangling(backup(run)) == 0
    elif words == ("doctor",):
        CliRunner().invoke(podium, ["doctor", "--db", str(run.db)], catch_exceptions=False)
    else:
        run(*words)
    assert dangling(run.db) == 0


def test_a_backup_has_nothing_of_an_import_that_is_under_way(run: CommandLine) -> None:
    leave_rows(run.db, os.getpid())
    before = dangling(run.db)
    copy = backup(run)
    assert (dangling(copy), dangling(run.db)) == (0, before)
    with closing(SqliteDatabase(copy)) as database:
        assert database.connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
