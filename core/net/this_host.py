"""The id of this machine. It tells the machines apart on which servers of one workspace run."""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path

MACHINE_ID = Path("/etc/machine-id")
"""The id that systemd gives a machine at its installation."""

LENGTH = 16
"""The length of an id, in hexadecimal digits."""


def host_id() -> str:
    """Return the id of this machine, which a restart does not change: a hash of its machine id, else of its name.

    The machine id itself is confidential (machine-id(5)), so only this hash is stored.
    """
    return _hash_file(MACHINE_ID)


@cache
def _hash_file(file: Path) -> str:
    try:
        named = file.read_text().strip()
    except (OSError, ValueError):
        named = ""
    if named in ("", "uninitialized"):
        named = platform.node()
    import hashlib

    return hashlib.sha256(f"podium {named}".encode()).hexdigest()[:LENGTH]
