"""Choosing a filter: some that everybody needs, and those that the person keeps."""

from __future__ import annotations

from tui.screens.podium_screen import PodiumScreen


async def choose_filter(screen: PodiumScreen) -> None:
    """Offer the filters, and put the one that is picked into the filter line."""
    raise NotImplementedError
