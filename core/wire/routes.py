"""How a message travels over HTTP: its route, and the request that carries its fields; for both ends of the wire.

Fields that the path names are in the path. The others are query parameters in snake_case for GET and DELETE, which
have no body, and a JSON object in camelCase for the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple, cast, get_origin
from urllib.parse import quote, urlencode

from core.codec.encoding import camel, to_json
from core.codec.type_hints import field_types, unwrap_optional
from core.engine.messages import Command, Message, Undecided
from core.errors import InvalidInput
from core.text.sanitize import quoted
from core.wire.message_decoder import checked, message_from

BODILESS = ("GET", "DELETE")
"""The methods whose fields are query parameters."""

_NAMED = re.compile(r"\{(\w+)\}")
_WHOLE = re.compile(r"-?[0-9]{1,16}")


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
    kind: type[Message[Any]],
    path: Mapping[str, str],
    query: Sequence[tuple[str, str]],
    body: Mapping[str, Any] | None,
) -> Message[Any]:
    """The message that a request carries: the parts of its path, its query, and its JSON body (None for none).

    Raises InvalidInput that names the first thing that cannot be accepted.
    """
    route = route_of(kind)
    if route.method in BODILESS:
        if body is not None:
            raise InvalidInput("body", f"{kind.__name__} takes its fields in the query, not in a body.")
        return message_from(kind.__name__, {**_from_query(kind, query), **path})
    if query:
        raise InvalidInput(query[0][0], f"{kind.__name__} takes its fields in the body, not in the query.")
    placed, given = {camel(name): word for name, word in path.items()}, dict(body or {})
    if double := [name for name in given if name in placed]:
        raise InvalidInput(double[0], f"“{double[0]}” is given by the path, not in the body.")
    return message_from(kind.__name__, given | placed, camel)


def head_of(kind: type[Message[Any]], path: Mapping[str, str]) -> Message[Any]:
    """What the path of a request says of the message that it carries; other fields raise Undecided.

    Raises InvalidInput for a word of the path that its field cannot hold.
    """
    hints, shape = field_types(kind), _head(cast(Any, kind))
    head: Message[Any] = shape.__new__(shape)
    for name, word in path.items():
        object.__setattr__(head, name, checked(camel(name), hints[name], word, camel))
    return head


@cache
def _head(kind: Any) -> type[Message[Any]]:
    def undecided(_: Message[Any], name: str) -> Any:
        raise Undecided(name)

    return type(kind.__name__, (kind,), {"__slots__": (), "__getattr__": undecided})


def _from_query(kind: type[Message[Any]], query: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Query parameters as the JSON values that their fields take; what is given several times is a list.

    Raises InvalidInput for one that is given twice and is no list, or that the path names.
    """
    hints, in_path = field_types(kind), route_of(kind).in_path
    found: dict[str, Any] = {}
    for name, word in query:
        if get_origin(hints.get(name)) is tuple:
            found.setdefault(name, []).append(word)
        elif name in found or name in in_path:
            raise InvalidInput(name, f"“{quoted(name)}” is given twice.")
        else:
            found[name] = _value(hints.get(name), word)
    return found


def _value(hint: Any, word: str) -> Any:
    """A word as the value that it writes; one that writes none of this type stays, to be refused with it."""
    kind, _ = unwrap_optional(hint)
    if kind is int and _WHOLE.fullmatch(word):
        return int(word)
    return word == "true" if kind is bool and word in ("true", "false") else word


def _given(message: Message[Any]) -> dict[str, Any]:
    assert is_dataclass(message)
    return {field.name: value for field in fields(message) if (value := getattr(message, field.name)) != field.default}


def _words(value: Any) -> list[str]:
    """A value as query parameters have it: one for each of a list. None has no word, nor need of one."""
    assert value is not None
    if isinstance(value, bool):
        return ["true" if value else "false"]
    return [word for each in value for word in _words(each)] if isinstance(value, tuple) else [str(to_json(value))]


def _json(value: Any) -> Any:
    """A value as a body has it; the steps of a bulk change are messages."""
    if isinstance(value, tuple) and value and isinstance(value[0], Command):
        return [{"message": type(step).__name__, **to_json(step)} for step in value]
    if is_dataclass(value):
        from core.codec.json_loader import brief

        return brief(value)  # a whole project: in full it would be longer than the file that it came from
    return to_json(value)
