"""The OpenAPI document of the HTTP API, made of the catalog: the request and the responses of each message."""

from __future__ import annotations

from functools import cache
from inspect import cleandoc
from typing import Any

from core import VERSION
from core.actions.catalog import MESSAGES, summary
from core.codec.encoding import camel
from core.codec.type_hints import required_fields, unwrap_optional
from core.domain import max_lengths
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
from core.server.openapi.extra_operations import others
from core.server.openapi.schemas import Schema, Schemas, closed_object
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
    operation: Schema = {
        "operationId": kind.__name__,
        "tags": [_tag(route.path)],
        "summary": summary(kind),
        "description": _description(kind),
        "parameters": _parameters(kind, route, given, in_body),
    }
    if in_body:
        operation["requestBody"] = _body(kind, {name: given[name] for name in in_body})
    return operation | {"responses": _answers(kind, schemas) | errors(*ERRORS, *((415,) if in_body else ()))}


def _description(kind: type[Message[Any]]) -> str:
    more = cleandoc(kind.__doc__ or "").partition("\n\n")[2]
    return "\n\n".join(filter(None, [more, f"Needs the permission `{kind.permission.value}`."]))


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
