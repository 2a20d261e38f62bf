"""JSON of strangers, read strictly: UTF-8, no key twice, no NaN, and nothing nested without end."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple


class InvalidJson(Exception):
    """Not what is read here; the text completes "… is no answer: …"."""


BRACKETS = (b"[", b"{")
"""How objects and lists begin."""

SIGNS = (b",", *BRACKETS)
"""How values do."""

_TEXT = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
"""A text with its quotes; one that never ends reaches to the end. It never goes back, so it takes linear time."""


class Bounds(NamedTuple):
    """How large a value may be."""

    deep: int
    """Objects and lists inside each other."""
    values: int = 1_000_000
    """Objects, lists, and values in them. They are counted before anything is made of the text."""
    characters: int = 1_000_000
    """Of each text."""


def read_json(text: bytes, most: Bounds) -> Any:
    """The value of a text within bounds. Raises InvalidJson."""
    if has_more_values(text, most.values):
        raise InvalidJson(f"it has more than {most.values:,} values")
    try:
        value = json.loads(text.decode(), object_pairs_hook=_object, parse_constant=_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidJson("it is not JSON in UTF-8") from error
    _refuse_large(value, most.deep, most.characters)
    return value


def has_more_values(text: bytes | bytearray, most: int, signs: Sequence[bytes] = SIGNS) -> bool:
    """Whether a JSON text holds more objects, lists and values in them: each begins with a bracket, or after a comma.

    With fewer ``signs`` fewer are counted: with brackets alone, objects and lists. Texts are looked into only where
    there are signs enough.
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
"""Texts that are looked into; whoever sends more of them sends too many values."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise InvalidJson("a key stands in it twice")
    return value


def _constant(word: str) -> Any:
    raise InvalidJson(f"{word} is no JSON")


def _refuse_large(value: Any, levels: int, characters: int) -> None:
    """Raises InvalidJson for what is nested too deeply, and for texts that are too long, keys too."""
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
