"""The tables that a copy consists of: those of a new file, which a new database of PostgreSQL has too."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from core.record import Record
from core.storage.schema.migrations import migrate

_NAMES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    " AND name NOT LIKE '\\_%' ESCAPE '\\' AND name NOT LIKE 'search\\_text%' ESCAPE '\\' ORDER BY rowid"
)
"""All tables but those of SQLite, of tools, and of the index of search, which is made from ``search_doc``."""


class CopiedTable(Record, kw_only=False):
    """A table with the names of its columns, and of those that its rows are ordered by: its primary key."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]

    @property
    def all_rows(self) -> str:
        """The statement that reads all rows in the order of the key."""
        return f"SELECT {', '.join(self.columns)} FROM {self.name} ORDER BY {', '.join(self.key)}"


def copied_tables() -> tuple[CopiedTable, ...]:
    """All tables of the workspace; a table that others refer to comes before them."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
        migrate(model, 0)
        names = [name for (name,) in model.execute(_NAMES).fetchall()]
        refers = {
            name: {row[2] for row in model.execute(f"PRAGMA foreign_key_list({name})")} - {name} for name in names
        }
        ordered: list[str] = []
        while len(ordered) < len(names):
            ordered += [name for name in names if name not in ordered and refers[name] <= set(ordered)]
        return tuple(_table(model, name) for name in ordered)


def _table(model: sqlite3.Connection, name: str) -> CopiedTable:
    columns = model.execute(f"PRAGMA table_info({name})").fetchall()
    key = sorted((place, column) for _, column, _, _, _, place in columns if place)
    return CopiedTable(name, tuple(column[1] for column in columns), tuple(column for _, column in key))
