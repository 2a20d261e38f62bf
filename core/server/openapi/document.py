"""The OpenAPI document of the HTTP API, made of the catalog: the request and the responses of each message.

The operations that are not messages follow: those of sessions, launch codes, health and metrics.
"""

from __future__ import annotations

from functools import cache
from inspect import cleandoc
from typing import Any

from core import VERSION
from core.actions.catalog import MESSAGES, summary
from core.authorization.query_pages import MAX_CODES, MAX_ENTRIES
from core.authorization.remote_query import PATHS
from core.codec.encoding import camel
from core.codec.type_hints import required_fields, unwrap_optional
from core.domain import max_lengths
from core.domain.products.launch_context import LaunchContext
from core.engine.dry_run import DryRun
from core.engine.messages import Command, Message
from core.server.openapi.components import (
    ERRORS,
    HEADERS,
    PARAMETERS,
    PLAIN_SCHEMAS,
    RESPONSES,
    SECURITY,
    TRACED,
    content,
    errors,
)
from core.server.openapi.error_pages import ErrorPage
from core.server.openapi.schemas import Schema, Schemas, closed_object
from core.server.requests.responses import JSON, PROMETHEUS
from core.sign_in.gateway_sessions import MAX_KEPT, SESSION, OpenedSession
from core.wire.error_bodies import ERROR_PAGES
from core.wire.result_decoder import result_type
from core.wire.routes import BODILESS, Route, route_of

ABOUT = """Everything that a person can do in Podium is one operation here, and needs the same permission.

Collections answer `{"data": [...]}`, also when they are empty; further fields stand beside `data`. Names are in
camelCase in bodies, in snake_case in queries.
A record has a `version`; a change that names the one it saw (`seenVersion`) is refused with `VERSION_CONFLICT` and the
current record when there is a newer one. A command with `?dryRun=true` answers what it would change, and changes
nothing. A gateway in front may also answer 429, 502 and 504."""

MAX_LENGTH = {
    "Project.name": max_lengths.PROJECT_NAME,
    "Phase.name": max_lengths.PHASE_NAME,
    "Task.title": max_lengths.CARD_TITLE,
    "Activity.title": max_lengths.CARD_TITLE,
    "Application.name": max_lengths.APPLICATION_NAME,
    "Deliverable.name": max_lengths.DELIVERABLE_NAME,
    "Deliver.link": max_lengths.EVIDENCE,
    "Deliver.file_name": max_lengths.EVIDENCE,
    "Deliver.statement": max_lengths.EVIDENCE,
    "Comment.text": max_lengths.COMMENT,
    "Gate.reason": max_lengths.REASON,
}
"""Characters, by the end of the message's name and its field."""


@cache
def document() -> Schema:
    """The OpenAPI document, as JSON values."""
    schemas = Schemas()
    paths: dict[str, Schema] = {}
    for kind in MESSAGES:
        route = route_of(kind)
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(kind, route, schemas)
    for path, operations in others(schemas).items():
        paths.setdefault(path, {}).update(operations)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Podium", "version": VERSION, "description": ABOUT},
        "servers": [{"url": "/"}],
        "security": [{"token": []}, {}],
        "tags": [{"name": name} for name in sorted({_tag(path) for path in paths})],
        "paths": dict(sorted(paths.items())),
        "components": {
            "schemas": dict(sorted((PLAIN_SCHEMAS | schemas.components).items())),
            "responses": RESPONSES,
            "parameters": PARAMETERS,
            "headers": HEADERS,
            "securitySchemes": SECURITY,
        },
    }


def _operation(kind: type[Message[Any]], route: Route, schemas: Schemas) -> Schema:
    given = {name: _bound_text(kind, name, schema) for name, schema in schemas.fields_of(kind).items()}
    in_body = [] if route.method in BODILESS else [name for name in given if name not in route.in_path]
    more = cleandoc(kind.__doc__ or "").partition("\n\n")[2]
    operation: Schema = {
        "operationId": kind.__name__,
        "tags": [_tag(route.path)],
        "summary": summary(kind),
        "description": "\n\n".join(filter(None, [more, f"Needs the permission `{kind.permission.value}`."])),
        "parameters": _parameters(kind, route, given, in_body),
    }
    if in_body:
        operation["requestBody"] = _body(kind, {name: given[name] for name in in_body})
    return operation | {"responses": _answers(kind, schemas) | errors(*ERRORS, *((415,) if in_body else ()))}


def _bound_text(kind: type[Message[Any]], name: str, schema: Schema) -> Schema:
    """The schema of a field, with the maximum length of a text that people type."""
    for about, most in MAX_LENGTH.items():
        noun, _, field = about.partition(".")
        if field == name and kind.__name__.endswith(noun):
            return schema | {"maxLength": most}
    return schema


def _parameters(kind: type[Message[Any]], route: Route, given: dict[str, Schema], in_body: list[str]) -> list[Schema]:
    found: list[Schema] = [
        {"name": name, "in": "path", "required": True, "schema": {"minLength": 1} | given[name]}
        for name in route.in_path
    ]
    demanded = required_fields(kind)
    for name, schema in given.items():
        if name not in route.in_path and name not in in_body:
            found.append({"name": name, "in": "query", "required": name in demanded, "schema": _never_null(schema)})
    names = ["CorrelationId", *(["IdempotencyKey", "DryRun"] if issubclass(kind, Command) else [])]
    return found + [{"$ref": f"#/components/parameters/{name}"} for name in names]


