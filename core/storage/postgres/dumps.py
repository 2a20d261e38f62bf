"""Backups of a database of PostgreSQL: ``pg_dump`` writes one, and ``pg_restore`` puts it into an empty database.

The password reaches these programs by the environment, since every account of the machine can read a command line.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from core.errors import DatabaseBusy, DatabaseDamaged, InvalidInput, StorageError
from core.files.own_files import DUMP_HEADER, open_unfinished, part_of, put
from core.storage.postgres.connections import WITHOUT_LIMITS, Connections
from core.storage.postgres.database import PostgresDatabase
from core.storage.postgres.faults import faults, place_of
from core.storage.postgres.migrating import migrate_database
from core.storage.postgres.schema import TABLES
from core.storage.postgres.tls import tls_parameters
from core.storage.schema.copied_tables import copied_tables
from core.storage.sqlite.copies import check_target, there_already
from core.storage.sqlite.faults import faults as faults_of_files

SCHEMA = "SELECT current_schema()"


def dump(url: str, target: Path, *, replace: bool = False) -> Path:
    """Copy a database, while others go on using it, to a checked file that only its owner can read.

    Raises InvalidInput for a bad name and for an existing file without ``replace``, and StorageError.
    """
    check_target(target, replace=replace)
    PostgresDatabase(url).close()  # raises if it cannot be opened
    with faults(place_of(url)), closing(Connections(url).single()) as connection:
        (schema,) = connection.execute(SCHEMA).fetchone() or ("",)
    part = part_of(target)
    with faults_of_files(target), open_unfinished(part) as descriptor:
        _run("pg_dump", ["--format=custom", f"--schema={schema}", _database(url)], url, output=descriptor)
        os.fsync(descriptor)
        _check(part, target)
        _check_nothing_unfinished(part)
        try:
            put(part, target, replace=replace)
        except FileExistsError:
            raise there_already(target) from None
    return target


def restore_dump(source: Path, url: str) -> None:
    """Put a backup into an empty database, whole or not at all, and bring its tables forward.

    Raises InvalidInput if the file is no such backup or the database has tables, and StorageError.
    """
    place = place_of(url)
    if not source.is_file():
        raise InvalidInput("file", f"There is no backup at “{source}”.")
    with faults_of_files(source), source.open("rb") as file:
        if file.read(len(DUMP_HEADER)) != DUMP_HEADER:
            raise InvalidInput(
                "file", f"{source} is no backup of PostgreSQL. “podium copy” puts a workspace in a file into {place}."
            )
    with faults(place), closing(Connections(url).single()) as connection:
        if connection.execute(TABLES).fetchone() != (0,):
            raise InvalidInput("db", f"There are tables in {place}. Create an empty database with “createdb” for it.")
    schema = _check(source, source)
    options = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-acl", f"--schema={schema}"]
    _run("pg_restore", [*options, _database(url), str(source)], url)
    migrate_database(url)
    with faults(place), closing(Connections(url).single()) as connection:
        connection.execute(WITHOUT_LIMITS)
        connection.execute(f"ANALYZE {', '.join(table.name for table in copied_tables())}")


def _check(path: Path, named: Path) -> str:
    """Read a backup back. Returns the schema of its tables, which alone is restored: extensions belong to the database.

    Raises DatabaseDamaged, which calls it ``named``, unless it is whole.
    """
    try:
        lines = _run("pg_restore", ["--list", str(path)]).splitlines()
        _run("pg_restore", [f"--file={os.devnull}", str(path)])
    except StorageError as error:
        raise DatabaseDamaged(f"{named} is not a whole backup. {error}") from error
    found = {line.split()[6]: line.split()[5] for line in lines if " TABLE DATA " in line}
    if missing := {"podium_schema", *(table.name for table in copied_tables())} - found.keys():
        raise DatabaseDamaged(f"{named} is not a backup of Podium: it lacks {', '.join(sorted(missing))}.")
    return found["podium_schema"]


def _check_nothing_unfinished(path: Path) -> None:
    """Raise DatabaseBusy if a backup has rows of an import or a deletion that is not finished; nobody sees them."""
    rows = _run("pg_restore", ["--data-only", "--table=unfinished", "--file=-", str(path)])
    if re.search(r"^COPY .* FROM stdin;\n(?!\\\.)", rows, re.MULTILINE):
        raise DatabaseBusy("A large import or deletion is under way. Make the backup again when it is done.")


def _database(url: str) -> str:
    """The option that names the database, without passwords."""
    parts = conninfo_to_dict(url) | tls_parameters(url)
    return "--dbname=" + make_conninfo(**{name: str(parts[name]) for name in parts if not name.endswith("password")})


def _run(program: str, options: Sequence[str], url: str = "", output: int = subprocess.PIPE) -> str:
    """Run a program of PostgreSQL, which never asks for a password. Returns its output. Raises StorageError."""
    password = conninfo_to_dict(url).get("password")
    given = {"PGPASSWORD": str(password)} if password else {}
    found = shutil.which(program)
    if found is None:
        raise StorageError(f"{program} is not installed. It comes with PostgreSQL: apt-get install postgresql-client.")
    connecting = ["--no-password"] if url else []
    done = subprocess.run(  # noqa: S603 (a program of PostgreSQL, without a shell)
        [found, *connecting, *options],
        env={**os.environ, "LC_ALL": "C", **given},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        reason = (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[0]
        raise StorageError(f"{program} failed: {reason.removeprefix(f'{program}: ').removeprefix('error: ')}.")
    return done.stdout or ""
