"""Waiting in tests for what must happen: as long as the slowest machine may take, and no longer than it does."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

PATIENCE = 30.0
"""Seconds. Nothing is measured by them: a test that would wait for ever fails instead."""

PAUSE = 0.02
"""Seconds between two looks."""


async def until(true: Callable[..., object], seconds: float = PATIENCE) -> None:
    """Wait until something holds, while the loop goes on."""
    give_up = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < give_up, "It does not happen."
        await asyncio.sleep(PAUSE)


def wait_until(true: Callable[..., object], otherwise: str = "It does not happen.", seconds: float = PATIENCE) -> None:
    """Wait until something holds, which others do: threads, processes."""
    give_up = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < give_up, otherwise
        time.sleep(PAUSE)
