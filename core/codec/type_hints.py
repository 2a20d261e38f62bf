"""The parts of annotated types, for the code that reads, writes or describes messages and results.

A type is plain, an enumeration, a list or a mapping of types, a record, or one of these ``| None``. There are no other
unions, so that the type of a JSON value is always known.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from core.record import Record, RecordMeta, defaults, fields


def unwrap_optional(hint: Any) -> tuple[Any, bool]:
    """Return a type without its None, and True if it had one."""
    if get_origin(hint) not in (types.UnionType, typing.Union):
        return hint, False
    return next(each for each in get_args(hint) if each is not type(None)), True


def is_record(hint: Any) -> bool:
    """Return True if values of this type have named fields."""
    return isinstance(hint, RecordMeta) or is_dataclass(hint) or hasattr(hint, "_fields")


def names_of(record: Any) -> tuple[str, ...]:
    """Return the names of the fields of a record, those of its base classes first."""
    if isinstance(record, (RecordMeta, Record)):
        return fields(record)
    return tuple(each.name for each in dataclasses.fields(record)) if is_dataclass(record) else tuple(record._fields)


def field_types(record: Any) -> Mapping[str, Any]:
    """Return the types of the fields of a record, by name."""
    return _types_of(record)


@cache
def _types_of(record: Any) -> Mapping[str, Any]:
    hints = get_type_hints(record)
    return {name: hints[name] for name in names_of(record)}


def needed(record: Any) -> tuple[str, ...]:
    """Return the fields of a record that have no default."""
    if isinstance(record, RecordMeta):
        return tuple(name for name in fields(record) if name not in defaults(record))
    if is_dataclass(record):
        return tuple(each.name for each in dataclasses.fields(record) if each.default is each.default_factory)
    return tuple(name for name in record._fields if name not in record._field_defaults)
