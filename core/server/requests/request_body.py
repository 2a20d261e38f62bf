"""The body of a request as the JSON value that it is."""

from __future__ import annotations

from typing import Any, NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from core.codec.strict_json import BRACKETS, SIGNS, Bounds, InvalidJson, has_more_values, read_json
from core.codec.type_hints import field_types
from core.engine.messages import Message
from core.errors import InvalidInput
from core.server.requests import limits
from core.server.requests.responses import JSON
from core.server.requests.running_commands import RunningCommand
from core.text.sanitize import quoted
from core.wire.message_decoder import COMMANDS_FIELD, message_with_file
from core.wire.routes import message_of

Body = bytes | bytearray

MAX_DEEP = 32
"""Objects and lists inside each other; a whole project in a bulk of messages has a third of it."""

UNSUPPORTED = 415


class Most(NamedTuple):
    """How much a body may hold."""

    length: int
    """In bytes."""
    values: int


USUAL = Most(limits.MAX_BODY, limits.MAX_VALUES)


def most_of(kind: type[Message[Any]]) -> Most:
    """How much the body of a message may hold."""
    if kind.bulky:
        return Most(limits.MAX_BULKY, limits.MAX_VALUES_OF_FILE)
    if COMMANDS_FIELD in field_types(kind):
        return Most(limits.MAX_BULK, limits.MAX_VALUES_OF_BULK)
    return USUAL


def message_in(kind: type[Message[Any]], request: Request, body: Body) -> Message[Any]:
    """The message that a request carries. Raises InvalidInput and ImportRefused."""
    if kind.bulky:
        return message_of_file(kind, request, body)
    value = value_of(request, bytes(body), most_of(kind))
    return message_of(kind, request.path_params, request.query_params.multi_items(), value)


def is_long(request: Request) -> bool:
    """Whether a body is announced that many connections may not have at one time, or one of unknown length."""
    headers = dict(request.scope["headers"])
    return b"transfer-encoding" in headers or int(headers.get(b"content-length", 0)) > limits.LARGE_BODY


async def read_into(body: bytearray, request: Request, watched: RunningCommand) -> None:
    """Read the body of a request, as long as it is wanted. Raises Cancelled when it is not any more."""
    async for piece in request.stream():
        if watched.cancelled:
            body.clear()
        else:
            body += piece
    watched.step(0, 0)


async def thrown_away(request: Request, refused: Response) -> Response:
    """A refusal, after the body: most clients hear nothing before they have sent all."""
    async for _ in request.stream():
        pass
    return refused


def value_of(request: Request, body: bytes, most: Most = USUAL) -> dict[str, Any] | None:
    """The object in a body, as every body here is one; None for an empty one, which needs no media type.

    Raises InvalidInput, and the refusal of what is not declared as JSON.
    """
    if not body:
        return None
    _refuse_undeclared(request)
    try:
        value = read_json(body, Bounds(MAX_DEEP, most.values, limits.MAX_TEXT))
    except InvalidJson as error:
        raise InvalidInput("body", f"The body cannot be read: {error}.") from error
    if not isinstance(value, dict):
        raise InvalidInput("body", "The body must be a JSON object.")
    return value


def message_of_file(kind: type[Message[Any]], request: Request, body: bytes | bytearray) -> Message[Any]:
    """The message that a request with a file carries. Raises InvalidInput and ImportRefused, and as ``value_of``."""
    _refuse_undeclared(request)
    check_no_query(request)
    most = most_of(kind)
    for signs, number in ((SIGNS, most.values), (BRACKETS, limits.MAX_BRACKETS_OF_FILE)):
        if has_more_values(body, number, signs):
            what = "values" if signs is SIGNS else "objects and lists"
            raise InvalidInput("body", f"The body cannot be read: it has more than {number:,} {what}. Split it.")
    return message_with_file(kind.__name__, body)


def check_no_query(request: Request) -> None:
    """Raises InvalidInput for query parameters where none are taken."""
    for name in request.query_params:
        raise InvalidInput(name, f"There is no parameter “{quoted(name)}” here.")


def _refuse_undeclared(request: Request) -> None:
    """Raises the refusal of what is not declared as JSON."""
    if not _is_declared(request):
        raise HTTPException(UNSUPPORTED)


def _is_declared(request: Request) -> bool:
    """Whether it says to be JSON in UTF-8, as it is."""
    declared = request.headers.getlist("content-type")
    coded = request.headers.get("content-encoding", "identity").strip().lower()
    kind, *parameters = (part.strip().lower() for part in (declared or [""])[0].split(";"))
    return len(declared) == 1 and kind == JSON and coded == "identity" and all(map(_is_utf_8, parameters))


def _is_utf_8(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name != "charset" or value.strip('"') == "utf-8"
