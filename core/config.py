"""The configuration: defaults, the file ``config.toml``, the environment, then flags; a later source overrides.

A value that already has the right type is used as it is, so that an ordinary start reads a few bytes and imports
nothing. Other values go through pydantic-settings, which converts them or names the wrong one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple, cast

from core.domain.quotas import Quotas
from core.errors import InvalidInput
from core.files.opening import open_now
from core.net.server_address import is_server_address
from core.text.urls import is_service_address, redacted

PREFIX = "PODIUM_"
FILE_VARIABLE = "PODIUM_CONFIG"
"""The environment variable with the path of another configuration file."""

SYNCHRONOUS = ("NORMAL", "FULL")

SECONDS = {"auth_timeout": range(1, 61), "auth_cache_seconds": range(61)}
"""The allowed seconds of each time limit."""

MINUTES = range(1441)
"""The allowed values of ``idle_timeout_minutes``."""

QUOTAS = range(1, 1_000_001)
"""The allowed values of each quota."""

USUAL = Quotas()


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The settings. Each field is ``name`` in the file and ``PODIUM_NAME`` in the environment."""

    db: Path
    """The path of the database; by default ``podium.db`` in the user's data folder."""
    server: str = ""
    """The server that has the workspace, used instead of ``db``: unix:/path, or an https address."""
    token_file: Path | None = None
    """A file of mode 0600 with the token for that server. PODIUM_TOKEN and the keyring take precedence."""
    synchronous: str = "NORMAL"
    """The durability of commits: NORMAL survives a crash of the program, FULL also a power failure."""
    daily_backup: bool = True
    """Makes a backup beside the database once a day."""
    auth_url: str = ""
    """The authorization service that answers permission queries instead of the database, at its production path."""
    auth_stage_url: str = ""
    """The authorization service, at its staging path."""
    auth_token_file: Path | None = None
    """A file of mode 0600 with the bearer token for the service. PODIUM_AUTH_TOKEN and the keyring take precedence."""
    auth_timeout: int = 3
    """Seconds for one permission query to the service, retries included."""
    auth_cache_seconds: int = 5
    """Seconds for which a cached grant is fresh."""
    public_url: str = ""
    """The public address of this workspace's HTTP API. With it, web products get a launch code instead of the
    context."""
    files: bool = True
    """Allows screens to read and write files of this machine that the user names, for imports and exports."""
    idle_timeout_minutes: int = 0
    """Minutes without a key or the mouse after which a screen is closed; 0 means never."""
    max_tokens: int = USUAL.tokens
    """This and the following settings are the quotas of each user on a server (``core.domain.quotas``)."""
    max_sessions: int = USUAL.sessions
    max_projects: int = USUAL.projects
    max_projects_a_day: int = USUAL.projects_a_day
    max_imports_a_day: int = USUAL.imports_a_day
    max_megabytes_a_day: int = USUAL.megabytes_a_day


class Setting(NamedTuple):
    """A value and its source: "default", the path of the file, the environment variable, or the flag."""

    value: Any
    source: str


ADDRESS = "an https address, or http on this machine, without a password, a query or a fragment"

QUOTA = "a whole number from 1 to 1,000,000"

ALLOWED: Mapping[str, str] = {
    "db": "the path of a database",
    "server": "unix:/path of a socket, an https address, or nothing",
    "token_file": "the path of a file that only you can read",
    "synchronous": "NORMAL or FULL",
    "daily_backup": "true or false",
    "auth_url": ADDRESS,
    "auth_stage_url": ADDRESS,
    "auth_token_file": "the path of a file that only you can read",
    "auth_timeout": "a whole number of seconds from 1 to 60",
    "auth_cache_seconds": "a whole number of seconds from 0 to 60",
    "public_url": ADDRESS,
    "files": "true or false",
    "idle_timeout_minutes": "a number of minutes from 1 to 1440, or 0 for never",
    "max_tokens": QUOTA,
    "max_sessions": QUOTA,
    "max_projects": QUOTA,
    "max_projects_a_day": QUOTA,
    "max_imports_a_day": QUOTA,
    "max_megabytes_a_day": QUOTA,
}
"""The valid values of each setting, as the end of a sentence."""


RENAMED: Mapping[str, str] = {
    "auth_deadline": "auth_timeout",
    "auth_keep": "auth_cache_seconds",
    "idle_minutes": "idle_timeout_minutes",
    "backups": "daily_backup",
    "api_url": "public_url",
}
"""Old names of settings. They are refused, because an ignored setting would go unnoticed."""


ELSEWHERE = ("terminal_products",)
"""Keys of the file that are read elsewhere: the administrator's list of terminal products (``tui.launch.allowed``)."""


