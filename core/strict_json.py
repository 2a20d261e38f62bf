"""JSON of strangers, read strictly: UTF-8, no key twice, no NaN, and nothing nested without end."""

from __future__ import annotations

import json
from typing import Any


class Malformed(Exception):
    """Not what is read here; the text completes "… is no answer: …"."""


def read_json(text: bytes, most_deep: int) -> Any:
    """The value, with at most so many objects and lists inside each other. Raises Malformed."""
    try:
        value = json.loads(text.decode(), object_pairs_hook=_object, parse_constant=_constant)
    except (ValueError, RecursionError) as error:
        raise Malformed("it is not JSON in UTF-8") from error
    if _is_deeper(value, most_deep):
        raise Malformed("it is nested too deeply")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise Malformed("a key stands in it twice")
    return value


def _constant(word: str) -> Any:
    raise Malformed(f"{word} is no JSON")


def _is_deeper(value: Any, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inside = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deeper(each, levels - 1) for each in inside)
