"""Results as JSON: records become objects with camelCase keys, collections lists under ``data``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from enum import StrEnum
from functools import cache
from operator import methodcaller
from pathlib import Path
from typing import Any

from core.codec.type_hints import is_record, names_of

DATA = "data"
"""The key of the list in every collection."""

FieldNaming = Callable[[str], str]
"""A spelling of field names: ``snake`` or ``camel``."""

Writer = Callable[[Any], Any]
"""Turns a value into plain JSON types."""


def snake(name: str) -> str:
    """Return a field name unchanged, as the class has it."""
    return name


def snake_of(name: str) -> str:
    """Return the snake_case of a camelCase name; other spellings, as of headers, stay."""
    return re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), name) if name[:1].islower() else name


@cache
def camel(name: str) -> str:
    """Return ``seenVersion`` for ``seen_version``."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def key_of(record: Any, name: str) -> str:
    """Return the key of a field in a result: the name in camelCase, or ``data`` for the list of a collection.

    A record names that list in ``collection``; its other fields stand beside ``data``.
    """
    return DATA if name == getattr(record, "collection", None) else camel(name)


def to_json(value: Any) -> Any:
    """Return a result as plain JSON types: records as objects with camelCase keys, dates as ISO text."""
    kind: Any = type(value)
    write = _writer(kind)
    return write(value) if write else value


@cache
def _writer(kind: Any) -> Writer | None:
    """Return the function that writes values of this type; None for types that JSON has itself."""
    if is_record(kind):
        return _record_writer(kind)
    for known, write in _WRITERS.items():
        if issubclass(kind, known):
            return write
    return None


def _record_writer(record: Any) -> Writer:
    pairs = [(key_of(record, name), name) for name in names_of(record)]

    def write(value: Any) -> dict[str, Any]:
        return {key: to_json(getattr(value, name)) for key, name in pairs}

    return write


def _write_mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key): to_json(each) for key, each in value.items()}


def _write_list(value: Iterable[Any]) -> list[Any]:
    return [to_json(each) for each in value]


def _write_set(value: Iterable[Any]) -> list[Any]:
    return sorted(map(to_json, value))


_WRITERS: Mapping[type, Writer] = {
    StrEnum: str.__str__,
    date: methodcaller("isoformat"),
    Mapping: _write_mapping,
    frozenset: _write_set,
    set: _write_set,
    list: _write_list,
    tuple: _write_list,
    Path: str,
}
"""The writers of values that are not records. The first matching type applies."""


def answer_of(result: Any) -> dict[str, Any]:
    """Return the JSON object that answers with a result; a result that is not an object is put under ``data``."""
    shown = to_json(result)
    return shown if isinstance(shown, dict) else {DATA: shown}


AT_ONCE = 100
"""List elements that are encoded in one step. Longer lists take several, since encoding blocks all other threads."""


def text_of(result: Any) -> str:
    """Return the JSON text that answers with a result; a long list is encoded piece by piece, to save memory."""
    if not _is_long(result):
        return _dumped(answer_of(result))
    text = "".join(_pieces(result))
    return text if text.startswith("{") else f'{{"{DATA}":{text}}}'


def _is_long(value: Any) -> bool:
    """Return True if a value contains a list of more than ``AT_ONCE`` elements, also inside records."""
    if is_record(type(value)):
        return any(isinstance(each, tuple) and _is_long(each) for each in (getattr(value, n) for n in names_of(value)))
    return isinstance(value, tuple) and (len(value) > AT_ONCE or any(map(_is_long, value)))


def _pieces(value: Any) -> Iterator[str]:
    """Yield the JSON text of a value, long lists in several pieces."""
    if not _is_long(value):
        yield _dumped(to_json(value))
    elif is_record(type(value)):
        for number, name in enumerate(names_of(value)):
            yield f"{',' if number else '{'}{_dumped(key_of(value, name))}:"
            yield from _pieces(getattr(value, name))
        yield "}"
    elif len(value) > AT_ONCE:
        for start in range(0, len(value), AT_ONCE):
            yield f"{',' if start else '['}{_dumped(to_json(value[start : start + AT_ONCE]))[1:-1]}"
        yield "]"
    else:
        for number, each in enumerate(value):
            yield "," if number else "["
            yield from _pieces(each)
        yield "]"


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def collection(values: Iterable[Any]) -> dict[str, Any]:
    """Return several results as the answer of a collection."""
    return {DATA: [to_json(value) for value in values]}
