"""Results as JSON: records as objects with camelCase keys, collections under ``data``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

from msgspec.json import Encoder, decode

from core.codec.type_hints import is_record
from core.record import COLLECTION, defaults, encoded_fields, fields

FieldNaming = Callable[[str], str]
"""How the name of a field is written: ``snake`` or ``camel``."""


def snake(name: str) -> str:
    """A name as it is in the class."""
    return name


def snake_of(name: str) -> str:
    """Return the snake_case of a camelCase name; other spellings, as of headers, stay."""
    return re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), name) if name[:1].islower() else name


@cache
def camel(name: str) -> str:
    """``seen_version`` as ``seenVersion``."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def key_of(record: Any, name: str) -> str:
    """Return the key of a field in a result: the name in camelCase, or ``data`` for the list of a collection."""
    return encoded_fields(record)[name]


def _other(value: Any) -> str:
    if isinstance(value, date):  # msgspec knows only the class itself
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON.")


_ENCODER = Encoder(enc_hook=_other, order="deterministic")


def sorted_text(value: Any) -> str:
    """Return plain values as JSON without white space, its keys sorted: of texts and integers that of RFC 8785.

    >>> sorted_text({"b": [1, "é"], "a": "x"})
    '{"a":"x","b":[1,"é"]}'
    """
    return _ENCODER.encode(value).decode()


def to_json(value: Any) -> Any:
    """Return a result as plain JSON types: records as objects with camelCase keys, dates as ISO text, sets sorted."""
    return decode(_ENCODER.encode(value))


def text_of(result: Any) -> str:
    """Return the JSON text that answers with a result; a result that is not an object is put under ``data``."""
    return bytes_of(result).decode()


def bytes_of(result: Any) -> bytes:
    """Return the same text in UTF-8, without a copy of a long one."""
    if isinstance(result, list | tuple):
        result = {COLLECTION: result}
    text = _ENCODER.encode(result)
    return text if text.startswith(b"{") else b'{"%s":%s}' % (COLLECTION.encode(), text)


def collection(values: Iterable[Any]) -> dict[str, Any]:
    """Return several results as the answer of a collection."""
    return {COLLECTION: to_json(list(values))}


def brief(value: Any, spell: FieldNaming = camel) -> Any:
    """Return a value as plain JSON types, without fields that have their defaults."""
    if isinstance(value, tuple):
        return [brief(each, spell) for each in value]
    if not is_record(type(value)):
        return to_json(value)
    usual = defaults(value)
    held = {name: getattr(value, name) for name in fields(value)}
    return {spell(name): brief(each, spell) for name, each in held.items() if name not in usual or each != usual[name]}
