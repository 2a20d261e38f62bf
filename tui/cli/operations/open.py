"""``podium``, ``podium open``, ``podium tour`` and ``podium demo``: the way to the screens."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

import click

from core.config import Config
from core.errors import InvalidInput, PodiumError
from core.text.phrases import shell_command
from tui.cli.option_keys import DB, SERVER
from tui.cli.options import workspace_options
from tui.cli.output import print_line
from tui.cli.session import config_of, config_to_sign_on, login_of, require_local_file
from tui.cli.workspace import back_up
from tui.terminal.collector import collector_off


def open_here(context: click.Context, project: str | None, opening: str = "plain") -> int:
    """Open Podium in this terminal; the exit status. ``opening`` is an ``Opening`` of tui/start.py."""
    config = config_to_sign_on(context)
    status = _run(config, login_of(context), project, opening)
    if config.daily_backup and not config.server:
        _back_up(config)
    return status


def _back_up(config: Config) -> None:
    """Make the daily backup after the screens are closed, unless there is no workspace."""
    from core.storage.opening import open_database

    with contextlib.suppress(PodiumError):
        database = open_database(config.db)
        try:
            back_up(config, database)
        finally:
            database.close()


@click.command("open")
@click.argument("project")
@workspace_options("--db", "--direct", "--server", "--as")
@click.pass_context
def open_(context: click.Context, project: str) -> int:
    """Open the Canvas of PROJECT, an id or a name."""
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

    login = login_of(context) or _demo_login()
    if DB in context.meta or SERVER in context.meta:
        path = require_local_file(context)
        make_demo(path, large=large, login=login)
        if not _has_terminal():
            print_line(f"The demo is in {path}. {shell_command('podium', '--db', str(path), '--as', login)} opens it.")
            return 0
        return _run(config_of(context), login, None, "demo")
    _refuse_without_terminal()
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="podium-demo-") as folder:
        path = Path(folder, "demo.db")
        make_demo(path, large=large, login=login)
        return _run(Config(db=path, daily_backup=False), login, None, "demo")


def _demo_login() -> str:
    """The login of this account on the operating system."""
    from core.engine.sign_in import os_login
    from core.text import sanitize

    try:
        return sanitize.login(os_login())
    except InvalidInput:
        return "me"


def _run(config: Config, login: str | None, project: str | None, opening: str) -> int:
    """Open Podium; the exit status.

    The garbage collector is off until the first paint, when the app turns it on.
    """
    _refuse_without_terminal()
    with collector_off():
        from tui.start import Opening, run_app

        return run_app(config, login, project, Opening(opening))


def _has_terminal() -> bool:
    from tui.terminal.lifecycle import has_terminal

    return has_terminal()


def _refuse_without_terminal() -> None:
    if not _has_terminal():
        missing = "stdout" if sys.stdin.isatty() else "stdin"
        bare = "SSH_CONNECTION" in os.environ and not sys.stdin.isatty() and not sys.stdout.isatty()
        way = "“ssh -t” asks for one." if bare else "For scripts there are commands: “podium --help”."
        raise InvalidInput("terminal", f"Podium needs a terminal, and {missing} is not one. {way}")
    if os.environ.get("TERM") == "dumb" and "TEXTUAL_DRIVER" not in os.environ:
        raise InvalidInput(
            "terminal",
            "Podium draws on all of a terminal, and this one only takes lines (TERM=dumb). Use another one, or the "
            "commands: “podium --help”.",
        )
