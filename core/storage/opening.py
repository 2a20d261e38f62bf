"""The database of a place: a path is a file of SQLite, and a URL is a database of PostgreSQL."""

from __future__ import annotations

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
        from core.storage.sqlite import SqliteDatabase

        return SqliteDatabase(place, create=create, synchronous=synchronous)
    try:
        from core.storage.postgres.database import PostgresDatabase
    except ImportError as error:
        raise no_driver() from error
    return PostgresDatabase(place.secret, create=create)


def no_driver() -> StorageError:
    """The error for a URL where the driver of PostgreSQL is missing."""
    return StorageError(
        "The driver of PostgreSQL is not installed. Install it with “pip install 'podium-tui[postgres]'”."
    )
