"""The drill of a backup in PostgreSQL: dump, restore into a new database, and the content is equal."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from core.errors import DatabaseDamaged, DatabaseMissing, InvalidInput, StorageError
from core.net.database_url import DatabasePlace, DatabaseUrl
from core.storage.opening import open_database
from core.storage.postgres.dumps import dump, restore_dump
from tests.support.copied_workspaces import content_of, text_of
from tests.support.postgres_cluster import cluster
from tests.support.system_programs import needs
from tests.unit.storage.postgres.test_roles import make_roles


@pytest.fixture(autouse=True)
def _programs(monkeypatch: pytest.MonkeyPatch) -> None:
    folders = {str(Path(needs(program)).parent) for program in ("pg_dump", "pg_restore")}
    monkeypatch.setenv("PATH", os.pathsep.join((*folders, os.environ["PATH"])))


@pytest.fixture
def work(filled: Callable[[str], DatabasePlace]) -> str:
    """The URL of a database with the workspace of the demo."""
    return text_of(filled("database"))


def test_a_backup_restored_into_a_new_database_has_the_same_content(work: str, empty_url: str, tmp_path: Path) -> None:
    before = content_of(DatabaseUrl(work))
    with closing(open_database(DatabaseUrl(work))) as database:
        made = dump(work, tmp_path / "work.dump")
        database.write(lambda tx: tx.execute("DELETE FROM comment"))
    assert stat.S_IMODE(made.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.glob("*.dump*")] == ["work.dump"]
    restore_dump(made, empty_url)
    assert content_of(DatabaseUrl(empty_url)) == before
    with closing(open_database(DatabaseUrl(empty_url))) as database:
        hits = "SELECT count(*) FROM search_doc WHERE title_words @@ CAST('brief' AS tsquery)"
        assert database.read(lambda tx: tx.tuples(hits))[0][0] > 0
        database.write(lambda tx: tx.execute("UPDATE project SET name = 'New'"))


def test_extensions_stay_with_their_database_and_the_restored_tables_are_analyzed(work: str, tmp_path: Path) -> None:
    """As at a provider: only a superuser may make the extension, and its tables are there in each new database."""
    with psycopg.connect(work, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION pg_stat_statements")
    name, owner = cluster().new_database(), f"o{cluster().new_database()}"
    cluster().execute(f"CREATE ROLE {owner} LOGIN; ALTER DATABASE {name} OWNER TO {owner}")
    cluster().execute("CREATE EXTENSION pg_stat_statements; CREATE TABLE of_extension ()", name)
    cluster().execute("ALTER EXTENSION pg_stat_statements ADD TABLE of_extension", name)
    restore_dump(dump(work, tmp_path / "work.dump"), cluster().url(name, role=owner))
    assert content_of(DatabaseUrl(cluster().url(name, role=owner))) == content_of(DatabaseUrl(work))
    never = "SELECT relname FROM pg_class WHERE relname IN ('item', 'change', 'search_doc') AND reltuples < 0"
    assert cluster().execute(never, name) == []


def test_the_role_for_backups_makes_one_and_an_owner_restores_it(work: str, tmp_path: Path) -> None:
    make_roles(work)
    made = dump(work.replace("podium:s3cret@", "podium_backup@"), tmp_path / "work.dump")
    with psycopg.connect(cluster().url("postgres"), autocommit=True) as connection:
        name = cluster().new_database()
        connection.execute(f"CREATE ROLE {name} LOGIN; ALTER DATABASE {name} OWNER TO {name}".encode())
    restore_dump(made, cluster().url(name, role=name))
    assert content_of(DatabaseUrl(cluster().url(name, role=name))) == content_of(DatabaseUrl(work))


def test_no_password_is_on_a_command_line(
    work: str, empty_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    for program in ("pg_dump", "pg_restore"):
        script = tmp_path / "bin" / program
        script.write_text(f'#!/bin/sh\necho "$@" "[$PGPASSWORD]" >> {tmp_path}/seen\nexec {needs(program)} "$@"\n')
        script.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((str(tmp_path / "bin"), os.environ["PATH"])))
    restore_dump(dump(work, tmp_path / "work.dump"), empty_url.replace("podium@", "podium:s3cret@"))
    lines = (tmp_path / "seen").read_text().splitlines()
    assert [line.count("s3cret") for line in lines] == [1, *(0 for _ in lines[2:]), 1]
    assert all(line.endswith("[s3cret]") for line in (lines[0], lines[-1]))


def test_a_backup_is_not_written_over_a_file_unless_that_is_wanted(work: str, tmp_path: Path) -> None:
    made = dump(work, tmp_path / "work.dump")
    with pytest.raises(InvalidInput, match="--force"):
        dump(work, made)
    assert dump(work, made, replace=True) == made
    shutil.copy(made, tmp_path / ".work.dump.podium-part")  # of a backup that was killed
    dump(work, made, replace=True)
    assert [each.name for each in tmp_path.glob(".*podium-part")] == []


def test_a_backup_that_is_cut_short_or_of_another_program_is_refused(work: str, empty_url: str, tmp_path: Path) -> None:
    made = dump(work, tmp_path / "work.dump")
    os.truncate(made, made.stat().st_size * 9 // 10)
    with pytest.raises(DatabaseDamaged, match="is not a whole backup"):
        restore_dump(made, empty_url)
    made.write_text("CREATE TABLE x (id BIGINT)")
    with pytest.raises(InvalidInput, match="“podium copy” puts a workspace in a file into"):
        restore_dump(made, empty_url)
    with pytest.raises(InvalidInput, match="There is no backup at"):
        restore_dump(tmp_path / "none", empty_url)
    with pytest.raises(DatabaseMissing, match="There is no workspace in"):
        open_database(DatabaseUrl(empty_url))


def test_a_database_with_tables_is_refused(work: str, tmp_path: Path) -> None:
    before = content_of(DatabaseUrl(work))
    with pytest.raises(InvalidInput, match="Create an empty database"):
        restore_dump(dump(work, tmp_path / "work.dump"), work)
    assert content_of(DatabaseUrl(work)) == before


def test_a_program_that_is_missing_or_fails_is_named(
    work: str, empty_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = dump(work, tmp_path / "work.dump")
    name = empty_url.split("/")[3].split("?")[0]
    cluster().execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    with pytest.raises(StorageError, match="pg_restore failed") as failed:
        restore_dump(made, empty_url)
    assert "s3cret" not in str(failed.value)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StorageError, match="pg_dump is not installed"):
        dump(work, tmp_path / "other.dump")
    assert [each.name for each in tmp_path.iterdir() if "other" in each.name] == []
