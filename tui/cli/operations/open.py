"""``podium``, ``podium open``, ``podium tour`` and ``podium demo``: the way to the screens."""

from __future__ import annotations

from pathlib import Path

import click

from core.config import Config
from core.errors import InvalidInput
from core.text.phrases import shell_command
from tui.cli.opening import open_here, refuse_without_terminal, run_here
from tui.cli.option_keys import DB, SERVER
from tui.cli.options import workspace_options
from tui.cli.output import print_line
from tui.cli.session import config_of, login_of, require_local_file


@click.command("open")
@click.argument("project", metavar="PROJECT|CARD")
@workspace_options("--db", "--direct", "--server", "--as")
@click.pass_context
def open_(context: click.Context, project: str) -> int:
    """Open the Canvas of PROJECT, an id or a name; with the key of a CARD, such as AUT-12, the cursor is on it."""
    return open_here(context, project)


@click.command("tour")
@workspace_options("--db", "--direct", "--server", "--as")
@click.pass_context
def tour_(context: click.Context) -> int:
    """Learn Podium in three minutes, on a sample project of your own.

    It shows seven goals, one at a time. Esc ends it, and the next tour goes on with it.
    """
    return open_here(context, None, "tour")


@click.command("demo")
@click.option("--large", is_flag=True, help="Add a project of 10,000 cards.")
@workspace_options("--db", "--as")
@click.pass_context
def demo_(context: click.Context, large: bool) -> int:
    """Try Podium on a generated workspace. It is deleted at the end, unless --db names a file for it.

    Without a terminal, --db only makes the file.
    """
    from core.demo import make_demo
    from tui.terminal.lifecycle import has_terminal

    login = login_of(context) or _demo_login()
    if DB in context.meta or SERVER in context.meta:
        path = require_local_file(context)
        make_demo(path, large=large, login=login)
        if not has_terminal():
            print_line(f"The demo is in {path}. {shell_command('podium', '--db', str(path), '--as', login)} opens it.")
            return 0
        return run_here(config_of(context), login, None, "demo")
    refuse_without_terminal()
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="podium-demo-") as folder:
        path = Path(folder, "demo.db")
        make_demo(path, large=large, login=login)
        return run_here(Config(db=path, daily_backup=False), login, None, "demo")


def _demo_login() -> str:
    """The login of this account on the operating system."""
    from core.sign_in.local import os_login
    from core.text import sanitize

    try:
        return sanitize.login(os_login())
    except InvalidInput:
        return "me"
