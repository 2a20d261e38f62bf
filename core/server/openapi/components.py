"""What the operations of the OpenAPI document share: errors in their forms, headers, and how one is let in."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from core.errors import Blocker
from core.server.requests.correlation import FORM
from core.server.requests.correlation import HEADER as CORRELATION
from core.server.requests.idempotent_execution import MAX_KEY
from core.server.requests.responses import IN_FORM_A, JSON
from core.wire.error_bodies import KINDS

Schema = dict[str, Any]

ERRORS = (400, 401, 403, 404, 500, 502, 503, 504)
"""What every message may be answered with when it is not carried out."""

_TEXT: Schema = {"type": "string"}


def content(schema: Schema) -> Schema:
    """A body of JSON."""
    return {JSON: {"schema": schema}}


def errors(*statuses: int) -> Schema:
    """The answers with these statuses."""
    return {str(status): {"$ref": f"#/components/responses/{NAMES[status]}"} for status in statuses}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties}


def _all_of(schema: Schema) -> Schema:
    return schema | {"required": list(schema["properties"])}


def _form(error: Schema) -> Schema:
    """Exactly the members of the source document, and the details beside them."""
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
        entity=_TEXT | {"description": "What kind of record `current` is."},
        current={"type": "object", "description": "The record as it is now, of a version conflict."},
        base={"type": "object", "description": "The record as it was at the version that the request names."},
        since={"type": "array", "items": {"$ref": "#/components/schemas/Overtaking"}},
        at={"type": "integer", "description": "Where in `text`, a filter, the first wrong character is."},
        length={"type": "integer"},
        text=_TEXT,
        line={"type": "integer", "description": "The line of the document, from 1; 0 where there are none."},
        reason=_TEXT,
    )
    | {"required": ["code"], "additionalProperties": False},
    "Overtaking": _all_of(_object(by=_TEXT, at=_TEXT | {"format": "date-time"}, summary=_TEXT)),
    "Blocker": _all_of(_object(**{field.name: _TEXT for field in fields(Blocker)})),
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
        "description": "What ties this answer to the log of the server.",
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
    "Unauthorised": _response("Who sends this is not known here.", _FORM_A),
    "Forbidden": _response("The sender lacks the permission.", _FORM_A),
    "NotFound": _response("There is nothing like that here, or nothing that the sender may see.", _FORM_A),
    "UnsupportedMediaType": _response("The body is not declared as JSON.", _FORM_A),
    "InternalServerError": _response("Something failed unexpectedly.", _FORM_A),
    "BadGateway": _response("The service that decides who may what gave no valid answer. Nothing was done.", _FORM_A),
    "ServiceUnavailable": _response("Nothing was changed. Try again in a moment.", _FORM_A),
    "GatewayTimeout": _response(
        "It took too long, and may be done all the same; or the service that decides who may what did, and it is not.",
        _FORM_A,
    ),
    "InFormB": _response("What went wrong, in form B whatever it is.", _FORM_B),
}

PARAMETERS = {
    "CorrelationId": {
        "name": CORRELATION,
        "in": "header",
        "description": "Kept as the correlation id of the answer; one of another form is passed over.",
        "schema": _TEXT,
    },
    "IdempotencyKey": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "New for each command: one that is sent again under its key is carried out once.",
        "schema": _TEXT | {"minLength": 1, "maxLength": MAX_KEY, "pattern": "^[ -~]+$"},
    },
}

SECURITY = {
    "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "A token of the sender's. Over a Unix socket none is needed by an account of the machine that is"
        " enrolled: the kernel says which it is.",
    }
}