def config_file(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the path of the configuration file, which need not exist."""
    if named := environ.get(FILE_VARIABLE):
        return Path(os.path.expanduser(named))
    import platformdirs

    return platformdirs.user_config_path("podium", appauthor=False) / "config.toml"


def default_db() -> Path:
    """Return the path of the database if no source sets ``db``."""
    import platformdirs

    return platformdirs.user_data_path("podium", appauthor=False) / "podium.db"


def load(flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] = os.environ) -> Config:
    """Return the configuration. Raises InvalidInput, which names the file, variable or flag with a wrong value."""
    found = {name: setting.value for name, setting in settings(flags, environ).items()}
    return Config(**found)


def settings(flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] = os.environ) -> dict[str, Setting]:
    """Return every setting by name, with its source. Raises InvalidInput."""
    found = {field.name: Setting(field.default, "default") for field in fields(Config)}
    found |= _from_file(config_file(environ))
    for old, name in RENAMED.items():
        if environ.get(variable := PREFIX + old.upper()):
            raise InvalidInput(name, f"{variable} is called {PREFIX}{name.upper()} now. Rename it in the environment.")
    for name in ALLOWED:
        if value := environ.get(PREFIX + name.upper()):
            found[name] = Setting(value, PREFIX + name.upper())
        if flags and flags.get(name) is not None:
            found[name] = Setting(flags[name], f"--{name}")
    if found["db"].source == "default":
        found["db"] = Setting(default_db(), "default")
    return {name: Setting(_value(name, setting), setting.source) for name, setting in found.items()}


def _from_file(path: Path) -> dict[str, Setting]:
    try:
        with open_now(path) as file:
            found = os.fstat(file.fileno())
            if os.path.samestat(found, os.stat(os.devnull)):  # the usual way to ask for no configuration
                return {}
            if not stat.S_ISREG(found.st_mode):  # reading a pipe would block, and a device may have no end
                raise InvalidInput("config", f"{path} is not a file. Name a file, or remove it.")
            text = file.read().decode()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InvalidInput("config", f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InvalidInput("config", f"{path} is not UTF-8 text (byte {error.start}).") from error
    import tomllib

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput("config", f"{path} is not TOML: {error}.") from error
    except RecursionError as error:
        raise InvalidInput("config", f"{path} is nested too deeply.") from error
    for name in table:
        if name in RENAMED:
            raise InvalidInput(name, f"{path} sets “{name}”, which is called “{RENAMED[name]}” now. Rename it there.")
    if unknown := [name for name in table if name not in (*ALLOWED, *ELSEWHERE)]:
        raise InvalidInput(
            unknown[0], f"{path} sets “{unknown[0]}”, which Podium does not know. There are: {', '.join(ALLOWED)}."
        )
    return {name: Setting(value, str(path)) for name, value in table.items() if name in ALLOWED}


def _value(name: str, setting: Setting) -> Any:
    value = setting.value
    number = name in SECONDS or name == "idle_timeout_minutes" or name.startswith("max_")
    if number and isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value)
    match name:
        case "db" if _is_path(value):
            return Path(os.path.expanduser(value))
        case "synchronous" if value in SYNCHRONOUS:
            return value
        case "daily_backup" | "files" if isinstance(value, bool):
            return value
        case "daily_backup" | "files" if value in ("yes", "no"):
            return value == "yes"
        case "auth_url" | "auth_stage_url" | "public_url" if isinstance(value, str) and is_service_address(value):
            return value.rstrip("/")
        case "auth_token_file" | "token_file" if value is None:
            return value
        case "auth_token_file" | "token_file" if _is_path(value):
            return Path(os.path.expanduser(value))
        case "server" if isinstance(value, str) and (not value or is_server_address(value)):
            return value
        case "auth_timeout" | "auth_cache_seconds" if type(value) is int and value in SECONDS[name]:
            return value
        case "idle_timeout_minutes" if type(value) is int and value in MINUTES:
            return value
        case _ if name.startswith("max_") and type(value) is int and value in QUOTAS:
            return value
    return _converted(name, setting)


def _is_path(value: object) -> bool:
    """Return True for the path of a file; “~name” of an unknown account is none."""
    text = str(value) if isinstance(value, str | Path) else ""
    return bool(text.strip()) and "\0" not in text and not os.path.expanduser(text).startswith("~")


def _converted(name: str, setting: Setting) -> Any:
    """Return a value that needs a conversion, such as "on" from the environment. Raises InvalidInput."""
    from core.settings import Settings

    try:
        found = getattr(Settings(**cast(Any, {name: setting.value})), name)
        if isinstance(found, Path) and not _is_path(found):
            raise ValueError(found)
        return found
    except ValueError:  # pydantic's ValidationError is a ValueError
        where = setting.source
        shown = redacted(setting.value) if isinstance(setting.value, str) else setting.value
        raise InvalidInput(
            name, f"{where} sets “{name}” to {shown!r}, which is not valid. Use {ALLOWED[name]}."
        ) from None
