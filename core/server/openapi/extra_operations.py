"""The operations of the OpenAPI document that are not messages."""

from __future__ import annotations

from typing import Any

from core.authorization.query_pages import MAX_CODES, MAX_ENTRIES
from core.authorization.remote_query import PATHS
from core.domain.products.launch_context import LaunchContext
from core.server.openapi.components import ERRORS, TRACED, content, errors
from core.server.openapi.error_pages import ErrorPage
from core.server.openapi.schemas import Schema, Schemas, closed_object
from core.server.requests.responses import JSON, PROMETHEUS
from core.sign_in.gateway_sessions import MAX_KEPT, SESSION, OpenedSession
from core.wire.error_bodies import ERROR_PAGES

_TEXT: Schema = {"type": "string"}
_WHOLE: Schema = {"type": "integer", "minimum": 0}
_MINUTES = round(SESSION.total_seconds() / 60)
_NOBODY: list[Any] = []
"""The security of operations without authentication."""


def others(schemas: Schemas) -> dict[str, Schema]:
    """The operations, by path and method."""
    page = schemas.of(ErrorPage)
    queries = {path: {"post": _permission_query(path)} for path in PATHS.values()}
    return queries | {
        "/v1/changes": {"get": _changes()},
        "/v1/launches/{code}": {"get": _launch(schemas.of(LaunchContext))},
        "/v1/under-way/{key}": {"get": _under_way("ShowUnderWay"), "delete": _under_way("StopUnderWay")},
        "/v1/sessions": {"post": _describe_opening(schemas.of(OpenedSession))},
        "/v1/sessions/keep": {"post": _describe_keeping()},
        "/v1/openapi.json": {"get": _open("Describe", "This document.", content({"type": "object"}))},
        ERROR_PAGES[:-1]: {
            "get": _open("ListErrors", "Every error code, with what to do.", _pages(_list_schema(page)))
        },
        ERROR_PAGES + "{code}": {
            "get": _open("ShowError", "Explain an error code, and what to do.", _pages(page), _name_schema("code"))
        },
        "/health": {"get": _open("Health", "Check that the process answers.", content(_STATUS))},
        "/ready": {"get": _open("Ready", "Check that the database answers and can be written.", content(_READINESS))},
        "/metrics": {"get": _metrics()},
    }


_STATUS: Schema = {
    "type": "object",
    "properties": {"status": {"const": "ok"}, "version": _TEXT},
    "required": ["status", "version"],
}

_READINESS: Schema = {
    "type": "object",
    "properties": {
        "status": {"enum": ["ok", "warning"]},
        "version": _TEXT,
        "backup": {
            "type": "object",
            "properties": {
                "newest": {"type": ["string", "null"], "format": "date-time"},
                "problem": {"type": ["string", "null"]},
            },
            "required": ["newest", "problem"],
        },
    },
    "required": ["status", "version"],
}


def _open(name: str, summary: str, answer: Schema, *parameters: Schema) -> Schema:
    """An operation without authentication."""
    tag = {"Health": "server", "Ready": "server", "Describe": "openapi.json"}.get(name, "errors")
    return _operation(name, tag, summary, answer, list(parameters)) | {"security": _NOBODY}


def _operation(name: str, tag: str, summary: str, answer: Schema, parameters: list[Schema]) -> Schema:
    return {
        "operationId": name,
        "tags": [tag],
        "summary": summary,
        "parameters": [*parameters, {"$ref": "#/components/parameters/CorrelationId"}],
        "responses": {"200": {"description": "Done.", "headers": TRACED, "content": answer}}
        | errors(400, *((404,) if parameters else ()), 500, 503),
    }


def _name_schema(field: str) -> Schema:
    return {"name": field, "in": "path", "required": True, "schema": _TEXT | {"minLength": 1}}


def _list_schema(schema: Schema) -> Schema:
    return {"type": "object", "properties": {"data": {"type": "array", "items": schema}}, "required": ["data"]}


def _pages(schema: Schema) -> Schema:
    return content(schema) | {"text/html": {"schema": _TEXT}}


def _changes() -> Schema:
    answer = {"text/event-stream": {"schema": _TEXT}}
    operation = _operation(
        "FollowChanges", "changes", "Hear, as server-sent events, that something changed.", answer, []
    )
    operation["description"] = "An event says that something, or someone's presence, changed. Query for the details."
    operation["responses"] |= errors(401)
    return operation


