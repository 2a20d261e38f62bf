"""A cluster of PostgreSQL for the tests of one run, made by initdb on a Unix socket in a temporary folder.

``PODIUM_TEST_ENGINE=postgresql pytest`` runs the worlds of tests on it: ``open_at(path)`` is then a database of its own
for each path. ``PODIUM_TEST_WITHOUT="listen advisory_locks"`` turns capabilities of the server off, and
``PODIUM_TEST_WITHOUT=all`` all of them.
"""

from __future__ import annotations

import atexit
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from tests.support.system_programs import FOLDERS, needs
from tests.support.waiting import wait_until

if TYPE_CHECKING:
    import psycopg

ENGINE = "PODIUM_TEST_ENGINE"
CLUSTER = "PODIUM_TEST_CLUSTER"
"""The folder of a cluster that runs already: the process that starts the tests sets it for those that it starts."""

ON_POSTGRES = os.environ.get(ENGINE, "sqlite") == "postgresql"
about_the_file = pytest.mark.sqlite
"""A test of SQLite alone: its file, its statements or its tables."""

WITHOUT = frozenset(os.environ.get("PODIUM_TEST_WITHOUT", "").split())

REACH_A_DATABASE = (
    "tests/unit/",
    "tests/contract/",
    "tests/api/",
    "tests/faults/",
    "tests/properties/test_gate_people.py",
    "tests/properties/test_gate_tables.py",
    "tests/properties/test_workflow_model.py",
    "tests/permissions/test_command_line.py",
    "tests/permissions/test_core.py",
    "tests/permissions/test_membership_meanwhile.py",
    "tests/permissions/test_nothing_is_told.py",
    "tests/permissions/test_remote.py",
    "tests/screens/canvas/test_canvas_screen.py",
    "tests/end_to_end/terminal/test_on_postgres.py",
)
"""The tests that run on PostgreSQL; of screens and of the terminal one file each, since these never see the engine."""

ABOUT_POSTGRES = "tests/unit/storage/postgres/"
"""The tests of PostgreSQL itself. They are the same with and without the switch, so they run without it."""

SETTINGS = (
    "fsync=off", "full_page_writes=off", "autovacuum=off", "listen_addresses=", "max_connections=600",
    "max_pred_locks_per_transaction=256", "shared_buffers=32MB", "lc_messages=C",
)  # fmt: skip


def programs() -> Path | None:
    """The folder of initdb and postgres; None if PostgreSQL is not installed."""
    found = shutil.which("initdb", path=FOLDERS)
    return Path(found).parent if found else None


def missing() -> str:
    """The reason why there can be no cluster; empty if there can be one."""
    try:
        import psycopg  # noqa: F401
        import psycopg_pool  # noqa: F401
    except ImportError:
        return "The driver of PostgreSQL is not installed: pip install 'podium-tui[postgres]'."
    if programs() is None:
        return "PostgreSQL is not installed: apt-get install postgresql."
    if os.getuid() == 0 and not _has_account():
        return "PostgreSQL does not run as root, and this machine has no account “postgres” to run it as."
    return ""


def _has_account() -> bool:
    return any(account.pw_name == "postgres" for account in pwd.getpwall())


