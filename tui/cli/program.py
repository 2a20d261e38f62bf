"""The program ``podium``: which command is in which file, and what becomes of an error."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from core.text.phrases import names
from tui.cli.commands import COMMANDS, EXIT_STATUSES, SECTIONS
from tui.cli.error_output import USAGE, exit_with, wants_json
from tui.cli.groups import Group
from tui.cli.options import workspace_options
from tui.cli.output import INTERRUPTED, complain_of_usage, give_up_output, until_the_reader_leaves

WIDTH = max(map(len, COMMANDS))
"""Cells of the names in the list of commands."""

MOST_TRIES = 4
"""Commands that are written out for a word that is a command of several groups."""


class Program(Group):
    """Imports a command when it is named, and ends each with the exit status that says how it went."""

    def list_commands(self, _: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, attribute = COMMANDS[name].place.split(":")
        command: click.Command = getattr(import_module(f"tui.cli.{module}"), attribute)
        return command

    def elsewhere(self, context: click.Context, name: str) -> str:
        """For a command that is named without its group: the groups that have it."""
        groups = [group for group in COMMANDS if name in self._commands_of(context, group)]
        if len(groups) > MOST_TRIES:
            return f" Name a group before it, such as “podium task {name}”. The groups with it are {names(groups)}."
        tries = " or ".join(f"“podium {group} {name} --help”" for group in groups)
        return f" Try {tries}." if tries else ""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands by section, then the options."""
        for title, section in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(WIDTH), entry.line) for name, entry in section.items()])
        click.Command.format_options(self, context, formatter)

    def _commands_of(self, context: click.Context, name: str) -> list[str]:
        try:
            command = self.get_command(context, name)
        except ImportError:  # of an extra that is not installed
            return []
        return command.list_commands(context) if isinstance(command, click.Group) else []

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Read the command line. --help and --version print meanwhile, and may have no reader either."""
        try:
            return super().parse_args(context, args)
        except BrokenPipeError:
            give_up_output()
            context.exit()

    def invoke(self, context: click.Context) -> Any:
        """Run the command. A reader that closes the pipe early is no error."""
        return until_the_reader_leaves(lambda: super(Program, self).invoke(context))

    def main(self, args: Sequence[str] | None = None, **extra: Any) -> NoReturn:  # type: ignore[override]
        given = list(sys.argv[1:] if args is None else args)
        as_json = wants_json(given)
        exit_with(lambda: self._run(given, as_json, extra | {"standalone_mode": False}), as_json=as_json)

    def _run(self, args: list[str], as_json: bool, extra: dict[str, Any]) -> object:
        """Carry out a command line. Returns its exit status, or anything else for 0."""
        try:
            if "PODIUM_TOKEN_FD" in os.environ:
                from core.net.bearer_tokens import read_token_from_pipe

                read_token_from_pipe()
            _check_utf_8(args)
            return super().main(args, **extra)
        except click.exceptions.NoArgsIsHelpError as error:
            complain_of_usage("Name a command.", error.ctx.get_help() if error.ctx else "", as_json=as_json)
            return USAGE
        except click.ClickException as error:
            context = getattr(error, "ctx", None)
            complain_of_usage(_explain_error(error), context.get_usage() if context else "", as_json=as_json)
            return USAGE
        except click.Abort as stopped:
            if isinstance(stopped.__cause__, KeyboardInterrupt):  # not a “no” to a question
                raise stopped.__cause__ from None
            return INTERRUPTED


def _explain_error(error: click.ClickException) -> str:
    """The words of an error; an unknown option may have been meant as a text, where the command takes one."""
    words = error.format_message()
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return words
    if " " not in error.option_name and error.option_name.startswith("--"):
        return words
    arguments = [each.make_metavar(error.ctx) for each in error.ctx.command.params if isinstance(each, click.Argument)]
    if not arguments:
        return words
    return f"{words} If it is a text, put “--” before it: {error.ctx.command_path} -- {' '.join(arguments)}"


def _check_utf_8(args: Sequence[str]) -> None:
    """Raise UsageError for an argument whose bytes are not UTF-8: no text or answer of Podium can contain it."""
    for each in args:
        try:
            each.encode()
        except UnicodeEncodeError:
            shown = os.fsencode(each).decode(errors="replace")
            raise click.UsageError(f"“{shown}” is not UTF-8 text. Type it again, or rename the file.") from None


@click.group(
    cls=Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=f"Exit status: {', '.join(f'{status} {meaning}' for status, meaning in EXIT_STATUSES.items())}.",
)
@click.version_option(package_name="podium-tui", prog_name="podium")
@workspace_options()
@click.pass_context
def podium(context: click.Context) -> int | None:
    """Plan projects in phases and track their work, from the terminal. Without a command: open Podium here."""
    if context.invoked_subcommand is None:
        from tui.cli.opening import open_here

        return open_here(context)
    return None