def _metrics() -> Schema:
    operation = _operation(
        "ReadMetrics", "server", "Read the metrics for Prometheus.", {PROMETHEUS: {"schema": _TEXT}}, []
    )
    operation["description"] = "Over the network it takes METRICS_VIEW. On a Unix socket it takes no authentication."
    operation["responses"] |= errors(401, 403, 404)
    return operation


def _launch(context: Schema) -> Schema:
    """The exchange of a launch code: the launch context, with the id of the user beside its keys."""
    answer = {"allOf": [context, _full({"userId": _TEXT})]}
    summary = "Exchange a launch code for its launch context and the id of the user, once and within a minute."
    operation = _operation("ExchangeLaunch", "launches", summary, content(answer), [_name_schema("code")])
    return operation | {"security": _NOBODY}


def _under_way(name: str) -> Schema:
    """The progress of a command with a file. Stopping it returns that too; its own response says how it ended."""
    summary = "Get the progress of a command with a file, by its Idempotency-Key."
    if name == "StopUnderWay":
        summary = "Stop a command with a file, by its Idempotency-Key: nothing of it is kept."
    answer = content(_full({"done": _WHOLE, "total": _WHOLE}))
    operation = _operation(name, "under-way", summary, answer, [_name_schema("key")])
    operation["responses"] |= errors(401)
    return operation


def _describe_opening(session: Schema) -> Schema:
    """Opening a session, for gateways with a token from ``POST /v1/gateway-tokens``."""
    operation = _operation("OpenSession", "sessions", "Open a session for the person with a login.", {}, [])
    operation["description"] = f"For a gateway, with a token of its own. A session ends after {_MINUTES} minutes."
    operation["responses"]["201"] = operation["responses"].pop("200") | {"content": content(session)}
    return _with_body(operation, {"login": _TEXT})


def _describe_keeping() -> Schema:
    answer = content(_list_schema(_TEXT))
    operation = _operation("KeepSessions", "sessions", "Keep sessions open, and list those that are.", answer, [])
    operation["description"] = f"For the gateway that opened them: each stays open for {_MINUTES} minutes from now."
    return _with_body(operation, {"ids": {"type": "array", "items": _TEXT, "maxItems": MAX_KEPT}})


def _with_body(operation: Schema, fields: Schema) -> Schema:
    operation["requestBody"] = {"required": True, "content": {JSON: {"schema": closed_object(fields, list(fields))}}}
    operation["responses"] |= errors(401, 403, 415)
    return operation


def _permission_query(path: str) -> Schema:
    codes = {"type": "array", "items": _TEXT, "minItems": 1, "maxItems": MAX_CODES}
    limit = {"type": "integer", "minimum": 1, "maximum": MAX_ENTRIES}
    filters = {
        "limit": limit,
        "offset": _WHOLE,
        "account_id": _TEXT | {"type": ["string", "null"]},
        "user_id": _TEXT | {"type": ["string", "null"]},
        "permission_codes": codes,
    }
    entry = {"account_id": _TEXT | {"format": "uuid"}, "permissions": {"type": "array", "items": _TEXT}}
    found = {"total_count": _WHOLE, "data": {"type": "array", "items": _full(entry)}, "limit": limit, "offset": _WHOLE}
    in_form_b = {str(status): {"$ref": "#/components/responses/InFormB"} for status in (*ERRORS, 415)}
    return {
        "operationId": "AskPermissions" if path == PATHS["remote"] else "AskPermissionsOnStaging",
        "tags": ["permissions"],
        "summary": "List which of these codes a user holds on an account.",
        "description": "The permission query of products. With a token of its own, made by"
        " `POST /v1/products/{product_id}/tokens`, a product may ask about any user, for its own permission codes, on"
        " the account of a project that has an application of it; everything else is 403. All its errors have form B.",
        "parameters": [{"$ref": "#/components/parameters/CorrelationId"}],
        "requestBody": {
            "required": True,
            "content": {
                JSON: {"schema": closed_object({"filters": closed_object(filters, ["permission_codes"])}, ["filters"])}
            },
        },
        "responses": {"200": {"description": "Done.", "headers": TRACED, "content": content(_full(found))}} | in_form_b,
    }


def _full(properties: dict[str, Schema]) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}
