"""The configuration: defaults, the host's file, your own, the environment, then flags; a later source overrides.

Each setting is one field of ``Config``: its name is the key in the file and, after ``PODIUM_``, the variable; its rule
says how a value is read, which values are allowed, and what the setting is for. The checks, ``podium config`` and the
table of settings in the user guide are made from these fields.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

from core.domain.permissions import ADDED_CODES
from core.domain.preferences import PREFERENCES
from core.domain.quotas import Quotas
from core.errors import InvalidInput
from core.files.config_file import FILE_VARIABLE, config_files, read_table
from core.files.user_folders import user_folder
from core.net.database_url import DatabasePlace, DatabaseUrl, database_place
from core.net.server_address import server_address
from core.record import Record, defaults, fields
from core.text.phrases import names, shell_command
from core.text.urls import redact, service_address

PREFIX = "PODIUM_"
OTHER_VARIABLES = frozenset(
    ("CONFIG", "TOKEN", "TOKEN_FD", "AUTH_TOKEN", "AS", "AS_ROOT", "TERMINAL_PRODUCTS", "LAUNCH_CONTEXT", "USER_ID")
)
"""What follows PODIUM_ in variables that are not settings. Launched products get the last two."""

FOREIGN_VARIABLES = ("TEST_", "PORT", "SERVICE_")
"""How names after PODIUM_ begin that are no concern of Podium's: those of its tests, and the addresses that Kubernetes
gives to every program beside a service that is called “podium”."""

QUOTAS = range(1, 1_000_001)
"""The allowed values of each quota."""

USUAL = Quotas()

WORDS = {"true": True, "t": True, "yes": True, "y": True, "on": True, "1": True} | {
    "false": False,
    "f": False,
    "no": False,
    "n": False,
    "off": False,
    "0": False,
}
"""The words for true and false, in any case."""


class Rule(Record, kw_only=False):
    """The rule of a setting; its name, type and default are those of the field."""

    read: Callable[[Any], Any]
    """Converts a value of TOML, a text or a flag. Raises ValueError if the value is not allowed."""
    allowed: str
    """The valid values, as the end of the sentence "Use …"."""
    meaning: str
    """For the table of settings in the user guide, in Markdown."""


def _path(value: object) -> Path:
    """Read a path. Raises ValueError for “~name” of an unknown account and for a zero byte."""
    path = os.path.expanduser(value) if isinstance(value, str | Path) else ""
    if not str(path).strip() or "\0" in str(path) or str(path).startswith("~"):
        raise ValueError("it is not a path")
    return Path(path)


def _database(value: object) -> DatabasePlace:
    """Read the path or the URL of a database. Raises ValueError as ``database_place`` does."""
    if not isinstance(value, str | Path):
        raise ValueError("it is not a path")
    return database_place(str(value))


def _switch(value: object) -> bool:
    """Read true or false."""
    word = str(int(value)) if isinstance(value, int | float) and value in (0, 1) else value
    if not isinstance(word, str) or word.lower() not in WORDS:
        raise ValueError("it is neither true nor false")
    return WORDS[word.lower()]


def _whole_number(numbers: range, value: object) -> int:
    """Read a whole number, which true and false are not. Raises ValueError."""
    if isinstance(value, str) and value.isascii():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value not in numbers:
        raise ValueError("it is out of range")
    return int(value)


def _synchronous(value: object) -> str:
    if not isinstance(value, str) or value.strip().upper() not in ("NORMAL", "FULL"):
        raise ValueError("it is neither")
    return value.strip().upper()


def _server(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("it is not a text")
    if value:
        server_address(value)
    return value


def _service(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("it is not a text")
    return service_address(value)


def _codes(value: object) -> tuple[str, ...]:
    """Read some of the codes that a service need not know: a list, or a text with commas or spaces between them."""
    found = value.replace(",", " ").split() if isinstance(value, str) else value
    if not isinstance(found, list | tuple) or not all(isinstance(each, str) for each in found):
        raise ValueError("it is not a list of texts")
    codes = {each.upper() for each in found}
    if not codes <= ADDED_CODES:
        raise ValueError("it names another code")
    return tuple(sorted(codes))


def _address(meaning: str) -> Rule:
    """Return the rule of a setting with the address of a service."""
    allowed = "an https address, or http on this machine, without a password, a query or a fragment"
    return Rule(_service, allowed, meaning)


def _token_file(meaning: str) -> Rule:
    """Return the rule of a setting with the path of a file that holds a token."""
    return Rule(
        lambda value: None if value is None else _path(value), "the path of a file that only you can read", meaning
    )


def _preference(name: str, meaning: str) -> Rule:
    """Return the rule of a setting that a person can make in a workspace too."""
    values = PREFERENCES[name]

    def read(value: object) -> str:
        if value != "" and value not in values:
            raise ValueError("it is no value of the setting")
        return str(value)

    return Rule(read, names(values, last="or"), meaning)


def _theme(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("it is not a text")
    return value


def _keys(value: object) -> tuple[str, ...]:
    """Read keys, which only the screens can check: a table, or a text with “;” between them, as lines of a keymap."""
    if isinstance(value, str):
        return tuple(line for each in value.split(";") if (line := each.strip()))
    return value if isinstance(value, tuple) else tuple(_lines_of_keys(value))


def _lines_of_keys(value: object, outer: str = "") -> Iterator[str]:
    """Read ``canvas.edit = "e"``, which TOML reads as a table within a table. Raises ValueError."""
    if not isinstance(value, dict):
        raise ValueError("it is not a table")
    for name, keys in value.items():
        if isinstance(keys, str):
            yield f"{outer}{name} = {keys}"
        else:
            yield from _lines_of_keys(keys, f"{outer}{name}.")


def _yes_or_no(meaning: str) -> Rule:
    """Return the rule of a setting that is true or false."""
    return Rule(_switch, "true or false", meaning)


def _seconds(least: int, most: int, meaning: str) -> Rule:
    """Return the rule of a setting with a number of seconds."""
    numbers = range(least, most + 1)
    return Rule(partial(_whole_number, numbers), f"a whole number of seconds from {least} to {most}", meaning)


def _quota(meaning: str) -> Rule:
    """Return the rule of a setting with a quota of each user on a server."""
    return Rule(partial(_whole_number, QUOTAS), f"a whole number from 1 to {QUOTAS[-1]:,}", meaning)


class Config(Record):
    """All settings."""

    db: Annotated[
        DatabasePlace,
        Rule(
            _database,
            "the path of a file, or postgresql://ROLE@HOST/DATABASE with %XX for special characters",
            "the database, where there is no server: a file, or "
            "[a database of PostgreSQL](../core/server/README.md#postgresql)",
        ),
    ]
    server: Annotated[
        str,
        Rule(
            _server,
            "unix:/path of a socket, an https address, or nothing",
            "the server that has the workspace: `unix:/path` or `https://…`",
        ),
    ] = ""
    token_file: Annotated[
        Path | None,
        _token_file(
            "a file of mode 0600 with the token for that server; `PODIUM_TOKEN` and the keyring come before it"
        ),
    ] = None
    synchronous: Annotated[
        str,
        Rule(
            _synchronous,
            "NORMAL or FULL",
            "`NORMAL` keeps saved changes when Podium is killed, `FULL` also when the power fails; `podium serve` "
            "uses `FULL` by default",
        ),
    ] = "NORMAL"
    daily_backup: Annotated[bool, _yes_or_no("make a backup beside the database once a day")] = True
    auth_url: Annotated[
        str,
        _address(
            "the [authorization service](../core/server/README.md#authorization-service) that decides instead of the "
            "database"
        ),
    ] = ""
    auth_stage_url: Annotated[str, _address("the same service on its staging path")] = ""
    auth_token_file: Annotated[
        Path | None,
        _token_file(
            "a file of mode 0600 with the token for that service; `PODIUM_AUTH_TOKEN` and the keyring come before it"
        ),
    ] = None
    auth_timeout: Annotated[int, _seconds(1, 60, "seconds for one question to the service, its retries included")] = 3
    auth_cache_seconds: Annotated[int, _seconds(0, 60, "seconds for which a granted permission is kept")] = 5
    auth_codes: Annotated[
        tuple[str, ...],
        Rule(
            _codes,
            f"a list with some of {names(sorted(ADDED_CODES))}, or nothing",
            "the newer permission codes that the service knows; "
            "[an older one decides](../core/server/README.md#authorization-service) in the place of each other",
        ),
    ] = ()
    public_url: Annotated[
        str,
        _address(
            "the public address of the HTTP API: errors link to it, and web products get a code to fetch their context "
            "from it"
        ),
    ] = ""
    files: Annotated[
        bool,
        _yes_or_no(
            "screens can import and export files of the machine on which Podium runs; over SSH that is the host"
        ),
    ] = True
    idle_timeout_minutes: Annotated[
        int,
        Rule(
            partial(_whole_number, range(1441)),
            "a number of minutes from 1 to 1440, or 0 for never",
            "minutes without a key or the mouse after which Podium quits",
        ),
    ] = 0
    escape_delay: Annotated[
        int,
        Rule(
            partial(_whole_number, range(1001)),
            "a number of milliseconds from 1 to 1000, or 0 for 15, and 40 over SSH",
            "milliseconds after which Esc counts as a key, if nothing follows it; 0 means 15, and 40 over SSH",
        ),
    ] = 0
    theme: Annotated[
        str,
        Rule(
            _theme,
            "the name of a theme, or nothing",
            "the theme, where your settings in a workspace have none; a variable decides before them, here and in the "
            "next three",
        ),
    ] = ""
    density: Annotated[str, _preference("density", "`compact` draws each card on one line")] = ""
    signs: Annotated[
        str, _preference("signs", "`ascii` draws without symbols, as is usual on the console of Linux")
    ] = ""
    keys: Annotated[
        tuple[str, ...],
        Rule(
            _keys,
            'a table such as [keys] with lines like canvas.edit = "e", or the same in one text with “;” between them',
            "[your keys](#configuration) in every workspace, a table such as `[keys]`",
        ),
    ] = ()
    max_tokens: Annotated[
        int, _quota("valid tokens of each user, one of the [quotas](../core/server/README.md#quotas) on a server")
    ] = USUAL.tokens
    max_sessions: Annotated[int, _quota("sessions of each user in browsers behind a proxy")] = USUAL.sessions
    max_projects: Annotated[int, _quota("projects of each user")] = USUAL.projects
    max_projects_a_day: Annotated[int, _quota("new projects of each user in a day")] = USUAL.projects_a_day
    max_imports_a_day: Annotated[int, _quota("imports of each user in a day")] = USUAL.imports_a_day
    max_megabytes_a_day: Annotated[int, _quota("MB of text that each user writes in a day")] = USUAL.megabytes_a_day


RULES: Mapping[str, Rule] = {
    name: get_args(kind)[1] for name, kind in get_type_hints(Config, include_extras=True).items()
}
"""The rule of each setting, by its name."""


ON_THE_COMMAND_LINE = (
    "Every account of this machine can read a password on the command line. Write it into ~/.pgpass, or the whole URL "
    "into the variable PODIUM_DB."
)


def find_preference(
    config: Config, stored: Mapping[str, str], name: str, environ: Mapping[str, str] = os.environ
) -> str:
    """Return the value of a setting that a person can also make in a workspace; "" where it is made nowhere.

    The variable of the environment goes before the workspace, and the workspace before the file. ``stored`` are the
    settings of the person in the workspace.
    """
    usual = str(getattr(config, name))
    return usual if environ.get(PREFIX + name.upper()) else stored.get(name) or usual


class Setting(Record, kw_only=False):
    """A value and its source: "default", the path of the file, the environment variable, or the flag."""

    value: Any
    source: str


ELSEWHERE = ("terminal_products",)
"""Keys of the file that ``tui.launch.launch_rules`` reads: the administrator's list of terminal products."""


