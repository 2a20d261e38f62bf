"""Groups of commands, which suggest a command for a mistyped one."""

from __future__ import annotations

import click

from core.text.naming import did_you_mean

LONGEST = 1_000
"""Letters of a line in a list of commands, which is wrapped; click would cut it at the width of the terminal."""


class Group(click.Group):
    """A group of commands. A name that it does not have is refused with the names that are like it."""

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0][:1].isalnum() and self.get_command(context, args[0]) is None:
            hint = self.elsewhere(context, args[0]) or did_you_mean(args[0], self.list_commands(context))
            raise click.UsageError(f"There is no command “{context.command_path} {args[0]}”.{hint}", context)
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands, each with the whole first sentence of its help."""
        commands = {name: self.get_command(context, name) for name in self.list_commands(context)}
        with formatter.section("Commands"):
            formatter.write_dl([(name, each.get_short_help_str(LONGEST)) for name, each in commands.items() if each])

    def elsewhere(self, context: click.Context, name: str) -> str:
        """A hint for a name like none here, with a space before it; "" for none."""
        return ""
