"""The types of messages and results as JSON Schema, in the dialect of OpenAPI 3.1.

Requests are strict: an object has no other fields than its own. Responses may get more fields one day, so their schemas
do not forbid them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from enum import EnumType
from inspect import cleandoc
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from core.actions.cards.bulk import STEPS
from core.codec.encoding import camel, key_of
from core.codec.type_hints import field_types, is_record, required_fields, unwrap_optional
from core.engine.messages import Command, Message
from core.wire.message_decoder import COMMANDS_FIELD, MAX_INTEGER

Schema = dict[str, Any]

PLAIN: Mapping[Any, Schema] = {
    str: {"type": "string"},
    Path: {"type": "string"},
    int: {"type": "integer", "minimum": -MAX_INTEGER, "maximum": MAX_INTEGER},
    float: {"type": "number"},
    int | float: {"type": "number"},
    bool: {"type": "boolean"},
    date: {"type": "string", "format": "date"},
    datetime: {"type": "string", "format": "date-time"},
    type(None): {"type": "null"},
    object: {},
    Any: {},
}

COMPONENTS = "#/components/schemas/"


class Schemas:
    """Turns types into schemas. Records become components, which ``components`` has by name."""

    def __init__(self) -> None:
        self.components: dict[str, Schema] = {}

    def of(self, hint: Any, *, sent: bool = False) -> Schema:
        """The schema of a type in a request if ``sent``, else in a response."""
        inner, may_be_none = unwrap_optional(hint)
        if may_be_none:
            return nullable(self.of(inner, sent=sent))
        origin, arguments = get_origin(hint), get_args(hint)
        if origin in (tuple, frozenset):
            return self._list(arguments, sent)
        if origin in (dict, Mapping):
            return {"type": "object", "additionalProperties": self.of(arguments[1], sent=sent)}
        if origin is Literal:
            return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
        if isinstance(hint, EnumType):
            return self._reference(hint.__name__, lambda: {"type": "string", "enum": _values(hint)})
        if is_record(hint):
            return self._record(hint, sent)
        return dict(PLAIN[hint])

    def fields_of(self, kind: type[Message[Any]]) -> dict[str, Schema]:
        """The schema of each field of a message, by its name in the class."""
        return {name: self._field(name, hint) for name, hint in field_types(kind).items()}

    def _field(self, name: str, hint: Any) -> Schema:
        if name == COMMANDS_FIELD:
            steps = [self._step(kind) for kind in _steps()]
            named = {step["$ref"].removeprefix(COMPONENTS).removesuffix("Step"): step["$ref"] for step in steps}
            discriminator = {"propertyName": "message", "mapping": named}
            return {"type": "array", "items": {"oneOf": steps, "discriminator": discriminator}}
        return self.of(hint, sent=True)

    def _step(self, kind: type[Message[Any]]) -> Schema:
        """A message as a step of a bulk change, with all its fields."""

        def write() -> Schema:
            given = {camel(name): schema for name, schema in self.fields_of(kind).items()}
            return closed_object(
                {"message": {"const": kind.__name__}, **given}, ["message", *map(camel, required_fields(kind))]
            )

        return self._reference(kind.__name__ + "Step", write)

    def _list(self, arguments: tuple[Any, ...], sent: bool) -> Schema:
        if arguments[-1] is Ellipsis or len(arguments) == 1:
            return {"type": "array", "items": self.of(arguments[0], sent=sent)}
        parts = [self.of(each, sent=sent) for each in arguments]
        return {"type": "array", "prefixItems": parts, "items": False, "minItems": len(parts)}

    def _record(self, kind: Any, sent: bool) -> Schema:
        """The schema of a record. In a response every field is required, in a request those without a default."""

        def write() -> Schema:
            properties = {key_of(kind, name): self.of(hint, sent=sent) for name, hint in field_types(kind).items()}
            if sent:
                return closed_object(properties, list(map(camel, required_fields(kind))))
            return describe_class(kind) | {"type": "object", "properties": properties, "required": list(properties)}

        return self._reference(("Given" if sent else "") + kind.__name__, write)

    def _reference(self, name: str, write: Callable[[], Schema]) -> Schema:
        if name not in self.components:
            self.components[name] = {}  # first, because a record may contain records of its own type
            self.components[name] = write()
        return reference(name)


def reference(name: str) -> Schema:
    """A reference to a component."""
    return {"$ref": COMPONENTS + name}


def closed_object(properties: dict[str, Schema], needed: list[str]) -> Schema:
    """The schema of an object with these properties and no others."""
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": needed} if needed else {})


def nullable(schema: Schema) -> Schema:
    """The schema with null as a further value."""
    if isinstance(schema.get("type"), str):
        return schema | {"type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def describe_class(kind: type[Any]) -> Schema:
    """The docstring of a class as a description, unless Python generated it."""
    text = cleandoc(kind.__doc__ or "")
    return {"description": text} if text and not text.startswith(f"{kind.__name__}(") else {}


def _values(kind: EnumType) -> list[Any]:
    members: Mapping[str, Any] = kind.__members__
    return [member.value for member in members.values()]


def _steps() -> list[type[Command[Any]]]:
    from core.actions.catalog import COMMANDS

    return [kind for kind in COMMANDS if kind.undoable and issubclass(kind, STEPS)]
