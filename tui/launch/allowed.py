"""The terminal products that the administrator of a host allows: ``terminal_products`` in a file of root.

If the list exists, it applies to all users of the host: only products with exactly one of its commands are run. If the
environment variable names the file, as in the example for sshd, a missing list counts as empty.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.domain.products.products import Product
from core.errors import CannotLaunch
from core.files.config_file import HOST_FILE
from core.files.opening import open_now

VARIABLE = "PODIUM_TERMINAL_PRODUCTS"
"""The path of the file with the list. Users without a shell on the host cannot set the variable."""

SETTING = "terminal_products"


def check_listed(product: Product, environ: Mapping[str, str] = os.environ) -> None:
    """Raise CannotLaunch if this host does not allow a terminal product, or its list cannot be trusted."""
    named = environ.get(VARIABLE)
    path = Path(named) if named else HOST_FILE
    listed = _read_list(path)
    if listed is None and not named:
        return
    if product.command not in (listed or ()):
        raise CannotLaunch(
            f"“{product.name}” cannot be run here: this host runs only the terminal products that its administrator"
            f" allows. To allow it, they add its command to “{SETTING}” in {path}: {shlex.join(product.command)}"
        )


def _read_list(path: Path) -> tuple[tuple[str, ...], ...] | None:
    """The allowed commands; None if there is no list. Raises CannotLaunch for a list that cannot be trusted or read."""
    import tomllib

    try:
        with open_now(path) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise _refusal(path, "is not a file")
            table = tomllib.loads(file.read().decode())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise _refusal(path, "cannot be read") from error
    if SETTING not in table:
        return None
    if found.st_uid != 0 or found.st_mode & 0o022:
        raise _refusal(path, "does not belong to root alone (“chown root”, “chmod 644”)")
    commands = table[SETTING]
    try:
        return tuple(map(_words, commands if isinstance(commands, list) else [None]))
    except ValueError as error:
        raise _refusal(path, "has a “terminal_products” that is not a list of commands") from error


def _words(command: Any) -> tuple[str, ...]:
    """The program and its arguments, from a command line or from a list of words. Raises ValueError."""
    if isinstance(command, str):
        return tuple(shlex.split(command))
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        return tuple(command)
    raise ValueError(command)


def _refusal(path: Path, why: str) -> CannotLaunch:
    return CannotLaunch(f"No terminal product can be run here: {path} {why}. Ask an administrator of this host.")
