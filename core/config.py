"""How Podium is set up: the file ``config.toml``, then the environment, then flags; the later one wins.

A value that is exactly of the right type is taken as it is, so that an ordinary start reads a few bytes and imports
nothing. What needs to be converted, or is wrong, goes through pydantic-settings, which says which value it is.
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
"""Names another file than the usual one."""

SYNCHRONOUS = ("NORMAL", "FULL")

SECONDS = {"auth_timeout": range(1, 61), "auth_cache_seconds": range(61)}
"""What may be chosen for each time."""

MINUTES = range(1441)
"""What may be chosen for ``idle_timeout_minutes``."""

QUOTAS = range(1, 1_000_001)
"""What may be chosen for each quota."""

USUAL = Quotas()


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What can be set. Each field is ``name`` in the file and ``PODIUM_NAME`` in the environment."""

    db: Path
    """The database; the user's data folder unless told."""
    server: str = ""
    """The server that has the workspace, instead of a database of one's own: unix:/path, or an https address."""
    token_file: Path | None = None
    """A file of mode 0600 with the token for that server; PODIUM_TOKEN and the keyring come before it."""
    synchronous: str = "NORMAL"
    """How commits reach the disk: NORMAL survives the end of the program, FULL also the loss of power."""
    daily_backup: bool = True
    """Whether a backup is made beside the database once a day."""
    auth_url: str = ""
    """The authorization service that decides instead of the database; the production path is asked."""
    auth_stage_url: str = ""
    """The same, on its staging path."""
    auth_token_file: Path | None = None
    """A file of mode 0600 with the bearer token for the service; PODIUM_AUTH_TOKEN and the keyring come before it."""
    auth_timeout: int = 3
    """Seconds that a question to the service may take, retries and all."""
    auth_cache_seconds: int = 5
    """Seconds for which a grant is kept."""
    public_url: str = ""
    """Where this workspace's HTTP API answers: web products then get a single-use code instead of the context."""
    files: bool = True
    """Whether screens may read and write files of this machine that the person names: imports and exports."""
    idle_timeout_minutes: int = 0
    """Minutes without a key or the mouse after which a screen is left; 0 means never."""
    max_tokens: int = USUAL.tokens
    """This and those below are the quotas of each person on a server (``core.engine.quotas``)."""
    max_sessions: int = USUAL.sessions
    max_projects: int = USUAL.projects
    max_projects_a_day: int = USUAL.projects_a_day
    max_imports_a_day: int = USUAL.imports_a_day
    max_megabytes_a_day: int = USUAL.megabytes_a_day


class Setting(NamedTuple):
    """A value and where it came from: "default", the path of the file, the variable, or the flag."""

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
"""What each value may be, to complete a sentence."""


RENAMED: Mapping[str, str] = {
    "auth_deadline": "auth_timeout",
    "auth_keep": "auth_cache_seconds",
    "idle_minutes": "idle_timeout_minutes",
    "backups": "daily_backup",
    "api_url": "public_url",
}
"""Settings that were renamed. An old name is refused, since it would be ignored otherwise."""


ELSEWHERE = ("terminal_products",)
"""Keys of the file that are not settings: the administrator's list of products (``tui.launch.allowed``)."""


def config_file(environ: Mapping[str, str] = os.environ) -> Path:
    """The file that is read when it exists."""
    if named := environ.get(FILE_VARIABLE):
        return Path(os.path.expanduser(named))
    import platformdirs

    return platformdirs.user_config_path("podium", appauthor=False) / "config.toml"


def default_db() -> Path:
    """Where the workspace is when nothing says otherwise."""
    import platformdirs

    return platformdirs.user_data_path("podium", appauthor=False) / "podium.db"


def load(flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] = os.environ) -> Config:
    """The configuration. Raises InvalidInput, naming the file, variable or flag that cannot be accepted."""
    found = {name: setting.value for name, setting in settings(flags, environ).items()}
    return Config(**found)


def settings(flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] = os.environ) -> dict[str, Setting]:
    """Every value with where it came from. Raises InvalidInput."""
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
            if os.path.samestat(found, os.stat(os.devnull)):  # the usual way to say that there is none
                return {}
            if not stat.S_ISREG(found.st_mode):  # a pipe would be waited for, and a device may have no end
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
        raise InvalidInput("config", f"{path} has too many brackets in one another.") from error
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
    """Whether this can be the path of a file; “~name” of an unknown account cannot."""
    text = str(value) if isinstance(value, str | Path) else ""
    return bool(text.strip()) and "\0" not in text and not os.path.expanduser(text).startswith("~")


def _converted(name: str, setting: Setting) -> Any:
    """A value that has to be read as something else, such as "on" from the environment. Raises InvalidInput."""
    from core.settings import Settings

    try:
        found = getattr(Settings(**cast(Any, {name: setting.value})), name)
        if isinstance(found, Path) and not _is_path(found):
            raise ValueError(found)
        return found
    except ValueError:  # of which that of pydantic is one
        where = setting.source
        shown = redacted(setting.value) if isinstance(setting.value, str) else setting.value
        raise InvalidInput(
            name, f"{where} sets “{name}” to {shown!r}, which cannot be accepted. It may be {ALLOWED[name]}."
        ) from None
