"""The route of each message over HTTP, and the request that carries its fields; for client and server.

Fields that the path names are in the path. The others are query parameters in snake_case for GET and DELETE, which have
no body, and otherwise a JSON object in camelCase.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, cast, get_origin
from urllib.parse import parse_qsl, quote, unquote, urlencode

from core.codec.encoding import brief, camel, to_json
from core.codec.type_hints import field_types, is_record, unwrap_optional
from core.engine.messages import BodyNotRead, Command, Message, Query
from core.errors import InvalidInput
from core.record import defaults, fields, replace
from core.text.sanitize import quote_value
from core.wire.message_decoder import check_value, message_from

SEEN = "Podium-Seen"
"""The header with the number of commits that an answer builds on. A client sends back the highest that it has got, so
that each of several servers knows of those commits before it answers."""

ALSO = "Podium-Also"
"""The header of a command with the target of a query that is to be answered together with it, as of its commit, such as
``/v1/projects/ID/canvas/changes?since=7``. The answer then has the header too, and the results in two members of an
object, ``result`` and ``also``. A server that does not know it, or cannot answer the query, answers without either."""

DRY_RUN = "dryRun"
"""The query parameter of a command that asks what it would change. It is part of the address, which no gateway drops
as it may drop a header; and a server that does not know it refuses the command."""

BODILESS = ("GET", "DELETE")
"""The methods whose fields are query parameters."""

_NAMED = re.compile(r"\{(\w+)\}")
_WHOLE = re.compile(r"-?[0-9]{1,16}")


class Route(NamedTuple):
    """The method and path of a message in the HTTP API."""

    method: str
    path: str
    """The names of fields are in braces."""
    in_path: tuple[str, ...]
    """The names of the fields in the path."""


class Request(NamedTuple):
    """The request that carries a message, without its headers."""

    method: str
    target: str
    """The path with the query, percent-encoded."""
    body: bytes


def route_of(kind: type[Message[Any]]) -> Route:
    """Return the route of a message class."""
    return _route(kind.route)


@cache
def _route(text: str) -> Route:
    method, path = text.split(" ")
    return Route(method, path, tuple(_NAMED.findall(path)))


def request_of(message: Message[Any]) -> Request:
    """Return the request that carries a message; fields with their default are omitted."""
    method, path, in_path = route_of(type(message))
    given = _list_given(message)
    target = _NAMED.sub(lambda name: quote(str(getattr(message, name[1])), safe=""), path)
    others = {name: value for name, value in given.items() if name not in in_path}
    if method in BODILESS:
        words = [(name, word) for name, value in others.items() for word in _words(value)]
        return Request(method, f"{target}?{urlencode(words)}" if words else target, b"")
    body = {camel(name): _json(value) for name, value in others.items()}
    return Request(method, target, json.dumps(body, ensure_ascii=False).encode() if body else b"")


def as_dry_run(request: Request) -> Request:
    """Return the request that asks what a command would change, instead of the request that carries it."""
    sign = "&" if "?" in request.target else "?"
    return request._replace(target=f"{request.target}{sign}{DRY_RUN}=true")


def message_of(
    kind: type[Message[Any]],
    path: Mapping[str, str],
    query: Sequence[tuple[str, str]],
    body: Mapping[str, Any] | None,
) -> Message[Any]:
    """Return the message that a request carries, from the parameters of its path, its query and its JSON body.

    Raises InvalidInput, which names the first field that is wrong.
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
    message = message_from(kind.__name__, given | placed, camel)
    nulls = [name for name, value in given.items() if value is None]
    return _clear_fields(message, nulls) if route.method == "PATCH" else message


