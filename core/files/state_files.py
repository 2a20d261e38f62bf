"""Small JSON files in the state folder of the user. A file that another user could have written is not read."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

from core.files.opening import open_now
from core.files.user_folders import user_folder

MAX_BYTES = 4_000_000


def state_file(name: str) -> Path:
    """Return the path of a file in the state folder; neither need exist."""
    return user_folder("state") / name


def read_state(path: Path) -> dict[str, Any]:
    """Return the object in a file; an empty one if it cannot be read, or if other accounts could have written it."""
    try:
        with open_now(path) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
                return {}
            value = json.loads(file.read(MAX_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def write_state(path: Path, value: dict[str, Any]) -> None:
    """Write an object whole, as a private file. Raises OSError."""
    from core.files.own_files import write_whole

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(path, json.dumps(value, indent=1).encode())
