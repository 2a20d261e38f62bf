"""The keys of one screen as Textual's bindings."""

from __future__ import annotations

from functools import cache

from textual.binding import Binding, BindingType

from tui.keys.table import EVERYWHERE, KEYS, NOT_ON, Key


@cache
def keys_of(screen: str) -> tuple[Key, ...]:
    """The keys of one screen, in the order of the table. Cached, as it is called after every change."""
    return tuple(key for key in KEYS if key.screen == screen)


def bindings(*screens: str) -> list[BindingType]:
    """Textual bindings for the keys of these screens and for those that work everywhere."""
    return [
        Binding(key.keys, f"do('{key.id}')", key.words, show=False, id=key.id, priority=False)
        for screen in (*screens, EVERYWHERE)
        for key in keys_of(screen)
        if key.keys and key.id not in NOT_ON.get(screens[0], ())
    ]
