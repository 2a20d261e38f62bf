"""JSON from outside as checked records; an error names the line and the field.

The shape is a dataclass, or a record that says how pydantic reads it. pydantic is imported with the first file. Where
a value stands is found only when one is refused, by walking the text again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import make_dataclass
from functools import cache
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, TypeVar, cast

from core.codec.type_hints import is_record
from core.errors import InvalidImport, InvalidInput
from core.record import Record
from core.text.sanitize import quoted

T = TypeVar("T")
Way = Sequence[str | int]
"""The keys and indexes from the top of a file to a value in it."""

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_KEY = re.compile(rb'"((?:[^"\\]++|\\.)*+)"\s*+:', re.DOTALL)
_STEPS = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
QUOTED_FROM = 1_000_000
"""Bytes of a text from which on refused values in it are not quoted, because quoting creates the whole value first."""

ABSENT = object()
"""Marks a field that is missing from the text."""

UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden")
"""Pydantic's names for the error of an unknown field."""


def loaded(text: str, shape: type[T]) -> T:
    """Return the value of a JSON text. Raises InvalidImport."""
    from pydantic import ValidationError

    try:
        value: T = _validator(cast(Any, shape)).validate_json(text)
    except ValidationError as error:
        fault: dict[str, Any] = dict(error.errors(include_url=False)[0])
        raise _refusal(text, fault) from None
    return value


def brought(text: bytes | bytearray, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that a JSON object has, each of which is a shape or a plain value.

    Plain values are not checked completely: the caller does that. Raises InvalidInput if the text is no such object,
    and InvalidImport for an error inside a field with a shape.
    """
    from pydantic import ValidationError

    shape = _object_with(tuple(fields.items()))
    if len(text) >= QUOTED_FROM and (key := _first_unknown(text, shape.names)) is not None:
        raise InvalidImport(quoted(key), "There is no such field.", line=1)
    try:
        value = shape.validator.validate_json(text)
        return {name: found for name in fields if (found := getattr(value, name)) is not ABSENT}
    except ValidationError as error:
        fault: dict[str, Any] = dict(error.errors(include_url=False, include_input=len(text) < QUOTED_FROM)[0])
    # outside of the except block, because pydantic's error keeps all that was read in memory
    way = fault["loc"]
    if not way:
        what = "it is not JSON in UTF-8" if fault["type"] == "json_invalid" else "it is not a JSON object"
        raise InvalidInput("body", f"The body cannot be read: {what}.")
    if fault["type"] in UNKNOWN and len(way) == 1:
        return {str(way[0]): None}  # the caller refuses it and lists the known fields
    if not is_record(fields[way[0]]):
        raise InvalidInput(str(way[0]), f"“{way[0]}”: {_sentence(fault, str(fault['msg']))}")
    raise InvalidImport(written(way[1:]), _sentence(fault, str(fault["msg"])), line=1)


class _Body(Record, kw_only=False):
    """The means to check the body of a request."""

    validator: Any
    names: re.Pattern[bytes]
    """Matches up to the first key that is not a field of any class in the body."""


@cache
def _object_with(fields: tuple[tuple[str, Any], ...]) -> _Body:
    shape = make_dataclass("Body", [(name, hint, ABSENT) for name, hint in fields], kw_only=True)
    shape.__pydantic_config__ = {"extra": "forbid", "strict": True}  # type: ignore[attr-defined]
    names: set[str] = set()
    validator = _ending_at_first_fault(shape, names)
    known = "|".join(map(re.escape, sorted(names))).encode()
    keys = rb'(?:[^"]++|"(?:%s)"\s*+:|"(?:[^"\\]++|\\.)*+"(?!\s*+:))*+' % known
    return _Body(validator, re.compile(keys, re.DOTALL))


def _ending_at_first(schema: Any, names: set[str]) -> Any:
    """Return a pydantic schema in which a list ends at its first error. Adds the names of all fields to ``names``."""
    if isinstance(schema, list):
        return [_ending_at_first(each, names) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {key: _ending_at_first(each, names) for key, each in schema.items() if key != "metadata"}
    if found.get("type") in ("tuple", "list") and "items_schema" in found:
        found["fail_fast"] = True
    if found.get("type") == "dataclass-field":
        names.add(found.get("validation_alias", found["name"]))
    if found.get("type") == "typed-dict":
        names.update(each["validation_alias"] for each in found["fields"].values())
    return found


def _first_unknown(text: bytes | bytearray, names: re.Pattern[bytes]) -> str | None:
    """Return the first key of a JSON text that is not a field of any class; None if there is none."""
    matched = names.match(text)
    found = _KEY.match(text, matched.end() if matched else 0)
    return found[1].decode(errors="replace") if found else None


def line_of(text: str, field: str) -> int:
    """Return the line, from 1, of the value at a path such as ``cards[3].name``, or of the nearest value above it."""
    at = _after_space(text, 0)
    for position, key in _STEPS.findall(field):
        try:
            at = _child(text, at, int(position) if position else key)
        except (ValueError, IndexError, RecursionError):
            break
    return text.count("\n", 0, at) + 1


def written(way: Way) -> str:
    """Return a path as people read it: ``cards[3].name``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in way).removeprefix(".")


def _refusal(text: str, fault: dict[str, Any]) -> InvalidImport:
    """Return the error for the first fault that pydantic found."""
    said = str(fault["msg"])
    if fault["type"] == "json_invalid":
        place = re.search(r" at line (\d+) column (\d+)$", said)
        reason = said.removeprefix("Invalid JSON: ")[: -len(place[0]) if place else None]
        what = "It is cut off" if "EOF" in reason else "It is not JSON"
        return InvalidImport("", f"{what} ({reason}).", line=int(place[1]) if place else 0)
    field = written(fault["loc"])
    return InvalidImport(field, _sentence(fault, said), line=line_of(text, field))


def _sentence(fault: dict[str, Any], said: str) -> str:
    if fault["type"] == "missing":
        return "It is missing."
    if fault["type"] in UNKNOWN:
        return "There is no such field."
    if "input" not in fault:
        return f"{said.replace('Input should be', 'It should be')}."
    given = fault["input"]
    shown = quoted(given if isinstance(given, str) else json.dumps(given, default=str, ensure_ascii=False))
    return f"{said.replace('Input should be', 'It should be')}; “{shown}” is not."


def _child(text: str, at: int, key: str | int) -> int:
    """Return the index of the value under ``key`` in the object or list at index ``at``. Raises ValueError."""
    if text[at] not in ("{" if isinstance(key, str) else "["):
        raise ValueError
    at, position = _after_space(text, at + 1), 0
    while text[at] not in "]}":
        found: str | int = position
        if isinstance(key, str):
            found, at = scanstring(text, at + 1)
            at = _after_space(text, _after_space(text, at) + 1)
        if found == key:
            return at
        _, at = _DECODER.raw_decode(text, at)
        at = _after_space(text, at)
        if text[at] == ",":
            at = _after_space(text, at + 1)
        position += 1
    raise ValueError


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


@cache
def _validator(shape: Any) -> Any:
    return _ending_at_first_fault(shape, set())


def _ending_at_first_fault(shape: Any, names: set[str]) -> Any:
    """Return a validator that ends at the first error in a list, and add the names of all fields to ``names``.

    Pydantic keeps half a kilobyte for each error, and a text from outside may have a million.
    """
    from pydantic_core import SchemaValidator

    return SchemaValidator(_ending_at_first(_adapter(shape).core_schema, names))


@cache
def _adapter(shape: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(shape)
