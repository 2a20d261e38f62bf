"""TOML from outside as tables, and tables as TOML that people can read and edit.

``tomllib`` gives no line numbers of values, so the line of
a refused one is found by renaming its key in the text.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Mapping
from functools import reduce
from typing import Any

from core.codec.json_loader import JsonPath, parse_path
from core.errors import InvalidImport

MAX_DOTS = 20
"""Dots in a key, limited because ``tomllib`` takes quadratic time for them."""

SEARCHED = 1_000_000
"""Characters of a text up to which the line of a refused value is searched for, since that parses the text again."""

INDENT = "    "

_DOTTED = re.compile(rf"""(?<![\w"'-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{MAX_DOTS + 1}}}""")
_PLACE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_MARK = "podium-looks-for-this-key"


def parse_toml(text: str) -> dict[str, Any]:
    """Return a TOML text as a table. Raises InvalidImport with the line."""
    import tomllib

    if dotted := _DOTTED.search(text):
        raise InvalidImport("", f"A key has more than {MAX_DOTS} dots.", line=text.count("\n", 0, dotted.start()) + 1)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line = int(place[1] or text.count("\n") + 1) if place else 0
        raise InvalidImport("", f"It is not TOML ({_PLACE.sub('', str(error))}).", line=line) from None
    except RecursionError:
        raise InvalidImport("", "It is nested too deeply.") from None
    except ValueError:  # raised by ``int`` for too many digits
        raise InvalidImport("", "A number in it is too long.") from None


def line_of(text: str, field: str) -> int:
    """Return the line of the value at a path such as ``phases[3].name``, or of the nearest value above it; else 0."""
    import tomllib

    if len(text) > SEARCHED:
        return 0
    table = tomllib.loads(text)
    path = parse_path(field)
    while path:
        value = _at(table, path)
        if value is not None and isinstance(path[-1], str):
            return _line_of_key(text, path)
        path = [*path, next(iter(value))] if value and isinstance(value, dict) else path[:-1]
    return 0


def _at(table: Mapping[str, Any], path: JsonPath) -> Any:
    """Return the value at a path; None if there is none."""
    try:
        return reduce(lambda value, step: value[step], path, table)  # type: ignore[index]
    except (KeyError, IndexError, TypeError):
        return None


def _line_of_key(text: str, path: JsonPath) -> int:
    """Return the line of the key that ``path`` leads to.

    A binary search finds how many keys of that name, from the top, have to be renamed until this one is renamed.
    """
    import tomllib

    key = re.compile(rf"""(?<![\w-])(["']?){re.escape(str(path[-1]))}\1(?=[ \t]*=)""")
    found = list(key.finditer(text))

    def is_renamed(number: int) -> bool:
        try:
            return _at(tomllib.loads(key.sub(_MARK, text, count=number)), [*path[:-1], _MARK]) is not None
        except tomllib.TOMLDecodeError:
            return False

    numbers = range(1, len(found) + 1)
    at = bisect_left(numbers, True, key=is_renamed)
    return text.count("\n", 0, found[at].start()) + 1 if at < len(found) else 0


def as_toml(table: Mapping[str, Any]) -> str:
    """Return a table as TOML: lists of tables at the top under headers, with each field on a line of its own."""
    plain = {key: value for key, value in table.items() if not _has_tables(value)}
    parts = [_lines(plain)]
    for key in table:
        if key not in plain:
            parts += [f"[[{key}]]\n{_lines(each)}" for each in table[key]]
    return "\n".join(parts)


def _lines(table: Mapping[str, Any]) -> str:
    return "".join(f"{key} = {_format_value(value)}\n" for key, value in table.items())


def _format_value(value: Any, indent: str = "") -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_format_value(each, indent)}" for key, each in value.items()) + " }"
    if _has_tables(value):
        lines = (f"{indent}{INDENT}{_format_value(each, indent + INDENT)},\n" for each in value)
        return f"[\n{''.join(lines)}{indent}]"
    if isinstance(value, list):
        return f"[{', '.join(map(_format_value, value))}]"
    if isinstance(value, str) and "\n" in value:
        return '"""\n' + "\n".join(_escape(line) for line in value.split("\n")) + '"""'
    return f'"{_escape(value)}"' if isinstance(value, str) else json.dumps(value)


def _has_tables(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(each, Mapping) for each in value)


def _escape(line: str) -> str:
    """Escape as in JSON, which TOML reads too, except for DEL."""
    return json.dumps(line, ensure_ascii=False)[1:-1].replace("\x7f", "\\u007f")