def _never_null(schema: Schema) -> Schema:
    """The schema of a query parameter: without null, which a query cannot express."""
    if isinstance(schema.get("type"), list):
        return schema | {"type": schema["type"][0]}
    return schema["anyOf"][0] if "anyOf" in schema else schema


def _body(kind: type[Message[Any]], given: dict[str, Schema]) -> Schema:
    demanded = [camel(name) for name in required_fields(kind) if name in given]
    schema = closed_object({camel(name): schema for name, schema in given.items()}, demanded)
    return {"required": bool(demanded), "content": content(schema)}


def _answers(kind: type[Message[Any]], schemas: Schemas) -> Schema:
    """The successful responses: those that ``responses.message_response`` gives."""
    hint = result_type(kind)
    inner, may_be_nothing = unwrap_optional(hint) if hint is not type(None) else (None, True)
    found: Schema = {"200": _answer(schemas.of(DryRun))} if issubclass(kind, Command) else {}
    if inner is not None:
        status = "201" if issubclass(kind, Command) and kind.creates else "200"
        schema = _envelope(schemas.of(inner), schemas)
        either = {"anyOf": [schema, schemas.of(DryRun)]} if status in found else schema
        found[status] = _answer(either)
    if may_be_nothing and issubclass(kind, Command):
        found["204"] = {"description": "Done.", "headers": TRACED}
    elif may_be_nothing:
        known = found["200"]["content"]["application/json"]
        known["schema"] = {"anyOf": [known["schema"], _data({"type": "null"})]}
    return found


def _answer(schema: Schema) -> Schema:
    return {"description": "Done.", "headers": TRACED, "content": content(schema)}


def _envelope(schema: Schema, schemas: Schemas) -> Schema:
    """The schema of a result, under ``data`` if it is not an object."""
    name = schema.get("$ref", "").rpartition("/")[2]
    is_object = schemas.components.get(name, schema).get("type") == "object"
    return schema if is_object else _data(schema)


def _data(schema: Schema) -> Schema:
    return {"type": "object", "properties": {"data": schema}, "required": ["data"]}


def _tag(path: str) -> str:
    """The tag of a path: the first word after the version."""
    parts = [part for part in path.split("/") if part]
    return parts[1] if parts[0] == "v1" else "permissions" if parts[0] == "api" else "server"


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
    return _extra_operation(name, tag, summary, answer, list(parameters)) | {"security": _NOBODY}


def _extra_operation(name: str, tag: str, summary: str, answer: Schema, parameters: list[Schema]) -> Schema:
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
    operation = _extra_operation(
        "FollowChanges", "changes", "Hear, as server-sent events, that something changed.", answer, []
    )
    operation["description"] = "An event says that something, or someone's presence, changed. Query for the details."
    operation["responses"] |= errors(401)
    return operation


def _metrics() -> Schema:
    operation = _extra_operation(
        "ReadMetrics", "server", "Read the metrics for Prometheus.", {PROMETHEUS: {"schema": _TEXT}}, []
    )
    operation["description"] = "Over the network it takes METRICS_VIEW. On a Unix socket it takes no authentication."
    operation["responses"] |= errors(401, 403, 404)
    return operation


def _launch(context: Schema) -> Schema:
    """The exchange of a launch code: the launch context, with the id of the user beside its keys."""
    answer = {"allOf": [context, _full({"userId": _TEXT})]}
    summary = "Exchange a launch code for its launch context and the id of the user, once and within a minute."
    operation = _extra_operation("ExchangeLaunch", "launches", summary, content(answer), [_name_schema("code")])
    return operation | {"security": _NOBODY}


def _under_way(name: str) -> Schema:
    """The progress of a command with a file. Stopping it returns that too; its own response says how it ended."""
    summary = "Get the progress of a command with a file, by its Idempotency-Key."
    if name == "StopUnderWay":
        summary = "Stop a command with a file, by its Idempotency-Key: nothing of it is kept."
    answer = content(_full({"done": _WHOLE, "total": _WHOLE}))
    operation = _extra_operation(name, "under-way", summary, answer, [_name_schema("key")])
    operation["responses"] |= errors(401)
    return operation


def _describe_opening(session: Schema) -> Schema:
    """Opening a session, for gateways with a token from ``POST /v1/gateway-tokens``."""
    operation = _extra_operation("OpenSession", "sessions", "Open a session for the person with a login.", {}, [])
    operation["description"] = f"For a gateway, with a token of its own. A session ends after {_MINUTES} minutes."
    operation["responses"]["201"] = operation["responses"].pop("200") | {"content": content(session)}
    return _with_body(operation, {"login": _TEXT})


def _describe_keeping() -> Schema:
    answer = content(_list_schema(_TEXT))
    operation = _extra_operation("KeepSessions", "sessions", "Keep sessions open, and list those that are.", answer, [])
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
