"""Respond: results as JSON, collections under ``data``; errors in form A, or form B at the permission query."""

from __future__ import annotations

import json
import logging
import re
import zlib
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from core.codec.encoding import camel, snake
from core.engine.messages import Command, Message
from core.errors import AuthorizationUnavailable, DatabaseAway, PodiumError, ServerUnavailable, StorageError
from core.server.requests.correlation import HEADER as CORRELATION
from core.server.requests.correlation import base_url_of, correlation_of
from core.server.requests.json_log import log_event
from core.wire.error_bodies import correlation_id, form_a, form_b, to_error_body
from core.wire.routes import ALSO, BODILESS

JSON = "application/json"
PROMETHEUS = "text/plain; version=0.0.4"
"""The type of the text format of Prometheus."""

PERMISSION_QUERIES = "/api/v20/users/"
"""The beginning of the paths of the permission query."""

NOTHING = '{"data":null}'
"""An empty result, as JSON text."""

LARGE = 16_384
"""The bytes of an answer from which it is compressed. A smaller one travels as fast as it is."""

GZIP = 31
"""The ``wbits`` with which zlib writes the format of gzip."""

_TAKES_GZIP = re.compile(r"(?i)(^|,)\s*gzip\s*(?!\s*;\s*q\s*=\s*0(\.0*)?\s*(,|$))(;|,|$)")
"""An ``Accept-Encoding`` with gzip, whose weight is not 0 (RFC 9110, section 12.5.3)."""

NO_ANSWER = "permission service failed"
"""The event in the log for a fault of the authorization service."""

UNAUTHORISED = 401
CHALLENGE = {"WWW-Authenticate": "Bearer"}
"""The way to authenticate, which a 401 response has to state (RFC 9110, section 15.5.2)."""

UNAVAILABLE = 503
"""The status for a full or stopping server."""

AGAIN = {UNAVAILABLE: {"Retry-After": "1"}}
"""The seconds after which another try may succeed, for statuses without an error of the core."""

IN_FORM_A = {
    401: ("UNAUTHENTICATED", "Send a token, or connect to the socket with a linked account."),
    404: ("NOT_FOUND", "There is nothing at this address."),
    405: ("METHOD_NOT_ALLOWED", "This address does not take that method."),
    415: ("UNSUPPORTED_MEDIA_TYPE", "Send JSON, with “Content-Type: application/json”."),
    500: ("INTERNAL_ERROR", "Something failed here. Tell an administrator the correlation id; it is in the log."),
    UNAVAILABLE: ("UNAVAILABLE", "The server is busy or stopping. Try again in a moment."),
    504: (
        "TIMED_OUT",
        "It took too long and was stopped. Send it again with the same Idempotency-Key.",
    ),
}
"""Codes and sentences of statuses without an error of the core."""


STORAGE_SENTENCES: Mapping[type[StorageError], str] = {
    ServerUnavailable: "Whether your change was saved is not known, because the database did not answer to the end. "
    "Look before you repeat it.",
    DatabaseAway: "The database restarts or changes over to another server; this comes back by itself. Nothing was "
    "changed. Try again; if it lasts for minutes, tell an administrator.",
    StorageError: "Nothing was changed. Try again in a moment. If that does not help, an administrator finds the cause "
    "in the log of the server.",
}
"""Sentences for people about faults of the database; the first that fits counts."""


def message_response(kind: type[Message[Any]], text: str | bytes, request: Request) -> Response:
    """The response to a message that was carried out; ``text`` is its result as JSON."""
    if text == NOTHING and issubclass(kind, Command):
        return Response(status_code=204, headers={CORRELATION: correlation_of(request)})
    return _answer(text.encode() if isinstance(text, str) else text, request, _status(kind))


def double_response(kind: type[Message[Any]], text: str, also: bytes, request: Request) -> Response:
    """The response to a command that answers a query too; both are given as JSON."""
    return _answer(b'{"result":%s,"also":%s}' % (text.encode(), also), request, _status(kind), {ALSO: "true"})


