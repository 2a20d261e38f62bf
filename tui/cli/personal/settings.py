"""``podium settings …``: what a person sets for themselves in a workspace, as on the screen of settings."""

from __future__ import annotations

import click

from core.actions.workspace.profile import GetCurrentUser, SetPreference
from core.domain.preferences import PREFERENCES
from core.errors import InvalidInput
from core.record import Record
from core.text.naming import did_you_mean
from core.text.phrases import names
from tui.cli.message_command import MessageGroup
from tui.cli.session import Session

SETTABLE = ("theme", "keymap", *(name for name, values in PREFERENCES.items() if values))
"""The settings that people set. The others are what the screens remember."""

settings_ = MessageGroup("settings", "My settings in this workspace: list, set, reset.")

NAME = click.Argument(["name"], type=click.Choice(SETTABLE), metavar="NAME")


class SettingLine(Record):
    """A setting with its value, and the values that it can have; none for one that takes any text."""

    name: str
    value: str
    is_default: bool
    """True unless it is set in this workspace."""
    values: tuple[str, ...]


@settings_.runs("list", lists=True)
def list_(session: Session) -> None:
    """List my settings in this workspace, with the values that each can have."""
    from tui.services.preferences import find_value  # with the table of keys, which few commands need

    stored = session.query(GetCurrentUser()).preferences
    lines = [
        SettingLine(
            name=name,
            value=find_value(session.config, stored, name),
            is_default=name not in stored,
            values=_values_of(name),
        )
        for name in SETTABLE
    ]
    session.list(
        lines,
        ("NAME", "VALUE", "SET", "CAN BE"),
        lambda line: (line.name, line.value, "" if line.is_default else "yes", ", ".join(line.values)),
        "",
    )


@settings_.runs("set", NAME, click.Argument(["value"]), changes=True)
def set_(session: Session, name: str, value: str) -> None:
    """Set one of my settings, such as “podium settings set density compact”."""
    checked = _check(name, value)
    session.execute(SetPreference(name=name, value=checked))  # also a default, which goes before the file and TERM
    session.print_result({"name": name, "value": checked}, f"{name} is {checked}.")


@settings_.runs("reset", NAME, changes=True)
def reset(session: Session, name: str) -> None:
    """Forget one of my settings, so that its default holds."""
    session.execute(SetPreference(name=name, value=""))
    session.print_result({"name": name, "value": ""}, f"{name} is as it was at first.")


def _values_of(name: str) -> tuple[str, ...]:
    """The values of a setting; those of the theme are the ones that the screens have."""
    if name != "theme":
        return PREFERENCES[name]
    from textual.theme import BUILTIN_THEMES

    from tui.drawing.theme import DARK, LIGHT

    return (DARK.name, LIGHT.name, *sorted(BUILTIN_THEMES))


def _check(name: str, value: str) -> str:
    """The value as it is stored. Raises InvalidInput."""
    if name == "keymap":
        from tui.keys.keymap import parse_keymap

        return parse_keymap(value)
    if value not in (values := _values_of(name)):
        known = names([f"“{each}”" for each in values])
        raise InvalidInput("value", f"“{value}” is no value of {name}. There are {known}.{did_you_mean(value, values)}")
    return value
