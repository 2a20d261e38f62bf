"""``podium run`` sends any message of the catalog; ``podium commands`` lists them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import click

from core.actions import catalog
from core.actions.cards.bulk import BulkResult
from core.codec.encoding import to_json
from core.codec.strict_json import InvalidJson, object_of
from core.codec.type_hints import describe_allowed, field_types, required_fields
from core.engine.messages import Command, Message
from core.errors import InvalidImport, InvalidInput, WouldRelockPhases
from core.import_export.files import read_bytes
from core.record import fields
from core.wire import message_decoder
from tui.cli.message_command import runs
from tui.cli.options import workspace_options
from tui.cli.output import BOLD, colour_text, complain, line, print_json, print_json_file, say
from tui.cli.session import Session, wants_json


@runs(
    "run",
    click.Argument(["message"], metavar="COMMAND"),
    click.Argument(["words"], metavar="[FIELD=VALUE]...", nargs=-1),
    click.Option(
        ["--json-input"], metavar="FILE", help="Read the fields as a JSON object from a file, or - for stdin."
    ),
    changes=True,
)
def run_(session: Session, message: str, words: tuple[str, ...], json_input: str | None) -> int:
    """Run a command or query by its name, e.g. run MoveCard card_id=… status=IN_PROGRESS seen_version=3.

    Exit status 1 if steps of a BulkUpdate were refused.
    """
    if json_input is not None:
        if words:
            raise InvalidInput("fields", "Give the fields as FIELD=VALUE or by --json-input, not both.")
        built = message_decoder.message_from(message, _read(json_input))
    else:
        built = message_decoder.message_from_words(message, _pairs(words), date.today())
    try:
        result = session.send(built)
    except WouldRelockPhases as error:
        complain(error, as_json=session.as_json, relocking="relock=true", lapsing='allow_lapse="REASON"')
        return error.exit_status
    _show(session, result)
    return 1 if isinstance(result, BulkResult) and result.refused else 0


def _pairs(words: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign:
            raise InvalidInput(name, f"“{line(word)}” is not FIELD=VALUE.")
        pairs[name] = value
    return pairs


def _read(source: str) -> dict[str, Any]:
    """The JSON object in a file or on stdin. Raises InvalidInput for any other text."""
    name = "stdin" if source == "-" else source
    try:
        data = sys.stdin.buffer.read() if source == "-" else read_bytes(Path(source))
        value = json.loads(data.decode(), object_pairs_hook=object_of)
    except InvalidImport as refused:
        raise InvalidInput("json-input", str(refused)) from None
    except InvalidJson as error:
        raise InvalidInput("json-input", f"{name} cannot be read: {error}.") from None
    except UnicodeDecodeError as error:
        raise InvalidInput("json-input", f"{name} is not UTF-8 text (byte {error.start}).") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput("json-input", f"{name} is not JSON: {error}.") from error
    if not isinstance(value, dict):
        raise InvalidInput("json-input", f'{name} holds no JSON object. Write it like {{"task_id": "…"}}.')
    return value


def _show(session: Session, result: Any) -> None:
    """The result: as JSON, for people only with the fields that hold something."""
    shown = to_json(result)
    if session.as_json:
        print_json(shown)
    elif result is None:
        say("Done.")
    elif not isinstance(shown, dict | list):
        say(_word(shown))
    else:
        for text in _lines(shown):
            say(text)


def _lines(value: Any, indent: str = "") -> Iterator[str]:
    """An outline of a JSON value: one line for each thing that is neither null nor empty."""
    for name, each in value.items() if isinstance(value, dict) else (("-", each) for each in value):
        if isinstance(each, dict | list):
            if each:
                yield f"{indent}{name}:" if name != "-" else f"{indent}-"
                yield from _lines(each, indent + "  ")
        elif each not in (None, ""):
            yield f"{indent}{name} {_word(each)}" if name == "-" else f"{indent}{name}: {_word(each)}"


def _word(value: Any) -> str:
    """A value that holds no others."""
    return line(value if isinstance(value, str) else json.dumps(value))


@click.command("commands")
@click.argument("name", required=False)
@click.option("--openapi", is_flag=True, help="Print the OpenAPI document of the HTTP API instead.")
@workspace_options("--json")
@click.pass_context
def commands_(context: click.Context, name: str | None, openapi: bool) -> None:
    """List every message with its fields, permission, route and purpose."""
    if openapi:
        from core.server.openapi.document import document

        print_json_file(document())
        return
    chosen = (message_decoder.message_named(name),) if name else catalog.MESSAGES
    if wants_json(context):
        print_json({"data": [_describe_message(message) for message in chosen]})
        return
    for message in chosen:
        summary = catalog.summary(message).replace("``", "")
        print(f"{colour_text(message.__name__, BOLD)}  {summary}")
        for field in _describe_message(message)["fields"] if name else ():
            print(f"    {field['name']}{'' if field['required'] else ' (optional)'}: {field['allowed']}")
        if not name and (names := _field_words(message)):
            print(f"    {names}")
        print(f"    {message.permission.value}, {message.route}")


def _field_words(message: type[Message[Any]]) -> str:
    return " ".join(name if name in required_fields(message) else f"[{name}]" for name in fields(message))


def _describe_message(message: type[Message[Any]]) -> dict[str, Any]:
    return {
        "name": message.__name__,
        "kind": "command" if issubclass(message, Command) else "query",
        "help": catalog.summary(message),
        "permission": message.permission.value,
        "route": message.route,
        "fields": [
            {"name": name, "required": name in required_fields(message), "allowed": describe_allowed(hint)}
            for name, hint in field_types(message).items()
        ],
    }
