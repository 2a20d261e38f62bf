"""The form of a database: a hash of its tables, indexes and triggers, by which Podium knows its schema.

``user_version`` is not enough: before the first release the schema changed nine times under the number 1. A file with
one of those forms is brought forward by copying its rows into the first schema.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from importlib import import_module
from typing import Any

FORMS_BEFORE_THE_FIRST = frozenset(
    {
        "56b4c234e40d804f",
        "c7e0e4531e0b47de",
        "75927026a3dd0401",
        "6b69f866412508b9",
        "f2464953757c242f",
        "ab9cb4f550017f51",
        "ed1db99ab168a9bd",
        "0df229d0e07d3760",
        "af4d7483a5dc3897",
    }
)
"""The forms that had the number 1 before the first release, oldest first."""

_ADDED = {
    "workspace": {"auth_id": "new_account()"},
    "node": {"auth_id": "new_account()"},
    "phase": {"evidence_required": "0"},
    "gate_record": {"withdrawn": "0"},
    "change": {"permissions": "''"},
}
"""Columns that some of those forms lack and that must not be NULL, and the values that their rows get.

Empty permissions mean "not known": such a change is shown, and undo refuses it.
"""

_CONVERTED = {
    "app_user": {
        "platform_roles": "CASE WHEN platform_roles LIKE '[%' THEN platform_roles WHEN platform_roles = '' THEN '[]'"
        """ ELSE '["' || replace(platform_roles, ' ', '", "') || '"]' END"""
    }
}
"""Columns whose values were written differently: roles were words with a space between them."""


def _sha256() -> Callable[[bytes], Any]:
    """The hash from the module behind ``hashlib``, which would load OpenSSL: that takes longer than opening a file."""
    for name in ("_sha2", "_sha256"):  # of Python 3.12 and later, and of 3.11
        with contextlib.suppress(ImportError):
            found: Callable[[bytes], Any] = import_module(name).sha256
            return found
    from hashlib import sha256

    return sha256


SHA256 = _sha256()


def form_of(connection: sqlite3.Connection) -> str:
    """The hash of the schema, independent of white space and of the quotes that ALTER TABLE puts around names.

    It leaves out tables that SQLite makes itself (its own, and those of the full text index), and tables whose names
    begin with ``_``, in which tools such as sqlite-utils and Litestream store their data.
    """
    rows = connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        " AND name NOT LIKE 'search\\_text\\_%' ESCAPE '\\' AND tbl_name NOT LIKE '\\_%' ESCAPE '\\'"
        " ORDER BY type, name"
    )
    text = "\n".join("".join("|".join(map(str, row)).replace('"', "").split()) for row in rows)
    return str(SHA256(text.encode()).hexdigest())[:16]


def bring_forward(connection: sqlite3.Connection, make_schema: Callable[[], object]) -> None:
    """Create the first schema beside the tables of an older form, and copy their rows. The caller has a transaction.

    Foreign keys are off meanwhile. The triggers write the documents of the full text search again.
    """
    from uuid import uuid4

    connection.create_function("new_account", 0, lambda: str(uuid4()))
    connection.execute("PRAGMA legacy_alter_table = ON")  # keeps references to a table when it is renamed
    try:
        for table in ("search_text", "search_doc"):
            connection.execute(f"DROP TABLE IF EXISTS {table}")
        for kind, name in _made(connection, "trigger", "index"):
            connection.execute(f"DROP {kind} {name}")
        older = [name for _, name in _made(connection, "table")]
        for name in older:
            connection.execute(f"ALTER TABLE {name} RENAME TO older_{name}")
        make_schema()
        for name in older:
            had = _columns(connection, f"older_{name}")
            values = {column: column for column in _columns(connection, name) if column in had}
            added = {column: value for column, value in _ADDED.get(name, {}).items() if column not in had}
            values |= added | _CONVERTED.get(name, {})
            connection.execute(
                f"INSERT OR REPLACE INTO {name} ({', '.join(values)})"
                f" SELECT {', '.join(values.values())} FROM older_{name}"
            )
            connection.execute(f"DROP TABLE older_{name}")
    finally:
        connection.execute("PRAGMA legacy_alter_table = OFF")


def _made(connection: sqlite3.Connection, *kinds: str) -> list[tuple[str, str]]:
    """Kind and name of all that Podium's statements created, of these kinds."""
    rows = connection.execute(
        "SELECT type, name FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        " AND tbl_name NOT LIKE '\\_%' ESCAPE '\\'"
    ).fetchall()
    return [(kind, name) for kind, name in rows if kind in kinds]


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