def default_db() -> Path:
    """Return the path of the database if no source sets ``db``."""
    return user_folder("data") / "podium.db"


def place_of(config: Config) -> str:
    """Return the server or the database of a configuration, as files that are kept for a workspace name it."""
    db = config.db
    return config.server or (str(db.absolute()) if isinstance(db, Path) else str(db))


def load(flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] = os.environ) -> Config:
    """Return the configuration. Raises InvalidInput, which names the file, variable or flag with a wrong value."""
    found = {name: setting.value for name, setting in settings(flags, environ).items()}
    return Config(**found)


def settings(flags: Mapping[str, Any] | None = None, environ: Mapping[str, str] = os.environ) -> dict[str, Setting]:
    """Return every setting by name, with its source. Raises InvalidInput."""
    _check_variables(environ)
    found = {name: Setting(defaults(Config).get(name), "default") for name in fields(Config)}
    for path in config_files(environ):
        of_file = _from_file(path, is_named=bool(environ.get(FILE_VARIABLE)))
        if "db" in of_file:  # who names a database does not mean the server that an earlier source names
            found["server"] = Setting("", "default")
        found |= of_file
    if environ.get(f"{PREFIX}DB"):
        found["server"] = Setting("", "default")
    for name in RULES:
        if value := environ.get(PREFIX + name.upper()):
            found[name] = Setting(value, PREFIX + name.upper())
        if flags and flags.get(name) is not None:
            found[name] = Setting(flags[name], f"--{name}")
    if found["db"].source == "default":
        found["db"] = Setting(default_db(), "default")
    return {name: Setting(_read(name, setting), setting.source) for name, setting in found.items()}


