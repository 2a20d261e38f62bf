"""Messages and results as JSON, at the edges: what strangers send is checked here, once, by the messages' own types.

Fields of a message are named as in its class, keys of a result in camelCase (spec, section 8). Pydantic checks each
field strictly and is imported with the first message that is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from datetime import date
from difflib import get_close_matches
from enum import EnumType, StrEnum
from functools import cache
from operator import methodcaller
from pathlib import Path
from typing import Any, get_args, get_origin

from core.dates import parse_due
from core.errors import InvalidInput
from core.hints import is_record, names_of, needed, types_of, without_none
from core.lengths import MOST_STEPS, TOO_MANY_STEPS
from core.messages import Command, Message
from core.text import MOST_SHOWN, quoted

COMMANDS_FIELD = "commands"
"""The one field that holds messages: the steps of a bulk change."""

DATA = "data"
"""The key of the list in every collection."""

LARGEST = 2**53
"""Of a number: what every reader of JSON holds exactly, and every database too."""

_HALF_LETTER = re.compile("[\ud800-\udfff]")

Spelling = Callable[[str], str]
"""How the name of a field is written: ``snake`` or ``camel``."""

Writer = Callable[[Any], Any]
"""Turns a value into what JSON knows."""


def snake(name: str) -> str:
    """A name as it is in the class."""
    return name


def snake_of(name: str) -> str:
    """What ``camel`` was given: ``seenVersion`` as ``seen_version``. Other spellings, as of headers, stay."""
    return re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), name) if name[:1].islower() else name


@cache
def camel(name: str) -> str:
    """``seen_version`` as ``seenVersion``."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def key_of(record: Any, name: str) -> str:
    """The key of a field of a result: in camelCase, but ``data`` for the list of a collection (source document,
    section 4.2), which the record names in ``collection``. What a collection tells besides stands beside it."""
    return DATA if name == getattr(record, "collection", None) else camel(name)


def message_named(name: str) -> type[Message[Any]]:
    """The class of a message. Raises InvalidInput, with near names, when there is none."""
    from core.catalog import BY_NAME

    if message := BY_NAME.get(name):
        return message
    near = get_close_matches(name, BY_NAME, n=3, cutoff=0.5)
    hint = f" Did you mean {' or '.join(near)}?" if near else " “podium messages” lists them."
    raise InvalidInput("message", f"There is no message “{quoted(name)}”.{hint}")


def message_from(name: str, given: Mapping[str, Any], spell: Spelling = snake) -> Message[Any]:
    """The message with these fields, as they came from JSON, their names spelled as ``spell`` has them.

    Raises InvalidInput that names the field and what it may be: for one that is missing, unknown or of a wrong type.
    """
    message = message_named(name)
    hints = types_of(message)
    names = {spell(field): field for field in hints}
    if unknown := [field for field in given if field not in names]:
        takes = f"It takes: {', '.join(names)}." if names else "It takes none."
        raise InvalidInput(unknown[0], f"{name} has no field “{quoted(unknown[0])}”. {takes}")
    missing = [field for field in map(spell, needed(message)) if field not in given]
    if missing:
        lacking = ", ".join(f"“{field}” ({allowed(hints[names[field]])})" for field in missing)
        raise InvalidInput(missing[0], f"{name} needs {lacking}.")
    return message(
        **{names[field]: checked(field, hints[names[field]], value, spell) for field, value in given.items()}
    )


def message_with_file(name: str, text: bytes | bytearray, spell: Spelling = camel) -> Message[Any]:
    """The message with the fields of a JSON object, one of which is a file.

    They are checked by their types while the text is read, so that of a long one nothing is made that is not declared.
    Raises InvalidInput as ``message_from`` does, and ImportRefused for what is wrong in the file.
    """
    from core.transfer.shape import brought

    hints = types_of(message_named(name))
    given = brought(text, {spell(field): hint for field, hint in hints.items()})
    return message_from(name, given, spell)


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
    inner, optional = without_none(hint)
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
    kind: Any = type(value)
    write = _writer(kind)
    return write(value) if write else value


@cache
def _writer(kind: Any) -> Writer | None:
    """The function that writes values of this type; None where they are what JSON knows already."""
    if is_record(kind):
        return _record_writer(kind)
    for known, write in _WRITERS.items():
        if issubclass(kind, known):
            return write
    return None


def _record_writer(record: Any) -> Writer:
    pairs = [(key_of(record, name), name) for name in names_of(record)]

    def write(value: Any) -> dict[str, Any]:
        return {key: to_json(getattr(value, name)) for key, name in pairs}

    return write


def _write_mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    return {str(key): to_json(each) for key, each in value.items()}


def _write_list(value: Iterable[Any]) -> list[Any]:
    return [to_json(each) for each in value]


def _write_set(value: Iterable[Any]) -> list[Any]:
    return sorted(map(to_json, value))


_WRITERS: Mapping[type, Writer] = {
    StrEnum: str.__str__,
    date: methodcaller("isoformat"),
    Mapping: _write_mapping,
    frozenset: _write_set,
    set: _write_set,
    list: _write_list,
    tuple: _write_list,
    Path: str,
}
"""How values are written that are no records: of the first of these types that they are of."""


