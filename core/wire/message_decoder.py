"""Messages from JSON or from words. All input from outside is checked here, by the types of the message class.

Field names are spelled as in the class, or in camelCase for JSON over HTTP. msgspec checks each field strictly, but
its sentences are replaced by ours.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from datetime import date
from functools import partial
from typing import Any, get_args, get_origin

from core.codec.decoding import convert_json
from core.codec.encoding import FieldNaming, camel, snake
from core.codec.type_hints import describe_allowed, field_types, required_fields, unwrap_optional
from core.domain.max_lengths import MAX_STEPS, TOO_MANY_STEPS
from core.engine.messages import Command, Message
from core.errors import InvalidInput
from core.record import RecordMeta, fields
from core.text.dates import parse_due
from core.text.naming import did_you_mean
from core.text.sanitize import MAX_SHOWN, quote_value

COMMANDS_FIELD = "commands"
"""The field of a bulk change that holds messages, its steps."""

MAX_INTEGER = 2**53
"""The largest integer that every JSON reader and every database hold exactly."""

_HALF_LETTER = re.compile("[\ud800-\udfff]")


def message_named(name: str) -> type[Message[Any]]:
    """Return the message class of this name. Raises InvalidInput, with similar names."""
    from core.actions.catalog import BY_NAME

    if message := BY_NAME.get(name):
        return message
    hint = did_you_mean(name, BY_NAME) or " “podium commands” lists them."
    raise InvalidInput("message", f"There is no message “{quote_value(name)}”.{hint}")


def message_from(name: str, given: Mapping[str, Any], spell: FieldNaming = snake) -> Message[Any]:
    """Return the message with these JSON values as its fields; ``spell`` spells field names as ``given`` does.

    Raises InvalidInput for a missing, unknown or wrong field; the error names the field and its allowed values.
    """
    message = message_named(name)
    hints = field_types(message)
    names = {spell(field): field for field in hints}
    if unknown := [field for field in given if field not in names]:
        raise _unknown_field(name, unknown[0], names)
    missing = [field for field in map(spell, required_fields(message)) if field not in given]
    if missing:
        lacking = ", ".join(f"“{field}” ({describe_allowed(hints[names[field]])})" for field in missing)
        raise InvalidInput(missing[0], f"{name} needs {lacking}.")
    return message(
        **{names[field]: check_value(field, hints[names[field]], value, spell) for field, value in given.items()}
    )


def message_with_file(name: str, text: bytes | bytearray, placed: Mapping[str, str]) -> Message[Any]:
    """Return the message with the fields of a JSON object, one of which is a file; ``placed`` are those of its path.

    The fields are checked by their types while the text is read, so that unknown parts of a long text create no
    objects. Raises InvalidInput as ``message_from`` does, and InvalidImport for an error in the file.
    """
    from core.codec.json_loader import decode_body

    hints = {camel(field): hint for field, hint in field_types(message_named(name)).items() if field not in placed}
    given = decode_body(text, hints, lambda field: _unknown_field(name, field, hints))
    return message_from(name, {**given, **{camel(field): word for field, word in placed.items()}}, camel)


def _unknown_field(name: str, field: str, known: Collection[str]) -> InvalidInput:
    """Return the refusal of a field that a message does not have, with those that it has."""
    takes = f"It takes: {', '.join(known)}." if known else "It takes none."
    return InvalidInput(field, f"{name} has no field “{quote_value(field)}”. {takes}")


def message_from_words(name: str, words: Mapping[str, str], today: date) -> Message[Any]:
    """Return the message with these fields, given as a user typed them.

    Dates can be words, commas separate the elements of lists, and "" is None. Raises InvalidInput as ``message_from``
    does.
    """
    hints = field_types(message_named(name))
    return message_from(
        name,
        {
            field: _convert_word(field, hints[field], word, today) if field in hints else word
            for field, word in words.items()
        },
    )


def check_value(field: str, hint: Any, value: Any, spell: FieldNaming) -> Any:
    """Return the value of a field, checked strictly: 5 is not a text, "yes" not a boolean. Raises InvalidInput.

    The JSON spellings of dates, enumerations, tuples and records are converted.
    """
    if field == COMMANDS_FIELD:
        return _steps(value, spell)
    if hasattr(hint, "in_words"):  # a file
        if isinstance(value, hint):
            return value
        from core.codec.json_loader import decode_body

        return decode_body(json.dumps({field: value}).encode(), {field: hint}, partial(InvalidInput, field))[field]
    inner, optional = unwrap_optional(hint)
    if (type(value) is inner and _is_plain(value)) or (value is None and optional):
        return value
    try:
        if not _is_plain(value):
            raise ValueError
        return convert_json(_as_spelled(inner, value, spell), hint)
    except ValueError:
        shown = quote_value(value if isinstance(value, str) else _begin_json(value))
        raise InvalidInput(
            field, f"“{quote_value(field)}” must be {describe_allowed(hint)}; “{shown}” is not."
        ) from None


def _begin_json(value: Any) -> str:
    """Return the beginning of a value as JSON, a little longer than the part that is quoted."""
    begun = ""
    for piece in json.JSONEncoder(default=str).iterencode(value):
        begun += piece[: MAX_SHOWN + 1]
        if len(begun) > MAX_SHOWN:
            break
    return begun


def _is_plain(value: Any) -> bool:
    """Return True if every database can hold the value: no integer beyond ``MAX_INTEGER``, no NUL or lone surrogate."""
    match value:
        case bool():
            return True
        case int():
            return abs(value) <= MAX_INTEGER
        case str():
            return "\0" not in value and (value.isascii() or not _HALF_LETTER.search(value))
        case list():
            return all(map(_is_plain, value))
        case dict():
            return all(map(_is_plain, value.values()))
    return True


def _as_spelled(inner: Any, value: Any, spell: FieldNaming) -> Any:
    """Return a list of objects with their keys spelled as the fields of their class; any other value unchanged."""
    each = get_args(inner)[0] if get_origin(inner) is tuple else None
    if not isinstance(each, RecordMeta) or not isinstance(value, list):
        return value
    names = {spell(field): camel(field) for field in fields(each)}
    return [{names.get(key, key): part for key, part in one.items()} if isinstance(one, dict) else one for one in value]


def _steps(value: Any, spell: FieldNaming) -> tuple[Message[Any], ...]:
    """Return the steps of a bulk change: ``[{"message": NAME, field: value, …}, …]``."""
    wanted = 'a list of messages, each as {"message": NAME, field: value, …}'
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise InvalidInput(COMMANDS_FIELD, f"“{COMMANDS_FIELD}” must be {wanted}.")
    if len(value) > MAX_STEPS:
        raise InvalidInput(COMMANDS_FIELD, TOO_MANY_STEPS.format(len(value)))
    return tuple(_step(dict(each), wanted, spell) for each in value)


def _step(step: dict[str, Any], wanted: str, spell: FieldNaming) -> Message[Any]:
    name = step.pop("message", None)
    if not isinstance(name, str):
        raise InvalidInput(COMMANDS_FIELD, f"“{COMMANDS_FIELD}” must be {wanted}.")
    if COMMANDS_FIELD in step:
        raise InvalidInput(COMMANDS_FIELD, "A bulk change cannot be a step of another one. List its steps instead.")
    command = message_from(name, step, spell)
    if not isinstance(command, Command):
        raise InvalidInput(COMMANDS_FIELD, f"{name} changes nothing, so it cannot be a step of a bulk change.")
    return command


def _convert_word(field: str, hint: Any, word: str, today: date) -> Any:
    """Return a typed word as a JSON value of this type, or unchanged, to be refused later."""
    inner, optional = unwrap_optional(hint)
    if optional and not word.strip() and (inner is not str or field.endswith("_id")):
        return None  # an empty text is a value of other fields
    if inner is date:
        due = parse_due(word, today)
        return due.isoformat() if due else None
    if get_origin(inner) is tuple:
        return _list(word)
    read = _READERS.get(inner)
    return read(word) if read else word


def _list(word: str) -> Any:
    """Split ``a,b``, or decode a JSON array, which the steps of a bulk change need."""
    if word.lstrip().startswith("["):
        try:
            return json.loads(word)
        except (ValueError, RecursionError):
            return word
    return [each.strip() for each in word.split(",") if each.strip()]


def _number(word: str) -> Any:
    return int(word) if re.fullmatch(r"\s*-?[0-9]{1,16}\s*", word) else word


def _truth(word: str) -> Any:
    return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(word.lower(), word)


_READERS: Mapping[Any, Callable[[str], Any]] = {int: _number, bool: _truth}
