"""The commands, their arguments and options as a table of JSON, so that an answer needs no import of a command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from core.actions.catalog import MESSAGES
from tests.support.paths import ROOT
from tui.cli.choices import EnumChoice
from tui.cli.session import Parameter

FILE = ROOT / "tui" / "cli" / "completion" / "table.json"

KINDS = {
    **dict.fromkeys(("FILE", "PATH", "DIR", "FROM", "TO"), "file"),
    "[PROJECT]": "[project]",
    "LOGIN": "login",
    "DAY": "day",
    "FILTER": "filter",
    "[COMMAND]...": "command",
    "TEXT...": "capture",
}
"""The kinds of values, by the word for them in the usage."""

FREE = ""
"""The kind of a value that only the user knows."""


def made_table(program: click.Group) -> dict[str, Any]:
    """The table: by the words of a command its subcommands, or its arguments and options with the kind of their values.

    A kind is a noun ("project"), a list of words, a name of ``KINDS``, or "" for anything else; that of a flag is null.
    """
    context = click.Context(program, info_name="podium", **program.context_settings)
    return dict(_rows(program, context, ""))


def text_of(table: dict[str, Any]) -> str:
    """The table as it is written into its file."""
    rows = (f"{json.dumps(name)}: {json.dumps(row, ensure_ascii=False)}" for name, row in table.items())
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _rows(command: click.Command, context: click.Context, path: str) -> Iterator[tuple[str, Any]]:
    kinds = {each.form: each.noun for each in getattr(command, "parameters", ()) if isinstance(each, Parameter)}
    shown = [each for each in command.get_params(context) if not getattr(each, "hidden", False)]
    arguments = [_kind(each, kinds) for each in shown if isinstance(each, click.Argument)]
    many = any(each.nargs == -1 for each in shown if isinstance(each, click.Argument))
    options = {
        name: None if each.is_flag or each.count else _kind(each, kinds)
        for each in shown
        if isinstance(each, click.Option)
        for name in (*each.opts, *each.secondary_opts)
    }
    if isinstance(command, click.Group):
        names = command.list_commands(context)
        yield path, {"commands": names, "options": options}
        for name in names:
            below = command.get_command(context, name)
            if below is not None:
                inner = click.Context(below, info_name=name, parent=context)
                yield from _rows(below, inner, f"{path} {name}".strip())
    else:
        yield path, {"arguments": arguments, "many": many, "options": options}


def _kind(form: click.Parameter, kinds: dict[click.Parameter, str]) -> str | list[str]:
    if isinstance(form.type, click.Choice):
        return list(map(str, form.type.choices))
    if isinstance(form.type, EnumChoice):
        return list(form.type.words)
    if form.metavar == "COMMAND":
        return sorted(kind.__name__ for kind in MESSAGES)
    if isinstance(form.type, click.Path):
        return KINDS["PATH"]
    noun = kinds.get(form) or KINDS.get(form.metavar or "", FREE)
    noun = KINDS.get(form.metavar or "", noun) if noun in ("person", "project") else noun
    return noun or ("project" if form.name in ("project", "named_project") else FREE)
