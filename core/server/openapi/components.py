"""The parts that operations of the OpenAPI document share: error responses, headers, parameters, authentication."""

from __future__ import annotations

from typing import Any

from core.errors import Blocker
from core.record import fields
from core.server.requests.correlation import FORM
from core.server.requests.correlation import HEADER as CORRELATION
from core.server.requests.execution import MAX_KEY
from core.server.requests.responses import IN_FORM_A, JSON
from core.wire.error_bodies import KINDS
from core.wire.routes import DRY_RUN

Schema = dict[str, Any]

ERRORS = (400, 401, 403, 404, 500, 502, 503, 504)
"""The statuses of errors that any message can be answered with."""

_TEXT: Schema = {"type": "string"}


def content(schema: Schema) -> Schema:
    """The content of a body with JSON of this schema."""
    return {JSON: {"schema": schema}}


def errors(*statuses: int) -> Schema:
    """The error responses with these statuses."""
    return {str(status): {"$ref": f"#/components/responses/{NAMES[status]}"} for status in statuses}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties}


def _all_of(schema: Schema) -> Schema:
    return schema | {"required": list(schema["properties"])}


def _form(error: Schema) -> Schema:
    """An error body with exactly the fields of its form, and ``details`` beside them."""
    listed = {"type": "array", "minItems": 1, "maxItems": 1, "items": error | {"additionalProperties": False}}
    found = _object(errors=listed, details={"$ref": "#/components/schemas/Details"})
    return found | {"required": ["errors"], "additionalProperties": False}


CODES = sorted({*KINDS, *(code for code, _ in IN_FORM_A.values())})

PLAIN_SCHEMAS: dict[str, Schema] = {
    "FormA": _form(
        _all_of(
            _object(
                errorCode={"type": "string", "enum": CODES},
                errorMessage=_TEXT,
                correlationId=_TEXT,
                link=_TEXT | {"format": "uri"},
            )
        )
    ),
    "FormB": _form(_all_of(_object(status_code={"type": "integer"}, detail=_TEXT))),
    "Details": _object(
        code=_TEXT | {"description": "The code of the error, also where the form has no place for it."},
        field=_TEXT | {"description": "The field or parameter that cannot be accepted, as the request names it."},
        whoCan={"type": "array", "items": _TEXT, "description": "The people who can help."},
        blockers={"type": "array", "items": {"$ref": "#/components/schemas/Blocker"}},
        entity=_TEXT | {"description": "The kind of the record in `current`."},
        current={"type": "object", "description": "The record as it is now, of a version conflict."},
        base={"type": "object", "description": "The record as it was at the version that the request names."},
        since={"type": "array", "items": {"$ref": "#/components/schemas/Overtaking"}},
        at={"type": "integer", "description": "The position of the first wrong character in `text`, a filter."},
        length={"type": "integer"},
        text=_TEXT,
        line={"type": "integer", "description": "The line of the document, from 1; 0 where there are none."},
        reason=_TEXT,
    )
    | {"required": ["code"], "additionalProperties": False},
    "Overtaking": _all_of(_object(by=_TEXT, at=_TEXT | {"format": "date-time"}, summary=_TEXT)),
    "Blocker": _all_of(_object(**dict.fromkeys(fields(Blocker), _TEXT))),
}

_FORM_A, _FORM_B = ({"$ref": f"#/components/schemas/{name}"} for name in ("FormA", "FormB"))

NAMES = {
    400: "BadRequest",
    401: "Unauthorised",
    403: "Forbidden",
    404: "NotFound",
    415: "UnsupportedMediaType",
    500: "InternalServerError",
    502: "BadGateway",
    503: "ServiceUnavailable",
    504: "GatewayTimeout",
}

HEADERS = {
    "CorrelationId": {
        "description": "The id under which the log of the server has this request.",
        "required": True,
        "schema": _TEXT | {"pattern": FORM},
    }
}
TRACED = {CORRELATION: {"$ref": "#/components/headers/CorrelationId"}}


def _response(description: str, schema: Schema) -> Schema:
    return {"description": description, "headers": TRACED, "content": content(schema)}


RESPONSES = {
    "BadRequest": _response(
        "The request does not validate (form B), or a rule or a newer version stands in the way (form A).",
        {"oneOf": [_FORM_A, _FORM_B]},
    ),
    "Unauthorised": _response("The sender is not authenticated.", _FORM_A),
    "Forbidden": _response("The sender lacks the permission.", _FORM_A),
    "NotFound": _response("It does not exist, or the sender cannot see it.", _FORM_A),
    "UnsupportedMediaType": _response("The body is not declared as JSON.", _FORM_A),
    "InternalServerError": _response("Something failed unexpectedly.", _FORM_A),
    "BadGateway": _response("The permission service gave no valid answer. Nothing was done.", _FORM_A),
    "ServiceUnavailable": _response("Nothing was changed. Try again in a moment.", _FORM_A),
    "GatewayTimeout": _response(
        "It took too long, and may have been done; or the permission service took too long, and nothing was done.",
        _FORM_A,
    ),
    "InFormB": _response("Any error, in form B.", _FORM_B),
}

PARAMETERS = {
    "CorrelationId": {
        "name": CORRELATION,
        "in": "header",
        "description": "Becomes the correlation id of the answer; an id of another form is ignored.",
        "schema": _TEXT,
    },
    "DryRun": {
        "name": DRY_RUN,
        "in": "query",
        "description": "Answer what the command would change, as a `DryRun`, and change nothing.",
        "schema": {"type": "boolean", "default": False},
    },
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "A new one for each command; a command that is sent again with its key is carried out once.",
        "schema": _TEXT | {"minLength": 1, "maxLength": MAX_KEY, "pattern": "^[ -~]+$"},
    },
}

SECURITY = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token of the sender. Over a Unix socket, a linked account of the machine needs none.",
    }
}
