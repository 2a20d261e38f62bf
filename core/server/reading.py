"""The body of a request as the JSON value that it is."""

from __future__ import annotations

from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from core.errors import InvalidInput
from core.server.answers import JSON
from core.strict_json import Malformed, read_json
from core.text import visible

MOST_DEEP = 32
"""Objects and lists inside each other; a whole project in a bulk of messages has a third of it."""

UNSUPPORTED = 415


def value_of(request: Request, body: bytes) -> dict[str, Any] | None:
    """The object in a body, as every body here is one; None for an empty one, which needs no media type.

    Raises InvalidInput, and the refusal of what is not declared as JSON.
    """
    if not body:
        return None
    if not _is_declared(request):
        raise HTTPException(UNSUPPORTED)
    try:
        value = read_json(body, MOST_DEEP)
    except Malformed as error:
        raise InvalidInput("body", f"The body cannot be read: {error}.") from error
    if not isinstance(value, dict):
        raise InvalidInput("body", "The body must be a JSON object.")
    return value


def refuse_query(request: Request) -> None:
    """Raises InvalidInput for query parameters where none are taken."""
    for name in request.query_params:
        raise InvalidInput(name, f"There is no parameter “{visible(name)}” here.")


def _is_declared(request: Request) -> bool:
    """Whether it says to be JSON in UTF-8, as it is."""
    declared = request.headers.getlist("content-type")
    coded = request.headers.get("content-encoding", "identity").strip().lower()
    kind, *parameters = (part.strip().lower() for part in (declared or [""])[0].split(";"))
    return len(declared) == 1 and kind == JSON and coded == "identity" and all(map(_is_utf_8, parameters))


def _is_utf_8(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return name != "charset" or value.strip('"') == "utf-8"
