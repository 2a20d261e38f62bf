"""``podium migrate``, ``backup`` and ``restore`` on a database of PostgreSQL, from the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from core.storage.schema.migrations import MIGRATIONS, SCHEMA_VERSION
from tests.cli.conftest import CommandLine
from tests.support import postgres_cluster
from tests.support.postgres_cluster import cluster
from tests.support.system_programs import missing, needs
from tui.cli.program import podium


def run_on(url: str, *args: str, status: int = 0) -> Any:
    result = CliRunner().invoke(podium, [*args, "--json"], env={"PODIUM_DB": url}, catch_exceptions=False)
    assert result.exit_code == status, result.output
    document = json.loads(result.stdout or result.stderr)
    assert status or document.pop("formatVersion") == 1
    return document


@pytest.fixture
def url() -> str:
    if reason := postgres_cluster.missing():
        missing(reason)
    return cluster().url(cluster().new_database())


def test_migrate_makes_tables_and_says_the_schema(url: str, run: CommandLine) -> None:
    made = {"db": url, "migrations": len(MIGRATIONS), "schema": SCHEMA_VERSION}
    assert run_on(url, "migrate") == made
    assert run_on(url, "migrate") == made | {"migrations": 0}
    assert run_on(str(run.db), "migrate") == {"db": str(run.db), "migrations": 0, "schema": SCHEMA_VERSION}


def test_a_backup_is_restored_into_another_database(
    url: str, run: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join((str(Path(needs("pg_dump")).parent), os.environ["PATH"])))
    run_on(url, "copy", str(run.db), url)
    dump = tmp_path / "work.dump"
    assert run_on(url, "backup", str(dump)) == {"file": str(dump), "bytes": dump.stat().st_size}
    other = cluster().url(cluster().new_database())
    assert run_on(other, "restore", str(dump)) == {"db": other, "kept": []}
    listed = [run_on(each, "project", "list", "--direct", "--as", "robin") for each in (url, other)]
    assert listed[0] == listed[1] != {"data": []}
    (error,) = run_on(url, "restore", str(dump), status=2)["errors"]
    assert "Create an empty database with “createdb”" in error["errorMessage"]
