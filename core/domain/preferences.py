"""The settings that a person makes for themselves, which are stored with the user, with their values."""

from __future__ import annotations

from collections.abc import Mapping

PREFERENCES: Mapping[str, tuple[str, ...]] = {
    "theme": (),
    "density": ("roomy", "compact"),
    "signs": ("unicode", "ascii"),
    "keymap": (),
    "footer": (),
    "notify": ("off", "bell", "desktop"),
    "preview": (),
    "recent_searches": (),
    "after_move": ("follow it", "take the next"),
    "tour": (),
}
"""The settings, each with its values, the first of which is the default; without values, a text that its front end
checks. Each front end reads those that it knows."""

SETTINGS_OF_CONFIG = ("theme", "density", "signs")
"""Those that the configuration can have too, with the same values. Keys are written otherwise there."""
