"""Podium itself on a terminal of its own, over a real database file."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.terminal.session import TerminalSession
from tests.support.warm_start import IS_POSSIBLE


def podium(
    *arguments: str,
    home: Path,
    cols: int = 120,
    rows: int = 40,
    env: Mapping[str, str | None] | None = None,
    warm: bool = IS_POSSIBLE,
) -> TerminalSession:
    """``podium ARGUMENTS`` with nothing of this machine's settings, without its imports unless ``warm`` is False."""
    own = {"HOME": str(home), "XDG_DATA_HOME": None, "XDG_CONFIG_HOME": None}
    argv = arguments if warm else (sys.executable, "-m", "tui", *arguments)
    return TerminalSession(argv, cols=cols, rows=rows, env=own | dict(env or {}), warm=warm)


def opened(database: Path, login: str = "maya", project: str = "Spring launch", **options: object) -> TerminalSession:
    """The Canvas of a project, opened by somebody."""
    return podium("open", project, "--db", str(database), "--as", login, home=database.parent, **options)  # type: ignore[arg-type]