def _check_variables(environ: Mapping[str, str]) -> None:
    """Raise InvalidInput for a variable that begins as ours and is none, since a setting with a typing error is off."""
    for variable in sorted(environ):
        name = variable.removeprefix(PREFIX)
        if name == variable or not environ[variable] or name in OTHER_VARIABLES or name.startswith(FOREIGN_VARIABLES):
            continue
        if name.lower() not in RULES:
            from difflib import get_close_matches

            known = sorted({each.upper() for each in RULES} | OTHER_VARIABLES)
            near = get_close_matches(name, known, n=1)
            hint = f"Do you mean {PREFIX}{near[0]}?" if near else "“podium config” lists the settings."
            raise InvalidInput("config", f"{variable} in the environment is not a setting. {hint}")


def _from_file(path: Path, *, is_named: bool) -> dict[str, Setting]:
    """Read the settings of a file. Raises InvalidInput, also if it is missing though a variable names it."""
    table, others_read = read_table(path, is_named=is_named)
    if unknown := [name for name in table if name not in (*RULES, *ELSEWHERE)]:
        raise InvalidInput(
            unknown[0], f"{path} sets “{unknown[0]}”, which is not a setting. The settings are: {', '.join(RULES)}."
        )
    settings = {name: Setting(value, str(path)) for name, value in table.items() if name in RULES}
    if others_read and "db" in settings and _has_password(_read("db", settings["db"])):
        raise InvalidInput(
            "db",
            f"{path} contains a password of the database, and other accounts can read the file. Write the password "
            f"into ~/.pgpass instead, or run {shell_command('chmod', '600', str(path))}.",
        )
    return settings


def _has_password(db: DatabasePlace) -> bool:
    return isinstance(db, DatabaseUrl) and db.has_password


def _read(name: str, setting: Setting) -> Any:
    """Return the checked value of a setting. Raises InvalidInput."""
    rule, value = RULES[name], setting.value
    try:
        read = rule.read(value)
    except ValueError:
        raise InvalidInput(
            name, f"{setting.source} sets “{name}” to {_spell_value(value)}, which is not valid. Use {rule.allowed}."
        ) from None
    if name == "db" and setting.source == "--db" and _has_password(read):
        raise InvalidInput(name, ON_THE_COMMAND_LINE)
    return read


def _spell_value(value: Any) -> str:
    """A wrong value in a refusal, as TOML spells it."""
    match value:
        case str():
            return repr(redact(value))
        case bool():
            return str(value).lower()
        case int() if abs(value) >= 10**16:  # Python does not write numbers of thousands of digits
            return "a very large number"
        case int() | float():
            return str(value)
        case list():
            texts = all(isinstance(each, str) for each in value)
            return f"[{', '.join(map(_spell_value, value))}]" if texts else "a list"
        case dict():
            return "a table"
    return "a date or a time"
