"""Keys that ask the person something on the way."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any

from textual import work
from textual.worker import Worker

from core.errors import PodiumError


def asking(deed: Callable[..., Awaitable[None]]) -> Callable[..., Worker[None]]:
    """For a ``do_…`` method that opens dialogs: it runs as a worker, and what the core refuses is shown.

    Without it a refusal would end the program, as what a worker raises does.
    """

    @wraps(deed)
    async def run(screen: Any, *arguments: Any) -> None:
        try:
            await deed(screen, *arguments)
        except PodiumError as error:
            screen.podium.show_error(error)

    return work(run)
