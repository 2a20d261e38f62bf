"""A database of PostgreSQL as the source or the target of a copy. Its role must own the tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from psycopg import sql

from core.storage.move_mark import MoveMark
from core.storage.postgres.connections import WITHOUT_LIMITS, Connections, PooledConnection, check_alone
from core.storage.postgres.database import PostgresDatabase
from core.storage.postgres.faults import MOVED, faults, place_of
from core.storage.postgres.schema import check_same_version
from core.storage.schema.copied_tables import CopiedTable

ROWS_AT_ONCE = 1000
"""Rows that are read in one round trip."""

LOCK = "BEGIN ISOLATION LEVEL REPEATABLE READ; LOCK TABLE commit_count IN SHARE ROW EXCLUSIVE MODE"
"""Each commit writes ``commit_count``, so others wait for the lock. The snapshot begins after it."""

_REFUSE = "CREATE TRIGGER podium_moved BEFORE INSERT OR UPDATE ON commit_count EXECUTE FUNCTION podium_moved()"
"""Refuse every commit, also of programs that have the database open."""


class PostgresStore:
    """A database by its URL."""

    def __init__(self, url: str) -> None:
        self.place = place_of(url)
        self._url = url
        self._connections = Connections(url)
        self._opened: PooledConnection | None = None

    def mark(self) -> MoveMark | None:
        with faults(self.place):
            if self._connection.execute("SELECT to_regclass('podium_schema')").fetchone() == (None,):
                return None
            row = self._connection.execute("SELECT move, moved FROM podium_schema").fetchone()
            return MoveMark(*row) if row and row[1] else None

    def prepare(self, *, is_source: bool) -> None:
        PostgresDatabase(self._url, create=not is_source).close()
        with faults(self.place):
            check_same_version(self._connection, self.place)

    def begin(self, *, is_source: bool) -> None:
        with faults(self.place):
            if is_source:
                check_alone(self._connection, self.place)
            self._connection.execute(LOCK)

    def commit(self) -> None:
        with faults(self.place):
            self._connection.execute("COMMIT")

    def count(self, table: str) -> int:
        with faults(self.place):
            row = self._connection.execute(f"SELECT count(*) FROM {table}").fetchone()
            return int(row[0]) if row else 0

    def rows(self, table: CopiedTable) -> Iterator[tuple[Any, ...]]:
        with faults(self.place), self._connection.cursor(name="rows") as cursor:
            cursor.itersize = ROWS_AT_ONCE
            cursor.execute(table.all_rows)
            yield from cursor

    def clear(self, tables: Sequence[CopiedTable]) -> None:
        """Delete all rows, and stop the triggers. References to other tables are checked when a table is complete."""
        with faults(self.place):
            self._connection.execute(f"TRUNCATE {', '.join(table.name for table in tables)}")
            for table in tables:
                self._connection.execute(f"ALTER TABLE {table.name} DISABLE TRIGGER USER")

    def add(self, table: CopiedTable, rows: Iterable[tuple[Any, ...]]) -> None:
        filling = f"COPY {table.name} ({', '.join(table.columns)}) FROM STDIN"
        with faults(self.place), self._connection.cursor() as cursor, cursor.copy(filling) as copy:
            for row in rows:
                copy.write_row(row)

    def complete(self, tables: Sequence[CopiedTable]) -> None:
        with faults(self.place):
            for table in tables:
                self._connection.execute(f"ALTER TABLE {table.name} ENABLE TRIGGER USER")
            self._connection.execute(
                "SELECT setval('search_doc_id_seq', (SELECT coalesce(max(id), 0) + 1 FROM search_doc), false)"
            )
            self._connection.execute(f"ANALYZE {', '.join(table.name for table in tables)}")

    def set_mark(self, mark: MoveMark | None) -> None:
        with faults(self.place):
            set_to = "UPDATE podium_schema SET move = $1, moved = $2"
            self._connection.execute(set_to, [mark.move, mark.sentence] if mark else [None, None])
            self._connection.execute("DROP TRIGGER IF EXISTS podium_moved ON commit_count")
            self._connection.execute("DROP FUNCTION IF EXISTS podium_moved")
            if mark is not None:  # older snapshots do not see the mark, but they do see the function
                sentence = sql.Literal(mark.sentence).as_string()
                body = f"BEGIN RAISE EXCEPTION USING ERRCODE = '{MOVED}', MESSAGE = {sentence}; END"
                self._connection.execute(
                    "CREATE FUNCTION podium_moved() RETURNS trigger LANGUAGE plpgsql AS "
                    + sql.Literal(body).as_string()
                )
                self._connection.execute(_REFUSE)

    def close(self) -> None:
        if self._opened is not None:
            self._opened.close()

    @property
    def _connection(self) -> PooledConnection:
        if self._opened is None:
            self._opened = self._connections.single()
            self._opened.execute(WITHOUT_LIMITS)
        return self._opened
