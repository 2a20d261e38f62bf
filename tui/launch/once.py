"""One launch at a time."""

from __future__ import annotations

from tui.podium import Podium

LAUNCHES = "launches"
"""The group of workers that launch a product."""


def is_launching(podium: Podium) -> bool:
    """True from the key until the browser is open."""
    return any(worker.group == LAUNCHES and not worker.is_finished for worker in podium.workers)
