"""The form of a database: a hash of its tables, indexes and triggers, which says whether this Podium can use them.

``user_version`` alone does not: before the first release the schema changed nine times under the number 1. A file of
one of those forms is brought forward by a copy of its rows into the first schema.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from hashlib import sha256
from uuid import uuid4

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
"""What carried the number 1 before the first schema was settled, the oldest first."""

_ADDED = {
    "workspace": {"auth_id": "new_account()"},
    "node": {"auth_id": "new_account()"},
    "phase": {"evidence_required": "0"},
    "gate_record": {"withdrawn": "0"},
    "change": {"permissions": "''"},
}
"""Columns that some of those forms lack and that may not be NULL, and what stands there for their rows.

No permissions means "not known": such a change is shown, and undo refuses it.
"""

_CONVERTED = {
    "app_user": {
        "platform_roles": "CASE WHEN platform_roles LIKE '[%' THEN platform_roles WHEN platform_roles = '' THEN '[]'"
        """ ELSE '["' || replace(platform_roles, ' ', '", "') || '"]' END"""
    }
}
"""Columns whose values were written differently: roles were words with a space between them."""


def form_of(connection: sqlite3.Connection) -> str:
    """The hash of the schema, whatever its white space and the quotes that ALTER TABLE puts around names.

    Left out are what SQLite makes by itself (its own tables, those of the full text index) and tables whose name begins
    with ``_``, where tools such as sqlite-utils and Litestream keep their notes.
    """
    rows = connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        " AND name NOT LIKE 'search\\_text\\_%' ESCAPE '\\' AND tbl_name NOT LIKE '\\_%' ESCAPE '\\'"
        " ORDER BY type, name"
    )
    text = "\n".join(re.sub(r'[\s"]+', "", "|".join(map(str, row))) for row in rows)
    return sha256(text.encode()).hexdigest()[:16]


def bring_forward(connection: sqlite3.Connection, make_schema: Callable[[], object]) -> None:
    """Make the first schema beside the tables of an older form, and copy their rows. In the caller's transaction.

    Foreign keys are off meanwhile. The documents of the search are written anew by the triggers.
    """
    connection.create_function("new_account", 0, lambda: str(uuid4()))
    connection.execute("PRAGMA legacy_alter_table = ON")  # else what refers to a table follows it to its other name
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
    """What statements of Podium made, by kind and name."""
    rows = connection.execute(
        "SELECT type, name FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        " AND tbl_name NOT LIKE '\\_%' ESCAPE '\\'"
    ).fetchall()
    return [(kind, name) for kind, name in rows if kind in kinds]


def _columns(connection: sqlite3.Connection, table: str) -> list[str]:
    return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
