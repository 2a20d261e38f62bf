"""Errors as JSON in the two forms of the API, and back.

Form B is for a request that does not validate: every InvalidInput. Form A is for all other errors. Further data for
programs (the current record of a conflict, blockers, users who can help) is under ``details`` beside ``errors``, so
that the objects in ``errors`` have a fixed set of members.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from core import errors
from core.codec.decoding import convert_json
from core.codec.encoding import FieldNaming, camel, snake, snake_of, to_json
from core.errors import Blocker, ConcurrentChange, InvalidFilter, InvalidImport, InvalidInput, PodiumError
from core.storage.row_mapper import is_stored, table_named, table_of

ERROR_PAGES = "/v1/errors/"
"""The path of the pages that describe the error codes; ``link`` of an error is below it."""

DETAILS = (
    *("who_can", "blockers", "field", "at", "length", "text", "line", "reason", "seq"),
    *("phase_id", "card_id", "until", "phase_ids", "can_allow"),
)
"""The attributes of errors that are put under ``details``; those of a VersionConflict are added to them."""


def correlation_id() -> str:
    """Return a new id that connects an error that a user sees with its line in the log.

    It is not a secret, so it is made without a system call, for which a server thread would wait.
    """
    return f"{random.getrandbits(128):032x}"


def form_a(code: str, message: str, correlation_id: str, base: str = "") -> dict[str, Any]:
    """Return an error in form A. ``base`` is the address of the server that has the page of the error."""
    link = base + ERROR_PAGES + code
    error = {"errorCode": code, "errorMessage": message, "correlationId": correlation_id, "link": link}
    return {"errors": [error]}


def form_b(status: int, detail: str) -> dict[str, Any]:
    """Return an error in form B."""
    return {"errors": [{"status_code": status, "detail": detail}]}


def in_form_a(error: PodiumError, correlation_id: str, base: str = "") -> dict[str, Any]:
    """Return any error of the core in form A, with its details."""
    return form_a(error.code, str(error), correlation_id, base) | _details(error)


def to_error_body(
    error: PodiumError, correlation_id: str, base: str = "", *, spell: FieldNaming = snake
) -> dict[str, Any]:
    """Return an error of the core as the body of an answer; ``spell`` spells field names as the request does."""
    if isinstance(error, InvalidInput):
        return form_b(error.http_status, str(error)) | _details(error, spell)
    return in_form_a(error, correlation_id, base)


def _details(error: PodiumError, spell: FieldNaming = snake) -> dict[str, Any]:
    values = {name: getattr(error, name, None) for name in DETAILS}
    found = {
        camel(name): value if isinstance(value, str) else to_json(value)  # a text may have lone surrogates
        for name, value in values.items()
        if value not in (None, ())
    }
    if "field" in found and not isinstance(error, InvalidImport):  # whose ``field`` is a path in a document
        found["field"] = spell(found["field"])
    if isinstance(error, errors.VersionConflict) and error.current is not None:
        found["current"] = to_json(error.current)
        # a client cannot decode a result that was computed from records, and queries it again
        if is_stored(type(error.current)):
            found["entity"] = table_of(type(error.current)).name
        found |= {"since": to_json(error.since)} | ({"base": to_json(error.base)} if error.base is not None else {})
    return {"details": {"code": error.code, **found}} if found else {}


def error_from(status: int, body: Any) -> PodiumError | None:
    """Return the error of the core that the body of an answer represents; None if it is none of them."""
    try:
        first, details = body["errors"][0], body.get("details", {})
        sentence = first["detail"] if "detail" in first else first["errorMessage"]
        kind = KINDS.get(details.get("code", first.get("errorCode", InvalidInput.code if status == 400 else "")))
        if kind is None or not isinstance(sentence, str):
            return None
        error = kind.__new__(kind)
        error.args = (sentence,)
        for name, value in _attributes(kind, details, first).items():
            setattr(error, name, value)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None
    return error


def _attributes(kind: type[PodiumError], details: dict[str, Any], first: dict[str, Any]) -> dict[str, Any]:
    found = {name: details[camel(name)] for name in DETAILS if camel(name) in details}
    if "field" in found and not issubclass(kind, InvalidImport):
        found["field"] = snake_of(found["field"])
    if issubclass(kind, errors.RuleViolation):
        found["blockers"] = convert_json(details.get("blockers", ()), tuple[Blocker, ...])
    if issubclass(kind, errors.RuleViolation | errors.Forbidden):
        found["who_can"] = tuple(details.get("whoCan", ()))
    if issubclass(kind, errors.LapsesApproval):
        found["phase_ids"] = tuple(details.get("phaseIds", ()))
    if issubclass(kind, InvalidInput):
        found.setdefault("field", "")
    if issubclass(kind, InvalidFilter):
        found = {"at": 0, "length": 1, "text": ""} | found
    if issubclass(kind, InvalidImport):
        found = {"line": 0, "reason": ""} | found
    if issubclass(kind, errors.VersionConflict):
        found |= {"current": _record(details, "current"), "base": _record(details, "base")}
        found["since"] = convert_json(details.get("since", ()), tuple[ConcurrentChange, ...])
    if issubclass(kind, errors.AuthorizationUnavailable):
        found["correlation_id"] = str(first.get("correlationId", ""))
    return found


def _record(details: dict[str, Any], name: str) -> object:
    """Return the ``current`` or ``base`` record of a conflict."""
    if details.get(name) is None or "entity" not in details:
        return None
    return convert_json(details[name], table_named(details["entity"]).record)


def every_error(root: type[PodiumError] = PodiumError) -> Iterator[type[PodiumError]]:
    """Yield every error class of the core; front ends have more of their own."""
    for kind in root.__subclasses__():
        if kind.__module__ == root.__module__:
            yield kind
            yield from every_error(kind)


KINDS = {kind.code: kind for kind in every_error()}
"""The class of each error code."""
