"""Messages and results as JSON, at the edges: what strangers send is checked here, once, by the messages' own types.

Fields of a message are named as in its class, keys of a result in camelCase (spec, section 8). Pydantic checks each
field strictly and is imported with the first message that is read.
"""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import date, datetime
from difflib import get_close_matches
from enum import EnumType, StrEnum
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from core.dates import parse_due
from core.errors import InvalidInput, PodiumError
from core.messages import Command, Message
from core.text import visible

ERROR_PAGES = "/v1/errors/"
"""Where the API describes each error code; ``link`` of an error points into it."""

COMMANDS_FIELD = "commands"
"""The one field that holds messages: the steps of a bulk change."""


def types_of(message: type[Message[Any]]) -> dict[str, Any]:
    """The fields of a message with their types, those of its base classes first."""
    hints = get_type_hints(message)
    return {field.name: hints[field.name] for field in fields(message)}


def required(field: Field[Any]) -> bool:
    """Whether a message cannot be made without this field."""
    return field.default is MISSING and field.default_factory is MISSING


def message_named(name: str) -> type[Message[Any]]:
    """The class of a message. Raises InvalidInput, with near names, when there is none."""
    from core.catalog import BY_NAME

    if message := BY_NAME.get(name):
        return message
    near = get_close_matches(name, BY_NAME, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(near)}?" if near else " “podium messages” lists them."
    raise InvalidInput("message", f"There is no message “{visible(name)}”.{hint}")


def message_from(name: str, given: Mapping[str, Any]) -> Message[Any]:
    """The message with these fields, as they came from JSON.

    Raises InvalidInput that names the field and what it may be: for one that is missing, unknown or of a wrong type.
    """
    message = message_named(name)
    hints = types_of(message)
    if unknown := [field for field in given if field not in hints]:
        takes = f"It takes: {', '.join(hints)}." if hints else "It takes none."
        raise InvalidInput(unknown[0], f"{name} has no field “{visible(unknown[0])}”. {takes}")
    missing = [field.name for field in fields(message) if required(field) and field.name not in given]
    if missing:
        lacking = ", ".join(f"“{field}” ({allowed(hints[field])})" for field in missing)
        raise InvalidInput(missing[0], f"{name} needs {lacking}.")
    return message(**{field: _checked(field, hints[field], value) for field, value in given.items()})


def message_from_words(name: str, words: Mapping[str, str], today: date) -> Message[Any]:
    """The message with these fields, as they were typed: dates as people say them, lists with commas, nothing for none.

    Raises InvalidInput as ``message_from`` does.
    """
    hints = types_of(message_named(name))
    return message_from(
        name,
        {field: _typed(field, hints[field], word, today) if field in hints else word for field, word in words.items()},
    )


def allowed(hint: Any) -> str:
    """What a field of this type may hold, in words."""
    inner, optional = _inner(hint)
    if isinstance(inner, EnumType):
        words = "one of " + ", ".join(inner.__members__)
    elif get_origin(inner) is tuple:
        words = f"a list, each {allowed(get_args(inner)[0])}"
    elif (isinstance(inner, type) and issubclass(inner, Command)) or get_origin(inner) is Command:
        words = 'a message as {"message": NAME, …}'
    elif isinstance(inner, type) and issubclass(inner, tuple):  # a named one
        words = f"an object with {', '.join(inner._fields)}"  # type: ignore[attr-defined]
    elif is_dataclass(inner):
        words = "a project as “podium project export” writes it"
    else:
        words = _WORDS[inner]
    return f"{words}, or nothing" if optional else words


_WORDS = {str: "text", int: "a whole number", bool: "true or false", date: "a date such as 2026-12-03"}


def to_json(value: Any) -> Any:
    """A result as what JSON knows: records as objects with camelCase keys, dates as ISO text."""
    if is_dataclass(value) and not isinstance(value, type):
        return {camel(field.name): to_json(getattr(value, field.name)) for field in fields(value)}
    match value:
        case StrEnum():
            return value.value
        case datetime() | date():
            return value.isoformat()
        case Mapping():
            return {str(key): to_json(each) for key, each in value.items()}
        case frozenset() | set():
            return sorted(to_json(each) for each in value)
        case tuple() if hasattr(value, "_fields"):  # a named tuple
            return {camel(name): to_json(each) for name, each in zip(value._fields, value, strict=True)}
        case list() | tuple():
            return [to_json(each) for each in value]
        case Path():
            return str(value)
    return value


