"""``podium help``: the help of any command."""

from __future__ import annotations

from collections.abc import Sequence

import click

from tui.cli.groups import Group


@click.command("help")
@click.argument("words", metavar="[COMMAND]...", nargs=-1)
@click.pass_context
def help_(context: click.Context, words: tuple[str, ...]) -> None:
    """Show the help of a command, such as “podium help task add”; without one, all commands."""
    root = context.find_root()
    click.echo(_find_context(root, words).get_help())


def _find_context(context: click.Context, words: Sequence[str]) -> click.Context:
    """The context of the command that these words name. Raises UsageError."""
    for word in words:
        group = context.command
        if not isinstance(group, Group):
            raise click.UsageError(f"“{context.command_path}” is one command. Leave out “{word}”.", context)
        name, command, _ = group.resolve_command(context, [word])
        if command is None or name is None:
            raise click.UsageError(f"There is no command “{word}”.", context)
        context = click.Context(command, info_name=name, parent=context)
    return context
