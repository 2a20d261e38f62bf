"""``podium completion``."""

from __future__ import annotations

import click

from tui.cli.completion.scripts import SCRIPTS


@click.command("completion")
@click.argument("shell", type=click.Choice(list(SCRIPTS)))
def completion_(shell: str) -> None:
    """Print the completion script of a shell, for its start file: eval "$(podium completion bash)".

    It completes commands, options, and the names of projects, phases, people and cards, which it asks for each time.
    """
    print(SCRIPTS[shell], end="")
