"""From a command line to the screens, without click."""

from __future__ import annotations

import contextlib
import os
import sys

from core.config import Config
from core.errors import InvalidInput, PodiumError
from tui.cli.session import CommandLine, config_to_sign_on, login_of
from tui.cli.workspace import back_up
from tui.terminal.collector import collector_off


def open_here(line: CommandLine, project: str | None = None, opening: str = "plain") -> int:
    """Open Podium in this terminal; the exit status. ``opening`` is an ``Opening`` of tui/start.py."""
    config = config_to_sign_on(line)
    status = run_here(config, login_of(line), project, opening)
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


def run_here(config: Config, login: str | None, project: str | None, opening: str) -> int:
    """Open Podium; the exit status.

    The garbage collector is off until the first paint, when the app turns it on.
    """
    refuse_without_terminal()
    with collector_off():
        from tui.start import Opening, run_app

        return run_app(config, login, project, Opening(opening))


def refuse_without_terminal() -> None:
    """Raise InvalidInput unless there is a terminal that Podium can draw on."""
    from tui.terminal.lifecycle import has_terminal

    if not has_terminal():
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
