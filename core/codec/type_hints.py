"""The parts of annotated types, for the code that reads, writes or describes messages and results.

A type is plain, an enumeration, a list or a mapping of types, a record, or one of these ``| None``. There is one other
union, the numbers ``int | float`` of answers, so that the type of a JSON value is always known.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from datetime import date, datetime
from enum import EnumType
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from core.record import RecordMeta, defaults, fields


def unwrap_optional(hint: Any) -> tuple[Any, bool]:
    """Return a type without its None, and True if it had one."""
    if get_origin(hint) not in (types.UnionType, typing.Union) or type(None) not in get_args(hint):
        return hint, False
    return next(each for each in get_args(hint) if each is not type(None)), True


def is_record(hint: Any) -> bool:
    """Return True if values of this type have named fields."""
    return isinstance(hint, RecordMeta)


def required_fields(record: Any) -> tuple[str, ...]:
    """Return the fields of a record that have no default."""
    usual = defaults(record)
    return tuple(name for name in fields(record) if name not in usual)


@cache
def field_types(record: Any) -> Mapping[str, Any]:
    """Return the types of the fields of a record, by name."""
    hints = get_type_hints(record)
    return {name: hints[name] for name in fields(record)}


_WORDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    date: "a date such as 2026-12-03",
    datetime: "a time such as 2026-12-03T09:30:00Z",
}


def describe_allowed(hint: Any) -> str:
    """Return the allowed values of a field of this type, in words."""
    inner, optional = unwrap_optional(hint)
    if isinstance(inner, EnumType):
        words = "one of " + ", ".join(inner.__members__)
    elif get_origin(inner) is tuple:
        words = f"a list, each {describe_allowed(get_args(inner)[0])}"
    elif get_origin(inner) is Literal:
        words = repr(get_args(inner)[0])
    elif hasattr(inner, "in_words"):
        words = inner.in_words
    elif is_record(inner):
        words = f"an object with {', '.join(fields(inner))}"
    else:
        words = _WORDS[get_origin(inner) or inner]
    return f"{words}, or nothing" if optional else words
