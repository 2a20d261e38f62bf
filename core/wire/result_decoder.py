"""Results from JSON: the inverse of ``encoding.to_json``.

It reads only answers of Podium's own server, so it trusts their shape and takes microseconds a record: each type is
turned into a function once. A value that does not fit raises KeyError, TypeError or ValueError.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from enum import EnumType
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from core.codec.encoding import key_of
from core.codec.type_hints import field_types, is_record, unwrap_optional
from core.engine.messages import Message

R = TypeVar("R")
Reader = Callable[[Any], Any]


def result_type(kind: type[Message[Any]]) -> Any:
    """Return the type of a message's result: the return annotation of its ``run``."""
    return _answer(kind.run)  # type: ignore[attr-defined]


@cache
def _answer(run: Callable[..., Any]) -> Any:
    return get_type_hints(run)["return"]


@cache
def reader(hint: Any) -> Reader | None:
    """Return the function that decodes a JSON value as this type; None if the value needs no decoding."""
    inner, may_be_none = unwrap_optional(hint)
    if may_be_none:
        return _optional(reader(inner))
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is tuple:
        return _tuple(arguments)
    if origin is frozenset:
        return _many(reader(arguments[0]), frozenset)
    if origin is dict:
        return _dict(reader(arguments[1]))
    if hint in (date, datetime):
        return cast(Reader, hint.fromisoformat)
    if hint is Path or isinstance(hint, EnumType):
        return cast(Reader, hint)
    if is_record(hint):
        return _record(hint)
    if hint in (str, int, float, bool, object, Any, type(None)) or origin is Literal:
        return None
    raise TypeError(f"{hint} is not a type of a result.")


def _optional(read: Reader | None) -> Reader | None:
    return (lambda value: None if value is None else read(value)) if read else None


def _tuple(arguments: tuple[Any, ...]) -> Reader:
    if arguments[-1] is Ellipsis:
        return _many(reader(arguments[0]), tuple)
    readers = [reader(each) or _same for each in arguments]
    return lambda value: tuple(read(each) for read, each in zip(readers, value, strict=True))


def _many(read: Reader | None, collect: Callable[[Any], Any]) -> Reader:
    if read is None:
        return collect
    return lambda value: collect([read(each) for each in value])


def _dict(read: Reader | None) -> Reader:
    if read is None:
        return dict
    return lambda value: {key: read(each) for key, each in value.items()}


def _record(kind: Any) -> Reader:
    """Return a decoder for a record. It resolves the fields at first use, since some records contain their own type."""
    parts: list[tuple[str, str, Reader]] = []

    def read_record(value: Any) -> Any:
        if not parts:
            parts.extend((name, key_of(kind, name), reader(each) or _same) for name, each in field_types(kind).items())
        return kind(**{name: read(value[key]) for name, key, read in parts})

    return read_record


def _same(value: Any) -> Any:
    return value


def read(message: Message[R], value: Any) -> R:
    """Return the result of a message from the JSON that the server answered with."""
    return cast(R, decode_as(result_type(type(message)), value))


def decode_as(hint: Any, value: Any) -> Any:
    """Return a JSON value decoded as any type that occurs in results."""
    how = reader(hint)
    return how(value) if how else value
