"""The two themes of Podium: calm surfaces, one accent, and colours that always accompany a symbol or a word."""

from __future__ import annotations

from collections.abc import Container

from textual.theme import Theme

QUIET = "$foreground 75%"
"""The style of explanations. ``$text-muted`` depends on the background, so a part of a text cannot use it."""

PERSON = "person"
"""The theme's variables for people's names are ``$person-1``, ``$person-2`` and so on."""


def person_variables(*, dark: bool) -> dict[str, str]:
    """The colours of people's names: readable on every background of a card, and none that also means a status."""
    palette = _ON_DARK if dark else _ON_LIGHT
    return {f"{PERSON}-{number}": colour for number, colour in enumerate(palette, 1)}


_ON_DARK = ("#5cc5c5", "#a99df5", "#ee92cf", "#b9c25a", "#e3a07a", "#74c0e8", "#cdb98a", "#6fd9a6", "#d68ff0")
_ON_LIGHT = ("#0f6b6b", "#5a45b5", "#9c2478", "#5b620c", "#934312", "#1a678f", "#6b5a28", "#0d6e46", "#8a2fa3")

DARK = Theme(
    name="podium-dark",
    primary="#7aa2f7",
    secondary="#9d8cd6",
    accent="#7aa2f7",
    foreground="#c8cfdd",
    background="#14171f",
    surface="#1a1e28",
    panel="#222734",
    success="#8fbf7f",
    warning="#dbaf67",
    error="#e07a80",
    dark=True,
    variables={"border": "#343b4d", "footer-key-foreground": "#7aa2f7", "block-cursor-text-style": "none"},
)

LIGHT = Theme(
    name="podium-light",
    primary="#2f5fc4",
    secondary="#6a4fb3",
    accent="#2f5fc4",
    foreground="#2b303b",
    background="#f7f7f4",
    surface="#efefea",
    panel="#e4e4de",
    success="#3b7a34",
    warning="#8f5d00",
    error="#b3303a",
    dark=False,
    variables={"border": "#c9c9c0", "footer-key-foreground": "#2f5fc4", "block-cursor-text-style": "none"},
)

OWN_THEMES = (DARK.name, LIGHT.name)
"""The themes whose colours are chosen so that each text can be read."""


def theme_for(chosen: str, *, light: bool, available: Container[str]) -> str:
    """The name of the theme that a user chose; without one that exists, Podium's for the background of the terminal."""
    if chosen in available:
        return chosen
    return LIGHT.name if light else DARK.name
