"""Each declaration of a command fits its message: the fields that it fills, its sentences and its columns."""

from __future__ import annotations

from collections.abc import Iterator
from string import Formatter
from typing import Any, get_args, get_type_hints

import click
import pytest

from core.codec.type_hints import field_types, is_record, required_fields, unwrap_optional
from core.engine.messages import Command
from core.record import fields
from core.wire.result_decoder import result_type
from tui.cli.message_command import MessageCommand, _print_sentence, _print_table
from tui.cli.program import podium
from tui.cli.records import RecordParameter
from tui.cli.sentences import Columns


def declared(command: click.Command, path: str = "podium") -> Iterator[tuple[str, MessageCommand]]:
    """The commands that are declared, with their names."""
    if isinstance(command, MessageCommand):
        yield path, command
    elif isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from declared(below, f"{path} {name}")


DECLARED = dict(declared(podium))
commands = pytest.mark.parametrize("command", DECLARED.values(), ids=list(DECLARED))

CHOSEN = {"kind", "url", "command", "decision", "retired", "favourite"}
"""The fields that no parameter fills by itself."""


def has(record: Any, path: str) -> bool:
    """True if records of this type have the field, or the property, at the end of a path."""
    name, _, rest = path.partition(".")
    described = getattr(record, name, None)
    if isinstance(described, property):
        kind = get_type_hints(described.fget)["return"]
    else:
        kind = field_types(record).get(name) if is_record(record) else None
    return kind is not None and (not rest or has(unwrap_optional(kind)[0], rest))


@commands
def test_the_parameters_fill_the_fields_that_the_message_needs(command: MessageCommand) -> None:
    filled = {each.field for each in command.parameters}
    assert set(required_fields(command.message)) <= filled | CHOSEN
    used = {each.field for each in command.parameters if isinstance(each.form, click.Option) and each.field}
    assert used <= set(fields(command.message))


def test_every_command_that_is_declared_is_found() -> None:
    assert len(DECLARED) > 70
    assert {issubclass(each.message, Command) for each in DECLARED.values()} == {True, False}


@commands
def test_a_sentence_names_fields_of_the_result_or_of_a_parameter(command: MessageCommand) -> None:
    if command.prints.func is not _print_sentence:
        return
    (done,) = command.prints.args
    named = {each.form.name: each for each in command.parameters}
    for template in (done, command.confirm):
        for _, path, _, _ in Formatter().parse(template if isinstance(template, str) else ""):
            name, _, rest = (path or "").partition(".")
            if path and not (template is done and has(result_type(command.message), path)):
                assert name in named, f"{path} is neither a field of the result nor a parameter"
                assert not rest or isinstance(named[name], RecordParameter)


@commands
def test_the_columns_of_a_table_are_fields_of_its_records(command: MessageCommand) -> None:
    if command.prints.func is not _print_table:
        return
    heads, row, _ = command.prints.args
    (record, _) = get_args(result_type(command.message))
    if isinstance(row, Columns):
        assert [path for path in row.paths if not has(record, path)] == []
        assert len(row.paths) + sum(not isinstance(cell, str) for cell in row.cells) == len(heads)