def checked(field: str, hint: Any, value: Any, spell: Spelling) -> Any:
    """The value as the type of its field. Strict: 5 is no text, "yes" no truth value; JSON's own forms are taken.

    Raises InvalidInput.
    """
    if field == COMMANDS_FIELD:
        return _steps(value, spell)
    if is_dataclass(hint) and isinstance(hint, type):
        if isinstance(value, hint):
            return value
        from core.transfer.shape import loaded

        return loaded(json.dumps(value), hint)
    inner, optional = without_none(hint)
    if (type(value) is inner and _is_plain(value)) or (value is None and optional):
        return value
    from pydantic import ValidationError

    try:
        if not _is_plain(value):
            raise ValueError
        text = json.dumps(_as_spelled(inner, value, spell))
        return _adapter(hint).validate_json(text, strict=True)
    except (ValidationError, TypeError, ValueError):
        shown = quoted(value if isinstance(value, str) else _begun(value))
        raise InvalidInput(field, f"“{quoted(field)}” must be {allowed(hint)}; “{shown}” is not.") from None


def _begun(value: Any) -> str:
    """The beginning of a value as JSON, longer than what is quoted of it."""
    begun = ""
    for piece in json.JSONEncoder(default=str).iterencode(value):
        begun += piece[: MOST_SHOWN + 1]
        if len(begun) > MOST_SHOWN:
            break
    return begun


def _is_plain(value: Any) -> bool:
    """Whether every database can hold it: no larger number, no text with NUL or halves of letters in it."""
    match value:
        case bool():
            return True
        case int():
            return abs(value) <= LARGEST
        case str():
            return "\0" not in value and (value.isascii() or not _HALF_LETTER.search(value))
        case list():
            return all(map(_is_plain, value))
        case dict():
            return all(map(_is_plain, value.values()))
    return True


def _as_spelled(inner: Any, value: Any, spell: Spelling) -> Any:
    """A list of named tuples with the names of their fields as in their class; anything else as it is."""
    each: Any = get_args(inner)[0] if get_origin(inner) is tuple else None
    if not hasattr(each, "_fields") or not isinstance(value, list):
        return value
    names = {spell(field): field for field in each._fields}
    return [{names.get(key, key): part for key, part in one.items()} if isinstance(one, dict) else one for one in value]


def _steps(value: Any, spell: Spelling) -> tuple[Message[Any], ...]:
    """The steps of a bulk change: ``[{"message": NAME, field: value, …}, …]``."""
    wanted = 'a list of messages, each as {"message": NAME, field: value, …}'
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise InvalidInput(COMMANDS_FIELD, f"“{COMMANDS_FIELD}” must be {wanted}.")
    if len(value) > MOST_STEPS:
        raise InvalidInput(COMMANDS_FIELD, TOO_MANY_STEPS.format(len(value)))
    return tuple(_step(dict(each), wanted, spell) for each in value)


def _step(step: dict[str, Any], wanted: str, spell: Spelling) -> Message[Any]:
    name = step.pop("message", None)
    if not isinstance(name, str):
        raise InvalidInput(COMMANDS_FIELD, f"“{COMMANDS_FIELD}” must be {wanted}.")
    if COMMANDS_FIELD in step:
        raise InvalidInput(COMMANDS_FIELD, "A bulk change cannot be a step of another one. List its steps instead.")
    command = message_from(name, step, spell)
    if not isinstance(command, Command):
        raise InvalidInput(COMMANDS_FIELD, f"{name} changes nothing, so it cannot be a step of a bulk change.")
    return command


@cache
def _adapter(hint: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(hint)


def _typed(field: str, hint: Any, word: str, today: date) -> Any:
    """A typed word as the JSON value it stands for; one that cannot be is left to be refused with its type."""
    inner, optional = without_none(hint)
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
    return int(word) if re.fullmatch(r"\s*-?[0-9]{1,16}\s*", word) else word


def _truth(word: str) -> Any:
    return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}.get(word.lower(), word)


_READERS: Mapping[Any, Callable[[str], Any]] = {int: _number, bool: _truth}


def answer_of(result: Any) -> dict[str, Any]:
    """A result as the object that answers with it: what is no object stands under ``data`` (spec, section 8)."""
    shown = to_json(result)
    return shown if isinstance(shown, dict) else {DATA: shown}


AT_ONCE = 100
"""Values of a list that become text at once: the thread that writes a long text keeps all others waiting meanwhile."""


def text_of(result: Any) -> str:
    """The same as JSON text, as it travels. Of a long result never all is there as objects of JSON."""
    if not _is_long(result):
        return _dumped(answer_of(result))
    text = "".join(_pieces(result))
    return text if text.startswith("{") else f'{{"{DATA}":{text}}}'


def _is_long(value: Any) -> bool:
    """Whether there is a long list in a value, or in the records of a short list in it."""
    if is_record(type(value)):
        return any(isinstance(each, tuple) and _is_long(each) for each in (getattr(value, n) for n in names_of(value)))
    return isinstance(value, tuple) and (len(value) > AT_ONCE or any(map(_is_long, value)))


def _pieces(value: Any) -> Iterator[str]:
    """The text of a value; of a long list some values at a time."""
    if not _is_long(value):
        yield _dumped(to_json(value))
    elif is_record(type(value)):
        for number, name in enumerate(names_of(value)):
            yield f"{',' if number else '{'}{_dumped(key_of(value, name))}:"
            yield from _pieces(getattr(value, name))
        yield "}"
    elif len(value) > AT_ONCE:
        for start in range(0, len(value), AT_ONCE):
            yield f"{',' if start else '['}{_dumped(to_json(value[start : start + AT_ONCE]))[1:-1]}"
        yield "]"
    else:
        for number, each in enumerate(value):
            yield "," if number else "["
            yield from _pieces(each)
        yield "]"


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def collection(values: Iterable[Any]) -> dict[str, Any]:
    """Several results as collections answer (spec, section 8)."""
    return {DATA: [to_json(value) for value in values]}
