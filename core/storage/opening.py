"""The database of a place: a path is a file of SQLite, and a URL is a database of PostgreSQL."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from core.errors import StorageError
from core.net.database_url import DatabasePlace
from core.storage.database import Database


def open_database(place: DatabasePlace, *, create: bool = False, synchronous: str = "NORMAL") -> Database:
    """Open the database of a path or of a URL, or with ``create`` make its tables. Raises StorageError.

    ``synchronous`` is for SQLite; a commit of PostgreSQL is durable unless its administrator has set otherwise. The
    driver of PostgreSQL is imported only for a URL.
    """
    if isinstance(place, Path):
        from core.storage.sqlite.database import SqliteDatabase

        return SqliteDatabase(place, create=create, synchronous=synchronous)
    with driver_of_postgres():
        from core.storage.postgres.database import PostgresDatabase
    return PostgresDatabase(place.secret, create=create)


@contextlib.contextmanager
def driver_of_postgres() -> Iterator[None]:
    """Around an import that needs the driver of PostgreSQL. Raises StorageError if it is not installed."""
    try:
        yield
    except ImportError as error:
        raise StorageError(
            "The driver of PostgreSQL is not installed. Install it with “pip install 'podium-tui[postgres]'”."
        ) from error
