"""Decode: the message in the route, the parameters and the JSON body of a request."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from core.actions.catalog import MESSAGES
from core.codec.strict_json import BRACKETS, SIGNS, Bounds, InvalidJson, has_more_values, read_json
from core.engine.messages import Command, Message, Query
from core.errors import InvalidInput
from core.server.requests.bounds import limits
from core.server.requests.bounds.body_limits import USUAL, BodyLimit, body_limit
from core.server.requests.responses import JSON
from core.text.sanitize import quote_value
from core.wire.message_decoder import message_with_file
from core.wire.routes import ALSO, DRY_RUN, message_of, query_at

Body = bytes | bytearray

MAX_DEEP = 32
"""The deepest nesting of objects and lists; a whole project in a bulk change has a third of it."""

UNSUPPORTED = 415

WITH_COMMANDS = tuple(kind for kind in MESSAGES if issubclass(kind, Query) and kind.with_commands)
"""The queries that a command can answer too."""


def decode_message(kind: type[Message[Any]], request: Request, body: Body) -> Message[Any]:
    """Return the message of a request. Raises InvalidInput and InvalidImport."""
    if kind.bulky:
        return _decode_file(kind, request, body)
    value = parse_json_body(request, bytes(body), body_limit(kind))
    return message_of(kind, request.path_params, _query_of(kind, request), value)


def is_dry_run(kind: type[Message[Any]], request: Request) -> bool:
    """Return True if a request asks what its command would change. Raises InvalidInput for another value."""
    given = request.query_params.getlist(DRY_RUN)
    if not given or not issubclass(kind, Command):
        return False
    if len(given) > 1 or given[0] not in ("true", "false"):
        raise InvalidInput(DRY_RUN, f"“{DRY_RUN}” is given once, as true or false.")
    return given[0] == "true"


def also_asked(kind: type[Message[Any]], request: Request) -> Query[Any] | None:
    """Return the query that is to be answered together with a command, if it is one of those. Raises InvalidInput."""
    target = request.headers.get(ALSO, "")
    if not target or not issubclass(kind, Command) or kind.large or kind.leaves_rows:
        return None
    return query_at(target, WITH_COMMANDS)


def _query_of(kind: type[Message[Any]], request: Request) -> list[tuple[str, str]]:
    """The query parameters that are fields of the message. A query has no dry run, so there the name is unknown."""
    is_command = issubclass(kind, Command)
    return [(name, word) for name, word in request.query_params.multi_items() if not (is_command and name == DRY_RUN)]


def parse_json_body(request: Request, body: bytes, limit: BodyLimit = USUAL) -> dict[str, Any] | None:
    """Return the JSON object in a body; None for an empty body, which needs no media type.

    Raises InvalidInput, and HTTPException (415) for a body that is not declared as JSON.
    """
    if not body:
        return None
    _check_declared(request)
    try:
        value = read_json(body, Bounds(MAX_DEEP, limit.values, limits.MAX_TEXT))
    except InvalidJson as error:
        raise InvalidInput("body", f"The body cannot be read: {error}.") from error
    if not isinstance(value, dict):
        raise InvalidInput("body", "The body must be a JSON object.")
    return value


def _decode_file(kind: type[Message[Any]], request: Request, body: bytes | bytearray) -> Message[Any]:
    """Return the message of a request with a file. Raises InvalidInput, InvalidImport, and as ``parse_json_body``."""
    _check_declared(request)
    _refuse_parameters(name for name, _ in _query_of(kind, request))
    limit = body_limit(kind)
    for signs, number in ((SIGNS, limit.values), (BRACKETS, limits.MAX_BRACKETS_OF_FILE)):
        if has_more_values(body, number, signs):
            what = "values" if signs is SIGNS else "objects and lists"
            raise InvalidInput("body", f"The body cannot be read: it has more than {number:,} {what}. Split it.")
    return message_with_file(kind.__name__, body, request.path_params)


def check_no_query(request: Request) -> None:
    """Raise InvalidInput for query parameters on a path that has none."""
    _refuse_parameters(request.query_params)


def _refuse_parameters(given: Iterable[str]) -> None:
    for name in given:
        raise InvalidInput(name, f"There is no parameter “{quote_value(name)}” here.")


def _check_declared(request: Request) -> None:
    """Raise HTTPException (415) for a body that is not declared as JSON."""
    if not _is_declared(request):
        raise HTTPException(UNSUPPORTED)


def _is_declared(request: Request) -> bool:
    """True for a body that is declared as JSON in UTF-8 and not compressed."""
    declared = request.headers.getlist("content-type")
    coded = request.headers.get("content-encoding", "identity").strip().lower()
    kind, *parameters = (part.strip().lower() for part in (declared or [""])[0].split(";"))
    return len(declared) == 1 and kind == JSON and coded == "identity" and all(map(_is_utf_8, parameters))


def _is_utf_8(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name != "charset" or value.strip('"') == "utf-8"
