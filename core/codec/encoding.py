"""Results as JSON: records as objects with camelCase keys, collections under ``data``."""

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
"""How the name of a field is written: ``snake`` or ``camel``."""

Writer = Callable[[Any], Any]
"""Turns a value into what JSON knows."""


def snake(name: str) -> str:
    """A name as it is in the class."""
    return name


def snake_of(name: str) -> str:
    """What ``camel`` was given: ``seenVersion`` as ``seen_version``. Other spellings, as of headers, stay."""
    return re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), name) if name[:1].islower() else name


@cache
def camel(name: str) -> str:
    """``seen_version`` as ``seenVersion``."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def key_of(record: Any, name: str) -> str:
    """The key of a field of a result: in camelCase, but ``data`` for the list of a collection (source document,
    section 4.2), which the record names in ``collection``. What a collection tells besides stands beside it."""
    return DATA if name == getattr(record, "collection", None) else camel(name)


def to_json(value: Any) -> Any:
    """A result as what JSON knows: records as objects with camelCase keys, dates as ISO text."""
    kind: Any = type(value)
    write = _writer(kind)
    return write(value) if write else value


@cache
def _writer(kind: Any) -> Writer | None:
    """The function that writes values of this type; None where they are what JSON knows already."""
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
"""How values are written that are no records: of the first of these types that they are of."""


def answer_of(result: Any) -> dict[str, Any]:
    """A result as the object that answers with it: what is no object stands under ``data``."""
    shown = to_json(result)
    return shown if isinstance(shown, dict) else {DATA: shown}


AT_ONCE = 100
"""Values of a list that become text at once: the thread that writes a long text keeps all others waiting meanwhile."""


def text_of(result: Any) -> str:
    """The same as JSON text, as it travels. Of a long result never all is there as objects of JSON."""
    if not _is_long(result):
        return _dumped(answer_of(result))
    text = "".join(_pieces(result))
    return text if text.startswith("{") else f'{{"{DATA}":{text}}}'


def _is_long(value: Any) -> bool:
    """Whether there is a long list in a value, or in the records of a short list in it."""
    if is_record(type(value)):
        return any(isinstance(each, tuple) and _is_long(each) for each in (getattr(value, n) for n in names_of(value)))
    return isinstance(value, tuple) and (len(value) > AT_ONCE or any(map(_is_long, value)))


def _pieces(value: Any) -> Iterator[str]:
    """The text of a value; of a long list some values at a time."""
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
    """Several results as collections answer."""
    return {DATA: [to_json(value) for value in values]}
