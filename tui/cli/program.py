"""The program ``podium``: which command is in which file, and what becomes of an error."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn

import click

from tui.cli.groups import Group
from tui.cli.last_net import USAGE, exit_with, until_the_reader_leaves, wants_json
from tui.cli.options import workspace_options
from tui.cli.output import INTERRUPTED, complain_of_usage

COMMANDS: dict[str, str] = {
    "add": "cards.add:add_",
    "activity": "cards.activities:activity_",
    "application": "cards.applications:application_",
    "backup": "operations.backup:backup_",
    "burn-up": "projects.burn_up:burn_up_",
    "commands": "operations.run:commands_",
    "comment": "cards.comments:comment_",
    "completion": "completion.command:completion_",
    "config": "operations.config:config_",
    "copy": "operations.copy:copy_",
    "demo": "operations.open:demo_",
    "doctor": "operations.doctor:doctor_",
    "filter": "personal.filters:filter_",
    "gate": "projects.gates:gate_",
    "help": "operations.help:help_",
    "hierarchy": "projects.hierarchy:hierarchy_",
    "history": "projects.history:history_",
    "inbox": "personal.my_work:inbox_",
    "init": "operations.init:init_",
    "launch": "products.launch:launch_",
    "man": "operations.man:man_",
    "member": "projects.members:member_",
    "meta-role": "people.meta_roles:meta_role_",
    "migrate": "operations.migrate:migrate_",
    "my-work": "personal.my_work:my_work_",
    "online": "personal.my_work:online_",
    "open": "operations.open:open_",
    "os-account": "people.os_accounts:os_account_",
    "permission": "people.permissions:permission_",
    "phase": "projects.phases:phase_",
    "preset": "personal.presets:preset_",
    "product": "products.products:product_",
    "project": "projects.projects:project_",
    "redo": "projects.history:redo_",
    "report": "projects.import_export:report_",
    "restore": "operations.backup:restore_",
    "run": "operations.run:run_",
    "search": "personal.search:search_",
    "serve": "operations.serve:serve_",
    "task": "cards.tasks:task_",
    "template": "projects.templates:template_",
    "token": "people.tokens:token_",
    "tour": "operations.open:tour_",
    "undo": "projects.history:undo_",
    "use": "projects.current:use_",
    "user": "people.users:user_",
    "web": "operations.web:web_",
}
"""Each command with its module in this package, which is imported when the command is named, and its name there."""


class Program(Group):
    """Imports a command when it is named, and ends each with the exit status that says how it went."""

    def list_commands(self, _: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, _: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, attribute = COMMANDS[name].split(":")
        command: click.Command = getattr(import_module(f"tui.cli.{module}"), attribute)
        return command

    def elsewhere(self, context: click.Context, name: str) -> str:
        """For a command that is named without its group: the groups that have it."""
        groups = [group for group in self.list_commands(context) if name in self._commands_of(context, group)]
        tries = " or ".join(f"“podium {group} {name} --help”" for group in groups)
        return f" Try {tries}." if tries else ""

    def _commands_of(self, context: click.Context, name: str) -> list[str]:
        try:
            command = self.get_command(context, name)
        except ImportError:  # of an extra that is not installed
            return []
        return command.list_commands(context) if isinstance(command, click.Group) else []

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
            complain_of_usage(error.format_message(), context.get_usage() if context else "", as_json=as_json)
            return USAGE
        except click.Abort as stopped:
            if isinstance(stopped.__cause__, KeyboardInterrupt):  # not a “no” to a question
                raise stopped.__cause__ from None
            return INTERRUPTED


def _check_utf_8(args: Sequence[str]) -> None:
    """Raise UsageError for an argument whose bytes are not UTF-8: no text or answer of Podium can contain it."""
    for each in args:
        try:
            each.encode()
        except UnicodeEncodeError:
            shown = os.fsencode(each).decode(errors="replace")
            raise click.UsageError(f"“{shown}” is not UTF-8 text. Type it again, or rename the file.") from None


@click.group(cls=Program, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="podium-tui", prog_name="podium")
@workspace_options()
@click.pass_context
def podium(context: click.Context) -> int | None:
    """Terminal-first project orchestration. Without a command: open Podium here.

    Exit status: 0 done, 1 refused or not ready, 2 usage or invalid input, 3 not permitted, 4 version conflict,
    5 database or permission service unavailable, 6 not found, 70 a fault of Podium, 71 too little memory or too few
    open files, 74 the output cannot be written, 130 ctrl+c.
    """
    if context.invoked_subcommand is None:
        from tui.cli.operations.open import open_here

        return open_here(context, None)
    return None
