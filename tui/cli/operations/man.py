"""``podium man``: the manual page of all commands, and one for each group of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

import click

from core import VERSION
from tui.cli.commands import EXIT_STATUSES, SECTIONS
from tui.cli.output import say

ENVIRONMENT = {
    "PODIUM_DB": "The database, as --db.",
    "PODIUM_SERVER": "The server, as --server.",
    "PODIUM_AS": "The login, as --as.",
    "PODIUM_TOKEN": "The token for a server; a file and the keyring can hold it too.",
    "PODIUM_CONFIG": "Another file of settings.",
    "NO_COLOR": "No colour is printed where it is set.",
}
"""The variables that the page explains; the others are settings, which ``podium config`` lists."""

EXAMPLES = (
    ("podium use Website", "choose the current project"),
    ("podium add Write brief @bob fri", "a task with an assignee and a due date"),
    ("podium add - <list.txt", "a task for each line of a file"),
    ("podium task done Write", "names may be shortened"),
    ("podium gate check Website Brief && ./release", "in a script: 0 if the phase can be approved"),
)


@click.command("man")
@click.argument("group", required=False)
@click.pass_context
def man_(context: click.Context, group: str | None) -> None:
    """Print the manual page, or that of one GROUP of commands, for “podium man task | man -l -”."""
    root = context.find_root()
    say("\n".join(_page(root) if group is None else _group_page(root, group)))


def _page(root: click.Context) -> Iterator[str]:
    shared = {name for each in root.command.get_params(root) for name in each.opts}
    introduction = root.command.help or ""
    yield f'.TH PODIUM 1 "" "Podium {VERSION}" "User commands"'
    yield from (".SH NAME", "podium \\- plan and run phase\\-gated projects from the terminal")
    yield from (".SH SYNOPSIS", ".B podium", "[OPTIONS] [COMMAND] [ARGS]...")
    yield from (".SH DESCRIPTION", _text(" ".join(introduction.split())))
    yield from (".PP", "Projects, phases, cards and people are named by their id, their name or its beginning.")
    yield from (".SH OPTIONS", "Commands accept those of these options that they can use.", *_options(root))
    for title, section in SECTIONS.items():
        yield f".SH {title.upper()}"
        for name in section:
            yield from _command(root, name, shared)
    yield ".SH EXIT STATUS"
    yield from _terms({str(status): f"{meaning[0].upper()}{meaning[1:]}." for status, meaning in EXIT_STATUSES.items()})
    yield ".SH ENVIRONMENT"
    yield from _terms(ENVIRONMENT)
    yield ".SH FILES"
    yield from _terms({"config.toml": "The settings. “podium config” prints its path, and that of the database."})
    yield ".SH EXAMPLES"
    yield from _terms({line: f"{meaning[0].upper()}{meaning[1:]}." for line, meaning in EXAMPLES})


def _group_page(root: click.Context, name: str) -> Iterator[str]:
    assert isinstance(root.command, click.Group)
    group = root.command.get_command(root, name)
    if not isinstance(group, click.Group):
        raise click.UsageError(f"“{name}” is no group of commands. “podium man” has the page of all commands.")
    shared = {each for option in root.command.get_params(root) for each in option.opts}
    title = _text(f"podium-{name}")
    yield f'.TH {title.upper()} 1 "" "Podium {VERSION}" "User commands"'
    yield from (".SH NAME", f"{title} \\- {_text(' '.join((group.help or '').split()).rstrip('.'))}")
    yield from (".SH SYNOPSIS", f".B podium {_text(name)}", "COMMAND [OPTIONS] [ARGS]...", ".SH COMMANDS")
    yield from _command(root, name, shared)
    yield from (".SH SEE ALSO", ".BR podium (1)")


def _command(context: click.Context, name: str, shared: Set[str]) -> Iterator[str]:
    """A subsection for a command, or for each one of a group; without the options that all of them share."""
    group = context.command
    assert isinstance(group, click.Group)
    command = group.get_command(context, name)
    assert command is not None
    below = click.Context(command, info_name=name, parent=context)
    if isinstance(command, click.Group):
        for each in command.list_commands(below):
            yield from _command(below, each, shared)
        return
    yield f".SS {_text(below.command_path)} {_text(' '.join(command.collect_usage_pieces(below)))}".rstrip()
    for place, paragraph in enumerate((command.help or "").split("\n\n")):
        yield from ([".PP"] if place else [])
        yield _text(" ".join(paragraph.split()))
    yield from _options(below, shared)


def _options(context: click.Context, without: Set[str] = frozenset()) -> Iterator[str]:
    shown = [each for each in context.command.get_params(context) if without.isdisjoint(each.opts)]
    records = (each.get_help_record(context) for each in shown if isinstance(each, click.Option))
    yield from _terms({record[0]: record[1] for record in records if record})


def _terms(meanings: Mapping[str, str]) -> Iterator[str]:
    for term, meaning in meanings.items():
        yield from (".TP", f".B {_text(term)}", _text(meaning) or "\\&")


def _text(text: str) -> str:
    """A text as roff prints it: no control lines, and hyphens that can be copied."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")  # not every locale has it
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped
