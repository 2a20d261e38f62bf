"""The methods of a database that a copy needs, for each engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from core.net.database_url import DatabasePlace
from core.storage.move_mark import MoveMark
from core.storage.opening import driver_of_postgres
from core.storage.schema.copied_tables import CopiedTable


class Store(Protocol):
    """A database as the source or the target of a copy. Its methods raise StorageError."""

    place: str
    """The database in words, without its password."""

    def mark(self) -> MoveMark | None:
        """The mark of the database; None without one, and for a database that is not there."""

    def prepare(self, *, is_source: bool) -> None:
        """Bring the tables to the newest schema, or make those of a target."""

    def begin(self, *, is_source: bool) -> None:
        """Begin a transaction in which no other program can write."""

    def commit(self) -> None:
        """Commit the transaction, and let other programs write."""

    def count(self, table: str) -> int:
        """The number of rows of a table."""

    def rows(self, table: CopiedTable) -> Iterator[tuple[Any, ...]]:
        """The rows in the order of the key, read as they are asked for."""

    def clear(self, tables: Sequence[CopiedTable]) -> None:
        """Delete all rows, and stop triggers and checks of references until ``complete``."""

    def add(self, table: CopiedTable, rows: Iterable[tuple[Any, ...]]) -> None:
        """Insert rows."""

    def complete(self, tables: Sequence[CopiedTable]) -> None:
        """After all rows: the index of search, sequences, statistics, and triggers as they were."""

    def set_mark(self, mark: MoveMark | None) -> None:
        """Mark the database, or remove its mark."""

    def close(self) -> None:
        """Undo a transaction that was not committed, and let go of the database."""


def store_of(place: DatabasePlace) -> Store:
    """The store for a path or for the URL of a database. Raises StorageError."""
    if isinstance(place, Path):
        from core.storage.moving.sqlite_store import SqliteStore

        return SqliteStore(place)
    with driver_of_postgres():
        from core.storage.postgres.copy_store import PostgresStore
    return PostgresStore(place.secret)