def _answer(text: bytes, request: Request, status: int, headers: Mapping[str, str] | None = None) -> Response:
    """The response with this answer, which is compressed if it is large and the client takes that."""
    if len(text) < LARGE:
        return json_response(text, request, status, headers)
    varies = {**(headers or {}), "Vary": "Accept-Encoding"}
    if not _TAKES_GZIP.search(request.headers.get("accept-encoding", "")):
        return json_response(text, request, status, varies)
    return json_response(zlib.compress(text, 1, GZIP), request, status, {**varies, "Content-Encoding": "gzip"})


def _status(kind: type[Message[Any]]) -> int:
    return 201 if issubclass(kind, Command) and kind.creates else 200


def json_response(
    text: str | bytes, request: Request, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A response with this JSON text as its body; bytes are in UTF-8 and not copied."""
    return Response(text, status, {**(headers or {}), CORRELATION: correlation_of(request)}, media_type=JSON)


def error_response(error: PodiumError, request: Request) -> Response:
    """The response to a message that was refused.

    If the authorization service is the cause, the response and the log have the correlation id of the query to it, even
    if it could not be reached, and the log has the reason.
    """
    if isinstance(error, AuthorizationUnavailable) and error.correlation_id:
        chosen, request.scope["state"]["correlation"] = correlation_of(request), error.correlation_id
        reason = str(error)
        log_event(NO_ANSWER, logging.WARNING, said=reason, correlation_id=error.correlation_id, request=chosen)
    correlation = correlation_of(request)
    request.scope["state"]["reason"] = error.code  # for the log
    if isinstance(error, StorageError):
        error = _without_file_names(error, correlation)
    if is_in_form_b(request):
        body = form_b(error.http_status, str(error))
    else:
        body = to_error_body(
            error, correlation, base_url_of(request), spell=snake if request.method in BODILESS else camel
        )
    return _in_json(body, error.http_status, correlation)


def _without_file_names(error: StorageError, correlation: str) -> StorageError:
    """The error without names of files, which are only logged, because anonymous clients get this response too."""
    log_event("storage failed", logging.ERROR, error, said=str(error), correlation_id=correlation)
    return type(error)(next(sentence for kind, sentence in STORAGE_SENTENCES.items() if isinstance(error, kind)))


def status_response(
    status: int, detail: str = "", request: Request | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """The response to a request that carries no message: form B if the request cannot be read, else form A.

    ``request`` is None if the request could not be read to its end.
    """
    correlation = correlation_of(request) if request else correlation_id()
    if status not in IN_FORM_A:
        return _in_json(form_b(400, detail or "The request cannot be understood."), 400, correlation)
    code, sentence = IN_FORM_A[status]
    if request:
        request.scope["state"]["reason"] = code
    if request and is_in_form_b(request):
        body = form_b(status, detail or sentence)
    else:
        body = form_a(code, detail or sentence, correlation, base_url_of(request) if request else "")
    return _in_json(body, status, correlation, {**AGAIN.get(status, {}), **(headers or {})})


def internal_error_response(error: BaseException, request: Request) -> Response:
    """The response to an unexpected error. Its stack trace is only in the log, under the correlation id."""
    log_event("unexpected failure", logging.ERROR, error, correlation_id=correlation_of(request))
    return status_response(500, request=request)


def is_in_form_b(request: Request) -> bool:
    """True for the permission query, whose errors all have form B."""
    return str(request.scope["path"]).startswith(PERMISSION_QUERIES)


def _in_json(body: dict[str, Any], status: int, correlation: str, headers: Mapping[str, str] | None = None) -> Response:
    sent_headers = {**(headers or {}), CORRELATION: correlation, **(CHALLENGE if status == UNAUTHORISED else {})}
    return Response(json.dumps(body), status, sent_headers, media_type=JSON)
