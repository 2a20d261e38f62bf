"""JSON from other services, read strictly: UTF-8, no duplicate keys, no NaN, and limited nesting and size.

Files of strangers are read by ``core.templates.checked_files``, which names line and field of a fault.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from core.record import Record


class InvalidJson(Exception):
    """The text is not acceptable JSON; the message completes a sentence such as "The body cannot be read: …"."""


BRACKETS = (b"[", b"{")
"""The first characters of objects and lists."""

SIGNS = (b",", *BRACKETS)
"""The characters that come before or begin a value."""

_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
"""A string with its quotes, or up to the end if it is not closed. Never backtracks, so it takes linear time."""


class Bounds(Record, kw_only=False):
    """The limits for a JSON value."""

    deep: int
    """Levels of nested objects and lists."""
    values: int = 1_000_000
    """Objects, lists and values in them. They are counted before the text is decoded."""
    characters: int = 1_000_000
    """Length of each string, in characters."""


def read_json(text: bytes, most: Bounds) -> Any:
    """Return the value of a text within bounds. Raises InvalidJson."""
    if has_more_values(text, most.values):
        raise InvalidJson(f"it has more than {most.values:,} values")
    try:
        value = json.loads(text.decode(), object_pairs_hook=object_of, parse_constant=_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidJson("it is not JSON in UTF-8") from error
    _refuse_large(value, most.deep, most.characters)
    return value


def has_more_values(text: bytes | bytearray, most: int, signs: Sequence[bytes] = SIGNS) -> bool:
    """Return True if a JSON text has more than ``most`` objects, lists and values in them.

    It counts ``signs``: each value begins with a bracket or comes after a comma. With brackets alone, only objects and
    lists are counted. Strings are searched only if the signs in the whole text are too many.
    """
    count = sum(map(text.count, signs))
    if count <= most:
        return False
    for number, found in enumerate(_TEXT.finditer(text)):
        if number == MAX_TEXTS:
            return True
        count -= sum(text.count(sign, *found.span()) for sign in signs)
        if count <= most:
            return False
    return True


MAX_TEXTS = 3_000_000
"""Strings that are searched; a text with more of them has too many values anyway."""


def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object with these keys and values. Raises InvalidJson for a duplicate key."""
    value = dict(pairs)
    if len(value) != len(pairs):
        raise InvalidJson("it has a duplicate key")
    return value


def _constant(word: str) -> Any:
    raise InvalidJson(f"{word} is not JSON")


def _refuse_large(value: Any, levels: int, characters: int) -> None:
    """Raise InvalidJson for a value that is nested too deeply, or has a string or key that is too long."""
    if isinstance(value, str):
        if len(value) > characters:
            raise InvalidJson(f"a text in it is longer than {characters:,} characters")
        return
    if not isinstance(value, dict | list):
        return
    if levels == 0:
        raise InvalidJson("it is nested too deeply")
    if isinstance(value, dict):
        for key in value:
            _refuse_large(key, levels, characters)
    for each in value.values() if isinstance(value, dict) else value:
        _refuse_large(each, levels - 1, characters)
