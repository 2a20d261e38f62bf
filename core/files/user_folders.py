"""The folders of Podium for the user: its configuration, its data and its state.

On Linux they follow the XDG base directories (https://specifications.freedesktop.org/basedir-spec), whose few lines
are here because platformdirs takes as long to import as a short command runs; a test compares the two.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Literal

Kind = Literal["config", "data", "state"]

XDG = {
    "config": ("XDG_CONFIG_HOME", ".config"),
    "data": ("XDG_DATA_HOME", ".local/share"),
    "state": ("XDG_STATE_HOME", ".local/state"),
}
"""The variable of each kind of folder, and its place in the home where that is not set."""


def user_folder(kind: Kind) -> Path:
    """Return Podium's folder of this kind, which need not exist."""
    variable, place = XDG[kind]
    home, named = os.environ.get("HOME", ""), os.environ.get(variable, "")
    if sys.platform == "linux" and os.path.isabs(home):
        return Path(named if os.path.isabs(named) else Path(home, place), "podium")
    import platformdirs

    found: Path = getattr(platformdirs, f"user_{kind}_path")("podium", appauthor=False)
    return found
