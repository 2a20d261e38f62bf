"""``podium man``: the manual page of all commands."""

from __future__ import annotations

from collections.abc import Iterator

import click

from core import VERSION
from tui.cli.output import say


@click.command("man")
@click.pass_context
def man_(context: click.Context) -> None:
    """Print the manual page, for “podium man | man -l -”."""
    say("\n".join(_page(context.find_root())))


def _page(root: click.Context) -> Iterator[str]:
    introduction, _, statuses = (root.command.help or "").partition("Exit status:")
    yield f'.TH PODIUM 1 "" "Podium {VERSION}" "User commands"'
    yield from (".SH NAME", "podium \\- plan and run phase\\-gated projects from the terminal")
    yield from (".SH SYNOPSIS", ".B podium", "[OPTIONS] [COMMAND] [ARGS]...")
    yield from (".SH DESCRIPTION", _text(" ".join(introduction.split())))
    yield from (".SH OPTIONS", *_options(root))
    yield ".SH COMMANDS"
    yield from _commands(root)
    yield ".SH EXIT STATUS"
    for each in " ".join(statuses.split()).rstrip(".").split(", "):
        number, _, meaning = each.partition(" ")
        yield from (".TP", f".B {number}", _text(meaning))


def _commands(context: click.Context) -> Iterator[str]:
    """A section for each command below a group."""
    group = context.command
    assert isinstance(group, click.Group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        below = click.Context(command, info_name=name, parent=context)
        if isinstance(command, click.Group):
            yield from _commands(below)
            continue
        yield f".SS {_text(below.command_path)} {_text(' '.join(command.collect_usage_pieces(below)))}".rstrip()
        for paragraph in (command.help or "").split("\n\n"):
            yield from (_text(" ".join(paragraph.split())), ".PP")
        yield from _options(below)


def _options(context: click.Context) -> Iterator[str]:
    for each in context.command.get_params(context):
        record = each.get_help_record(context)
        if record:
            yield from (".TP", f".B {_text(record[0])}", _text(record[1]))


def _text(text: str) -> str:
    """A text as roff prints it: no control lines, and hyphens that can be copied."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped
