"""The parts of annotated types, for the code that reads, writes or describes messages and results.

A type is plain, an enumeration, a list or a mapping of types, a record, or one of these ``| None``. There are no other
unions, so that the type of a JSON value is always known. Dataclasses, which pydantic checks files
by, count as records.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from core.record import RecordMeta, defaults, fields


def unwrap_optional(hint: Any) -> tuple[Any, bool]:
    """Return a type without its None, and True if it had one."""
    if get_origin(hint) not in (types.UnionType, typing.Union):
        return hint, False
    return next(each for each in get_args(hint) if each is not type(None)), True


def is_record(hint: Any) -> bool:
    """Return True if values of this type have named fields."""
    return isinstance(hint, RecordMeta) or dataclasses.is_dataclass(hint)


def names_of(record: Any) -> tuple[str, ...]:
    """Return the names of the fields of a record, those of its base classes first."""
    if isinstance(record, RecordMeta):
        return fields(record)
    return tuple(each.name for each in dataclasses.fields(record))


def defaults_of(record: Any) -> Mapping[str, Any]:
    """Return the fields of a record that have a default, with their defaults."""
    if isinstance(record, RecordMeta):
        return defaults(record)
    found = {each.name: each.default for each in dataclasses.fields(record)}
    return {name: default for name, default in found.items() if default is not dataclasses.MISSING}


def needed(record: Any) -> tuple[str, ...]:
    """Return the fields of a record that have no default."""
    usual = defaults_of(record)
    return tuple(name for name in names_of(record) if name not in usual)


@cache
def field_types(record: Any) -> Mapping[str, Any]:
    """Return the types of the fields of a record, by name."""
    hints = get_type_hints(record)
    return {name: hints[name] for name in names_of(record)}
