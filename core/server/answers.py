"""Answers in JSON: results as they are, collections under ``data``, and errors in their forms (spec, section 8)."""

from __future__ import annotations

import json
import logging
from typing import Any

from starlette.responses import Response

from core.error_forms import correlation_id, form_a, form_b, in_its_form
from core.errors import PodiumError
from core.messages import Command, Message
from core.server.log import note
from core.wire import to_json

JSON = "application/json"
CORRELATION = "X-Correlation-Id"

IN_FORM_A = {
    401: ("UNAUTHENTICATED", "Send a token, or come through the socket as somebody who is enrolled."),
    404: ("NOT_FOUND", "There is nothing at this address."),
    405: ("METHOD_NOT_ALLOWED", "This address does not take that method."),
    415: ("UNSUPPORTED_MEDIA_TYPE", "Send JSON, with “Content-Type: application/json”."),
    500: ("INTERNAL_ERROR", "Something failed here. Tell an administrator the correlation id; it is in the log."),
    503: ("UNAVAILABLE", "The server is busy or stopping. Try again in a moment."),
    504: ("TIMED_OUT", "It took too long. What was to be changed may still be: look before you send it again."),
}
"""What is said of statuses that no error of the core stands for."""


def text_of(result: Any) -> str:
    """A result as JSON text. What is no object stands under ``data``: lists, as collections do, and single values."""
    shown = to_json(result)
    return json.dumps(shown if isinstance(shown, dict) else {"data": shown}, ensure_ascii=False, separators=(",", ":"))


def answer(kind: type[Message[Any]], text: str) -> Response:
    """The answer to a message that was carried out, whose result is this JSON text."""
    if text == '{"data":null}' and issubclass(kind, Command):
        return Response(status_code=204)
    created = issubclass(kind, Command) and kind.creates
    return Response(text, 201 if created else 200, media_type=JSON)


def refusal(error: PodiumError) -> Response:
    """The answer to a message that was refused."""
    correlation = getattr(error, "correlation_id", "") or correlation_id()
    return _in_json(in_its_form(error, correlation), error.http_status, correlation)


def plain_refusal(status: int, detail: str = "") -> Response:
    """The answer to a request that carries no message: Form B where it cannot be read, else form A."""
    correlation = correlation_id()
    if status not in IN_FORM_A:
        return _in_json(form_b(400, detail or "The request cannot be understood."), 400, correlation)
    code, sentence = IN_FORM_A[status]
    return _in_json(form_a(code, detail or sentence, correlation), status, correlation)


def failure(error: BaseException) -> Response:
    """The answer to what nobody thought of: its stack trace is in the log, under the correlation id, and only there."""
    correlation = correlation_id()
    note("unexpected failure", logging.ERROR, error, correlation_id=correlation)
    code, sentence = IN_FORM_A[500]
    return _in_json(form_a(code, sentence, correlation), 500, correlation)


def _in_json(body: dict[str, Any], status: int, correlation: str) -> Response:
    return Response(json.dumps(body), status, {CORRELATION: correlation}, media_type=JSON)