class Cluster:
    """A running cluster. Its superuser is “podium”, and needs no password."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def url(self, name: str, role: str = "podium") -> str:
        """The URL of one of its databases."""
        return f"postgresql://{role}@/{name}?host={self.folder}"

    def execute(self, sql: str, name: str = "postgres") -> list[tuple[Any, ...]]:
        """Run statements as the superuser. Returns the rows of the last."""
        import psycopg

        with psycopg.connect(self.url(name), autocommit=True) as connection:
            cursor = connection.execute(sql)
            return cursor.fetchall() if cursor.description else []

    def new_database(self) -> str:
        """Create an empty database. Returns its name."""
        name = f"t{uuid4().hex}"
        self.execute(f"CREATE DATABASE {name}")
        return name


def start(*settings: str) -> tuple[Path, subprocess.Popen[bytes]]:
    """Make a cluster and start it. It ends, and its folder goes, when the process that called this ends."""
    if reason := missing():
        raise RuntimeError(reason)
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    account = "postgres" if os.getuid() == 0 else None
    if account:
        shutil.chown(folder, account)
    bin_ = programs()
    options = " ".join(f"-c {each}" for each in (*SETTINGS, f"unix_socket_directories={folder}", *settings))
    script = (
        f"{bin_}/initdb -D {folder}/data -U podium --auth=trust -E UTF8 --locale=C.UTF-8 --no-sync >{folder}/log 2>&1;"
        f" {bin_}/postgres -D {folder}/data {options} >>{folder}/log 2>&1 &"
        f" cat >/dev/null; while kill -INT $! 2>/dev/null; do sleep 0.1; done; rm -rf {folder}/*"
    )
    process = subprocess.Popen(
        [needs("sh"), "-c", script], stdin=subprocess.PIPE, user=account, cwd="/", start_new_session=True
    )
    log = folder / "log"
    wait_until(lambda: log.exists() and "ready to accept" in log.read_text(), f"PostgreSQL does not start: {log}", 120)
    return folder, process


def stop(folder: Path, process: subprocess.Popen[bytes]) -> None:
    """End a cluster."""
    assert process.stdin is not None
    process.stdin.close()
    process.wait()
    shutil.rmtree(folder)


@cache
def cluster() -> Cluster:
    """The cluster of this run. Without the switch, the first test that needs it starts it."""
    if CLUSTER not in os.environ:
        folder, process = start()
        atexit.register(stop, folder, process)
        return Cluster(folder)
    return Cluster(Path(os.environ[CLUSTER]))


_free: list[str] = []
_names: dict[Path, str] = {}
_opened: list[Any] = []


Rows = dict[str, list[str]]
"""The rows of each table, as JSON, by the name of the table."""

NEW: Rows = {"feed": ['{"id": "workspace", "seq": 0, "item_counts": "{}", "completions": "{}", "last_number": 0}']}
"""The rows of a new database."""


def open_at(path: Path, rows: Rows | None = None) -> Any:
    """The database of a path. The first time it is emptied, and filled with ``rows``, as ``rows_of`` returns them."""
    from core.record import fields
    from core.storage.postgres.capabilities import Capabilities
    from core.storage.postgres.database import PostgresDatabase

    without = frozenset(fields(Capabilities)) if "all" in WITHOUT else WITHOUT
    path = path.absolute()
    if new := path not in _names:
        _names[path] = _free.pop() if _free else cluster().new_database()
    database = PostgresDatabase(cluster().url(_names[path]), create=True, without=without)
    database.path = path  # type: ignore[attr-defined]
    _opened.append(database)
    if new:
        fill(path, rows or NEW)
    return database


def url_of(path: Path) -> str:
    """The URL of the database of a path."""
    return cluster().url(_names[path.absolute()])


DIRECT = ("--direct",) if ON_POSTGRES else ()
"""The option with which a person uses a database of PostgreSQL without a server."""


def place_of(path: Path) -> str:
    """The path of a database of a test, or its URL in PostgreSQL, for a program that opens it."""
    return url_of(path) if ON_POSTGRES else str(path)


def close_all() -> None:
    """Close all databases that were opened since the last call."""
    for database in _opened:
        database.close()
    _opened.clear()


def let_go(folder: Path) -> None:
    """Let other paths have the databases of a folder."""
    for path in [path for path in _names if path.is_relative_to(folder)]:
        _free.append(_names.pop(path))


def rows_of(path: Path) -> Rows:
    """All rows of a database."""
    connection = _filling(_names[path.absolute()])
    select = "SELECT '{0}', array_agg(row_to_json({0})::text) FROM {0}"
    union = " UNION ALL ".join(select.format(table) for table in _tables(connection))
    return {table: rows for table, rows in connection.execute(union.encode()).fetchall() if rows}


def fill(path: Path, rows: Rows, before: Rows | None = None) -> None:
    """Replace all rows of the database of a path, as by one commit. ``before`` are those that it has, if known."""
    connection, statements = _filling(_names[path.absolute()]), []
    for table, columns in _tables(connection).items():
        new, old = rows.get(table, []), set() if before is None else {*before.get(table, [])}
        if before is None:
            statements.append(f"DELETE FROM {table}")
        elif gone := old.difference(new):
            statements.append(f"DELETE FROM {table} WHERE row_to_json({table})::text IN ({_literals(gone)})")
        if come := [row for row in new if row not in old]:
            found = f"json_populate_recordset(NULL::{table}, {_literals(['[' + ', '.join(come) + ']'])})"
            statements.append(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM {found}")
    number = "SELECT setval('search_doc_id_seq', (SELECT coalesce(max(id), 0) + 1 FROM search_doc), false)"
    commit = "UPDATE commit_count SET n = n + 1 WHERE slot = ''"
    connection.execute("; ".join(["BEGIN", *statements, number, commit, "COMMIT"]).encode())


def _literals(texts: Iterable[str]) -> str:
    return ", ".join("'" + text.replace("'", "''") + "'" for text in texts)


def _tables(connection: psycopg.Connection[Any]) -> dict[str, str]:
    """The names of the columns that rows are made of, by the name of the table."""
    found = connection.execute(
        "SELECT relname, string_agg(attname, ', ' ORDER BY attnum) FROM pg_class JOIN pg_attribute ON attrelid = oid"
        " WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND attnum > 0 AND attgenerated = ''"
        " AND NOT attisdropped AND relname NOT IN ('podium_schema', 'commit_count') GROUP BY relname"
    )
    return dict(found.fetchall())


@cache
def _filling(name: str) -> psycopg.Connection[Any]:
    """The connection that fills a database, without checks of references and without triggers."""
    import psycopg

    connection = psycopg.connect(cluster().url(name), autocommit=True)
    connection.execute("SET session_replication_role = replica; SET enable_seqscan = on")
    atexit.register(connection.close)
    return connection
