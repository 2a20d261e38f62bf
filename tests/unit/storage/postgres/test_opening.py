"""Opening a database of PostgreSQL: its tables, and the sentence for each reason why it cannot be opened."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import psycopg
import pytest

from core.errors import (
    DatabaseAway,
    DatabaseDamaged,
    DatabaseMissing,
    DatabaseReadOnly,
    DatabaseTooNew,
    DatabaseTooOld,
    InvalidInput,
    StorageError,
)
from core.net.database_url import DatabaseUrl
from core.storage.database import Database
from core.storage.opening import open_database
from core.storage.postgres.database import PostgresDatabase
from core.storage.postgres.migrating import migrate_database
from core.storage.postgres.tls import tls_parameters
from core.storage.schema.migrations import SCHEMA_VERSION
from core.storage.sqlite.database import SqliteDatabase
from tests.support.api.gateway import make_certificate
from tests.support.paths import ROOT
from tests.support.postgres_cluster import cluster, start, stop


def run(url: str, sql: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.encode())


def columns(database: PostgresDatabase) -> set[tuple[str, str]]:
    sql = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()"
    return {(table, column) for table, column in database.read(lambda tx: tx.tuples(sql))}


def test_a_new_database_has_the_tables_of_a_new_file(postgres: PostgresDatabase, tmp_path: Path) -> None:
    with_files = SqliteDatabase(tmp_path / "podium.db", create=True)
    sql = (
        "SELECT m.name, c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'"
        " AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE '\\_%' ESCAPE '\\' AND m.name NOT LIKE 'search%'"
    )
    in_file = set(with_files.read(lambda tx: tx.tuples(sql)))
    own = {name for name in columns(postgres) if name[0].startswith(("podium_", "commit_", "search_"))}
    assert columns(postgres) - own == in_file
    assert postgres.read(lambda tx: tx.tuples("SELECT id, seq FROM feed")) == [("workspace", 0)]


def test_a_database_is_opened_again_and_again(connect: Callable[..., PostgresDatabase]) -> None:
    connect().write(lambda tx: tx.execute("UPDATE feed SET seq = 7"))
    assert connect().read(lambda tx: tx.tuples("SELECT seq FROM feed")) == [(7,)]


def test_two_programs_that_make_it_at_once_make_it_once(empty_url: str) -> None:
    threads = [Thread(target=lambda: open_at(empty_url, create=True).close()) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with psycopg.connect(empty_url) as connection:
        assert connection.execute("SELECT count(*) FROM podium_schema").fetchone() == (1,)


def test_after_closing_it_opens_by_itself(postgres: PostgresDatabase) -> None:
    before = postgres.data_version()
    postgres.close()
    postgres.write(lambda tx: tx.execute("UPDATE feed SET seq = 7"))
    assert postgres.data_version() != before
    postgres.close()


def open_at(url: str, *, create: bool = False) -> Database:
    return open_database(DatabaseUrl(url), create=create)


def refused(kind: type[StorageError], url: str, *, create: bool = False) -> str:
    with pytest.raises(StorageError) as refusal:
        open_at(url, create=create)
    assert type(refusal.value) is kind
    assert "s3cret" not in str(refusal.value)
    return str(refusal.value)


def test_a_database_that_is_not_there_is_refused(empty_url: str) -> None:
    nowhere = cluster().url("nowhere").replace("podium@", "podium:s3cret@")
    assert refused(DatabaseMissing, nowhere).startswith("There is no database here: the database “nowhere”")
    assert "There is no workspace in the database" in refused(DatabaseMissing, empty_url)


def test_a_database_of_another_program_is_refused(empty_url: str) -> None:
    run(empty_url, "CREATE TABLE invoices (id BIGINT)")
    assert "are of another program" in refused(DatabaseDamaged, empty_url, create=True)
    run(empty_url, "CREATE TABLE podium_schema (hello TEXT); INSERT INTO podium_schema VALUES ('there')")
    assert "are of another program" in refused(DatabaseDamaged, empty_url)
    with pytest.raises(DatabaseDamaged, match="are of another program"):
        migrate_database(empty_url)


def test_an_encoding_that_lacks_letters_is_refused(empty_url: str) -> None:
    name = empty_url.split("/")[3].split("?")[0]
    cluster().execute(f"DROP DATABASE {name}")
    cluster().execute(f"CREATE DATABASE {name} ENCODING LATIN1 LOCALE 'C' TEMPLATE template0")
    assert "createdb --encoding UTF8" in refused(StorageError, empty_url, create=True)


def test_an_older_and_a_newer_schema_are_refused(empty_url: str) -> None:
    url = empty_url
    open_at(url, create=True).close()
    run(url, "UPDATE podium_schema SET version = version + 1, least_program = version + 1")
    assert f"schema {SCHEMA_VERSION + 1}, this one knows {SCHEMA_VERSION}" in refused(DatabaseTooNew, url)
    run(url, "UPDATE podium_schema SET version = version - 2")
    run(url, "UPDATE podium_schema SET least_program = version")
    assert "Run “podium migrate” with the role" in refused(DatabaseTooOld, url)


def test_a_server_that_only_reads_is_refused(empty_url: str) -> None:
    run(empty_url, f"ALTER DATABASE {empty_url.split('/')[3].split('?')[0]} SET default_transaction_read_only = on")
    assert "only reads, as a replica does" in refused(DatabaseReadOnly, empty_url)


def test_a_server_that_is_not_there_is_refused(tmp_path: Path) -> None:
    sentence = refused(DatabaseAway, f"postgresql://podium:s3cret@:5432,:5433/podium?host={tmp_path},{tmp_path}")
    there = f"the database “podium” on {tmp_path}:5432, {tmp_path}:5433"
    assert sentence.startswith(f"There is no connection to {there} (")


def test_a_role_that_is_not_there_is_refused(url: str) -> None:
    sentence = refused(StorageError, url.replace("podium@", "stranger:s3cret@"))
    assert 'role "stranger" does not exist' in sentence
    assert sentence.endswith("Ask its administrator.")


def test_a_wrong_password_is_refused(url: str) -> None:
    rules = cluster().folder / "data" / "pg_hba.conf"
    before = rules.read_text()
    cluster().execute("DROP ROLE IF EXISTS guarded; CREATE ROLE guarded LOGIN PASSWORD 'right'")
    rules.write_text("local all guarded scram-sha-256\n" + before)
    try:
        cluster().execute("SELECT pg_reload_conf()")
        right = url.replace("podium@", "guarded:right@")
        psycopg.connect(right).close()
        sentence = refused(StorageError, url.replace("podium@", "guarded:s3cret@"))
        assert sentence.startswith("The server refused the password")
    finally:
        rules.write_text(before)
        cluster().execute("SELECT pg_reload_conf()")


def test_without_the_driver_the_sentence_says_how_to_get_it() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from core.errors import StorageError\n"
        "from core.net.database_url import DatabaseUrl\n"
        "from core.storage.opening import open_database\n"
        "try: open_database(DatabaseUrl('postgresql://podium:s3cret@host/podium'))\n"
        "except StorageError as error: print(error)"
    )
    said = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True)
    assert said.strip() == (
        "The driver of PostgreSQL is not installed. Install it with “pip install 'podium-tui[postgres]'”."
    )


def test_a_file_is_opened_without_the_driver(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from core.storage.opening import open_database\n"
        "open_database(Path(sys.argv[1]), create=True).close(); print('psycopg' in sys.modules)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "podium.db")]
    assert subprocess.check_output(command, cwd=ROOT, text=True) == "False\n"


LOCAL = (
    "postgresql:///podium",
    "postgresql://app@localhost/podium",
    "postgresql://127.0.0.1,[::1]/podium",
    "postgresql://app@/podium?host=/run/postgresql",
    "postgresql://db.example.com/podium?hostaddr=127.0.0.1",
)


@pytest.mark.parametrize("url", LOCAL)
def test_a_server_on_this_machine_needs_no_tls(url: str) -> None:
    assert tls_parameters(url) == {}


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://db.example.com/podium",
        "postgresql://localhost,10.0.0.7/podium",
        "postgresql://localhost,db.example.com/podium?hostaddr=127.0.0.1,",
        "postgresql:///podium?host=db",
        "postgresql:///podium?hostaddr=10.0.0.7",
        "postgresql:///podium?host=/run/postgresql&hostaddr=10.0.0.7",
    ],
)
def test_the_certificate_of_a_server_on_another_machine_is_checked(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PGSSLMODE", "disable")  # it is not written in the URL, so it does not count
    assert tls_parameters(url) == {"sslmode": "verify-full", "sslrootcert": "system"}
    (tmp_path / ".postgresql").mkdir()
    (tmp_path / ".postgresql" / "root.crt").touch()
    assert tls_parameters(url) == {"sslmode": "verify-full"}
    named = f"{url}{'&' if '?' in url else '?'}sslrootcert=/etc/ssl/studio.pem"
    assert tls_parameters(named) == {"sslmode": "verify-full"}


@pytest.mark.parametrize("variable", ["PGHOST", "PGHOSTADDR", "PGSERVICE"])
def test_the_host_of_the_environment_counts(variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "services").write_text("[10.0.0.7]\nhost=db.example.com\nsslmode=disable\n")
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    monkeypatch.setenv(variable, "10.0.0.7")
    for url in ("postgresql:///podium", "postgresql://localhost/podium")[: 2 if variable == "PGHOSTADDR" else 1]:
        assert tls_parameters(url)["sslmode"] == "verify-full"


@pytest.mark.parametrize(
    "parameter", ["service", "servicefile", "options", "passfile", "sslkey", "sslcert", "sslcrl", "krbsrvname"]
)
def test_a_url_has_no_parameters_that_name_other_files_or_settings(parameter: str) -> None:
    for url in (f"postgresql:///podium?{parameter}=x", f"postgresql://app@localhost/podium?port=1&{parameter}=x"):
        with pytest.raises((InvalidInput, StorageError), match=f"parameter “{parameter}”|cannot be read"):
            open_database(DatabaseUrl(url))


@pytest.mark.parametrize("mode", ["require", "verify-ca", "prefer"])
def test_tls_that_checks_nothing_is_refused(mode: str) -> None:
    with pytest.raises(InvalidInput, match="does not check who answers"):
        open_database(DatabaseUrl(f"postgresql://db.example.com/podium?sslmode={mode}"))


def test_an_unencrypted_connection_must_be_written_out() -> None:
    assert tls_parameters("postgresql://10.0.0.7/podium?sslmode=disable") == {}


def test_a_server_with_another_certificate_or_another_name_is_refused(tmp_path: Path) -> None:
    tls, other = make_certificate(tmp_path), tmp_path / "other"
    other.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    key = tls.key.rename(Path(tempfile.mkdtemp(dir="/tmp")) / "key.pem")
    certificate = shutil.copy(tls.certificate, key.parent)
    if os.getuid() == 0:
        for each in (key.parent, key):
            shutil.chown(each, "postgres")
    folder, process = start(
        "listen_addresses=127.0.0.1", f"port={port}", "ssl=on", f"ssl_cert_file={certificate}", f"ssl_key_file={key}"
    )
    url = f"postgresql://podium@127.0.0.1:{port}/postgres?sslmode=verify-full&sslrootcert={tls.certificate}"
    try:
        with contextlib.closing(open_database(DatabaseUrl(url), create=True)) as database:
            used = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
            assert database.read(lambda tx: tx.tuples(used)) == [(True,)]
        unknown = url.replace(str(tls.certificate), str(make_certificate(other).certificate))
        assert "certificate verify failed" in refused(StorageError, unknown)
        assert "does not match host name" in refused(StorageError, url.replace("127.0.0.1", "localhost"))
    finally:
        stop(folder, process)
        shutil.rmtree(key.parent)
