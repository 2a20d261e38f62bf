"""The user's own keys: lines of ``id = key, key`` over the table of keys, checked before they are saved."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import partial, reduce

from textual.keys import Keys, _character_to_key

from core.errors import InvalidInput
from core.record import replace
from tui.keys.names import key_written, spell_key
from tui.keys.table import BY_ID, KEYS, SCREENS, Key, keys_on

_MODIFIED = r"((?:ctrl|alt|shift)\+)+(.+)"


_NAMES = frozenset(key.value for key in Keys)
"""Textual's names of the keys that are no characters."""


RENAMED = {"own_fields": "custom_fields"}
"""The verbs that had another name when keymaps were stored."""


def keymap_of(stored: str) -> dict[str, str]:
    """The keys of a stored keymap, by id. Lines with errors are ignored."""
    pairs = [line.partition("=") for line in reduce(_rename, RENAMED, stored).splitlines()]
    return {name.strip(): keys.strip() for name, sign, keys in pairs if sign and name.strip() in BY_ID and keys.strip()}


def _rename(stored: str, old: str) -> str:
    return re.sub(rf"\.{old}\b", f".{RENAMED[old]}", stored)


def remap_keys(keys: Iterable[Key], keymap: Mapping[str, str]) -> tuple[Key, ...]:
    """The keys with the user's changes."""
    if not keymap:
        return tuple(keys)
    return tuple(_change_keys(key, keymap[key.id]) if key.id in keymap else key for key in keys)


def _change_keys(key: Key, keys: str) -> Key:
    """The action with other keys. A label that names the old ones ("H/L move") loses them."""
    named, _, word = key.label.partition(" ")
    return replace(key, keys=keys, label=word if "/" in named and word else key.label)


def written_out(keymap: Mapping[str, str]) -> str:
    """The whole table as lines to edit, grouped by screen."""
    lines: list[str] = []
    screen = ""
    for key in remap_keys(KEYS, keymap):
        if key.screen != screen:
            screen = key.screen
            lines += ["", f"# {screen.capitalize()}"] if lines else [f"# {screen.capitalize()}"]
        lines.append(f"{key.id} = {' '.join(spell_key(name) for name in key.keys.split(','))}".rstrip())
    return "\n".join(lines)


def parse_keymap(text: str, place: Callable[[int], str] = "Line {}".format) -> str:
    """The edited lines that differ from the table, with Textual's names of the keys, as they are stored.

    ``place`` names a line by its number, from 1. Raises InvalidInput with it for an unknown id or key, and for a key
    with two meanings on one screen.
    """
    keymap: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, sign, keys = (part.strip() for part in line.partition("="))
        if not sign or name not in BY_ID:
            raise InvalidInput(
                "keymap", f"{place(number)}: “{name[:40]}” is not an action. Write lines like canvas.edit = e"
            )
        keymap[name] = ",".join(_key(word, partial(place, number)) for word in keys.replace(",", " ").split())
        if not keymap[name] and BY_ID[name].keys:
            raise InvalidInput("keymap", f"{place(number)}: {name} has no key. Add one, or remove the line.")
    changed = {name: keys for name, keys in keymap.items() if keys != BY_ID[name].keys}
    check_conflicts(remap_keys(KEYS, changed))
    return "\n".join(f"{name} = {keys}" for name, keys in changed.items())


def check_conflicts(keys: Iterable[Key]) -> None:
    """Raise InvalidInput if a key has two meanings on one screen."""
    keys = tuple(keys)
    for screen in SCREENS:
        here = {key.id for key in keys_on(screen)}
        meanings: dict[str, str] = {}
        for key in (key for key in keys if key.id in here):
            for name in filter(None, key.keys.split(",")):
                if other := meanings.get(name):
                    raise InvalidInput(
                        "keymap", f"“{spell_key(name)}” is the key of both {other} and {key.id}. Change one."
                    )
                meanings[name] = key.id


def _key(word: str, place: Callable[[], str]) -> str:
    """Textual's name of a key that is written as a character (``?``), as Podium shows it (``esc``), or by its name."""
    if (name := key_written(word)) in _NAMES:
        return name
    if len(word) == 1:
        return _character_to_key(word)
    modified = re.fullmatch(_MODIFIED, word)
    if modified and (len(modified[2]) == 1 or key_written(modified[2]) in _NAMES):
        return word
    try:
        return _character_to_key(unicodedata.lookup(word.replace("_", " ")))
    except KeyError:
        raise InvalidInput(
            "keymap", f"{place()}: “{word[:30]}” is not a key. Examples: x, ?, f5, ctrl+e, PgUp, less_than_sign"
        ) from None
