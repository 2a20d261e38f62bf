"""Podium itself on a terminal of its own, over a real database file."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from tests.support.terminal.session import TerminalSession


def podium(
    *arguments: str,
    home: Path,
    cols: int = 120,
    rows: int = 40,
    env: Mapping[str, str | None] | None = None,
) -> TerminalSession:
    """``podium ARGUMENTS`` with nothing of this machine's settings."""
    own = {"HOME": str(home), "XDG_DATA_HOME": None, "XDG_CONFIG_HOME": None}
    return TerminalSession([sys.executable, "-m", "tui", *arguments], cols=cols, rows=rows, env=own | dict(env or {}))


def opened(database: Path, login: str = "maya", project: str = "Spring launch", **options: object) -> TerminalSession:
    """The Canvas of a project, opened by somebody."""
    return podium("open", project, "--db", str(database), "--as", login, home=database.parent, **options)  # type: ignore[arg-type]
