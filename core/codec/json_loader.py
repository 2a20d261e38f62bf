"""JSON from outside as checked records; an error names the line and the field.

Where a value stands is found only when one is refused, by walking the text again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, get_args

from msgspec import UNSET, ValidationError

from core.codec.decoding import decode
from core.codec.encoding import key_of
from core.codec.strict_json import InvalidJson, object_of
from core.codec.type_hints import describe_allowed, field_types, is_record, unwrap_optional
from core.errors import InvalidImport, InvalidInput
from core.record import Record, RecordMeta
from core.text.sanitize import quote_value

JsonPath = Sequence[str | int]
"""The keys and indexes from the top of a file to a value in it."""

_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")
_STEPS = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_REFUSED = re.compile(r"(.*?)(?: - at `\$([^`]*)`)?", re.DOTALL)
"""The sentence of a ValidationError and the path of the value."""

_MALFORMED = re.compile(r"(?:JSON is malformed: )?(.*?)(?: \(byte (\d+)\))?")
QUOTED_FROM = 1_000_000
"""Bytes of a text from which on refused values in it are not quoted, because quoting creates the whole value first."""

UNKNOWN = "There is no such field."


def decode_body(
    text: bytes | bytearray, fields: Mapping[str, Any], unknown: Callable[[str], InvalidInput]
) -> dict[str, Any]:
    """Return the fields that a JSON object has, each of which is a record or a plain value.

    Plain values are not checked completely: the caller does that. Raises InvalidInput if the text is no such object,
    the error that ``unknown`` makes of the name of a field that is not among these, and InvalidImport for an error
    inside a record.
    """
    shape = _object_with(tuple(fields.items()))
    try:
        value = decode(text, shape)
    except ValidationError as error:
        quotable = text.decode(errors="replace") if len(text) < QUOTED_FROM else ""
        path, sentence = fault_of(error, shape, lambda path: _value_in(quotable, path))
    except (ValueError, RecursionError):
        raise InvalidInput("body", "The body cannot be read: it is not JSON in UTF-8.") from None
    else:
        return {name: found for name in fields if (found := getattr(value, name)) is not UNSET}
    if not path:
        raise InvalidInput("body", "The body cannot be read: it is not a JSON object.")
    name = str(path[0])
    if name not in fields:
        raise unknown(name)
    if not is_record(fields[name]):
        raise InvalidInput(name, f"“{name}”: {sentence}")
    raise InvalidImport(format_path(path[1:]), sentence, line=1)


@cache
def _object_with(fields: tuple[tuple[str, Any], ...]) -> Any:
    parts = {"__annotations__": dict(fields), **{name: UNSET for name, _ in fields}}
    return RecordMeta("Body", (Record,), parts, forbid_unknown_fields=True)


def fault_of(error: ValidationError, shape: Any, value_at: Callable[[JsonPath], Any]) -> tuple[JsonPath, str]:
    """Return the path of the value that msgspec refused, and our sentence about it.

    ``value_at`` returns the value at a path, or UNSET if it cannot be quoted.
    """
    matched = _REFUSED.fullmatch(str(error))
    said, at = matched.groups("") if matched else ("", "")
    path = parse_path(at)
    key = quote_value(said.partition("`")[2].removesuffix("`"))
    if said.startswith("Object missing"):
        return [*path, key], "It is missing."
    if said.startswith("Object contains unknown"):
        return [*path, key], UNKNOWN
    return path, describe_type_fault(shape, path, value_at(path))


def describe_type_fault(shape: Any, path: JsonPath, given: Any) -> str:
    """Return our sentence about a value that has not the type of its place, and is UNSET if it cannot be quoted."""
    sentence = f"It should be {describe_allowed(_type_at(shape, path))}"
    if given is UNSET:
        return f"{sentence}."
    shown = quote_value(given if isinstance(given, str) else json.dumps(given, default=str, ensure_ascii=False))
    return f"{sentence}; “{shown}” is not."


def parse_path(text: str) -> list[str | int]:
    """Return a path such as ``cards[3].name`` as its keys and indexes."""
    return [int(position) if position else key for position, key in _STEPS.findall(text)]


def _type_at(hint: Any, path: JsonPath) -> Any:
    """Return the type of the value at a path in a value of this type."""
    for step in path:
        inner, _ = unwrap_optional(hint)
        if isinstance(step, int):
            hint = get_args(inner)[0]
        else:
            hint = next(each for name, each in field_types(inner).items() if key_of(inner, name) == step)
    return hint


def refuse_malformed(text: str, said: str) -> InvalidImport:
    """Return the refusal of a text that is not JSON, with its line and the reason that msgspec said."""
    matched = _MALFORMED.fullmatch(said)
    reason, position = matched.groups() if matched else (said, None)
    what = f"It is not JSON ({reason})." if position else "It is cut off."
    before = text.encode()[: int(position)] if position else text.encode()
    return InvalidImport("", what, line=before.count(b"\n") + 1)


def check_keys_once(text: str) -> None:
    """Raise InvalidImport, with line and field, for a JSON text in which an object has a key twice.

    Readers take the last value of such a key, and say nothing of the others.
    """
    try:
        json.loads(text, object_pairs_hook=lambda pairs: bool(object_of(pairs)), parse_int=str)
    except InvalidJson:
        path = next(_keys_twice(json.loads(text, object_pairs_hook=tuple, parse_int=str), ()))
        shown = [quote_value(step) if isinstance(step, str) else step for step in path]
        line = line_of(text, format_path(path))
        raise InvalidImport(format_path(shown), f"The key “{shown[-1]}” is there twice.", line=line) from None


def _keys_twice(value: Any, path: JsonPath) -> Iterator[JsonPath]:
    """The paths of the keys that come again in their object; ``value`` has objects as tuples of pairs."""
    found = set()
    for step, each in value if isinstance(value, tuple) else enumerate(value) if isinstance(value, list) else ():
        if step in found:
            yield *path, step
        found.add(step)
        yield from _keys_twice(each, (*path, step))


def line_of(text: str, field: str) -> int:
    """Return the line, from 1, of the value at a path such as ``cards[3].name``, or of the nearest value above it."""
    at = _after_space(text, 0)
    for step in parse_path(field):
        try:
            at = _child(text, at, step)
        except (ValueError, IndexError, RecursionError):
            break
    return text.count("\n", 0, at) + 1


def format_path(path: JsonPath) -> str:
    """Return a path as people read it: ``cards[3].name``."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def _value_in(text: str, path: JsonPath) -> Any:
    """Return the value at a path; UNSET if there is none."""
    try:
        at = _after_space(text, 0)
        for step in path:
            at = _child(text, at, step)
        return _DECODER.raw_decode(text, at)[0]
    except (ValueError, IndexError, RecursionError):
        return UNSET


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
