"""How a message travels over HTTP: its route, and the request that carries its fields; for both ends of the wire.

Fields that the path names are in the path. The others are query parameters in snake_case for GET and DELETE, which
have no body, and a JSON object in camelCase for the rest (spec, section 8).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from core.errors import InvalidInput
from core.messages import Command, Message
from core.wire import camel, message_from, message_from_words, to_json, types_of

BODILESS = ("GET", "DELETE")
"""The methods whose fields are query parameters."""

_NAMED = re.compile(r"\{(\w+)\}")


class Route(NamedTuple):
    """Where a message lives in the HTTP API."""

    method: str
    path: str
    """With the names of fields in braces."""
    in_path: tuple[str, ...]
    """Those names."""


class Request(NamedTuple):
    """What carries a message: everything of an HTTP request but its headers."""

    method: str
    target: str
    """The path with its query, percent-encoded."""
    body: bytes


def route_of(kind: type[Message[Any]]) -> Route:
    """The route of a message class."""
    return _route(kind.route)


@cache
def _route(text: str) -> Route:
    method, path = text.split(" ")
    return Route(method, path, tuple(_NAMED.findall(path)))


def request_of(message: Message[Any]) -> Request:
    """The request that a message travels as; a field that holds its default is left out."""
    method, path, in_path = route_of(type(message))
    given = _given(message)
    target = _NAMED.sub(lambda name: quote(str(getattr(message, name[1])), safe=""), path)
    others = {name: value for name, value in given.items() if name not in in_path}
    if method in BODILESS:
        words = [(name, word) for name, value in others.items() for word in _words(value)]
        return Request(method, f"{target}?{urlencode(words)}" if words else target, b"")
    body = {camel(name): _json(value) for name, value in others.items()}
    return Request(method, target, json.dumps(body, ensure_ascii=False).encode() if body else b"")


def message_of(
    kind: type[Message[Any]], path: Mapping[str, str], query: Sequence[tuple[str, str]], body: Any
) -> Message[Any]:
    """The message that a request carries: the parts of its path, its query, and its JSON body (None for none).

    Raises InvalidInput that names the first thing that cannot be accepted.
    """
    route = route_of(kind)
    hints = types_of(kind)
    placed = {name: hints[name](word) if issubclass(hints[name], StrEnum) else word for name, word in path.items()}
    if route.method in BODILESS:
        return message_from_words(kind.__name__, {**_single(query), **path}, None)
    if query:
        raise InvalidInput(query[0][0], f"{kind.__name__} takes its fields in the body, not in the query.")
    if body is not None and not isinstance(body, dict):
        raise InvalidInput("body", "The body must be a JSON object.")
    fields_of_body = dict(body or {})
    if double := [name for name in fields_of_body if name in map(camel, placed)]:
        raise InvalidInput(double[0], f"“{double[0]}” is given by the path, not in the body.")
    return message_from(kind.__name__, fields_of_body | {camel(name): word for name, word in placed.items()}, camel)


def _single(query: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Query parameters by name; several of one name are a list."""
    found: dict[str, list[str]] = {}
    for name, word in query:
        found.setdefault(name, []).append(word)
    return {name: words[0] if len(words) == 1 else json.dumps(words) for name, words in found.items()}


def _given(message: Message[Any]) -> dict[str, Any]:
    assert is_dataclass(message)
    return {field.name: value for field in fields(message) if (value := getattr(message, field.name)) != field.default}


def _words(value: Any) -> list[str]:
    """A value as query parameters have it."""
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if isinstance(value, tuple):
        return [json.dumps(to_json(value))]
    return ["" if value is None else str(to_json(value))]


def _json(value: Any) -> Any:
    """A value as a body has it; the steps of a bulk change are messages."""
    if isinstance(value, tuple) and value and isinstance(value[0], Command):
        return [{"message": type(step).__name__, **to_json(step)} for step in value]
    return to_json(value)
