"""The settings of the user: those of the environment, of the workspace, and of a configuration file, in this order."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Protocol

from core.actions.workspace.profile import CurrentUser
from core.config import PREFIX, Config, find_preference, settings
from core.domain.preferences import PREFERENCES, SETTINGS_OF_CONFIG
from core.errors import InvalidInput
from core.record import Record
from core.text.naming import did_you_mean
from core.text.sanitize import sanitize
from tui.keys.keymap import check_conflicts, keymap_of, parse_keymap, remap_keys
from tui.keys.table import KEYS
from tui.terminal.ascii_filter import OLD_TERMINALS

SETTING_OF = {"keymap": "keys"}
"""The names of the configuration, where they are others."""


class PreferenceSetting(Record, kw_only=False):
    """A preference. One without values is changed in a dialog of its own."""

    name: str
    label: str
    words: str

    @property
    def values(self) -> tuple[str, ...]:
        """Its values; the first is the default."""
        return PREFERENCES[self.name]


THEME = PreferenceSetting("theme", "Theme", "All colours, previewed as you move through the list")

SETTINGS = (
    THEME,
    PreferenceSetting("density", "Density", "Three lines per card, or one"),
    PreferenceSetting("signs", "Signs", "Unicode symbols, or ASCII for old terminals and fonts"),
    PreferenceSetting("notify", "Notify", "For new items in the inbox: nothing, a bell, or a desktop notification"),
    PreferenceSetting(
        "after_move",
        "After a move",
        "The cursor follows a card to its new status, or takes the next one, to work off a list",
    ),
    PreferenceSetting("keymap", "Keys", "Your keys, on every screen"),
)


class HasUser(Protocol):
    """The application, with its user."""

    me: CurrentUser


class Preferences:
    """The settings of the user that the screens draw by.

    Example::

        podium.preferences.find("density")   # "compact"
    """

    fault: str = ""
    """The reason why the keys of the file are not used; "" if they are, or if there are none."""

    def __init__(self, app: HasUser) -> None:
        self._app = app
        self._config: Config | None = None
        self._keys_of_config: Mapping[str, str] = {}
        self._keymap: tuple[str, dict[str, str]] | None = None

    def read(self, config: Config, themes: Collection[str]) -> None:
        """Take the settings of a configuration. Raises InvalidInput, which names the place of a wrong one."""
        if config.theme and config.theme not in themes:
            raise InvalidInput(
                "theme",
                f"{_source('theme')} sets “theme” to “{sanitize(config.theme)}”, which is no theme. “podium settings "
                f"list” lists them.{did_you_mean(config.theme, themes)}",
            )
        try:
            lines = "\n".join(config.keys).splitlines()
            text = parse_keymap("\n".join(lines), lambda number: _place_of_key(lines[number - 1]))
        except InvalidInput as error:
            raise InvalidInput("keys", f"{_source('keys')}: {error}") from error
        self._config, self._keys_of_config = config, keymap_of(text)

    def find(self, name: str) -> str:
        """The value of a setting; "" for the default of one without values."""
        return find_value(self._config, self._app.me.preferences, name)

    def find_usual(self, name: str) -> str:
        """The value that the setting has where the workspace has none."""
        return find_value(self._config, {}, name)

    def find_origin(self, name: str) -> str:
        """The variable or the file that the value comes from; "" if it is the default, or set in this workspace."""
        if variable := self.variable_of(name):
            return variable
        if self._config is None or name in self._app.me.preferences:
            return ""
        setting = settings().get(SETTING_OF.get(name, name))
        return "" if setting is None or setting.source == "default" else setting.source

    def find_keymap(self) -> dict[str, str]:
        """The keys that differ from the table, by the id of their action."""
        stored = self._app.me.preferences.get("keymap", "")
        if self._keymap is None or self._keymap[0] != stored:
            self._keymap = stored, self._join_keys(keymap_of(stored))
        return self._keymap[1]

    def _join_keys(self, stored: dict[str, str]) -> dict[str, str]:
        """The keys of the workspace over those of the file; those of the environment go before both."""
        if not self._keys_of_config:
            return stored
        first, last = self._keys_of_config, stored
        if self.variable_of("keymap"):
            first, last = last, first
        joined = {**first, **last}
        try:
            check_conflicts(remap_keys(KEYS, joined))
        except InvalidInput as error:
            self.fault = f"Your keys in {_source('keys')} are not used here. {error}"
            return stored
        return joined

    def variable_of(self, name: str) -> str:
        """The variable of the environment that decides about a setting; "" if none does."""
        variable = PREFIX + SETTING_OF.get(name, name).upper()
        return variable if self._config is not None and os.environ.get(variable) else ""


def find_value(config: Config | None, stored: Mapping[str, str], name: str) -> str:
    """The value of a setting for a person with these of the workspace; "" for the default of one without values.

    ``config`` is None before the screens have read it.
    """
    if config is None or name not in SETTINGS_OF_CONFIG:
        value = stored.get(name, "")
    else:
        value = find_preference(config, stored, name)
    return value or _find_default(name)


def _find_default(name: str) -> str:
    """The value of a setting that is made nowhere; "" for one without values."""
    if name == "signs" and os.environ.get("TERM") in OLD_TERMINALS:
        return "ascii"
    return (PREFERENCES[name] or ("",))[0]


def _source(name: str) -> str:
    """The file or the variable that a setting of the configuration comes from."""
    return settings()[name].source


def _place_of_key(line: str) -> str:
    """The place of a line of keys, such as "Line 4" of its file."""
    name = line.partition("=")[0].strip()
    try:
        lines = Path(_source("keys")).read_text().splitlines()
    except OSError:  # it stands in a variable
        return f"“{sanitize(name)}”"
    last = re.escape(name.rpartition(".")[2])
    found = [number for number, text in enumerate(lines, 1) if re.match(rf"""["'\w.\s]*\b{last}["']?\s*=""", text)]
    return f"Line {found[0]}" if found else f"“{sanitize(name)}”"