def _clear_fields(message: Message[Any], nulls: Sequence[str]) -> Message[Any]:
    """Return an edit in which null clears a text, a list and a due date; None is there for a field that stays.

    Raises InvalidInput for any other null, since no field stays as it is where the sender wants it to be empty.
    """
    hints, found = field_types(type(message)), dict[str, Any]()
    for field in (each for each in hints if camel(each) in nulls and each != "seen_version"):
        inner = unwrap_optional(hints[field])[0]
        if f"no_{field}" in hints:
            found[f"no_{field}"] = True
        elif inner is str or get_origin(inner) is tuple:
            found[field] = "" if inner is str else ()
        else:
            name = camel(field)
            raise InvalidInput(name, f"“{name}” cannot be null, since it is never empty. Leave it out to keep it.")
    return replace(message, **found)


def query_at(target: str, kinds: Sequence[type[Query[Any]]]) -> Query[Any] | None:
    """Return the query of one of these kinds that a GET of this target would carry; None if it carries another.

    Raises InvalidInput, which names the first field that is wrong.
    """
    path, _, given = target.partition("?")
    for kind in kinds:
        if found := _pattern(kind.route).fullmatch(path):
            in_path = {name: unquote(part) for name, part in found.groupdict().items()}
            return cast("Query[Any]", message_of(kind, in_path, parse_qsl(given, keep_blank_values=True), None))
    return None


@cache
def _pattern(route: str) -> re.Pattern[str]:
    """The paths of a route, with a group for each field."""
    return re.compile(_NAMED.sub(r"(?P<\1>[^/]+)", _route(route).path))


def head_of(kind: type[Message[Any]], path: Mapping[str, str]) -> Message[Any]:
    """Return the part of a message that is in the path of its request; other fields raise BodyNotRead.

    Raises InvalidInput for a parameter of the path that its field cannot hold.
    """
    hints, shape = field_types(kind), _head(cast(Any, kind))
    named = {name: check_value(camel(name), hints[name], word, camel) for name, word in path.items()}
    return shape(**dict.fromkeys(hints, _IN_BODY) | named)


_IN_BODY = object()


@cache
def _head(kind: Any) -> type[Message[Any]]:
    def read_decision(self: Message[Any], name: str) -> Any:
        value = kind.__getattribute__(self, name)
        if value is _IN_BODY:
            raise BodyNotRead(name)
        return value

    return type(kind.__name__, (kind,), {"__getattribute__": read_decision, "__post_init__": lambda _: None})


def _from_query(kind: type[Message[Any]], query: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return query parameters as the JSON values of their fields; repeated parameters of a list are collected.

    Raises InvalidInput for a repeated parameter that is not a list, and for one that the path also names.
    """
    hints, in_path = field_types(kind), route_of(kind).in_path
    found: dict[str, Any] = {}
    for name, word in query:
        if get_origin(hints.get(name)) is tuple:
            found.setdefault(name, []).append(word)
        elif name in found or name in in_path:
            raise InvalidInput(name, f"“{quote_value(name)}” is given twice.")
        else:
            found[name] = _value(hints.get(name), word)
    return found


def _value(hint: Any, word: str) -> Any:
    """Convert a query parameter to a number or a boolean, or return it unchanged, to be refused later."""
    kind, _ = unwrap_optional(hint)
    if kind is int and _WHOLE.fullmatch(word):
        return int(word)
    return word == "true" if kind is bool and word in ("true", "false") else word


def _list_given(message: Message[Any]) -> dict[str, Any]:
    usual = defaults(message)
    values = {name: getattr(message, name) for name in fields(message)}
    return {name: value for name, value in values.items() if name not in usual or value != usual[name]}


def _words(value: Any) -> list[str]:
    """Return a value as query parameters: a list has one for each element."""
    assert value is not None
    if isinstance(value, bool):
        return ["true" if value else "false"]
    return [word for each in value for word in _words(each)] if isinstance(value, tuple) else [str(to_json(value))]


def _json(value: Any) -> Any:
    """Return a value as JSON for a body; the steps of a bulk change become objects with their message names."""
    if isinstance(value, tuple) and value and isinstance(value[0], Command):
        return [{"message": type(step).__name__, **to_json(step)} for step in value]
    if is_record(type(value)):
        return brief(value)  # without defaults, so that an imported project is no longer than its file
    return to_json(value)
