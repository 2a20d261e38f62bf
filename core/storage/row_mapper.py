"""The mapping of records to rows and back: one table, one key and one conversion for each model class."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from enum import EnumType, StrEnum
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

from core.errors import DatabaseDamaged
from core.record import STORED, Record, RecordMeta, fields

T = TypeVar("T")
Value = str | int | None
"""A stored value: text and integers only, so that the same statements fit every engine."""

ORDER = "order"
"""The entity of a reordering in the history: its key names the table and the list, before and after are the ranks by
the ids of the records."""


FOLDED = {"project": ("name", "sort_name")}
"""The columns, by their table, that have the text of another one with its case folded, for the order of lists. They are
in no record, so history and answers do not have them."""


class Table(Record, kw_only=False):
    """The mapping of one record class, for the generic statements."""

    record: type[Any]
    name: str
    key: tuple[str, ...]
    columns: tuple[str, ...]
    readers: tuple[tuple[str, Callable[[Any], Any]], ...]
    where: str
    """The condition that selects one row by its key, with named parameters."""
    insertion: str
    """The statement that inserts a row ``with_folded``."""

    def load(self, row: Mapping[str, Any]) -> Any:
        """The record in a row, given by column name. Raises DatabaseDamaged if a value cannot be read."""
        return self.load_values([row[column] for column in self.columns])

    def load_values(self, row: Sequence[Any]) -> Any:
        """The record in a row with the values of ``columns``. Raises DatabaseDamaged if a value cannot be read."""
        column = ""
        values: dict[str, Any] = {}
        try:
            for (column, read), value in zip(self.readers, row, strict=True):
                values[column] = value if read is _same else read(value)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise self.unreadable(dict(zip(self.columns, row, strict=True)), column) from error
        return self.record(**values)

    def unreadable(self, row: Mapping[str, Any], column: str) -> DatabaseDamaged:
        """The error for a value that cannot be read; it names the row, the table and the column."""
        held = dict(row)
        key = " ".join(str(held.get(each, "?")) for each in self.key)
        return DatabaseDamaged(
            f"The row {key} of the table {self.name} cannot be read: “{str(held.get(column, ''))[:60]}” stands in "
            f"{column}. “podium restore” restores a backup; the file is kept."
        )

    def restore_record(self, row: Mapping[str, Any]) -> Any:
        """The record in a row of the history. Columns that did not exist then get their defaults."""
        return self.record(**{column: read(row[column]) for column, read in self.readers if column in row})

    def with_folded(self, row: dict[str, Any]) -> dict[str, Any]:
        """A row, or changes of one, with the column that follows from them (``FOLDED``)."""
        source, column = FOLDED.get(self.name, ("", ""))
        return {**row, column: row[source].casefold()} if source in row else row

    def dump(self, record: Any) -> dict[str, Value]:
        """The row of a record, by column name."""
        return {column: encode_value(getattr(record, column)) for column in self.columns}


def encode_value(value: object) -> Value:
    """A field's value as it is stored: dates as ISO text, booleans as 0 and 1, tuples as a JSON array."""
    match value:
        case StrEnum():
            return value.value
        case bool():
            return int(value)
        case datetime():
            return value.isoformat(timespec="milliseconds")
        case date():
            return value.isoformat()
        case tuple():
            return json.dumps(value, ensure_ascii=False)
        case None | str() | int():
            return value
    raise TypeError(f"{type(value).__name__} is not a value that can be stored")


def is_stored(record: type[Any]) -> bool:
    """Return True if a class has a table."""
    return record in STORED


def table_of(record: type[Any]) -> Table:
    """The table of a record class."""
    table = _known.get(record)
    if table is None:
        name, key = STORED[record]
        hints = get_type_hints(record)
        columns = fields(record)
        readers = tuple((column, _reader(hints[column])) for column in columns)
        where = " AND ".join(f"{column} = :{column}" for column in key)
        inserted = (*columns, *FOLDED.get(name, ())[1:])
        values = ", ".join(f":{column}" for column in inserted)
        insertion = f"INSERT INTO {name} ({', '.join(inserted)}) VALUES ({values})"
        table = _known[record] = Table(record, name, key, columns, readers, where, insertion)
    return table


_known: dict[type[Any], Table] = {}


def table_named(name: str) -> Table:
    """The table with this name. Raises KeyError if no record class has it."""
    return table_of(stored_records()[name])


def tables() -> list[Table]:
    """All tables with records."""
    return [table_of(record) for record in stored_records().values()]


@cache
def stored_records() -> Mapping[str, type[Any]]:
    """The record class of each table. A program that starts needs few of their modules, so they are imported here."""
    from core.domain import credentials, dependencies, gates, labels, model, notifications, origins, presets, templates
    from core.domain import fields as custom_fields
    from core.domain import gate_policy as policies
    from core.domain.products import products

    of_projects = (model, gates, policies, labels, custom_fields, dependencies, origins, products)
    modules = (*of_projects, templates, presets, notifications, credentials)
    return {
        STORED[record][0]: record
        for module in modules
        for record in vars(module).values()
        if isinstance(record, RecordMeta) and record in STORED and record.__module__ == module.__name__
    }


def text_in(record: object) -> int:
    """Return the number of bytes in the texts of a record."""
    return bytes_in(table_of(type(record)).dump(record))


def bytes_in(row: Mapping[str, Any] | None) -> int:
    """Return the number of bytes in the texts of a row."""
    texts = [value for value in row.values() if isinstance(value, str)] if row else ()
    return sum(len(text) if text.isascii() else len(text.encode()) for text in texts)


def _reader(hint: Any) -> Callable[[Any], Any]:
    """The conversion from the stored value to the annotated type of a field."""
    options = [option for option in get_args(hint) if option is not type(None)]
    if getattr(hint, "__origin__", None) is tuple:
        element = options[0]
        return lambda text: tuple(element(word) for word in json.loads(text))
    if options:
        inner = _reader(options[0])
        return lambda value: None if value is None else inner(value)
    if hint is bool:
        return bool
    if hint is datetime:
        return datetime.fromisoformat
    if hint is date:
        return date.fromisoformat
    if isinstance(hint, EnumType):
        return hint
    return _same


def _same(value: Any) -> Any:
    return value
