"""Copies a workspace to another database, compares both, and marks the old one as moved.

Both databases are locked meanwhile, so that no change comes in between. An interrupted copy leaves the source as it
was, and the target empty, or refused until the copy is repeated.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from core.errors import DatabaseBusy, DatabaseMoved, InvalidInput, StorageError
from core.net.database_url import DatabasePlace
from core.record import Record
from core.storage.move_mark import MoveMark, mark_moved, mark_unfinished
from core.storage.opening import driver_of_postgres
from core.storage.progress import Progress
from core.storage.schema.copied_tables import CopiedTable, copied_tables
from core.storage.ulids import new_ulid

ROWS_AT_ONCE = 1000
"""Rows between two reports of progress."""


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
        from core.storage.sqlite.copy_store import SqliteStore

        return SqliteStore(place)
    with driver_of_postgres():
        from core.storage.postgres.copy_store import PostgresStore
    return PostgresStore(place.secret)


class CopiedWorkspace(Record, kw_only=False):
    """The result of a copy. The databases are named in words, without passwords."""

    source: str
    target: str
    tables: dict[str, TableContent]
    """The content of each table by its name, the same in both databases."""


def copy_workspace(source: DatabasePlace, target: DatabasePlace, now: datetime, progress: Progress) -> CopiedWorkspace:
    """Move a workspace to a new file or an empty database.

    A copy that was interrupted is finished or begun again. Raises
    InvalidInput if the target has a workspace, DatabaseMoved if the source was moved before, DatabaseBusy while other
    programs use it, Cancelled, and other StorageErrors; the source is then unchanged.
    """
    with closing(store_of(source)) as old, closing(store_of(target)) as new:
        if old.place == new.place:
            raise InvalidInput("target", f"FROM and TO are the same place, {old.place}. Name a new place for the copy.")
        marks = old.mark(), new.mark()
        if marks[0] is not None and marks[1] == mark_unfinished(marks[0].move, old.place, new.place):
            _release(new)
            new.begin(is_source=False)
            return CopiedWorkspace(old.place, new.place, read_content(new, copied_tables(), lambda: None))
        _check_marks(old, new)
        old.prepare(is_source=True)
        old.begin(is_source=True)
        _check_source(old)
        if marks[1] is None:
            new.prepare(is_source=False)
        new.begin(is_source=False)
        _check_marks(old, new)
        if new.count("workspace") and new.mark() is None:
            raise InvalidInput(
                "target", f"There is a workspace in {new.place}. Name a new file, or an empty database, for the copy."
            )
        tables = _copy_rows(old, new, copied_tables(), progress)
        progress.go_on()
        move = new_ulid()
        new.set_mark(mark_unfinished(move, old.place, new.place))
        old.set_mark(mark_moved(move, old.place, new.place, now))
        new.commit()
        old.commit()
        try:
            _release(new)
        except StorageError as error:
            raise type(error)(
                f"{old.place} is marked as moved, and all of it is in {new.place}, which cannot be opened yet. Repeat "
                f"the same “podium copy” to complete it. ({error})"
            ) from error
        return CopiedWorkspace(old.place, new.place, tables)


def _check_marks(old: Store, new: Store) -> None:
    """Raise DatabaseMoved for a marked database, except for the target of an interrupted copy from this source."""
    if mark := old.mark():
        raise DatabaseMoved(mark.sentence)
    mark = new.mark()
    if mark is not None and mark != mark_unfinished(mark.move, old.place, new.place):
        raise DatabaseMoved(mark.sentence)


def _check_source(old: Store) -> None:
    """Raise InvalidInput without a workspace, and DatabaseBusy while a large project is imported or deleted."""
    if old.count("unfinished"):
        raise DatabaseBusy(f"A project is being imported or deleted in {old.place}. Try again when that has ended.")
    if not old.count("workspace"):
        raise InvalidInput("source", f"There is no workspace in {old.place}. Name the one that you want to copy.")


def _copy_rows(old: Store, new: Store, tables: Sequence[CopiedTable], progress: Progress) -> dict[str, TableContent]:
    """Copy all rows, and read both databases to compare them. Raises StorageError where they differ."""
    ticks = _Ticks(3 * sum(old.count(table.name) for table in tables), progress)
    new.clear(tables)
    for table in tables:
        new.add(table, ticks.each(old.rows(table)))
    new.complete(tables)
    found, expected = (read_content(each, tables, ticks.tick) for each in (new, old))
    if different := [name for name in expected if found[name] != expected[name]]:
        raise StorageError(
            f"The copy was not kept: rows in {new.place} differ from those in {old.place}, in the tables "
            f"{', '.join(different)}."
        )
    return found


def _release(new: Store) -> None:
    """Let programs open the target, now that its source is marked."""
    new.begin(is_source=False)
    new.set_mark(None)
    new.commit()


class _Ticks:
    """Counts rows, and reports them to ``progress``, which may raise Cancelled."""

    def __init__(self, total: int, progress: Progress) -> None:
        self._total, self._progress, self._done = total, progress, 0

    def tick(self) -> None:
        self._done += 1
        if self._done % ROWS_AT_ONCE == 0:
            self._progress.step(self._done, self._total)

    def each(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        """The same rows, counted."""
        for row in rows:
            yield row
            self.tick()


class TableContent(Record, kw_only=False):
    """The content of one table."""

    rows: int
    sha256: str
    """In hexadecimal, over the rows in the order of the key, each as a line of JSON."""


def read_content(store: Store, tables: Iterable[CopiedTable], tick: Callable[[], None]) -> dict[str, TableContent]:
    """The content of each table by its name. ``tick`` is called for each row. The store has a transaction."""
    return {table.name: _content_of(store.rows(table), tick) for table in tables}


def _content_of(rows: Iterable[tuple[Any, ...]], tick: Callable[[], None]) -> TableContent:
    digest, number = sha256(), 0
    for row in rows:
        digest.update(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        number += 1
        tick()
    return TableContent(number, digest.hexdigest())
