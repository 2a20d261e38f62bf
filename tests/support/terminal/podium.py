"""Podium itself on a terminal of its own, over a real database file."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.terminal.process import BACKGROUND
from tests.support.terminal.session import TerminalSession
from tests.support.warm_start import IS_POSSIBLE

UNHURRIED = """
from tui.launch import foreground_process
from tui.terminal import lifecycle
lifecycle.GRACE_SECONDS = 60
"""
"""Code that gives Podium a minute to exit after a signal, however slow the machine is; a product keeps its own time."""

START = """
import sys
sys.argv[0] = "podium"
from tui.__main__ import main
main()
"""


def podium(
    *arguments: str,
    home: Path,
    cols: int = 120,
    rows: int = 40,
    env: Mapping[str, str | None] | None = None,
    warm: bool = IS_POSSIBLE,
    code: str = "",
    background: bytes | None = BACKGROUND,
) -> TerminalSession:
    """``podium ARGUMENTS`` with nothing of this machine's settings, without its imports unless ``warm`` is False.

    ``code`` is Python that the process runs before Podium; such a start is never warm.
    """
    own = {"HOME": str(home), "XDG_DATA_HOME": None, "XDG_CONFIG_HOME": None, "XDG_STATE_HOME": None}
    warm = warm and not code
    cold = ("-c", code + START) if code else ("-m", "tui")
    argv = arguments if warm else (sys.executable, *cold, *arguments)
    return TerminalSession(argv, cols=cols, rows=rows, env=own | dict(env or {}), warm=warm, background=background)


def opened(database: Path, login: str = "maya", project: str = "Spring launch", **options: Any) -> TerminalSession:
    """The Canvas of a project, opened by a user."""
    return podium("open", project, "--db", str(database), "--as", login, home=database.parent, **options)
