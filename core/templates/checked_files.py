"""Files of strangers as checked records: pydantic reads them by the fields of the records and by their rules.

Types are strict: 5 is no text. A rule stands at its field, ``name: Annotated[str, line(80)]``, and what concerns
several fields in the method ``normalize`` of the record. An error names the field by its path from the top, such as
``phases[0].items[3].title``, and the line of the file. Nothing else imports pydantic than this module, which is itself
imported only where a file is read, because pydantic takes a tenth of a second to import.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from datetime import date, datetime
from enum import EnumType
from functools import cache, partial
from typing import Annotated, Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from pydantic import ConfigDict, GetCoreSchemaHandler, TypeAdapter, ValidationError
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from core.codec.decoding import convert_json, decode
from core.codec.encoding import FieldNaming, camel, snake
from core.codec.json_loader import (
    UNKNOWN,
    JsonPath,
    check_keys_once,
    describe_type_fault,
    format_path,
    line_of,
    parse_path,
    refuse_malformed,
)
from core.codec.strict_json import has_more_values
from core.codec.toml_text import line_of as line_in_toml
from core.codec.toml_text import parse_toml
from core.codec.type_hints import is_record
from core.errors import InvalidImport, InvalidInput
from core.record import defaults, encoded_fields
from core.text.sanitize import quote_value

T = TypeVar("T")

MAX_VALUES = 10_000_000
"""The most values in a JSON file; they take up to 100 bytes of memory each, more than most take in the file."""

TOO_DEEP = "It is nested too deeply."


def read_json(text: str, kind: type[T]) -> T:
    """Return the value of a JSON text. Raises InvalidImport with line and field."""
    if len(text) > MAX_VALUES and has_more_values(text.encode(), MAX_VALUES):
        raise InvalidImport("", f"It has more than {MAX_VALUES:,} values. Split it.")
    try:
        value = decode(text, Any)
        check_keys_once(text)
    except RecursionError:
        raise InvalidImport("", TOO_DEEP) from None
    except ValueError as error:
        raise refuse_malformed(text, str(error)) from None
    return cast(T, _read(value, kind, partial(line_of, text)))


def read_toml(text: str, kind: type[T]) -> T:
    """Return the value of a TOML text. Raises InvalidImport with line and field."""
    return cast(T, _read(parse_toml(text), kind, partial(line_in_toml, text)))


def read_values(values: Any, kind: type[T]) -> T:
    """Return values of a file that is neither JSON nor TOML as this kind. Raises InvalidImport with the field."""
    return cast(T, _read(values, kind, lambda _: 0))


def _read(value: Any, kind: Any, line: Callable[[str], int]) -> Any:
    """Return parsed JSON or TOML as a value of this kind. ``line`` gives the line of a field."""
    try:
        return _model(kind).validate_python(value)
    except ValidationError as error:
        field, sentence = _fault(error, kind)
        raise InvalidImport(field, sentence, line=line(field)) from None


def check(record: T) -> T:
    """Return a record of a message, with its values as they are stored. Raises InvalidImport with the field."""
    kind: Any = type(record)
    try:
        return cast(T, _model(kind).validate_python(record, by_alias=False, by_name=True))
    except ValidationError as error:
        raise InvalidImport(*_fault(error, kind, camel)) from None


def _fault(error: ValidationError, kind: Any, spell: FieldNaming = snake) -> tuple[str, str]:
    """Return the path and our sentence of the first value that was refused. ``spell`` makes keys of steps."""
    first = error.errors(include_url=False)[0]
    path: JsonPath = [spell(step) if isinstance(step, str) else step for step in first["loc"]]
    match first["type"]:
        case "missing":
            sentence = "It is missing."
        case "unknown":
            path, sentence = [*path, first["ctx"]["field"]], UNKNOWN
        case "refused":
            path, sentence = [*path, *parse_path(first["ctx"]["field"])], first["ctx"]["reason"]
        case "recursion_loop":
            path, sentence = [], TOO_DEEP
        case _:
            sentence = describe_type_fault(kind, path, first["input"])
    return format_path(path), sentence


@cache
def _model(kind: Any) -> TypeAdapter[Any]:
    """Return what validates values of a kind; it is made once, in some hundredths of a second."""

    class Model:
        @classmethod
        def __get_pydantic_core_schema__(cls, _source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
            return _Schemas(handler).model(kind)

    return TypeAdapter(Model, config=ConfigDict(strict=True))


class _Schemas:
    """The schemas of a type and of the records in it, each once: records can contain records of their own type."""

    def __init__(self, handler: GetCoreSchemaHandler) -> None:
        self._handler = handler
        self._records: dict[Any, CoreSchema] = {}

    def model(self, kind: Any) -> CoreSchema:
        top = self._schema(kind, "")
        return core_schema.definitions_schema(top, list(self._records.values()))

    def _schema(self, hint: Any, name: str) -> CoreSchema:
        """Return the schema of a type. ``name`` is the field, for the sentences of rules."""
        origin, args = get_origin(hint), get_args(hint)
        if origin is Annotated:
            schema = self._schema(args[0], name)
            for rule in args[1:]:
                schema = core_schema.no_info_after_validator_function(_collect_refusals(rule.apply, name), schema)
            return schema
        if origin in (types.UnionType, typing.Union):
            (inner,) = (each for each in args if each is not type(None))
            return core_schema.nullable_schema(self._schema(inner, name))
        if origin is tuple:
            return core_schema.tuple_schema(
                [self._schema(args[0], name)], variadic_item_index=0, strict=False, fail_fast=True
            )
        if is_record(hint):
            if hint not in self._records:
                self._records[hint] = {"type": "any"}  # so that a record in itself refers to it
                self._records[hint] = self._record(hint)
            return core_schema.definition_reference_schema(hint.__name__)
        if isinstance(hint, EnumType):
            return core_schema.enum_schema(hint, list(hint), sub_type="str", strict=False)
        if origin is Literal or hint in (date, datetime):  # pydantic would take true for 1, and "5" for a time
            return core_schema.no_info_plain_validator_function(partial(_as_type, hint))
        return self._handler.generate_schema(hint)

    def _record(self, kind: Any) -> CoreSchema:
        """Return the schema of a record: of its fields, then of the record that is made of them."""
        keys, usual, hints = encoded_fields(kind), defaults(kind), get_type_hints(kind, include_extras=True)
        parts = {}
        for name, key in keys.items():
            schema = self._schema(hints[name], key)
            if name in usual:
                schema = core_schema.with_default_schema(schema, default=usual[name])
            parts[name] = core_schema.model_field(schema, validation_alias=key)
        schema = core_schema.model_fields_schema(parts, from_attributes=True)
        if kind.__struct_config__.forbid_unknown_fields:
            schema = core_schema.no_info_before_validator_function(partial(_refuse_unknown, {*keys.values()}), schema)
        schema = core_schema.no_info_after_validator_function(lambda read: kind(**read[0]), schema)
        if hasattr(kind, "normalize"):
            schema = core_schema.no_info_after_validator_function(_collect_refusals(kind.normalize), schema)
        elif all(hint is str for name, hint in hints.items() if name in keys):  # no rule can change one that is made
            schema = core_schema.no_info_wrap_validator_function(partial(_keep, kind), schema)
        return {**schema, "ref": kind.__name__}


def _as_type(hint: Any, value: Any) -> Any:
    """Return a value of a type that pydantic would read less strictly. Raises ValueError."""
    if hint is datetime and isinstance(value, datetime):
        return value
    if hint is date and isinstance(value, date) and not isinstance(value, datetime):
        return value
    return convert_json(value, hint)


def _keep(kind: Any, value: Any, read: Callable[[Any], Any]) -> Any:
    return value if isinstance(value, kind) else read(value)


def _refuse_unknown(keys: set[str], value: Any) -> Any:
    """Refuse the first unknown key. pydantic would collect an error for each, of which a file can have millions."""
    if isinstance(value, dict) and value.keys() - keys:
        raise PydanticCustomError(
            "unknown", "unknown", {"field": quote_value(next(key for key in value if key not in keys))}
        )
    return value


def _collect_refusals(rule: Callable[..., Any], *given: Any) -> Callable[[Any], Any]:
    """Return a rule whose refusals pydantic collects, with the path of the value; ``given`` comes before the value."""

    def apply(value: Any) -> Any:
        try:
            return rule(*given, value)
        except InvalidInput as refused:
            said = {"field": "", "reason": str(refused)}
            if isinstance(refused, InvalidImport):
                said = {"field": refused.field, "reason": refused.reason}
            raise PydanticCustomError("refused", "refused", said) from None

    return apply
