"""Statements with ``:named`` parameters as PostgreSQL takes them, with ``$1``, and the values that it returns."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

import psycopg
from psycopg.adapt import Buffer, Loader
from psycopg.types.numeric import Int8Dumper, IntLoader
from psycopg.types.string import StrDumperUnknown

MAX_STATEMENTS = 4096
"""Statements whose translation is kept. An IN list makes one statement for each number of values."""

NUL = "\0"
NO_TEXT = "\uffff"
"""A character that no stored text contains. It stands for NUL, which PostgreSQL refuses, so that nothing equals it."""

_PART = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|::\w+|:(?P<name>[A-Za-z_]\w*)""")
"""Quoted text, quoted names, comments and casts, which stay as they are, and parameters."""


_LIST = re.compile(r"json_each\((\$\d+)\)")
"""A list of texts that is one parameter (``core.storage.database.placeholders``)."""


class NumberedStatement(NamedTuple):
    """A statement with ``$1``, and the names of its parameters in their order."""

    text: str
    names: tuple[str, ...]


@lru_cache(MAX_STATEMENTS)
def number_parameters(sql: str) -> NumberedStatement:
    """Translate a statement with ``:named`` parameters. A name that is used twice keeps its number."""
    names: dict[str, int] = {}

    def number(part: re.Match[str]) -> str:
        name = part["name"]
        return part[0] if name is None else f"${names.setdefault(name, len(names) + 1)}"

    return NumberedStatement(
        _LIST.sub(r"json_array_elements_text(\1::json) AS value", _PART.sub(number, sql)), tuple(names)
    )


class TextDumper(StrDumperUnknown):
    """Text without NUL."""

    def dump(self, obj: Any) -> Buffer | None:
        return super().dump(obj.replace(NUL, NO_TEXT) if NUL in obj else obj)


class WholeDumper(Int8Dumper):
    """Every integer as BIGINT, so that a statement is prepared once, whatever the size of its values."""


class TruthDumper(Int8Dumper):
    """Booleans as 0 and 1."""

    def dump(self, obj: Any) -> Buffer | None:
        return super().dump(int(obj))


class TruthLoader(Loader):
    """Computed booleans as 0 and 1, as SQLite has them."""

    def load(self, data: Buffer) -> int:
        return int(bytes(data) == b"t")


def adapt(connection: psycopg.Connection[Any]) -> None:
    """Set how values become parameters, and results values: text and integers only, as in SQLite."""
    adapters = connection.adapters
    adapters.register_dumper(str, TextDumper)
    adapters.register_dumper(int, WholeDumper)
    adapters.register_dumper(bool, TruthDumper)
    adapters.register_loader("bool", TruthLoader)
    adapters.register_loader("numeric", IntLoader)  # the sum of BIGINT
