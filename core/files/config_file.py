"""The files of settings: where they are, and what stands in one. ``core.config`` says what it means."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import InvalidInput
from core.files.opening import open_now
from core.files.user_folders import user_folder

FILE_VARIABLE = "PODIUM_CONFIG"
"""The environment variable with the path of another configuration file, in the place of the person's own."""

HOST_FILE = Path("/etc/podium/config.toml")
"""The settings of the host, which every program on it reads below the person's own."""


def config_file(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the path of the person's own configuration file, which need not exist."""
    if named := environ.get(FILE_VARIABLE):
        return Path(os.path.expanduser(named))
    return user_folder("config") / "config.toml"


def config_files(environ: Mapping[str, str] = os.environ) -> tuple[Path, ...]:
    """Return the paths of the configuration files, which need not exist, in the order in which they are read."""
    return tuple(dict.fromkeys((HOST_FILE, config_file(environ))))


def fault_of(path: Path) -> OSError | None:
    """Return why a configuration file is not read; None if it is."""
    try:
        os.close(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)))
    except OSError as error:
        return error
    return None


def read_files() -> list[str]:
    """Return the configuration files that are read, for people."""
    return [str(path) for path in config_files() if not fault_of(path) and str(path) != os.devnull]


def check_host_file() -> None:
    """Raise InvalidInput if this account may not read the settings of the host, which most programs then skip.

    A server and a gateway do not skip them: their quotas and addresses would be off without a word.
    """
    if isinstance(fault_of(HOST_FILE), PermissionError):
        raise InvalidInput(
            "config",
            f"{HOST_FILE} has the settings of this host, and your account may not read it. Let all accounts read the "
            "file and its folder; secrets belong into files that it names.",
        )


def read_table(path: Path, *, is_named: bool) -> tuple[dict[str, Any], bool]:
    """Return the table of a file, and whether other accounts can read it; an empty one if the file is not there.

    Raises InvalidInput, also for a missing file that a variable names.
    """
    try:
        with open_now(path) as file:
            found = os.fstat(file.fileno())
            if os.path.samestat(found, os.stat(os.devnull)):  # the usual way to ask for no configuration
                return {}, False
            if not stat.S_ISREG(found.st_mode):  # reading a pipe would block, and a device may have no end
                raise InvalidInput("config", f"{path} is not a file. Name a file, or remove it.")
            text = file.read().decode()
            others_read = stat.S_IMODE(found.st_mode) & 0o077
    except FileNotFoundError:
        if is_named and path != HOST_FILE:
            raise InvalidInput(
                "config", f"{FILE_VARIABLE} names {path}, which is not there. Make that file, or unset the variable."
            ) from None
        return {}, False
    except OSError as error:
        if path == HOST_FILE and isinstance(error, PermissionError):
            return {}, False  # ``check_host_file`` says so where it matters
        raise InvalidInput("config", f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InvalidInput("config", f"{path} is not UTF-8 text (byte {error.start}).") from error
    import tomllib

    try:
        table = tomllib.loads(text)
    except ValueError as error:  # TOMLDecodeError, or a number of thousands of digits
        raise InvalidInput("config", f"{path} is not TOML: {error}.") from error
    except RecursionError as error:
        raise InvalidInput("config", f"{path} is nested too deeply.") from error
    return table, bool(others_read)
