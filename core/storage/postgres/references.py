"""References to projects and members, which a transaction with ``linked=False`` leaves unchecked.

While a large project is imported, or deleted, its rows are there without it. PostgreSQL can leave a foreign key
unchecked only for a superuser, so triggers check these. They are safe because all who write are serializable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

UNCHECKED = ("project", "member")
"""The tables whose rows come last in an import, and are deleted first."""

UNLINKED = "SET LOCAL podium.unlinked = 'on'"
"""Leave these references unchecked until the transaction ends."""

_LINKED = "coalesce(current_setting('podium.unlinked', true), '') <> 'on'"
_TO = rf"REFERENCES \"?(?:{'|'.join(UNCHECKED)})\"?\s*\([^)]*\)"
_OF_TABLE = re.compile(rf",\s*FOREIGN KEY \([^)]*\) {_TO}")
_OF_COLUMN = re.compile(rf" {_TO}")


class Reference(NamedTuple):
    """Columns of a table that name a row of another table, by its columns of the same number."""

    table: str
    columns: tuple[str, ...]
    other: str
    keys: tuple[str, ...]


def without_references(table: str) -> str:
    """The CREATE TABLE statement without foreign keys to the tables in UNCHECKED."""
    return _OF_COLUMN.sub("", _OF_TABLE.sub("", table))


def triggers(reference: Reference) -> Iterator[str]:
    """The functions and triggers that check one reference, from both sides."""
    name = f"{reference.table}_{reference.columns[-1]}"
    found = " AND ".join(f"{key} = NEW.{column}" for key, column in zip(reference.keys, reference.columns, strict=True))
    given = " AND ".join(f"NEW.{column} IS NOT NULL" for column in reference.columns)
    used = " AND ".join(f"{column} = OLD.{key}" for key, column in zip(reference.keys, reference.columns, strict=True))
    yield _function(f"{name}_refers", f"NOT EXISTS (SELECT FROM {reference.other} WHERE {found})", reference)
    yield (
        f"CREATE TRIGGER {name}_refers AFTER INSERT OR UPDATE OF {', '.join(reference.columns)} ON {reference.table}"
        f" FOR EACH ROW WHEN ({_LINKED} AND {given}) EXECUTE FUNCTION {name}_refers()"
    )
    yield _function(f"{name}_is_used", f"EXISTS (SELECT FROM {reference.table} WHERE {used})", reference)
    yield (
        f"CREATE TRIGGER {name}_is_used AFTER DELETE ON {reference.other}"
        f" FOR EACH ROW WHEN ({_LINKED}) EXECUTE FUNCTION {name}_is_used()"
    )


def _function(name: str, condition: str, reference: Reference) -> str:
    sentence = f"a row of {reference.table} refers to a missing row of {reference.other}"
    return (
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF {condition} THEN"
        f" RAISE foreign_key_violation USING MESSAGE = '{sentence}'; END IF; RETURN NULL; END $$"
    )
