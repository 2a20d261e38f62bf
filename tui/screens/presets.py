"""Choosing a viewing preset, with a live preview behind the menu."""

from __future__ import annotations

from tui.screens.podium_screen import PodiumScreen


async def choose_preset(screen: PodiumScreen) -> None:
    """Offer the presets, and look with the one that is picked."""
    raise NotImplementedError
