"""One launch at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.services.host import Host

LAUNCHES = "launches"
"""The group of the workers that launch."""


def is_launching(podium: Host) -> bool:
    """Whether a launch is under way, from the key to the open browser."""
    return any(worker.group == LAUNCHES and not worker.is_finished for worker in podium.workers)
