"""The form of a database: a hash of its tables, indexes and triggers, by which Podium knows its schema.

``user_version`` is not enough: other programs, and unreleased Podiums, can have changed the tables under a number.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from importlib import import_module
from typing import Any


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