def camel(name: str) -> str:
    """``seen_version`` as ``seenVersion``."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def errors_json(code: str, message: str, correlation_id: str) -> dict[str, Any]:
    """An error in form A (source document, section 7.2)."""
    error = {"errorCode": code, "errorMessage": message, "correlationId": correlation_id, "link": ERROR_PAGES + code}
    return {"errors": [error]}


def error_json(error: PodiumError, correlation_id: str) -> dict[str, Any]:
    """An error of the core in form A."""
    return errors_json(error.code, str(error), correlation_id)


def _checked(field: str, hint: Any, value: Any) -> Any:
    """The value as the type of its field. Strict: 5 is no text, "yes" no truth value; JSON's own forms are taken."""
    if field == COMMANDS_FIELD:
        return _steps(value)
    if is_dataclass(hint) and isinstance(hint, type):
        from core.transfer.shape import loaded

        return loaded(json.dumps(value), hint)
    from pydantic import ValidationError

    try:
        return _adapter(hint).validate_json(json.dumps(value), strict=True)
    except (ValidationError, TypeError, ValueError):
        shown = visible(value if isinstance(value, str) else json.dumps(value, default=str))
        shown = shown if len(shown) <= 60 else shown[:59] + "…"
        raise InvalidInput(field, f"“{field}” must be {allowed(hint)}; “{shown}” is not.") from None


def _steps(value: Any) -> tuple[Message[Any], ...]:
    """The steps of a bulk change: ``[{"message": NAME, field: value, …}, …]``."""
    wanted = 'a list of messages, each as {"message": NAME, field: value, …}'
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise InvalidInput(COMMANDS_FIELD, f"“{COMMANDS_FIELD}” must be {wanted}.")
    return tuple(_step(dict(each), wanted) for each in value)


def _step(step: dict[str, Any], wanted: str) -> Message[Any]:
    name = step.pop("message", None)
    if not isinstance(name, str):
        raise InvalidInput(COMMANDS_FIELD, f"“{COMMANDS_FIELD}” must be {wanted}.")
    command = message_from(name, step)
    if not isinstance(command, Command):
        raise InvalidInput(COMMANDS_FIELD, f"{name} changes nothing, so it cannot be a step of a bulk change.")
    return command


@cache
def _adapter(hint: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(hint)


def _inner(hint: Any) -> tuple[Any, bool]:
    """A type without its None, and whether it had one."""
    if get_origin(hint) in (types.UnionType, typing.Union):
        options = [option for option in get_args(hint) if option is not type(None)]
        return options[0], len(options) < len(get_args(hint))
    return hint, False


def _typed(field: str, hint: Any, word: str, today: date) -> Any:
    """A typed word as the JSON value it stands for; one that cannot be is left to be refused with its type."""
    inner, optional = _inner(hint)
    if optional and not word.strip() and (inner is not str or field.endswith("_id")):
        return None  # other texts may be emptied
    if inner is date:
        due = parse_due(word, today)
        return due.isoformat() if due else None
    if get_origin(inner) is tuple:
        return _list(word)
    read = _READERS.get(inner)
    return read(word) if read else word


def _list(word: str) -> Any:
    """``a,b`` as a list; a JSON array as it is, which the steps of a bulk change need."""
    if word.lstrip().startswith("["):
        try:
            return json.loads(word)
        except ValueError:
            return word
    return [each.strip() for each in word.split(",") if each.strip()]


def _number(word: str) -> Any:
    return int(word) if word.strip().lstrip("-").isdecimal() else word


def _truth(word: str) -> Any:
    return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(word.lower(), word)


_READERS: Mapping[Any, Callable[[str], Any]] = {int: _number, bool: _truth}


def correlation_id() -> str:
    """What ties an error that was shown to the line in the log."""
    from uuid import uuid4

    return str(uuid4())


def collection(values: Iterable[Any]) -> dict[str, Any]:
    """Several results as collections answer (spec, section 8)."""
    return {"data": [to_json(value) for value in values]}
